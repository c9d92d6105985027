// Sound on its way through a model, in the order in which it is fed.
import type { LiveEvent, LiveOptions, LiveTranscription } from '../api/types.js';
import { abortedBy, wrongState } from '../api/errors.js';
import { sampleRate as engineRate } from '../api/generated/whisper.js';
import { checkOptions, signalCheck } from '../api/options.js';
import { asFloats } from '../audio/sample_pieces.js';
import { asSamples } from '../audio/audio_stream.js';
import { beamChecks } from './beam_options.js';
import { frontEndCheck } from './network_options.js';
import type { EngineLink } from '../protocol/engine.js';

export function checkLiveOptions(options: LiveOptions): void {
  checkOptions(options, {
    sampleRate: [
      'a number from 1000 to 768000',
      (value) => typeof value === 'number' && value >= 1000 && value <= 768000,
    ],
    signal: signalCheck,
    frontEnd: frontEndCheck,
    ...beamChecks,
  });
}

/** Events that wait to be read. */
const mostWaiting = 1000;

type Samples = Float32Array | Int16Array;

export class LiveRun implements LiveTranscription {
  readonly #engine: EngineLink;
  readonly #rate: number;
  readonly #settings: Omit<LiveOptions, 'sampleRate' | 'signal'>;
  readonly #signal: AbortSignal | undefined;
  /** What the engine calls it, and the conversion to its rate. */
  #id: number | undefined;
  #conversion: number | undefined;
  /** All that was asked for so far; calls go one after the other. */
  #work: Promise<void>;
  readonly #events: LiveEvent[] = [];
  readonly #waiting: (() => void)[] = [];
  #fed = 0;
  #heard = 0;
  #isClosed = false;
  #isOver = false;
  #failure: { readonly error: unknown } | undefined;
  readonly #left = new AbortController();
  readonly writable: WritableStream<Samples>;
  readonly readable: ReadableStream<LiveEvent>;

