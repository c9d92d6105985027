import { checkObject, checkOptions, flag, progressCheck } from '../../src/api/options.js';
import { invalidOption, renamed, SusurrusError } from '../../src/api/errors.js';
import { onAbort } from '../../src/api/signals.js';
import type { LiveEvent, LiveLag, SampleArray } from '../../src/api/types.js';
import { Loudness } from './loudness.js';
import { laterBy } from './later_events.js';
import type { AudioSink, Suspension, Sound, SoundMaker } from './sound.js';
import { soundOf } from './sound_of.js';
import type {
  Listening,
  ListenOptions,
  ListenReason,
  ListenSource,
  ListenState,
  ListenStatus,
  LiveStream,
  StreamingModel,
} from './types.js';
import { ScreenLock } from './wake_lock.js';

/** Seconds by which a model may be behind; beyond them listening fails, unless `maxLag` is given. */
const mostLag = 120;
const usualSilence = 5;

/**
 * Transcribes a source live. In a page, call it from a click: browsers start no audio before the first one.
 *
 * @throws SusurrusError `invalid_argument` for wrong options; `unsupported_feature` for a model that does not stream, and for options of other
 *   families; `unsupported_environment` for features that this browser lacks; `source_failed`
 *   for a MediaStream without audio. The loop over the events throws later errors, such as `source_failed` if the user denies the microphone.
 * @example
 * ```js
 * const listening = listen(model, microphone());
 * for await (const event of listening) if (event.type === 'final') console.log(event.text);
 * await listening.close();
 * ```
 */
export function listen(
  model: StreamingModel,
  source: ListenSource,
  options: ListenOptions = {},
): Listening {
  return listenTo(model, soundOf(source), options);
}

/** listen() for internal sources; the result can also be made to fail. */
export function listenTo(
  model: StreamingModel,
  source: SoundMaker,
  options: ListenOptions,
): Listening & Pick<AudioSink, 'fail'> {
  checkObject(options);
  const { onState, onLevel, nothingHeardAfter, wakeLock, assets, ...live } = options;
  checkOptions(
    { onState, onLevel, nothingHeardAfter, wakeLock },
    {
      onState: progressCheck,
      onLevel: progressCheck,
      nothingHeardAfter: ['a number of seconds above 0', (value) => (value as number) > 0],
      wakeLock: flag,
    },
  );
  if (typeof (model as Partial<StreamingModel> | undefined)?.stream !== 'function') {
    throw invalidOption('model', 'a model', model);
  }
  const startLive: StartLive = (sampleRate, onLag) =>
    model.stream({ ...live, sampleRate, ...(onLag && { onLag }) });
  return new ListeningSession(source.begin(assets), options, startLive);
}

type OnLag = NonNullable<ListenOptions['onLag']>;
type StartLive = (sampleRate: number, onLag: OnLag | undefined) => LiveStream;

/** The stream for samples of one rate. */
interface HeardStream {
  readonly live: LiveStream;
  /** The second at which it begins. */
  readonly from: number;
  /** Once its events are read: how many texts came before it. */
  firstId?: number;
}

class ListeningSession implements Listening, AudioSink {
  readonly #sound: Sound;
  readonly #options: ListenOptions;
  readonly #startLive: StartLive;
  readonly #lock = new ScreenLock();
  readonly #loudness = new Loudness();
  /** Its streams, one behind the other: each rate has its own, from the second at which it begins. */
  readonly #streams: HeardStream[];
  /** Id of the text that is read next. */
  #nextId = 0;
  #rate: number;
  /** Samples that came at that rate. */
  #count = 0;
  #status: ListenStatus = { state: 'starting' };
  #suspension: Suspension | undefined;
  #isOpen = false;
  #isRestarting = false;
  /** Samples that arrive from now on are dropped. */
  #isDeaf = false;
  /** The final status, once the session is ending. */
  #end: ListenStatus | undefined;
  #leave!: () => void;
  readonly #left = new Promise<void>((done) => (this.#leave = done));
  /** Samples and readers wait until the stream has the source's rate. */
  #begin!: () => void;
  readonly #begun = new Promise<void>((done) => (this.#begin = done));
  readonly #over: Promise<void>;

  constructor(sound: Sound, options: ListenOptions, startLive: StartLive) {
    this.#sound = sound;
    this.#options = options;
    this.#startLive = startLive;
    this.#rate = sound.sampleRate;
    try {
      this.#streams = [this.#start(this.#rate, 0)];
    } catch (error) {
      void sound.close().catch(() => undefined);
      throw error;
    }
    // No callback runs before the caller has this object.
    this.#over = Promise.resolve().then(() => this.#run());
  }

  get state(): ListenState {
    return this.#status.state;
  }

  get status(): ListenStatus {
    return this.#status;
  }

  get level(): number {
    return this.state === 'listening' ? this.#loudness.level : 0;
  }

  get lag(): number {
    return this.#live.lag;
  }

