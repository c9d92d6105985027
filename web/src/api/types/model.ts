// A loaded model.
import type { Dimensions } from '../generated/whisper.js';
import type { AudioInput, AudioStream } from './audio.js';
import type {
  AcousticLiveOptions,
  LiveTranscription,
  TransducerLiveOptions,
  WhisperLiveOptions,
} from './live.js';
import type { Variant } from './load.js';
import type { Filterbank } from './model_file.js';
import type {
  AcousticTranscribeOptions,
  AlignOptions,
  CandidateScore,
  DecodeOptions,
  DecodeResult,
  DetectLanguageOptions,
  LanguageProbability,
  ScoreOptions,
  TranscribeOptions,
  Transcription,
  TransducerTranscribeOptions,
  Word,
} from './transcribe.js';

/** The architecture of a model. More may be added. */
export type ModelFamily =
  | 'whisper'
  /** .april */
  | 'transducer'
  /** BW2L */
  | 'acoustic';

/** Facts about a loaded model and the engine that runs it. */
export type ModelInfo = WhisperInfo | NetworkInfo;

/** Facts about a Whisper. */
export interface WhisperInfo extends CommonInfo {
  readonly family: 'whisper';
  readonly dims: Dimensions;
}

/** Facts about a model of another family. */
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
  /** Whether `stream()` is supported. */
  readonly streams: boolean;
  /** Deviations of the file that do no harm. */
  readonly warnings: readonly string[];
  /** The Ed25519 public key whose signature was verified, in hexadecimal; several if shards have different signers. */
  readonly signer?: string;
}

/**
 * A log-mel spectrogram, `data[mel * nFrames + frame]`, one frame for each 10 ms: log10 power, clamped to 8 below its maximum and scaled,
 * as openai/whisper's `log_mel_spectrogram`.
 */
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

/**
 * A loaded model. `family` says what it is, and narrows the type: only a Whisper has `decode()` and the other methods of
 * WhisperModel, and each family has its own options.
 *
 * @example
 * ```js
 * const model = await loadModel(file);
 * if (model.family === 'whisper') console.log(await model.detectLanguage(audio));
 * ```
 */
export type Model = WhisperModel | TransducerModel | AcousticModel;

/**
 * What every loaded model has. One computation runs at a time; calls made meanwhile wait in order. A model holds an engine, with its
 * worker and memory, until `dispose()`.
 */
export interface CommonModel {
  readonly family: ModelFamily;
  /** With `early`, `warnings` and `signer` are complete when `loaded` resolves. */
  readonly info: ModelInfo;
  /** With `autoSleep`: the worker has ended, and the next call wakes the model. */
  readonly asleep: boolean;
  /**
   * Resolves when the whole model is here and verified: at once, unless it was loaded with `early`. Rejects, as calls under way and
   * later ones do, with what the load failed with, or with `aborted` after dispose(). You may ignore it.
   */
  readonly loaded: Promise<void>;
  /** Bytes: what was planned, what is used now, and the peak. */
  memory(): Promise<MemoryFacts>;
  /** Ends the engine, aborts running work and frees the memory. */
  dispose(): void;
  /** Calls dispose(), for `using`. */
  [Symbol.dispose](): void;
  /** Calls dispose(), for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** A Whisper: APR2, APR1, and whatever was converted from ggml, GGUF, SafeTensors or CTranslate2. */
export interface WhisperModel extends CommonModel {
  readonly family: 'whisper';
  readonly info: WhisperInfo;
  readonly tokenizer: Tokenizer;
  /**
   * Transcribes a recording of any length. Await the result, or iterate over its segments while they are decoded; leaving the loop stops
   * the work.
   *
   * @throws SusurrusError (the result rejects) `malformed`, `unknown_format` or `unsupported_feature` for a file that cannot be decoded;
   *   `invalid_argument` for a wrong option; `out_of_memory`; `aborted` after dispose(). An abort rejects with the signal's reason.
   * @example
   * ```js
   * const transcription = model.transcribe(file, { language: 'en', timestamps: 'word' });
   * for await (const { start, end, text } of transcription) console.log(start, end, text);
   * const { text } = await transcription;
   * ```
   */
  transcribe(audio: AudioInput | AudioStream, options?: TranscribeOptions): Transcription;
  /**
   * Transcribes sound while it comes, a microphone's for example. The model can be used for other things meanwhile. The stream holds
   * its place in the engine until `close()`.
   *
   * @throws SusurrusError `invalid_argument` for a wrong option, `wrong_state` after dispose().
   * @example
   * ```js
   * const live = model.stream({ language: 'en' });
   * void live.feed(samples).then(() => live.close());
   * for await (const event of live) if (event.type === 'final') console.log(event.text);
   * ```
   */
  stream(options?: WhisperLiveOptions): LiveTranscription;
  /** Decodes one window of 30 s; shorter audio is padded with silence, longer audio is cut. */
  decode(audio: AudioInput, options?: DecodeOptions): Promise<DecodeResult>;
  /** The languages of the first window, most probable first; empty for an English-only model. */
  detectLanguage(
    audio: AudioInput,
    options?: DetectLanguageOptions,
  ): Promise<readonly LanguageProbability[]>;
  /** How probable each text is for one window (natural logarithms), in the order given. Each text costs a decoder pass. */
  score(
    audio: AudioInput,
    candidates: readonly string[],
    options?: ScoreOptions,
  ): Promise<readonly CandidateScore[]>;
  /** When each word of a known text is spoken, in seconds from the beginning of the audio. Audio beyond 30 s is ignored. */
  align(audio: AudioInput, text: string, options?: AlignOptions): Promise<readonly Word[]>;
  /** The log-mel spectrogram that the encoder takes. */
  logMel(audio: AudioInput, options?: LogMelOptions): Promise<Mel>;
  /** The encoder's output for one window of log-mel, `[nAudioCtx][nState]`. It stays in the engine for `logits()`. */
  encode(mel: Mel): Promise<Float32Array>;
  /** Unfiltered logits `[nVocab]` after the last of `tokens`, for the window encoded last; `wrong_state` before `encode()`. */
  logits(tokens: readonly number[] | Uint32Array): Promise<Float32Array>;
}

/** An LSTM transducer, from an .april file. */
export interface TransducerModel extends CommonModel {
  readonly family: 'transducer';
  readonly info: NetworkInfo;
  /** Transcribes a recording of any length; see WhisperModel. */
  transcribe(audio: AudioInput | AudioStream, options?: TransducerTranscribeOptions): Transcription;
  /** Transcribes sound while it comes; see WhisperModel. */
  stream(options?: TransducerLiveOptions): LiveTranscription;
}

/** A wav2letter acoustic model, from a BW2L file. */
export interface AcousticModel extends CommonModel {
  readonly family: 'acoustic';
  readonly info: NetworkInfo;
  /** Transcribes a recording of any length; see WhisperModel. */
  transcribe(audio: AudioInput | AudioStream, options?: AcousticTranscribeOptions): Transcription;
  /**
   * Transcribes sound while it comes; see WhisperModel. Throws `unsupported_feature` unless `info.streams`: the network must see a
   * limited part of the sound.
   */
  stream(options?: AcousticLiveOptions): LiveTranscription;
}
