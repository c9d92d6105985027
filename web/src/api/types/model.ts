// A loaded model.
import type { Dimensions } from '../generated/whisper.js';
import type { AudioInput, AudioStream } from './audio.js';
import type { LiveOptions, LiveTranscription } from './live.js';
import type { Variant } from './load.js';
import type { Filterbank } from './model_file.js';
import type {
  AlignOptions,
  CandidateScore,
  DecodeOptions,
  DecodeResult,
  DetectLanguageOptions,
  LanguageProbability,
  ResumeOptions,
  SavedTranscription,
  ScoreOptions,
  TranscribeOptions,
  Transcription,
  Word,
} from './transcribe.js';

/** The architecture of a model. More may be added. */
export type ModelFamily =
  | 'whisper'
  /** .april */
  | 'transducer'
  /** BW2L */
  | 'acoustic';

/** What is known of a model that is loaded, and of the engine that runs it; `family` tells which one it is. */
export type ModelInfo = WhisperInfo | NetworkInfo;

export interface WhisperInfo extends CommonInfo {
  readonly family: 'whisper';
  readonly dims: Dimensions;
}

export interface NetworkInfo extends CommonInfo {
  readonly family: Exclude<ModelFamily, 'whisper'>;
  readonly dims?: undefined;
}

/** What every model has. */
export interface CommonInfo {
  /** The file's format with its version: `'APR2 2.0'`. */
  readonly format: string;
  /** Element types of the weights in the file: `['f16', 'f32']`. Memory has the same, except that `'i8'` becomes q8_0 and f32. */
  readonly dtypes: readonly string[];
  readonly variant: Variant;
  /** Why this variant runs. */
  readonly variantReason: string;
  /** Number of compute threads. */
  readonly threads: number;
  /** Why this number. */
  readonly threadsReason: string;
  readonly multilingual: boolean;
  /** Codes of the languages that the model knows; `['en']` for an English-only model. */
  readonly languages: readonly string[];
  /** Whether stream() hears sound while it comes. */
  readonly streams: boolean;
  /** Deviations of the file that do no harm. */
  readonly warnings: readonly string[];
  /** The Ed25519 public key whose signature was verified, in hexadecimal; several if shards have different signers. */
  readonly signer?: string;
}

/** Log-mel power: `data[mel * nFrames + frame]`. */
export interface Mel {
  readonly data: Float32Array;
  readonly nMels: number;
  readonly nFrames: number;
}

/** Options of logMel(). */
export interface LogMelOptions {
  /** `'window'` (the default): one window, padded or cut; `'whole'`: the recording as transcribe() sees it. */
  readonly mode?: 'window' | 'whole';
}

/** Options of logMel() without a model. */
export interface SamplesLogMelOptions extends LogMelOptions {
  /** As `filterbank()` of a model file gives it; Whisper's own if absent. */
  readonly filterbank?: Filterbank | undefined;
  /** Bands of Whisper's own filterbank: 80 if absent; large-v3 and turbo have 128. */
  readonly nMels?: number;
  readonly signal?: AbortSignal;
}

/** Ids of Whisper's control tokens. */
export interface SpecialTokens {
  readonly endOfText: number;
  readonly startOfTranscript: number;
  readonly translate: number;
  readonly transcribe: number;
  readonly startOfLm: number;
  readonly startOfPrevious: number;
  readonly noSpeech: number;
  readonly noTimestamps: number;
  /** The token of 0.00 s; each of the following is 0.02 s later. */
  readonly timestampBegin: number;
  /** Language code to token. */
  readonly languages: Readonly<Record<string, number>>;
}

/** Text to tokens and back. */
export interface Tokenizer {
  /** Token ids of a text. Control tokens are encoded as ordinary text. */
  encode(text: string): Promise<number[]>;
  /** Text of token ids, without timestamps and control tokens. */
  decode(tokens: readonly number[] | Uint32Array): Promise<string>;
  readonly special: SpecialTokens;
}

/** Memory in bytes: planned when the model was made, and measured now. */
export interface MemoryFacts {
  readonly weightBytes: number;
  readonly kvCacheBytes: number;
  readonly activationBytes: number;
  /** In use on the engine's heap now, and the peak so far. */
  readonly heapBytes: number;
  readonly heapPeakBytes: number;
  /** Allocations since the engine started. */
  readonly allocationCount: number;
  /** The WebAssembly memory itself. */
  readonly wasmBytes: number;
}

/** What only a Whisper has. */
export interface WhisperModel {
  readonly tokenizer: Tokenizer;
  /** One window, padded with silence or cut. */
  decode(audio: AudioInput, options?: DecodeOptions): Promise<DecodeResult>;
  /** The languages of the first window, most probable first; empty for an English-only model. */
  detectLanguage(
    audio: AudioInput,
    options?: DetectLanguageOptions,
  ): Promise<readonly LanguageProbability[]>;
  /** How probable each text is for one window, in the order given. */
  score(
    audio: AudioInput,
    candidates: readonly string[],
    options?: ScoreOptions,
  ): Promise<readonly CandidateScore[]>;
  /** When each word of a known text is spoken; at most one window of audio. */
  align(audio: AudioInput, text: string, options?: AlignOptions): Promise<readonly Word[]>;
  /** The log-mel spectrogram that the encoder hears. */
  logMel(audio: AudioInput, options?: LogMelOptions): Promise<Mel>;
  /** Audio states `[nAudioCtx * nState]` of one window of log-mel. */
  encode(mel: Mel): Promise<Float32Array>;
  /** Unfiltered logits `[nVocab]` after the last of `tokens`, for the window encoded last. */
  logits(tokens: readonly number[] | Uint32Array): Promise<Float32Array>;
}

/**
 * A loaded model. One computation runs at a time; calls made meanwhile wait in order. Models of other
 * families refuse the methods of WhisperModel with `unsupported_feature`.
 */
export interface Model extends WhisperModel {
  readonly family: ModelFamily;
  /** With `early`, `warnings` and `signer` are complete when `loaded` resolves. */
  readonly info: ModelInfo;
  /** With `autoSleep`: its worker has ended, and the next call wakes it. */
  readonly asleep: boolean;
  /**
   * Resolves when the whole model is here and verified: at once, unless it was loaded with `early`. Rejects, as calls under way and
   * later ones do, with what the load failed with, or with `aborted` after dispose().
   */
  readonly loaded: Promise<void>;
  /** The model, if it is a Whisper. */
  readonly whisper: WhisperModel | undefined;
  /** Text of a recording of any length. */
  transcribe(audio: AudioInput | AudioStream, options?: TranscribeOptions): Transcription;
  /**
   * Goes on with a transcription that save() gave, with the same audio, from its beginning on: a stream is read over what is done.
   * The text is that of a transcription that was never stopped.
   */
  resume(
    saved: SavedTranscription,
    audio: AudioInput | AudioStream,
    options?: ResumeOptions,
  ): Transcription;
  /**
   * Sound to text while it comes: by Whisper and .april models, and by BW2L models that see a limited part of it
   * (`info.streams` says so). Others refuse with `unsupported_feature`. The model can be used for other things meanwhile.
   */
  stream(options?: LiveOptions): LiveTranscription;
  /** Bytes: what was planned, and what is used now and was at most. */
  memory(): Promise<MemoryFacts>;
  /** Ends the engine, aborts running work and frees the memory. */
  dispose(): void;
  /** The same as dispose(), for `using`. */
  [Symbol.dispose](): void;
  /** The same as dispose(), for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}
