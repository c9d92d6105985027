// Options and results of transcription and the other calls that take audio.
import type { BeamOptionValues } from '../generated/beam_options.js';
import type { FrontEndOptions } from './live.js';
import type {
  AlignOptionValues,
  DecodeOptionValues,
  DetectLanguageOptionValues,
  RecordingOptionValues,
  ScoreOptionValues,
} from '../generated/options.js';
import type { Dimensions } from '../generated/whisper.js';
import type { Progress } from './progress.js';
import type { VadOptions } from './vad.js';

interface Abortable {
  /** Stops the work within a step (1 to 13 ms where it was measured); it then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** Options of score(). */
export interface ScoreOptions extends ScoreOptionValues, Abortable {}

/** Options of decode(): one window. `null` switches a threshold or limit off. */
export interface DecodeOptions extends DecodeOptionValues, Abortable {}

/** Options that transcribe() has for every model. */
export interface CommonTranscribeOptions extends Abortable {
  /**
   * Leaves out silence before the model hears it, by Silero's detector, which is fetched for that (1.5 MB). Times are those of the
   * recording; `clipTimestamps` then say what else is left out. Absent: yes for Whisper models, except with `compatibility: 'openai'`;
   * no for .april and BW2L models. Where the detector cannot be loaded, a call without this option goes on without it and
   * `info.warnings` says so; with `true` or options the call rejects.
   *
   * The detector hears a recording of up to ten minutes before the model begins, since its loudness counts as a whole. In longer
   * recordings, streams, and with `normalization: 'window'`, it keeps at most a minute ahead of the model.
   */
  readonly vad?: boolean | VadOptions;
  /** Called with the seconds that are done and those that remain; what it throws stops the work. */
  readonly onProgress?: (event: Progress) => void;
}

/** Options of a Whisper's transcribe(). `null` switches a threshold or limit off. */
export interface TranscribeOptions
  extends CommonTranscribeOptions, DecodeOptionValues, RecordingOptionValues {
  /**
   * Continues a transcription that `save()` returned. Pass the same audio from its start, in the same form (a recording or a
   * stream): what is done is skipped, and the text is that of a transcription that never stopped. The saved options hold; beside
   * `from` only `signal` and `onProgress` are allowed.
   */
  readonly from?: SavedTranscription;
}

/** What models that run as graphs share. */
interface NetworkTranscribeOptions extends CommonTranscribeOptions {
  /** `'auto'`, or the one language of `info.languages`. */
  readonly language?: string;
  /** `'none'`: no times; `'segment'` (the default): segment times; `'word'`: word times too. */
  readonly timestamps?: 'none' | 'segment' | 'word';
}

/** Options of an .april model's transcribe(). */
export interface TransducerTranscribeOptions extends NetworkTranscribeOptions, FrontEndOptions {}

/** Options of a BW2L model's transcribe(): those of a beam search apply with a `lexicon` or a `languageModel`. */
export interface AcousticTranscribeOptions extends NetworkTranscribeOptions, BeamOptionValues {}

/** Options of transcribe() in code that takes a model of any family, which rejects those that it does not have. */
export type AnyTranscribeOptions = TranscribeOptions &
  TransducerTranscribeOptions &
  AcousticTranscribeOptions;

/** Options of align(). */
export interface AlignOptions extends AlignOptionValues, Abortable {}

/** Options of detectLanguage(). */
export interface DetectLanguageOptions extends DetectLanguageOptionValues, Abortable {}

/** A word as spoken, white space included, with its time in seconds. */
export interface Word {
  readonly word: string;
  readonly start: number;
  readonly end: number;
  /** Mean probability of its tokens. */
  readonly probability: number;
}

/** Why text was kept, tried again, or dropped. */
export type Decision =
  | 'kept'
  | 'retried:compression-ratio'
  | 'retried:log-probability'
  | 'retried:repetition'
  | 'retried:encoder-context'
  | 'dropped:no-speech'
  | 'dropped:silence'
  | 'dropped:past-end'
  | 'dropped:zero-length';

/** One attempt at decoding a window. */
export interface Attempt {
  readonly temperature: number;
  readonly avgLogprob: number;
  readonly noSpeechProb: number;
  readonly compressionRatio: number;
  /** Number of encoder positions computed for the window. */
  readonly encoderContext: number;
  /** Why it was rejected; `'kept'` for the one whose text stands. */
  readonly decision: Decision;
  readonly text: string;
}

/** A timed piece of text. Times in seconds. */
export interface Segment {
  readonly id: number;
  /** First mel frame (10 ms each) of the window that it comes from. */
  readonly seek: number;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Timestamp tokens included. */
  readonly tokens: readonly number[];
  /** Probability of each of the tokens. */
  readonly tokenProbabilities: readonly number[];
  readonly temperature: number;
  readonly avgLogprob: number;
  readonly compressionRatio: number;
  readonly noSpeechProb: number;
  /** Number of encoder positions computed for its window, in the last attempt. */
  readonly encoderContext: number;
  readonly language: string;
  /** `'kept'`; why the first attempt at its window was rejected; or, in `rejected`, why the segment was dropped. */
  readonly decision: Decision;
  /** All attempts at its window, in order. */
  readonly attempts: readonly Attempt[];
  /** With `timestamps: 'word'`. */
  readonly words?: readonly Word[];
}

/** The result of transcribe(). */
export interface Transcript {
  readonly text: string;
  /** Language of the recording; with `'per-window'`, the one with the longest total time. */
  readonly language: string;
  /** Seconds of audio. */
  readonly duration: number;
  readonly segments: readonly Segment[];
  /** Text that was dropped, with the reason as its `decision`. */
  readonly rejected: readonly Segment[];
}

/** A transcription to continue later: `transcribe(audio, { from: saved })`. Plain data, which JSON keeps. */
export interface SavedTranscription {
  readonly version: 1;
  /** Dimensions of the model. */
  readonly dims: Dimensions;
  /** The options, without `signal` and `onProgress`. */
  readonly settings: Omit<TranscribeOptions, 'signal' | 'onProgress' | 'from'>;
  /** Samples of the recording at 16 kHz; absent for a stream. */
  readonly sampleCount?: number;
  /** Seconds of audio that are transcribed. */
  readonly duration: number;
  readonly segments: readonly Segment[];
  readonly rejected: readonly Segment[];
  /** What the engine needs besides. */
  readonly state: Readonly<Record<string, unknown>>;
}

/**
 * A transcription under way, as `transcribe()` returns it. Await it for the whole result, or iterate over it to get segments as they
 * are decoded; leaving the loop stops the work. One that continues a saved transcription iterates over new segments only; its result
 * has all.
 *
 * It is a promise: an `async` function that returns one returns the transcript, without `pause()` and without the loop. Wrap it to pass
 * it on: `return { transcription }`. An error rejects the promise and ends the loop with that error. If the caller neither awaits nor
 * iterates, the error is not reported, not even as an unhandled rejection.
 */
export interface Transcription extends Promise<Transcript>, AsyncIterable<Segment> {
  /**
   * What has been transcribed until now, also after an abort or an error: `duration` says up to where. Once the work is done, the
   * result.
   */
  readonly soFar: Transcript;
  readonly paused: boolean;
  /** Stops computing until resume(), within a step. It keeps its turn: other calls of the model wait. */
  pause(): void;
  /** Goes on after pause(). */
  resume(): void;
  /** All windows that are done, to go on after them; undefined before the first. Possible at any time, also after an abort. */
  save(): SavedTranscription | undefined;
}

/** One decoded window. */
export interface DecodeResult {
  /** Without the end token, with timestamps. */
  readonly tokens: readonly number[];
  readonly tokenProbabilities: readonly number[];
  readonly text: string;
  readonly temperature: number;
  readonly avgLogprob: number;
  readonly noSpeechProb: number;
  readonly compressionRatio: number;
  /** Number of encoder positions computed for the window, in the last attempt. */
  readonly encoderContext: number;
  readonly language: string;
  /** `'kept'`, why the first attempt was rejected, or `'dropped:no-speech'` if transcribe() would drop the window. */
  readonly decision: Decision;
  readonly attempts: readonly Attempt[];
  /** With `timestamps: 'word'`; seconds from the window's beginning. */
  readonly words?: readonly Word[];
}

/** A language and how probable it is. */
export interface LanguageProbability {
  readonly language: string;
  readonly probability: number;
}

/** The log probability of a text, given the audio. */
export interface CandidateScore {
  readonly text: string;
  readonly tokens: readonly number[];
  /** Sum over its tokens and the end-of-text token. */
  readonly logprob: number;
  /** The sum divided by the number of these tokens. */
  readonly avgLogprob: number;
}
