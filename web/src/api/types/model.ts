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
  /** How many engines transcribe a long recording where `transcribe()` does not say; 1 for other families. */
  readonly workers: number;
  /** Why so many. */
  readonly workersReason: string;
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
  /**
   * Returns the token ids of a text. Control tokens are encoded as ordinary text.
   *
   * @throws SusurrusError `invalid_argument` for anything but a string, `wrong_state` after dispose().
   */
  encode(text: string): Promise<number[]>;
  /**
   * Returns the text of token ids, without timestamps and control tokens.
   *
   * @throws SusurrusError `invalid_argument` for anything but token ids, `wrong_state` after dispose().
   */
  decode(tokens: readonly number[] | Uint32Array): Promise<string>;
  readonly special: SpecialTokens;
}

/** The engine's memory in bytes: planned when the model was loaded, and measured now. The voice detector's 9 MB are not included. */
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
 * A loaded model. `family` narrows the type: only Whisper models have `decode()` and the other methods of WhisperModel, and each
 * family has its own options.
 *
 * @example
 * ```js
 * const model = await loadModel(file);
 * if (model.family === 'whisper') console.log(await model.detectLanguage(file));
 * ```
 */
export type Model = WhisperModel | TransducerModel | AcousticModel;

/**
 * What every loaded model has. One computation runs at a time; calls made meanwhile wait in order. A model holds an engine, with its
 * worker and memory, until `dispose()`; from the first call that skips silence on, also a voice detector (9 MB) with a worker. While a model
 * is still loading (`early`) or has to be loaded again (`autoSleep`), a call rejects if the load fails, with the same error as loadModel().
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
  /**
   * Returns the memory that was planned, is in use now, and was in use at the peak, in bytes.
   *
   * @throws SusurrusError `wrong_state` after dispose(), `aborted` if that interrupts the call.
   * @example
   * ```js
   * const { heapPeakBytes } = await model.memory();
   * console.log(`${Math.round(heapPeakBytes / 2 ** 20)} MiB`);
   * ```
   */
  memory(): Promise<MemoryFacts>;
  /** Ends the engine and frees the memory. Calls under way reject with `aborted`, later ones with `wrong_state`. */
  dispose(): void;
  /** Calls dispose(), for `using`. */
  [Symbol.dispose](): void;
  /** Calls dispose(), for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** A Whisper model, from a file or folder of any format that loadModel() converts. */
