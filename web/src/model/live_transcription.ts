// Sound on its way through a model, in the order in which it is fed.
import type { LiveEvent, LiveLag, LiveOptions, LiveTranscription } from '../api/types.js';
import { abortedBy, wrongState } from '../api/errors.js';
import { sampleRate as engineRate } from '../api/generated/whisper.js';
import { checkSamples } from '../api/sample_check.js';
import { asFloats } from '../audio/sample_pieces.js';
import { asSamples } from '../audio/audio_stream.js';
import { joined } from '../api/joined.js';
import type { EngineEvent, EngineLink, LiveSettings } from '../protocol/engine.js';
import type { CallOptions } from '../protocol/link.js';
import type { LivePart, SpeechGate } from '../platform/speech.js';
import { YieldController } from '../wasm/yield_controller.js';

/** Events that wait to be read. */
const mostWaiting = 1000;

/** Seconds of sound that wait: from there on the model is behind, and from there down it is not any more. */
const behind = { from: 2, to: 1 };

type Samples = Float32Array | Int16Array;

/** What a stream runs on. */
export interface LiveSurroundings {
  readonly engine: EngineLink;
  readonly settings: LiveSettings;
  /** When the engine is awake and has its model. */
  readonly ready: Promise<void>;
  /** Finds speech; absent where all sound is heard. Closed with the stream. */
  readonly openGate?: ((signal: AbortSignal | undefined) => Promise<SpeechGate>) | undefined;
  /** Does work when the model has no other. */
  readonly turn: <T>(work: () => Promise<T>) => Promise<T>;
  /** Called once, when the engine is not needed any more. */
  readonly ended: () => void;
}

export class LiveRun implements LiveTranscription {
  readonly #engine: EngineLink;
  readonly #rate: number;
  readonly #settings: LiveSettings;
  readonly #surroundings: LiveSurroundings;
  readonly #signal: AbortSignal | undefined;
  readonly #onLag: LiveOptions['onLag'];
  readonly #mostLag: number;
  #gate: SpeechGate | undefined;
  /** Fed, and not yet on its way to the engine. */
  #pending: Float32Array[] = [];
  /** The lag that was told last, while the model is behind. */
  #toldLag: number | undefined;
  /** Of the text under way, or of the one that comes next. */
  #nextId = 0;
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

