// A stream that can go from one model to another while sound comes. No sound is lost in between or before the first: it waits for the next model.
import type { LiveEvent, AnyLiveOptions } from '../../src/index.js';
import type { LiveStream, StreamingModel } from '../../page/live.js';

export interface SwitchCalls {
  /** Another model goes on, at this second of the sound. */
  readonly onNext: (offset: number) => void;
  /** All that is fed, with its rate. */
  readonly onSound: (samples: Float32Array | Int16Array, rate: number) => void;
}

/** Seconds that a model gets at once of what has waited. */
const portion = 2;

/** Seconds by which what waits may grow while a model catches up: it needs a moment to begin. */
const mostGrowth = 10;

/** Stands for the model in use. */
export class ModelSwitch implements StreamingModel {
  readonly #calls: SwitchCalls;
  #model: StreamingModel | undefined;
  #options: AnyLiveOptions;
  #stream: SwitchedStream | undefined;

  /** Without a model, sound waits for the first. */
  constructor(model: StreamingModel | undefined, options: AnyLiveOptions, calls: SwitchCalls) {
    this.#model = model;
    this.#options = options;
    this.#calls = calls;
  }

  /** `own` says what of the source, such as the rate; what the model is asked for comes with the model. */
  stream(own: AnyLiveOptions = {}): LiveStream {
    const { sampleRate = 16_000 } = own;
    const open = (model: StreamingModel) => model.stream({ ...this.#options, ...own });
    const first = this.#model && open(this.#model);
    this.#stream = new SwitchedStream(first, open, sampleRate, this.#calls);
    return this.#stream;
  }

  /** Seconds of sound that no model has been given yet. */
  get waiting(): number {
    return this.#stream?.waiting ?? 0;
  }

  /** Lets the model go, after its pending text. */
  async leave(): Promise<void> {
    this.#model = undefined;
    await this.#stream?.leave();
  }

  /** This model goes on with what waits and with what comes. */
  follow(model: StreamingModel, options: AnyLiveOptions): void {
    this.#model = model;
    this.#options = options;
    this.#stream?.follow(model);
  }
}

interface Waiting {
  readonly samples: Float32Array | Int16Array;
  readonly heard: () => void;
  readonly failed: (error: unknown) => void;
}

class SwitchedStream implements LiveStream {
  readonly #open: (model: StreamingModel) => LiveStream;
  readonly #rate: number;
  readonly #calls: SwitchCalls;
  #current: LiveStream | undefined;
  #left: Promise<void> = Promise.resolve();
  /** Those whose events come next, each with where it begins. */
  readonly #next: { readonly stream: LiveStream; readonly offset: number }[] = [];
  readonly #waiting: Waiting[] = [];
  /** Samples that went to models. */
  #given = 0;
  #waitingCount = 0;
  #isClosed = false;
  #wake = (): void => undefined;

  constructor(
    first: LiveStream | undefined,
    open: (model: StreamingModel) => LiveStream,
    rate: number,
    calls: SwitchCalls,
  ) {
    this.#current = first;
    if (first) this.#next.push({ stream: first, offset: 0 });
    this.#open = open;
    this.#rate = rate;
    this.#calls = calls;
  }

  /** A model is not too slow for what it was not there for. */
  get lag(): number {
    return this.#current?.lag ?? 0;
  }

  get waiting(): number {
    return this.#waitingCount / this.#rate;
  }

  async feed(samples: Float32Array | Int16Array): Promise<void> {
    this.#calls.onSound(samples, this.#rate);
    if (this.#current && this.#waiting.length === 0) return this.#give(this.#current, samples);
    this.#waitingCount += samples.length;
    return new Promise((heard, failed) => this.#waiting.push({ samples, heard, failed }));
  }

  async flush(): Promise<void> {
    await this.#current?.flush();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#current) void this.#giveWaiting(this.#current, Infinity);
    else this.#dropWaiting();
    try {
      await this.#current?.close();
    } finally {
      this.#wake();
    }
  }

  /** Later callers wait as well: the model is in use until it has left. */
  leave(): Promise<void> {
    const left = this.#current;
    this.#current = undefined;
    // A model that fails while it goes has nothing more to say.
    if (left) this.#left = left.close().catch(() => undefined);
    return this.#left;
  }

  follow(model: StreamingModel): void {
    if (this.#isClosed) return;
    void this.leave();
    const stream = this.#open(model);
    this.#current = stream;
    this.#next.push({ stream, offset: this.#given / this.#rate });
    this.#wake();
    void this.#catchUp(stream);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<LiveEvent> {
    for (let isFirst = true; ; isFirst = false) {
      while (this.#next.length === 0 && !this.#isClosed) {
        await new Promise<void>((woken) => (this.#wake = woken));
      }
      const next = this.#next.shift();
      if (!next) return;
      if (!isFirst) this.#calls.onNext(next.offset);
      try {
        yield* next.stream;
      } catch (error) {
        if (next.stream === this.#current) throw error;
      }
    }
  }

  /** A model leaves out what is too far behind: it gets what has waited bit by bit, unless it is slower than the sound that comes meanwhile. */
  async #catchUp(stream: LiveStream): Promise<void> {
    const most = this.waiting + mostGrowth;
    while (this.#current === stream && this.#waiting.length > 0) {
      await this.#giveWaiting(stream, this.waiting > most ? Infinity : portion);
    }
  }

  /** Resolves, and never rejects, when these seconds of what waits have been heard. */
  async #giveWaiting(stream: LiveStream, seconds: number): Promise<void> {
    const end = this.#given + seconds * this.#rate;
    const given: Promise<void>[] = [];
    while (this.#given < end) {
      const first = this.#waiting.shift();
      if (!first) break;
      this.#waitingCount -= first.samples.length;
      given.push(this.#give(stream, first.samples).then(first.heard, first.failed));
    }
    await Promise.all(given);
  }

  #give(stream: LiveStream, samples: Float32Array | Int16Array): Promise<void> {
    this.#given += samples.length;
    return stream.feed(samples);
  }

  /** Drops samples that no model has processed. */
  #dropWaiting(): void {
    for (const { heard } of this.#waiting.splice(0)) heard();
    this.#waitingCount = 0;
  }
}
