import type {
  AlignOptions,
  AnyLiveOptions,
  AnyTranscribeOptions,
  AudioInput,
  AudioStream,
  CandidateScore,
  CommonModel,
  DecodeOptions,
  DecodeResult,
  DetectLanguageOptions,
  LanguageProbability,
  LiveTranscription,
  LogMelOptions,
  Mel,
  MemoryFacts,
  ModelFamily,
  ModelInfo,
  SavedTranscription,
  ScoreOptions,
  Tokenizer,
  Transcript,
  Transcription,
  WhisperInfo,
  Word,
} from '../api/types.js';
import { wholeSamples } from '../audio/audio_feed.js';
import { checkAudio, isLive } from '../audio/audio_kinds.js';
import {
  alignSettings,
  checkCandidates,
  decodeSettings,
  languageSettings,
  scoreSettings,
  transcribeSettings,
} from './decoding_options.js';
import type { EngineEvent, EngineLink, Settings } from '../protocol/engine.js';
import type { Loading, VerifiedFacts } from './loading.js';
import { refuseDetached } from '../api/detached.js';
import {
  describe,
  disposedDuringWork,
  invalidOption,
  renamed,
  SusurrusError,
} from '../api/errors.js';
import { checkWhisper, isWhisper } from '../protocol/families.js';
import {
  checkOptions,
  oneOf,
  progressCheck,
  signalCheck,
  text as textCheck,
  workersCheck,
} from '../api/options.js';
import { orAborted } from '../api/signals.js';
import type { Platform } from '../platform/platform.js';
import type { KeptDetection } from '../platform/speech.js';
import { disposedOf, endWhenForgotten } from './forgotten.js';
import { otherSettings } from './network_options.js';
import { Queue } from './queue.js';
import { RestingEngine } from './resting_engine.js';
import { isInChunks, threadsOfEach, transcribeInChunks } from './chunked_transcription.js';
import { copiesOf } from './engine_copy.js';
import type { EngineChoice } from './engine_load.js';
import { EnginePool } from './engine_pool.js';
import { runTranscription, type Task } from './run_transcription.js';
import { liveSettings, secondSettings, secondVad } from './live_options.js';
import { LiveRun } from './live_transcription.js';
import { infoOf } from './model_info.js';
import { SecondHearing } from './second_hearing.js';
import { StreamSpeakers } from './live_speakers.js';
import { savedProblem } from './saved_transcription.js';
import {
  SpeakerCompanion,
  speakersAsked,
  withoutSpeakers,
  withSpeakers,
} from './speaker_companion.js';
import { startTranscription, TranscriptionRun } from './transcription.js';
import { VoiceDetector } from './voice_detector.js';
import type { CallOptions } from '../protocol/link.js';

/** A Model whose engine lives behind a link. */
export class EngineModel implements CommonModel {
  readonly family: ModelFamily;
  info: ModelInfo;
  readonly loaded: Promise<void>;
  /** For Whisper models only. */
  readonly #tokenizer: Tokenizer | undefined;
  readonly #engine: RestingEngine;
  readonly #platform: Platform;
  readonly #queue = new Queue();
  readonly #detector: VoiceDetector;
  readonly #speakers: SpeakerCompanion;
  readonly #pool: EnginePool;
  /** What turned out after loading. */
  readonly #warnings: string[] = [];
  readonly #loading: Loading | undefined;
  readonly #runs = { count: 0 };
  /** A stream that its owner has dropped is garbage. */
  readonly #streams = new Set<WeakRef<LiveRun>>();