  constructor(surroundings: LiveSurroundings, options: LiveOptions) {
    this.#surroundings = surroundings;
    this.#engine = surroundings.engine;
    this.#settings = surroundings.settings;
    const { sampleRate = engineRate, signal, onLag, maxLag } = options;
    this.#rate = sampleRate;
    this.#signal = signal;
    this.#onLag = onLag;
    this.#mostLag = maxLag ?? Infinity;
    const onAbort = (): void => {
      this.stop(abortedBy(signal!));
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#left.signal.addEventListener('abort', () => {
      signal?.removeEventListener('abort', onAbort);
      this.#gate?.close();
      surroundings.ended();
    });
    this.#work = surroundings.ready.then(() => this.#begin());
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
    this.#fed += own.length;
    this.#pending.push(own);
    return this.#next(() => this.#hearPending());
  }

  async flush(): Promise<void> {
    this.#checkOpen();
    return this.#next(() => this.#interrupt());
  }

  async reset(): Promise<void> {
    this.#checkOpen();
    return this.#next(async () => {
      await this.#endEngine();
      await this.#gate?.finish();
      await this.#begin();
      this.#fed -= this.#heard;
      this.#heard = 0;
      this.#nextId = 0;
    });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return this.#work.catch(() => undefined);
    this.#isClosed = true;
    return this.#next(async () => {
      await this.#interrupt();
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
    const { openGate } = this.#surroundings;
    if (openGate && !this.#gate) {
      this.#gate = await openGate(this.#signal);
      // It has ended meanwhile.
      if (this.#left.signal.aborted) {
        this.#gate.close();
        return;
      }
    }
    this.#id = await this.#engine.call('beginLive', { settings: this.#settings });
    await this.#beginConversion();
  }

  async #beginConversion(): Promise<void> {
    if (this.#rate === engineRate) return;
    this.#conversion = await this.#engine.call('beginConversion', {
      kind: 'samples',
      sampleRate: this.#rate,
      channels: 1,
    });
  }

  /** All that was fed by now goes out together: who is behind takes longer steps. */
  async #hearPending(): Promise<void> {
    if (this.#pending.length === 0) return;
    const samples = joined(this.#pending.splice(0), Float32Array);
    // Before a detector or a converter hears them.
    const place = { sampleRate: this.#rate, channels: 1, before: this.#heard };
    await checkSamples(samples, new YieldController(this.#signal), place);
    const skipped = this.#tooMany(samples.length);
    if (skipped > 0) await this.#skip(skipped);
    const id = this.#conversion;
    const heard = samples.subarray(skipped);
    if (id === undefined) await this.#give(heard);
    else {
      const { ready } = await this.#engine.call('convertPiece', { id, piece: heard });
      if (ready > 0) await this.#give(await this.#engine.call('takeConverted', { id }));
    }
    this.#heard += samples.length;
    this.#tellLag();
  }

  #tooMany(count: number): number {
    return Math.max(0, count - Math.floor(this.#mostLag * this.#rate));
  }

  /** Leaves out so many samples, behind an utterance that ends there. */
  async #skip(count: number): Promise<void> {
    await this.#interrupt();
    const start = this.#heard / this.#rate;
    const end = start + count / this.#rate;
    await this.#leaveOut(Math.round((count * engineRate) / this.#rate));
    this.#sayLag({ skipped: { start, end } });
  }

  /** 16 kHz mono. */
  async #give(samples: Float32Array): Promise<void> {
    if (!this.#gate) return this.#feed(samples);
    await this.#hearParts(await this.#gate.push(samples));
  }

  async #hearParts(parts: readonly LivePart[]): Promise<void> {
    for (const part of parts) {
      if (part.type === 'speech') await this.#feed(part.samples);
      else if (part.type === 'silence') await this.#leaveOut(part.sampleCount);
      else await this.#flush();
    }
  }

  async #feed(samples: Float32Array): Promise<void> {
    await this.#inTurn((id, options) => this.#engine.call('feedLive', { id, samples }, options));
  }

  async #flush(): Promise<void> {
    await this.#inTurn((id, options) => this.#engine.call('flushLive', { id }, options));
  }

  async #leaveOut(sampleCount: number): Promise<void> {
    this.#tell(await this.#engine.call('skipLive', { id: this.#running, sampleCount }));
  }

  async #inTurn(
    work: (id: number, options: CallOptions<EngineEvent>) => Promise<readonly LiveEvent[]>,
  ): Promise<void> {
    const options = this.#signal ? { signal: this.#signal } : {};
    this.#tell(await this.#surroundings.turn(() => work(this.#running, options)));
  }

  /** All that was fed comes out. The sound may go on after it. */
  async #interrupt(): Promise<void> {
    const id = this.#conversion;
    if (id !== undefined) {
      this.#conversion = undefined;
      const rest = await this.#engine.call('endConversion', { id });
      await this.#beginConversion();
      await this.#give(rest);
    }
    if (this.#gate) await this.#hearParts(await this.#gate.finish());
    else await this.#flush();
  }

  /** At each second or so that the model is behind, and when it is not any more. */
  #tellLag(): void {
    const { lag } = this;
    const told = this.#toldLag;
    if (told === undefined ? lag < behind.from : lag >= behind.to && Math.abs(lag - told) < 1) {
      return;
    }
    this.#toldLag = lag < behind.to ? undefined : lag;
    this.#sayLag({});
  }

  #sayLag(more: Pick<LiveLag, 'skipped'>): void {
    const { lag } = this;
    const time = this.#heard / this.#rate;
    const event: LiveLag = { type: 'lag', id: this.#nextId, time, lag, ...more };
    this.#tell([event]);
    this.#onLag?.(event);
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
      if (event.type !== 'lag') this.#nextId = event.type === 'final' ? event.id + 1 : event.id;
      const last = this.#events.at(-1);
      const isText = event.type === 'partial' || event.type === 'final';
      const isStale = last?.type === 'partial' && last.id === event.id && isText;
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
