// A loaded model.
import type { Dimensions } from '../generated/whisper.js';
import type { AudioInput, AudioStream } from './audio.js';
import type { Variant } from './load.js';
import type {
  AlignOptions,
  CandidateScore,
  DecodeOptions,
  DecodeResult,
  DetectLanguageOptions,
  LanguageProbability,
  ScoreOptions,
  TranscribeOptions,
  Transcription,
  Word,
} from './transcribe.js';

/** Which kind of network a model is. More may come. */
export type ModelFamily = 'whisper';

export interface ModelInfo {
  readonly family: ModelFamily;
  readonly dims: Dimensions;
  /** The file's format with its version: `'APR2 2.0'`. */
  readonly format: string;
  /** Element types of the weights in the file: `['f16', 'f32']`. So they are in memory, but for `'i8'`: q8_0 and f32 there. */
  readonly dtypes: readonly string[];
  readonly variant: Variant;
  /** Why this variant runs. */
  readonly variantReason: string;
  /** How many threads compute. */
  readonly threads: number;
  /** Why so many. */
  readonly threadsReason: string;
  readonly multilingual: boolean;
  /** Codes the model can be asked for; `['en']` for an English-only model. */
  readonly languages: readonly string[];
  /** What was noteworthy about the file, though acceptable. */
  readonly warnings: readonly string[];
  /** The Ed25519 public key, in hexadecimal digits, whose signature of the file was verified; of shards by several, all of them. */
  readonly signer?: string;
}

/** Log-mel power: `data[mel * nFrames + frame]`. */
export interface Mel {
  readonly data: Float32Array;
  readonly nMels: number;
  readonly nFrames: number;
}

export interface LogMelOptions {
  /** `'window'` (the default): one window, padded or cut; `'whole'`: the recording as transcribe() sees it. */
  readonly mode?: 'window' | 'whole';
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

export interface Tokenizer {
  /** Ids of ordinary text; control tokens in it are text too. */
  encode(text: string): Promise<number[]>;
  /** Text of ids; timestamps and control tokens are left out. */
  decode(tokens: readonly number[] | Uint32Array): Promise<string>;
  readonly special: SpecialTokens;
}

/** Bytes, as planned when the model was made and as counted now. */
export interface MemoryFacts {
  readonly weightBytes: number;
  readonly kvCacheBytes: number;
  readonly activationBytes: number;
  /** Allocated in the engine's heap now, and at most so far. */
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
  logMel(audio: AudioInput, options?: LogMelOptions): Promise<Mel>;
  /** Audio states `[nAudioCtx * nState]` of one window of log-mel. */
  encode(mel: Mel): Promise<Float32Array>;
  /** Unfiltered logits `[nVocab]` after the last of `tokens`, for the window encoded last. */
  logits(tokens: readonly number[] | Uint32Array): Promise<Float32Array>;
}

/**
 * A loaded model. One computation runs at a time; calls made meanwhile wait in order. What it has of a WhisperModel,
 * a model of another family refuses: `unsupported_feature`.
 */
export interface Model extends WhisperModel {
  readonly family: ModelFamily;
  readonly info: ModelInfo;
  /** The model, if it is a Whisper. */
  readonly whisper: WhisperModel | undefined;
  /** Text of a recording of any length. */
  transcribe(audio: AudioInput | AudioStream, options?: TranscribeOptions): Transcription;
  memory(): Promise<MemoryFacts>;
  /** Ends the engine and frees its memory; work under way is aborted. */
  dispose(): void;
  [Symbol.dispose](): void;
  [Symbol.asyncDispose](): Promise<void>;
}