  get #live(): LiveStream {
    return this.#streams.at(-1)!.live;
  }

  get time(): number {
    return this.#streams.at(-1)!.from + this.#count / this.#rate;
  }

  close(): Promise<void> {
    this.#finish({ state: 'ended', reason: 'closed' });
    return this.#over;
  }

  [Symbol.dispose](): void {
    void this.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** The name before 1.0. */
  stop(): never {
    throw renamed('listening.stop', 'listening.close()');
  }

  resume(): Promise<void> {
    return this.#sound.resume();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<LiveEvent> {
    await this.#begun;
    try {
      yield* this.#events();
    } catch (error) {
      this.fail(error);
    } finally {
      await this.close();
    }
    if (this.#end && 'error' in this.#end) throw this.#end.error;
  }

  #start(sampleRate: number, from: number): HeardStream {
    const { onLag } = this.#options;
    const tell: OnLag = (event) =>
      onLag?.(laterBy(event, from, heard.firstId ?? this.#nextId) as LiveLag);
    // The model rejects anything but a function.
    const live = this.#startLive(sampleRate, typeof onLag === 'function' ? tell : onLag);
    const heard: HeardStream = { live, from };
    return heard;
  }

  /** Ids and times go on from one stream to the next. */
  async *#events(): AsyncGenerator<LiveEvent> {
    for (const heard of this.#streams) {
      const { live, from } = heard;
      const firstId = (heard.firstId = this.#nextId);
      for await (const event of live) {
        this.#nextId = firstId + event.id + (event.type === 'final' ? 1 : 0);
        yield laterBy(event, from, firstId);
      }
    }
  }

  async hear(samples: SampleArray): Promise<void> {
    if (!this.#isOpen) await this.#begun;
    if (this.#isDeaf) return;
    this.#count += samples.length;
    const heard = this.#live.feed(samples);
    heard.catch((error: unknown) => this.fail(error));
    this.#loudness.hear(samples);
    this.#tell();
    this.#callBack(() => this.#options.onLevel?.(this.#loudness.level));
    if (!this.#sound.isPushed) await heard;
    else if (this.lag > mostLag && this.#options.maxLag === undefined) this.fail(tooSlow());
  }

  interrupt(): void {
    this.#interrupt().catch((error: unknown) => this.fail(error));
  }

  changeRate(sampleRate: number): void {
    if (sampleRate === this.#rate || this.#isDeaf) return;
    const before = this.#live;
    const from = this.time;
    try {
      this.#streams.push(this.#start(sampleRate, from));
    } catch (error) {
      this.fail(error);
      return;
    }
    this.#rate = sampleRate;
    this.#count = 0;
    // It emits its pending text, and its events end.
    before.close().catch((error: unknown) => this.fail(error));
  }

  suspend(suspension: Suspension | undefined): void {
    this.#isRestarting = false;
    this.#suspension = suspension;
    this.#tell();
  }

  restart(): void {
    this.#isRestarting = true;
    this.#tell();
  }

  /** Ends with the first error, which is thrown after the pending text. */
  fail(error: unknown): void {
    this.#isDeaf = true;
    const reason = this.#options.signal?.aborted ? 'aborted' : 'failed';
    this.#finish({ state: 'ended', reason, error });
  }

  async #run(): Promise<void> {
    const { signal } = this.#options;
    const release = onAbort(signal, () => this.fail(signal?.reason));
    void this.#sound.ended.then((reason) => this.#finish({ state: 'ended', reason }));
    if (!this.#end) this.#open().catch((error: unknown) => this.fail(error));
    await this.#left;
    release();
    await this.#close();
  }

  async #interrupt(): Promise<void> {
    if (!this.#isOpen) await this.#begun;
    if (!this.#isDeaf) await this.#live.flush();
  }

  async #open(): Promise<void> {
    const rate = await this.#sound.open(this);
    if (this.#end) return;
    if (rate !== this.#rate) {
      const unused = this.#live;
      this.#rate = rate;
      this.#streams[0] = this.#start(rate, 0);
      void unused.close().catch(() => undefined);
    }
    this.#begin();
    // Samples that wait are fed first.
    await this.#begun;
    this.#isOpen = true;
    this.#tell();
  }

  async #close(): Promise<void> {
    this.#lock.release();
    try {
      // The source still delivers its last samples.
      await this.#sound.close();
      this.#isDeaf = true;
      for (const { live } of this.#streams) await live.close();
    } catch (error) {
      this.#noteLate(error);
    }
    this.#isDeaf = true;
    this.#begin();
    this.#status = this.#end ?? { state: 'ended' };
    try {
      this.#options.onState?.(this.#status);
    } catch (error) {
      this.#noteLate(error);
    }
  }

  #finish(end: ListenStatus): void {
    this.#end ??= end;
    this.#leave();
  }

  /** Records an error while the session is ending, unless it ends with an earlier one. */
  #noteLate(error: unknown): void {
    if (this.#end && 'error' in this.#end) return;
    this.#end = { state: 'ended', reason: 'failed', error };
    this.#status = this.#end;
  }

  #tell(): void {
    const { state, reason } = this.#now;
    if (this.#end || (state === this.#status.state && reason === this.#status.reason)) return;
    this.#status = { state, ...(reason && { reason }) };
    if (state === 'listening' && this.#options.wakeLock !== false) this.#lock.hold();
    this.#callBack(() => this.#options.onState?.(this.#status));
  }

  get #now(): { readonly state: ListenState; readonly reason?: ListenReason | undefined } {
    if (!this.#isOpen || this.#isRestarting) return { state: 'starting' };
    if (this.#suspension) return { state: 'suspended', reason: this.#suspension };
    const { nothingHeardAfter = usualSilence } = this.#options;
    const isNothing = this.#loudness.silentCount >= nothingHeardAfter * this.#rate;
    return { state: 'listening', reason: isNothing ? 'nothing-heard' : undefined };
  }

  #callBack(call: () => void): void {
    if (this.#end) return;
    try {
      call();
    } catch (error) {
      this.fail(error);
    }
  }
}

const tooSlow = (): SusurrusError =>
  new SusurrusError(
    'limit_exceeded',
    `The sound is ahead of the model by more than ${mostLag} s. Take a smaller model, resume a transcription that is paused, or say with maxLag what is to be left out.`,
    { reason: 'limit', subject: 'lag' },
  );