export interface WhisperModel extends CommonModel {
  readonly family: 'whisper';
  readonly info: WhisperInfo;
  readonly tokenizer: Tokenizer;
  /**
   * Transcribes a recording of any length. Await the result, or iterate over its segments while they are decoded; leaving the loop stops
   * the work.
   *
   * @throws SusurrusError (the result rejects) `malformed`, `truncated_input`, `unknown_format` or `unsupported_feature` for a file that
   *   cannot be decoded; `source_failed` for a URL or stream that cannot be read; `limit_exceeded` for a recording that the browser can only
   *   decode as a whole and that is too long for that; `invalid_argument` for wrong options or samples; `out_of_memory`; `wrong_state` after
   *   dispose(); `aborted` if dispose() interrupts it or the loop over the segments is left. An abort rejects with the signal's reason.
   * @example
   * ```js
   * const transcription = model.transcribe(file, { language: 'en', timestamps: 'word' });
   * for await (const { start, end, text } of transcription) console.log(start, end, text);
   * const { text } = await transcription;
   * ```
   */
  transcribe(audio: AudioInput | AudioStream, options?: TranscribeOptions): Transcription;
  /**
   * Transcribes live audio, a microphone's for example. Other calls of the model run between the stream's. The stream holds memory of the
   * engine until `close()`.
   *
   * @throws SusurrusError `invalid_argument` for a wrong option. Everything later rejects the stream's calls and its loop: `wrong_state` after
   *   dispose(), for example.
   * @example
   * ```js
   * const live = model.stream({ language: 'en' });
   * void live.feed(samples).then(() => live.close());
   * for await (const event of live) if (event.type === 'final') console.log(event.text);
   * ```
   */
  stream(options?: WhisperLiveOptions): LiveTranscription;
  /**
   * Decodes one window of 30 s; shorter audio is padded with silence, longer audio is cut.
   *
   * @throws SusurrusError `malformed`, `truncated_input`, `unknown_format`, `unsupported_feature` or `limit_exceeded` for a file that cannot be
   *   decoded; `source_failed` for a URL or stream that cannot be read; `invalid_argument` for wrong options or samples; `out_of_memory`; `wrong_state`
   *   after dispose(), and `aborted` if that interrupts the call. An abort rejects with the signal's reason.
   * @example
   * ```js
   * const { text, avgLogprob } = await model.decode(samples, { language: 'en' });
   * console.log(text, avgLogprob);
   * ```
   */
  decode(audio: AudioInput, options?: DecodeOptions): Promise<DecodeResult>;
  /**
   * Returns the languages of the first window, the most probable one first; none for an English-only model.
   *
   * @throws SusurrusError `malformed`, `truncated_input`, `unknown_format`, `unsupported_feature` or `limit_exceeded` for a file that cannot be
   *   decoded; `source_failed` for a URL or stream that cannot be read; `invalid_argument` for wrong options or samples; `out_of_memory`; `wrong_state`
   *   after dispose(), and `aborted` if that interrupts the call. An abort rejects with the signal's reason.
   * @example
   * ```js
   * const [best] = await model.detectLanguage(file);
   * console.log(best?.language, best?.probability);
   * ```
   */
  detectLanguage(
    audio: AudioInput,
    options?: DetectLanguageOptions,
  ): Promise<readonly LanguageProbability[]>;
  /**
   * Returns how probable each text is for one window (natural logarithms), in the order given. Each text costs a decoder pass.
   *
   * @throws SusurrusError `invalid_argument`, also for no text or one that is too long for the model; otherwise as decode(). An abort rejects
   *   with the signal's reason.
   * @example
   * ```js
   * const [yes, no] = await model.score(samples, ['Yes.', 'No.']);
   * if (yes && no) console.log(yes.avgLogprob > no.avgLogprob);
   * ```
   */
  score(
    audio: AudioInput,
    candidates: readonly string[],
    options?: ScoreOptions,
  ): Promise<readonly CandidateScore[]>;
  /**
   * Returns when each word of a known text is spoken, in seconds from the beginning of the audio. Audio beyond 30 s is ignored.
   *
   * @throws SusurrusError `invalid_argument`, also for a text that is too long for the model; otherwise as decode(). An abort rejects with the
   *   signal's reason.
   * @example
   * ```js
   * for (const { word, start, end } of await model.align(file, 'And so, my fellow Americans')) {
   *   console.log(word, start, end);
   * }
   * ```
   */
  align(audio: AudioInput, text: string, options?: AlignOptions): Promise<readonly Word[]>;
  /**
   * Computes the log-mel spectrogram that the encoder takes.
   *
   * @throws SusurrusError as decode().
   * @example
   * ```js
   * const states = await model.encode(await model.logMel(samples));
   * console.log(states.length);
   * ```
   */
  logMel(audio: AudioInput, options?: LogMelOptions): Promise<Mel>;
  /**
   * Returns the encoder's output for one window of log-mel, `[nAudioCtx][nState]`. The engine keeps it for `logits()`.
   *
   * @throws SusurrusError `invalid_argument` unless `mel` is one window with the model's bands; `out_of_memory`; `wrong_state` after dispose().
   */
  encode(mel: Mel): Promise<Float32Array>;
  /**
   * Returns the unfiltered logits `[nVocab]` after the last of `tokens`, for the window encoded last.
   *
   * @throws SusurrusError `wrong_state` before `encode()` and after dispose(); `invalid_argument` for no tokens, too many of them, or ids beyond
   *   the vocabulary.
   * @example
   * ```js
   * const { startOfTranscript } = model.tokenizer.special;
   * await model.encode(await model.logMel(samples));
   * const logits = await model.logits([startOfTranscript]);
   * console.log(logits.indexOf(Math.max(...logits)));
   * ```
   */
  logits(tokens: readonly number[] | Uint32Array): Promise<Float32Array>;
}

/** An LSTM transducer, from an .april file. */
export interface TransducerModel extends CommonModel {
  readonly family: 'transducer';
  readonly info: NetworkInfo;
  /**
   * Transcribes a recording of any length; see WhisperModel.
   *
   * @throws SusurrusError `(the result rejects) `unsupported_feature` for an option that only other families have; otherwise the same codes as for a
   *   Whisper model: `invalid_argument`, `source_failed`, `malformed` … An abort rejects with the signal's reason.
   */
  transcribe(audio: AudioInput | AudioStream, options?: TransducerTranscribeOptions): Transcription;
  /**
   * Transcribes live audio; see WhisperModel.
   *
   * @throws SusurrusError `invalid_argument` for a wrong option, `unsupported_feature` for an option that only other families have.
   */
  stream(options?: TransducerLiveOptions): LiveTranscription;
}

/** A wav2letter acoustic model, from a BW2L file. */
export interface AcousticModel extends CommonModel {
  readonly family: 'acoustic';
  readonly info: NetworkInfo;
  /**
   * Transcribes a recording of any length; see WhisperModel.
   *
   * @throws SusurrusError `(the result rejects) `unsupported_feature` for an option that only other families have; otherwise the same codes as for a
   *   Whisper model: `invalid_argument`, `source_failed`, `malformed` … An abort rejects with the signal's reason.
   */
  transcribe(audio: AudioInput | AudioStream, options?: AcousticTranscribeOptions): Transcription;
  /**
   * Transcribes live audio; see WhisperModel.
   *
   * @throws SusurrusError `unsupported_feature` unless `info.streams`, since the network must depend on a limited part of the audio, and for an
   *   option that only other families have; `invalid_argument` for a wrong option.
   */
  stream(options?: AcousticLiveOptions): LiveTranscription;
}