  /** `loading`: of a model that is used before it has arrived. */
  constructor(
    engine: EngineLink,
    platform: Platform,
    choice: EngineChoice,
    facts: VerifiedFacts,
    loading?: Loading,
  ) {
    this.#detector = new VoiceDetector(platform, warningTo(new WeakRef(this)));
    this.#pool = new EnginePool(warningTo(new WeakRef(this)));
    this.#pool.isKept = typeof choice.workers === 'number';
    this.#speakers = new SpeakerCompanion(platform);
    const companions = [this.#detector, this.#pool, this.#speakers];
    const resting = (this.#engine = new RestingEngine(engine, companions));
    this.#platform = platform;
    // Other families exist only in tests; their models have the common facts alone.
    this.family = facts.family as ModelFamily;
    this.info = infoOf(choice, facts, platform.device());
    this.#loading = loading;
    this.loaded = Promise.resolve(
      loading?.finished.then((verified) => {
        const found = infoOf(choice, verified, platform.device());
        this.info = { ...found, warnings: [...found.warnings, ...this.#warnings] };
      }),
    );
    this.loaded.catch(() => undefined);
    if (!isWhisper(facts)) return;
    this.#pool.copyWith(copiesOf(resting, platform, choice, loading?.finished));
    this.#tokenizer = {
      special: facts.special,
      encode: async (text) => {
        checkText(text);
        return this.#run(() => this.#engine.call('tokenize', { text }));
      },
      decode: async (tokens) => {
        const ids = toTokens(tokens);
        return this.#run(() => this.#engine.call('detokenize', { tokens: ids }));
      },
    };
  }

  get asleep(): boolean {
    return this.#engine.asleep;
  }

  /** Ends the engine when it was not used for so long, and takes that of a model that is loaded again when there is work. */
  sleepAfter(seconds: number, loadAgain: (signal: AbortSignal) => Promise<EngineModel>): void {
    this.#engine.sleepAfter(seconds, async (signal) => (await loadAgain(signal)).#engine);
  }

  /** `further`: engines that were loaded beside its own. */
  takeOver(further: readonly EngineLink[]): void {
    this.#pool.takeOver(further);
  }

  /** Makes the engines that `loadModel()` was asked for, as far as they are missing. */
  async makeReady(signal: AbortSignal | undefined): Promise<void> {
    const { workers, threads } = this.info;
    const { processors } = this.#platform.device();
    const each = threadsOfEach(workers, threads, processors);
    await this.#pool.makeReady(workers - 1, each, signal);
  }

  /** Ends the engine when this model is garbage-collected. */
  watch(): void {
    endWhenForgotten(this, this.#engine);
  }

  get tokenizer(): Tokenizer {
    this.#whisperInfo('tokenizer');
    return this.#tokenizer as Tokenizer;
  }

  transcribe(audio: AudioInput | AudioStream, options: AnyTranscribeOptions = {}): Transcription {
    const from: unknown = (options as { readonly from?: unknown } | null)?.from;
    return from === undefined ? this.#begin(audio, options) : this.#continue(from, audio, options);
  }

  #begin(audio: AudioInput | AudioStream, options: AnyTranscribeOptions): Transcription {
    const run = new TranscriptionRun();
    return startTranscription(run, async () => {
      const { info } = this;
      const plain = withoutSpeakers(options, isLive(audio));
      const settings =
        info.family === 'whisper'
          ? transcribeSettings(plain, info, isLive(audio))
          : otherSettings(plain, info);
      return this.#transcribe(run, audio, settings, options);
    });
  }

  #continue(
    from: unknown,
    audio: AudioInput | AudioStream,
    options: AnyTranscribeOptions,
  ): Transcription {
    const { dims } = this.info;
    const problem = dims && savedProblem(from, dims);
    const saved = dims && !problem ? (from as SavedTranscription) : undefined;
    const run = new TranscriptionRun(saved);
    return startTranscription(run, async () => {
      this.#whisperInfo('the option from');
      if (!saved) throw problem ?? invalidOption('from', 'a saved transcription', from);
      const { signal, onProgress, workers } = options;
      const checks = { signal: signalCheck, onProgress: progressCheck, workers: workersCheck };
      checkOptions({ signal, onProgress, workers }, checks);
      const plain = withoutSpeakers(options, isLive(audio));
      for (const [name, value] of Object.entries(plain as Readonly<Record<string, unknown>>)) {
        const isAsked = name === 'timestamps' && options.timestamps === undefined;
        if (value === undefined || name === 'from' || name in checks || isAsked) continue;
        throw invalidOption(name, 'absent beside from, whose own options hold', value);
      }
      return this.#transcribe(run, audio, saved.settings, options, saved);
    });
  }

  #transcribe(
    run: TranscriptionRun,
    audio: AudioInput | AudioStream,
    settings: Settings,
    options: Progressing,
    saved?: SavedTranscription,
  ): Promise<Transcript> {
    checkAudio(audio, true);
    const speakers = speakersAsked(options.speakers);
    if (speakers && saved && settings.timestamps !== 'word') {
      const expected = 'absent beside what was saved of a transcription without speakers';
      throw invalidOption('speakers', expected, options.speakers);
    }
    if (!speakers) return this.#hear(run, { audio, settings, options, saved });
    const hasWords = options.timestamps !== 'segment';
    // The engine stays awake, and the networks with it, until the speakers are found.
    const work = (): Promise<Transcript> =>
      withSpeakers(
        this.#speakers,
        { options: speakers, signal: options.signal, leaving: run.leaving, hasWords },
        (search, signal) =>
          this.#hear(run, {
            ...{ audio, settings, saved, options: { ...options, signal } },
            tap: (opened) => search.tap(opened),
          }),
      );
    return this.#engine.use(this, work, options.signal);
  }

  #hear(
    run: TranscriptionRun,
    asked: Omit<Task, 'isVadDefault' | 'options'> & { readonly options: Progressing },
  ): Promise<Transcript> {
    const { options, saved } = asked;
    const task = { ...asked, isVadDefault: !saved && options.vad === undefined };
    const surroundings = {
      engine: this.#engine,
      platform: this.#platform,
      detector: this.#detector,
      info: this.info,
      pool: this.#pool,
      nextRun: () => ++this.#runs.count,
      holdsUp: (isPaused: boolean) => void (this.#queue.isHeldUp = isPaused),
    };
    const { signal } = options;
    if (!isInChunks(task, this.info)) {
      return this.#run(() => runTranscription(run, task, surroundings), signal, true);
    }
    return transcribeInChunks(run, task, {
      ...surroundings,
      queue: this.#queue,
      use: (work) => this.#use(work, signal, true),
    });
  }

  async decode(audio: AudioInput, options: DecodeOptions = {}): Promise<DecodeResult> {
    const settings = decodeSettings(options, this.#whisperInfo('decode'));
    return this.#listen(
      audio,
      options.signal,
      (samples, call) => this.#engine.call('decode', { samples, settings }, call),
      { startsEarly: true },
    );
  }

  async detectLanguage(
    audio: AudioInput,
    options: DetectLanguageOptions = {},
  ): Promise<readonly LanguageProbability[]> {
    const settings = languageSettings(options, this.#whisperInfo('detectLanguage'));
    return this.#listen(
      audio,
      options.signal,
      (samples, call) => this.#engine.call('detectLanguage', { samples, settings }, call),
      { startsEarly: true },
    );
  }

  async score(
    audio: AudioInput,
    candidates: readonly string[],
    options: ScoreOptions = {},
  ): Promise<readonly CandidateScore[]> {
    const settings = scoreSettings(options, this.#whisperInfo('score'));
    checkCandidates(candidates);
    return this.#listen(audio, options.signal, (samples, call) =>
      this.#engine.call('score', { samples, settings, candidates }, call),
    );
  }

  async align(
    audio: AudioInput,
    text: string,
    options: AlignOptions = {},
  ): Promise<readonly Word[]> {
    const settings = alignSettings(options, this.#whisperInfo('align'));
    checkText(text);
    return this.#listen(audio, options.signal, (samples, call) =>
      this.#engine.call('align', { samples, settings, text }, call),
    );
  }

  async logMel(audio: AudioInput, options: LogMelOptions = {}): Promise<Mel> {
    this.#whisperInfo('logMel');
    checkOptions(options, {
      mode: oneOf('window', 'whole'),
    });
    const mode = options.mode ?? 'window';
    return this.#listen(
      audio,
      undefined,
      (samples, call) => this.#engine.call('logMel', { samples, mode }, call),
      { holding: mode },
    );
  }

  async encode(mel: Mel): Promise<Float32Array> {
    const { nMels, nAudioCtx } = this.#whisperInfo('encode').dims;
    const { data } = checkMel(mel, nMels, 2 * nAudioCtx);
    return this.#run(() => this.#engine.call('encode', { mel: data }));
  }

  async logits(tokens: readonly number[] | Uint32Array): Promise<Float32Array> {
    this.#whisperInfo('logits');
    const ids = toTokens(tokens);
    return this.#run(() => this.#engine.call('logits', { tokens: ids }));
  }

  stream(options: AnyLiveOptions = {}): LiveTranscription {
    const { info } = this;
    if (!info.streams) {
      const expected =
        'a Whisper, an .april model, or a BW2L model that sees a limited part of the sound';
      throw new SusurrusError(
        'unsupported_feature',
        `This model hears whole recordings. A stream needs ${expected}.`,
        { reason: 'model', subject: 'stream', expected, got: this.family },
      );
    }
    const settings = liveSettings(options, info);
    const isWhisper = info.family === 'whisper';
    const { signal, vad: asked, script } = options;
    const platform = this.#platform;
    const vad = asked ?? isWhisper;
    // The engine stays awake as long as the stream lasts.
    let end!: () => void;
    const ended = new Promise<void>((done) => (end = done));
    const ready = new Promise<void>((done, failed) => {
      this.#engine.use(this, () => (done(), ended), signal).catch(failed);
    });
    const detector = this.#detector;
    const withDetector = <Opened>(
      open: (kept: KeptDetection, left: AbortSignal) => Promise<Opened>,
    ): ((left: AbortSignal) => Promise<Opened | undefined>) | undefined =>
      vad
        ? (left) => detector.open(asked === undefined, (kept) => open(kept, left), left)
        : undefined;
    const [engine, counter, warn] = [this.#engine, this.#runs, warningTo(new WeakRef(this))];
    const secondLimits = secondVad(options);
    const second = options.revise &&
      info.family === 'whisper' && {
        engine,
        platform,
        settings: secondSettings(options, info),
        info,
        openSkipper: withDetector((kept, left) => kept.openSkipper(secondLimits, left)),
        nextRun: () => ++counter.count,
        warn,
      };
    const [companion, speakers] = [this.#speakers, speakersAsked(options.speakers)];
    let held: WeakRef<LiveRun> | undefined;
    // No function here may refer to the run itself, which would keep it alive, nor to the options, whose callbacks may.
    const run = new LiveRun(
      {
        engine,
        settings,
        hearAgain: second ? (tell) => new SecondHearing(second, tell) : undefined,
        hearSpeakers:
          speakers &&
          (({ tell, fail }) =>
            new StreamSpeakers((left) => companion.begin(speakers, left, true), {
              ...{ tell, fail, warn },
            })),
        ready: this.#loading ? ready.then(() => orAborted(this.loaded, signal)) : ready,
        openGate: withDetector((kept, left) =>
          kept.openGate(typeof vad === 'object' ? vad : {}, left),
        ),
        loadScript: script && ((left) => orAborted(platform.loadScript(script), left)),
        // A Whisper does one thing at a time; networks have what a stream needs for each of them.
        turn: (work, left, heldUp) =>
          isWhisper ? this.#queue.runOrTell(work, left, heldUp) : work(),
        ended: () => {
          if (held) this.#streams.delete(held);
          end();
        },
      },
      options,
    );
    this.#streams.add((held = new WeakRef(run)));
    return run;
  }

  memory(): Promise<MemoryFacts> {
    return this.#run(() => this.#engine.call('memory', undefined));
  }

  dispose(): void {
    disposedOf(this);
    for (const stream of this.#streams) stream.deref()?.stop(disposedDuringWork());
    this.#loading?.stop();
    this.#engine.close();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.dispose();
    return Promise.resolve();
  }

  /** The name before 1.0. */
  resume(): never {
    throw renamed('model.resume', 'model.transcribe(audio, { from: saved })');
  }

  /** Adds to the warnings of `info`. */
  warn(warning: string): void {
    this.#warnings.push(warning);
    this.info = { ...this.info, warnings: [...this.info.warnings, warning] };
  }

  /** Rejects `what` of a model that is no Whisper. */
  #whisperInfo(what: string): WhisperInfo {
    checkWhisper(this.family, what);
    return this.info as WhisperInfo;
  }

  /** Work on a recording of whatever kind, in its turn. */
  #listen<T>(
    audio: AudioInput,
    signal: AbortSignal | undefined,
    work: (samples: Float32Array, options: CallOptions<EngineEvent>) => Promise<T>,
    { holding = 'window', startsEarly = false }: Listening = {},
  ): Promise<T> {
    checkAudio(audio, false);
    return this.#run(
      async () => {
        const [engine, platform] = [this.#engine, this.#platform];
        const { samples, isOwn } = await wholeSamples(audio, { engine, platform, holding, signal });
        return work(samples, { signal, givesAway: isOwn });
      },
      signal,
      startsEarly,
    );
  }

  #run<T>(work: () => Promise<T>, signal?: AbortSignal, startsEarly = false): Promise<T> {
    return this.#queue.run(() => this.#use(work, signal, startsEarly), signal);
  }

  #use<T>(
    work: () => Promise<T>,
    signal: AbortSignal | undefined,
    startsEarly: boolean,
  ): Promise<T> {
    const loading = this.#loading;
    const waiting = loading ? () => loading.run(work, startsEarly, signal) : work;
    return this.#engine.use(this, waiting, signal);
  }
}

