// A live transcription, whose calls are processed in order.
import type {
  AnyLiveOptions,
  LiveEvent,
  LiveLag,
  LiveLanguage,
  LiveTranscription,
} from '../api/types.js';
import { wrongState } from '../api/errors.js';
import { sampleRate as engineRate } from '../api/generated/whisper.js';
import { onAbort } from '../api/signals.js';
import { asFloats } from '../audio/sample_pieces.js';
import { asSamples } from '../audio/audio_stream.js';
import { joined } from '../api/joined.js';
import {
  EngineStream,
  type LaterNews,
  type LaterReceiver,
  type LiveSurroundings,
  type Tell,
} from './engine_stream.js';
import { disposedOf, endWhenForgotten } from './forgotten.js';
import { EventQueue } from './live_events.js';

/** Seconds of waiting audio: at `from` the model counts as behind, below `to` it has caught up. */
const behind = { from: 2, to: 1 };

type Samples = Float32Array | Int16Array;

/** Samples that are processed in one step; a model that is behind takes longer steps. */
interface FedSound {
  readonly parts: Float32Array[];
  readonly heard: Promise<void>;
}

export class LiveRun implements LiveTranscription {
  readonly #engine: EngineStream;
  readonly #rate: number;
  readonly #onLag: AnyLiveOptions['onLag'];
  readonly #mostLag: number;
  readonly #events = new EventQueue();
  readonly #stopListening: () => void;
  /** The step that takes the samples fed now. */
  #sound: FedSound | undefined;
  /** The lag in the last event, while the model is behind. */
  #toldLag: number | undefined;
  #language: LiveLanguage | undefined;
  /** Id of the current text, or of the next one. */
  #nextId = 0;
  /** The calls so far, one after the other. */
  #work: Promise<void>;
  #fed = 0;
  #heard = 0;
  #isClosed = false;
  #failure: { readonly error: unknown } | undefined;
  /** Once the stream is over: resolves when the engine has freed its memory for it. */
  #ending: Promise<void> | undefined;
  readonly writable: WritableStream<Samples>;
  readonly readable: ReadableStream<LiveEvent>;

  constructor(surroundings: LiveSurroundings, options: AnyLiveOptions) {
    const { sampleRate = engineRate, signal, onLag, maxLag } = options;
    this.#engine = new EngineStream(surroundings, sampleRate, laterTo(new WeakRef(this)));
    this.#rate = sampleRate;
    this.#onLag = onLag;
    this.#mostLag = maxLag ?? Infinity;
    this.#work = surroundings.ready
      .then(() => this.#engine.begin())
      .catch((error: unknown) => {
        throw this.#whyFailed(error);
      });
    void unwatched(this.#work);
    this.#stopListening = stopWhenAborted(new WeakRef(this), signal);
    endWhenForgotten(this, forgottenStream(this.#engine, this.#stopListening), 'stream');
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

  /** What is known of texts later. */
  add(news: readonly LaterNews[]): void {
    const [id, time] = [this.#nextId, this.#heard / this.#rate];
    this.#tell(news.map((each) => ({ ...each, id, time })));
  }

  /** Ends the stream at once; its calls and its loop reject with the error. */
  stop(error: unknown): void {
    this.#failure ??= { error };
    this.#finish();
  }

  get lag(): number {
    return this.#waitingCount / this.#rate;
  }

  get language(): LiveLanguage | undefined {
    return this.#language;
  }

  feed(samples: Samples): Promise<void> {
    return this.#take(() => {
      const floats = asFloats(asSamples(samples));
      const own = floats === samples ? floats.slice() : floats;
      this.#fed += own.length;
      this.#sound ??= this.#beginSound();
      this.#sound.parts.push(own);
      return this.#sound.heard;
    });
  }

  flush(): Promise<void> {
    return this.#take(() => this.#next(() => this.#interrupt()));
  }

  reset(): Promise<void> {
    return this.#take(() =>
      this.#next(async () => {
        await this.#engine.beginAnew();
        this.#fed -= this.#heard;
        this.#heard = 0;
        this.#nextId = 0;
        this.#language = undefined;
      }),
    );
  }

  close(): Promise<void> {
    if (this.#isClosed) return this.#work.catch(() => undefined);
    this.#isClosed = true;
    return this.#next(async () => {
      await this.#interrupt();
      await this.#engine.hearRest(this.#tell);
      await this.#engine.end();
      this.#finish();
    });
  }