  /** `ended` is called once, when the engine is not needed any more. */
  constructor(engine: EngineLink, options: LiveOptions, ready: Promise<void>, ended: () => void) {
    this.#engine = engine;
    const { sampleRate = engineRate, signal, ...settings } = options;
    this.#rate = sampleRate;
    this.#settings = settings;
    this.#signal = signal;
    const onAbort = (): void => {
      this.stop(abortedBy(signal!));
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#left.signal.addEventListener('abort', () => {
      signal?.removeEventListener('abort', onAbort);
      ended();
    });
    this.#work = ready.then(() => this.#begin());
    this.#work.catch((error: unknown) => this.#fail(error));
    // Not before its owner has it.
    if (signal?.aborted) queueMicrotask(onAbort);
    this.writable = new WritableStream<Samples>({
      write: (samples) => this.feed(samples),
      close: () => this.close(),
      abort: () => this.#leave(),
    });
    const events = this[Symbol.asyncIterator]();
    this.readable = new ReadableStream<LiveEvent>(
      {
        async pull(controller) {
          const step = await events.next();
          if (step.done) controller.close();
          else controller.enqueue(step.value);
        },
        cancel: () => this.#leave(),
      },
      { highWaterMark: 0 },
    );
  }

  /** Ends it now, with an error that all who use it get. */
  stop(error: unknown): void {
    this.#fail(error);
    void this.#endWhenIdle();
  }

  get lag(): number {
    return (this.#fed - this.#heard) / this.#rate;
  }

  async feed(samples: Samples): Promise<void> {
    this.#checkOpen();
    const floats = asFloats(asSamples(samples));
    const own = floats === samples ? floats.slice() : floats;
    const count = own.length;
    this.#fed += count;
    return this.#next(async () => {
      await this.#hear(own);
      this.#heard += count;
    });
  }

  async flush(): Promise<void> {
    this.#checkOpen();
    return this.#next(() => this.#flush());
  }

  async reset(): Promise<void> {
    this.#checkOpen();
    return this.#next(async () => {
      await this.#endEngine();
      await this.#begin();
      this.#fed -= this.#heard;
      this.#heard = 0;
    });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return this.#work.catch(() => undefined);
    this.#isClosed = true;
    return this.#next(async () => {
      await this.#flush();
      await this.#endEngine();
      this.#finish();
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<LiveEvent> {
    let isThrough = false;
    try {
      for (;;) {
        const event = this.#events.shift();
        if (event) yield event;
        else if (this.#isOver) break;
        else await new Promise<void>((wake) => this.#waiting.push(wake));
      }
      isThrough = true;
    } finally {
      if (!isThrough) await this.#leave();
    }
    if (this.#failure) throw this.#failure.error;
  }

  /** Nobody wants the rest. */
  async #leave(): Promise<void> {
    if (this.#isOver) return;
    this.#isClosed = true;
    this.#finish();
    await this.#endWhenIdle();
  }

  /** What is under way may have begun the engine's part. */
  async #endWhenIdle(): Promise<void> {
    await this.#work.catch(() => undefined);
    await this.#endEngine().catch(() => undefined);
  }

  #checkOpen(): void {
    if (this.#failure) throw this.#failure.error;
    if (this.#isClosed) throw wrongState('This stream is closed.', 'stream');
  }

  #next(work: () => Promise<void>): Promise<void> {
    const done = this.#work.then(async () => {
      if (this.#failure) throw this.#failure.error;
      if (this.#isOver) throw wrongState('This stream is closed.', 'stream');
      try {
        await work();
      } catch (error) {
        this.#fail(error);
        // What failed first says more.
        throw this.#whyFailed(error);
      }
    });
    this.#work = done;
    done.catch(() => undefined);
    return done;
  }

  async #begin(): Promise<void> {
    if (this.#isOver) return;
    this.#id = await this.#engine.call('beginLive', { settings: this.#settings });
    if (this.#rate === engineRate) return;
    this.#conversion = await this.#engine.call('beginConversion', {
      kind: 'samples',
      sampleRate: this.#rate,
      channels: 1,
    });
  }

  async #hear(samples: Float32Array): Promise<void> {
    const id = this.#conversion;
    if (id === undefined) return this.#give(samples);
    const { ready } = await this.#engine.call('convertPiece', { id, piece: samples });
    if (ready > 0) await this.#give(await this.#engine.call('takeConverted', { id }));
  }

  async #give(samples: Float32Array): Promise<void> {
    const options = this.#signal && { signal: this.#signal };
    this.#tell(await this.#engine.call('feedLive', { id: this.#running, samples }, options));
  }

  async #flush(): Promise<void> {
    const id = this.#conversion;
    if (id !== undefined) {
      const rest = await this.#engine.call('endConversion', { id });
      this.#conversion = await this.#engine.call('beginConversion', {
        kind: 'samples',
        sampleRate: this.#rate,
        channels: 1,
      });
      await this.#give(rest);
    }
    this.#tell(await this.#engine.call('flushLive', { id: this.#running }));
  }

  async #endEngine(): Promise<void> {
    const [id, conversion] = [this.#id, this.#conversion];
    this.#id = undefined;
    this.#conversion = undefined;
    if (conversion !== undefined) await this.#engine.call('dropConversion', { id: conversion });
    if (id !== undefined) await this.#engine.call('endLive', { id });
  }

  get #running(): number {
    if (this.#id === undefined) throw wrongState('This stream is closed.', 'stream');
    return this.#id;
  }

  /** Where many events wait, a partial is replaced by the one after it, so that a reader who is away costs no memory. */
  #tell(events: readonly LiveEvent[]): void {
    for (const event of events) {
      const last = this.#events.at(-1);
      const isStale = last?.type === 'partial' && last.id === event.id && event.type !== 'silence';
      if (isStale && this.#events.length >= mostWaiting) {
        this.#events.pop();
      }
      this.#events.push(event);
    }
    this.#wake();
  }

  #whyFailed(error: unknown): unknown {
    return this.#failure ? this.#failure.error : error;
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#finish();
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#isClosed = true;
    this.#left.abort();
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}