/** What tells whether a model that is loaded again is the one. */
export const factsOf = ({ info: { dims, dtypes, languages } }: EngineModel): string =>
  JSON.stringify([dims, dtypes, languages]);

/** A function of its own: closures made in the constructor hold `this`, and would keep a forgotten model alive. */
const warningTo =
  (model: WeakRef<EngineModel>): ((warning: string) => void) =>
  (warning) =>
    model.deref()?.warn(warning);

/** The options of a transcription that are not the engine's, and whether silence is left out. */
type Progressing = Pick<
  AnyTranscribeOptions,
  'signal' | 'onProgress' | 'vad' | 'workers' | 'speakers' | 'timestamps'
>;

interface Listening {
  readonly holding?: 'whole' | 'window';
  /** Whether it does without the decoder's weights for a while. */
  readonly startsEarly?: boolean;
}

function checkText(value: unknown): void {
  const [expected, isText] = textCheck;
  if (!isText(value)) throw invalidOption('text', expected, value);
}

/** What logMel() gives, from a caller who may have no types. */
function checkMel(mel: unknown, nMels: number, nFrames: number): Mel {
  const expected = `{data, nMels, nFrames}: one window of ${nMels} × ${nFrames} values in a Float32Array`;
  if (typeof mel !== 'object' || mel === null) throw invalidOption('mel', expected, mel);
  const given = mel as Partial<Mel>;
  if (!(given.data instanceof Float32Array)) {
    throw invalidOption('mel.data', 'a Float32Array', given.data);
  }
  const { data } = given;
  if (given.nMels !== nMels || given.nFrames !== nFrames || data.length !== nMels * nFrames) {
    const got = `${describe(given.nMels)} × ${describe(given.nFrames)} (${data.length} values)`;
    throw invalidOption('mel', expected, got);
  }
  return { data, nMels, nFrames };
}

function toTokens(tokens: readonly number[] | Uint32Array): Uint32Array {
  const isId = (token: number): boolean => Number.isInteger(token) && token >= 0 && token < 2 ** 32;
  if (!(tokens instanceof Uint32Array) && !(Array.isArray(tokens) && tokens.every(isId))) {
    throw invalidOption('tokens', 'token ids', tokens);
  }
  if (tokens instanceof Uint32Array) refuseDetached(tokens, 'tokens');
  return Uint32Array.from(tokens);
}