  [Symbol.dispose](): void {
    void this.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<LiveEvent> {
    let isThrough = false;
    try {
      for (let event; (event = await this.#events.next());) yield event;
      isThrough = true;
    } finally {
      if (!isThrough) await this.#leave();
    }
    if (this.#failure) throw this.#failure.error;
  }

  /** The writer aborted or the reader cancelled: drops the rest. */
  async #leave(): Promise<void> {
    this.#finish();
    await this.#ending;
  }

  /** Rejects work once it is closed. */
  #take(work: () => Promise<void>): Promise<void> {
    if (this.#failure) return unwatched(rejected(this.#failure.error));
    if (this.#isClosed) return rejected(closed());
    try {
      return work();
    } catch (error) {
      return rejected(error);
    }
  }

  #next(work: () => Promise<void>): Promise<void> {
    // Samples that are fed later are processed after this work.
    this.#sound = undefined;
    const done = this.#work.then(async () => {
      try {
        if (this.#ending) throw closed();
        await work();
      } catch (error) {
        throw this.#whyFailed(error);
      }
    });
    this.#work = done;
    return unwatched(done);
  }

  #beginSound(): FedSound {
    const parts: Float32Array[] = [];
    const heard = this.#next(() => {
      if (this.#sound === sound) this.#sound = undefined;
      return this.#hear(joined(parts, Float32Array));
    });
    const sound = { parts, heard };
    return sound;
  }

  async #hear(samples: Float32Array): Promise<void> {
    if (samples.length === 0) return;
    // Check the samples before the detector or the converter gets them.
    await this.#engine.check(samples, this.#heard);
    const skipped = this.#tooMany(samples.length);
    if (skipped > 0) await this.#skip(skipped);
    await this.#engine.hear(samples.subarray(skipped), this.#tell);
    this.#heard += samples.length;
    this.#tellLag();
  }

  /** Samples that were fed and are not processed yet. */
  get #waitingCount(): number {
    return this.#fed - this.#heard;
  }

  /** How many of the next `count` samples must be skipped. */
  #tooMany(count: number): number {
    const excess = this.#waitingCount - Math.floor(this.#mostLag * this.#rate);
    return Math.min(count, Math.max(0, excess));
  }

  /** Skips so many samples; the utterance before them ends there. */
  async #skip(count: number): Promise<void> {
    await this.#interrupt();
    const start = this.#heard / this.#rate;
    const end = start + count / this.#rate;
    await this.#engine.leaveOut(count, this.#tell);
    this.#sayLag({ skipped: { start, end } });
  }

  #interrupt(): Promise<void> {
    return this.#engine.interrupt(this.#tell);
  }

  /** Emits an event about once for each second of lag, and when the model has caught up. */
  #tellLag(): void {
    const { lag } = this;
    const told = this.#toldLag;
    if (told === undefined ? lag < behind.from : lag >= behind.to && Math.abs(lag - told) < 1) {
      return;
    }
    this.#toldLag = lag < behind.to ? undefined : lag;
    this.#sayLag({});
  }

  /** An error of onLag ends this stream; it must not reach the caller that paused the transcription. */
  #sayHeldUp(): void {
    try {
      this.#sayLag({ waitsForPaused: true });
    } catch (error) {
      this.stop(error);
    }
  }

  #sayLag(more: Pick<LiveLag, 'skipped' | 'waitsForPaused'>): void {
    const { lag } = this;
    const time = this.#heard / this.#rate;
    const event: LiveLag = { type: 'lag', id: this.#nextId, time, lag, ...more };
    this.#tell([event]);
    this.#onLag?.(event);
  }

  readonly #tell: Tell = (events) => {
    if (events === 'held-up') {
      this.#sayHeldUp();
      return;
    }
    for (const event of events) {
      if (event.type === 'language') this.#language = event;
      if (event.type !== 'lag' && event.type !== 'revised' && event.type !== 'speakers')
        this.#nextId = event.type === 'final' ? event.id + 1 : event.id;
    }
    this.#events.add(events);
  };

  /** Ends the stream if it was not over, and returns the first error, of which later ones may be a consequence. */
  #whyFailed(error: unknown): unknown {
    if (!this.#ending) this.stop(error);
    return this.#failure ? this.#failure.error : closed();
  }

  #finish(): void {
    if (this.#ending) return;
    this.#isClosed = true;
    disposedOf(this);
    this.#stopListening();
    this.#engine.leave();
    // Calls under way may have opened the stream in the engine.
    this.#ending = this.#work.catch(() => undefined).then(() => this.#engine.end());
    this.#events.end();
  }
}

const closed = (): Error => wrongState('This stream is closed.', 'stream');

const rejected = (error: unknown): Promise<never> =>
  Promise.resolve().then(() => {
    throw error;
  });

/** A promise that need not be awaited: the loop over the events throws the same error. */
function unwatched(work: Promise<void>): Promise<void> {
  work.catch(() => undefined);
  return work;
}

// Separate functions, since closures created in a scope that refers to the stream would keep it alive.

function stopWhenAborted(run: WeakRef<LiveRun>, signal: AbortSignal | undefined): () => void {
  const stop = (): void => run.deref()?.stop(signal?.reason);
  if (!signal?.aborted) return onAbort(signal, stop);
  // Not before the caller has the stream.
  queueMicrotask(stop);
  return () => undefined;
}

const laterTo = (run: WeakRef<LiveRun>): LaterReceiver => ({
  tell: (news) => run.deref()?.add(news),
  fail: (error) => run.deref()?.stop(error),
});

function forgottenStream(engine: EngineStream, stopListening: () => void): { close(): void } {
  return {
    close: () => {
      stopListening();
      void engine.end();
    },
  };
}
