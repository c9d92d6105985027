// A model and a source that do what a test says, for listen().
import type {
  LiveEvent,
  AnyLiveOptions,
  LiveTranscription,
  SampleArray,
} from '../../web/src/api/types.js';
import type { AudioSink, Sound, SoundEnd, SoundMaker } from '../../web/page/live/sound.js';

/** Counts what it is fed, and says so as a final text. */
export class FakeStream implements LiveTranscription {
  readonly options: AnyLiveOptions;
  readonly fed: SampleArray[] = [];
  flushes = 0;
  /** What was fed before each flush(). */
  readonly flushedAt: number[] = [];
  isClosed = false;
  lag = 0;
  language = undefined;
  /** Keeps feed() waiting. */
  hold: Promise<void> = Promise.resolve();
  #failure: { readonly error: unknown } | undefined;
  readonly #events: LiveEvent[] = [];
  #wake = (): void => undefined;
  readonly writable = new WritableStream<SampleArray>();
  readonly readable = new ReadableStream<LiveEvent>();

  constructor(options: AnyLiveOptions) {
    this.options = options;
  }

  get count(): number {
    return this.fed.reduce((sum, { length }) => sum + length, 0);
  }

  async feed(samples: SampleArray): Promise<void> {
    if (this.#failure) throw this.#failure.error;
    this.fed.push(samples);
    await this.hold;
  }

  flush(): Promise<void> {
    this.flushes += 1;
    this.flushedAt.push(this.count);
    return Promise.resolve();
  }

  reset(): Promise<void> {
    return Promise.resolve();
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    this.say(`${this.count}`);
    if (this.#failure) throw this.#failure.error;
    await Promise.resolve();
  }

  [Symbol.dispose](): void {
    void this.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  say(text: string): void {
    const [id, time] = [this.#events.length, 0];
    const rest = { start: 0, end: 1, words: [], tokens: [], committed: 0 };
    this.#events.push({ type: 'final', id, time, text, ...rest });
    this.#wake();
  }

  revise(replaces: readonly number[], text: string): void {
    const span = { start: 0, end: 1 };
    const segments = [{ ...span, text, words: [{ word: text, ...span, probability: 1 }] }];
    const id = this.#events.length;
    this.#events.push({ type: 'revised', id, time: 1, ...span, replaces, segments });
    this.#wake();
  }

  fail(error: unknown): void {
    this.#failure = { error };
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<LiveEvent> {
    for (;;) {
      const event = this.#events.shift();
      if (event) yield event;
      else if (this.#failure) throw this.#failure.error;
      else if (this.isClosed) return;
      else await new Promise<void>((wake) => (this.#wake = wake));
    }
  }
}

export class FakeModel {
  readonly streams: FakeStream[] = [];

  stream(options: AnyLiveOptions = {}): FakeStream {
    const stream = new FakeStream(options);
    this.streams.push(stream);
    return stream;
  }
}

/** A source whose every step a test takes. */
export class FakeSound implements Sound, SoundMaker {
  sampleRate = 48000;
  isPushed = true;
  sink: AudioSink | undefined;
  closings = 0;
  resumes = 0;
  /** What is still inside when it is closed. */
  rest: Float32Array | undefined;
  end!: (end: SoundEnd) => void;
  readonly ended = new Promise<SoundEnd>((done) => (this.end = done));
  opened!: (rate: number) => void;
  refused!: (error: unknown) => void;
  readonly #opening = new Promise<number>((done, failed) => {
    this.opened = done;
    this.refused = failed;
  });

  begin(): Sound {
    return this;
  }

  open(sink: AudioSink): Promise<number> {
    this.sink = sink;
    return this.#opening;
  }

  resume(): Promise<void> {
    this.resumes += 1;
    return Promise.resolve();
  }

  async close(): Promise<void> {
    this.closings += 1;
    if (this.rest) await this.sink?.hear(this.rest);
    this.rest = undefined;
  }
}
