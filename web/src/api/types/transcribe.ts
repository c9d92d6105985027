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
import type { Speaker, SpeakerOptions } from './speakers.js';
import type { VadOptions } from './vad.js';

interface Abortable {
  /** Stops the work within a step (measured: 1 to 13 ms); the call then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** Options of score(). */
export interface ScoreOptions extends ScoreOptionValues, Abortable {}

/** Options of decode(): one window. `null` switches a threshold or limit off. */
export interface DecodeOptions extends DecodeOptionValues, Abortable {}

/** Options that transcribe() has for every model. */
export interface CommonTranscribeOptions extends Abortable {
  /**
   * Skips silence with Silero's voice detector, which is fetched for that (1.5 MB). Times remain those of the recording; `clipTimestamps`
   * applies in addition. Default: `true` for Whisper models, except with `compatibility: 'openai'`; `false` for .april and BW2L models. If
   * the detector cannot be loaded, a call without this option continues without it and adds a warning to `info.warnings`; with `true` or
   * options the call rejects.
   *
   * The detector is at most a minute ahead of the model, or of its engines. Where the loudness of the whole is measured, a recording passes
   * through it first: with `normalization: 'recording'`, and up to ten minutes with `conditionOnPreviousText: true`.
   */
  readonly vad?: boolean | VadOptions;
  /**
   * How many engines transcribe a recording together: 1 to 16, or `'auto'`, the default: what `info.workers` says, where the recording is
   * long enough for a second one. Each works in a worker of its own with the model's weights once more in memory, on pages without
   * cross-origin isolation too. The voice detector cuts the recording at pauses into chunks of at most 60 seconds, which are transcribed
   * apart from each other; segments come in order, window by window. The text is the same for any number.
   *
   * Further engines are copies of the model's own, made while that works: nothing is read or fetched again. Where they cannot be had, fewer
   * do the work, and `info.warnings` says why. Live audio, models of other families, and calls with `vad: false`,
   * `compatibility: 'openai'`, `conditionOnPreviousText: true` or `normalization: 'recording'` go through the recording in sequence, with
   * one engine: their result has no `chunkCount`.
   *
   *     const { text } = await model.transcribe(lecture, { workers: 2 });
   */
  readonly workers?: number | 'auto';
  /**
   * Tells the speakers apart: segments and words get a `speaker`, and the transcript `speakers`. `true`, or how many people there may be.
   * It works beside the model in a worker of its own and fetches two networks for that (`models/speakers.apr`, 9 MB).
   * Word times are computed; with `timestamps: 'segment'` they are left out of the result. Segments of the loop have no speaker yet: voices
   * are compared at the end. Not with `timestamps: 'none'`, nor for live audio.
   *
   *     const { segments } = await model.transcribe(interview, { speakers: { count: 2 } });
   */
  readonly speakers?: boolean | SpeakerOptions;
  /** Reports the seconds of audio done and the estimated time left. An exception stops the work. */
  readonly onProgress?: (event: Progress) => void;
}

/** Options of a Whisper's transcribe(). `null` switches a threshold or limit off. */
export interface TranscribeOptions
  extends CommonTranscribeOptions, DecodeOptionValues, RecordingOptionValues {
  /**
   * Continues a transcription that `save()` returned. Pass the same audio from its start, in the same form (a recording or a
   * stream): already transcribed audio is skipped, and the text is the same as without the interruption. The saved options apply; with
   * `from` only `signal`, `onProgress` and `workers` are allowed. What was begun in chunks goes on in chunks, with any number of `workers`.
   */
  readonly from?: SavedTranscription;
}

/** Options that .april and BW2L models share. */
interface NetworkTranscribeOptions extends CommonTranscribeOptions {
  /** `'auto'`, or the one language of `info.languages`: its code, a tag or its name. */
  readonly language?: string;
  /** `'none'`: no times; `'segment'` (the default): segment times; `'word'`: word times too. */
  readonly timestamps?: 'none' | 'segment' | 'word';
}

/** Options of an .april model's transcribe(). */
export interface TransducerTranscribeOptions extends NetworkTranscribeOptions, FrontEndOptions {}

/** Options of a BW2L model's transcribe(). The options of the beam search need a `lexicon` or a `languageModel`. */
export interface AcousticTranscribeOptions extends NetworkTranscribeOptions, BeamOptionValues {}

/** Options of transcribe() for code that takes a model of any family. A model rejects the options of other families. */
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
  /** With `speakers`: whose it is. */
  readonly speaker?: string;
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
  | 'dropped:zero-length'
  | 'dropped:too-fast'
  | 'dropped:repetition';

/** One attempt at decoding a window. */
export interface Attempt {
  readonly temperature: number;
  readonly avgLogprob: number;
  readonly noSpeechProb: number;
  readonly compressionRatio: number;
  /** Number of encoder positions computed for the window. */
  readonly encoderContext: number;
  /** Why it was rejected; `'kept'` for the attempt whose text is used. */
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
  /** Timestamp tokens included; empty where a change of speaker divided a segment. */
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
  /** With `speakers`: whose it is; absent where nobody was heard. */
  readonly speaker?: string;
}

/** The result of transcribe(). */
export interface Transcript {
  /** The texts of all segments, one after the other. */
  readonly text: string;
  /** Language of the recording; with `'per-window'`, the one with the longest total time. */
  readonly language: string;
  /**
   * How probable that language was, from 0 to 1, when it was detected; with `'per-window'`, in the window where it was most probable. Low
   * where the text decided between several. Absent where the caller named the language, and for models of other families.
   */
  readonly languageProbability?: number;
  /** With `language: 'per-window'`: how much text there is in each language, in order of appearance. */
  readonly languages?: readonly LanguageSeconds[];
  /** Seconds of audio. */
  readonly duration: number;
  /** Into how many chunks the recording was cut, which depends on its sound alone; absent where it was transcribed in sequence. */
  readonly chunkCount?: number;
  /** Pieces of the text with their times, in order. */
  readonly segments: readonly Segment[];
  /** Text that was dropped, with the reason as its `decision`. */
  readonly rejected: readonly Segment[];
  /** With `speakers`: who speaks. */
  readonly speakers?: readonly Speaker[];
}

/** How much of a transcript is in one language. */
export interface LanguageSeconds {
  /** Its code. */
  readonly language: string;
  /** Length of its segments in all. */
  readonly seconds: number;
}

/** A transcription to continue later with `transcribe(audio, { from: saved })`. Plain data, for JSON. */
export interface SavedTranscription {
  readonly version: 1;
  /** Dimensions of the model. */
  readonly dims: Dimensions;
  /** The options, without `signal` and `onProgress`. */
  readonly settings: Omit<TranscribeOptions, 'signal' | 'onProgress' | 'from' | 'workers'>;
  /** Samples of the recording at 16 kHz; absent for a stream, and for a file that is decoded as it is read. */
  readonly sampleCount?: number;
  /** Seconds that such a file says it has; absent where it says nothing. */
  readonly fileSeconds?: number;
  /** Seconds of audio that have been transcribed. */
  readonly duration: number;
  readonly segments: readonly Segment[];
  readonly rejected: readonly Segment[];
  /** State of the engine; empty for a transcription in chunks. */
  readonly state: Readonly<Record<string, unknown>>;
  /** How far a transcription that was begun with `workers` has come; absent for any other. */
  readonly chunks?: SavedChunks;
}

/** How far a transcription in chunks has come. */
export interface SavedChunks {
  /** How many are done. */
  readonly count: number;
  /** What was heard in them: with `language: 'per-window'` every language, in order of appearance, else one. */
  readonly languages: readonly (LanguageSeconds & { readonly probability?: number })[];
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
   * The transcript so far, up to its `duration`, also after an abort or an error. Once the work is done, it is the result.
   */
  readonly soFar: Transcript;
  /**
   * Segments of later parts while an earlier one is still being transcribed, where several engines share a recording. The loop yields
   * them in their turn, with other ids if the earlier part has text; until then they may change. Empty once the work is done.
   */
  readonly provisional: readonly Segment[];
  readonly paused: boolean;
  /** Stops computing within a step, until resume(). The paused transcription keeps its turn: other calls of the model wait. */
  pause(): void;
  /** Continues after pause(). */
  resume(): void;
  /** Returns all completed windows, to continue after them later; undefined before the first. It may be called at any time, also after an abort. */
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
