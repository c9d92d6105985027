import type { ErrorDetails } from './errors.js';

/** Bytes of a model file: a URL, anything that `fetch` gives or takes, a file, memory, or a stream. In Node also a path. */
export type ModelSource =
  | string
  | URL
  | Request
  | Response
  | Blob
  | ArrayBuffer
  | ArrayBufferView
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>;

/** PCM samples of any rate: interleaved in one array, or one array for each channel. */
export interface PcmAudio {
  /** Interleaved frames (`channels` samples each), or one array per channel. */
  readonly samples: Float32Array | readonly Float32Array[];
  /** Samples per second and channel. */
  readonly sampleRate: number;
  /** 1 if absent; with one array per channel it must be their number. */
  readonly channels?: number;
}

/** What an AudioBuffer offers; only this much of it is used. */
export interface AudioBufferLike {
  readonly sampleRate: number;
  readonly numberOfChannels: number;
  readonly length: number;
  getChannelData(channel: number): Float32Array;
}

/** A recording: 16 kHz mono samples, PCM of another rate, an AudioBuffer, or the bytes of an audio file. */
export type AudioInput =
  Float32Array | PcmAudio | AudioBufferLike | Blob | ArrayBuffer | Uint8Array;

/** How far something is. `fraction` (0 to 1) and `total` are absent while nobody knows. */
export interface ProgressEvent {
  /** `'load'` and `'inspect'` count bytes; `'prepare'` follows once; `'transcribe'` counts seconds of audio; `'convert'` counts bytes. */
  readonly phase: 'load' | 'prepare' | 'inspect' | 'transcribe' | 'convert';
  readonly loaded: number;
  readonly total?: number;
  readonly fraction?: number;
}

/** WebAssembly instructions that the engine is compiled for. */
export type Variant = 'simd' | 'relaxed';

export interface LoadOptions {
  readonly onProgress?: (event: ProgressEvent) => void;
  /** Stops the load at once. */
  readonly signal?: AbortSignal;
  /** Which binary runs; chosen by feature detection if absent. */
  readonly variant?: Variant;
}

/** Whisper's ten dimensions. */
export interface Dimensions {
  readonly nVocab: number;
  readonly nAudioCtx: number;
  readonly nTextCtx: number;
  readonly nMels: number;
  readonly nAudioLayer: number;
  readonly nTextLayer: number;
  readonly nAudioHead: number;
  readonly nTextHead: number;
  readonly nAudioState: number;
  readonly nTextState: number;
}

export interface ModelInfo {
  readonly dims: Dimensions;
  /** The file's format with its version: `'APR2 2.0'`. */
  readonly format: string;
  /** Element types of the weights, in the file and in memory: `['f16', 'f32']`. */
  readonly dtypes: readonly string[];
  readonly variant: Variant;
  /** Why this variant runs. */
  readonly variantReason: string;
  readonly multilingual: boolean;
  /** Codes the model can be asked for; `['en']` for an English-only model. */
  readonly languages: readonly string[];
  /** What was noteworthy about the file, though acceptable. */
  readonly warnings: readonly string[];
}

/** Options of one window. */
export interface DecodeOptions {
  /** A language code, or `'auto'` (the default): detected from the audio. */
  readonly language?: string;
  /** `'segment'` (the default) decodes with timestamps, `'none'` without. */
  readonly timestamps?: 'segment' | 'none';
  readonly temperature?: 0;
  readonly compatibility?: 'openai';
  /** Stops the work; it ends within a tenth of a second on a small model. */
  readonly signal?: AbortSignal;
}

/** Options of a whole recording. */
export interface TranscribeOptions extends DecodeOptions {
  readonly onProgress?: (event: ProgressEvent) => void;
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
  readonly temperature: number;
  readonly avgLogprob: number;
  readonly compressionRatio: number;
  readonly noSpeechProb: number;
}

export interface TranscriptionResult {
  readonly text: string;
  readonly language: string;
  /** Seconds of audio. */
  readonly duration: number;
  readonly segments: readonly Segment[];
}

/** Await it for everything, or iterate over it for segments as they come. Leaving the loop early stops the work. */
export interface Transcription extends Promise<TranscriptionResult>, AsyncIterable<Segment> {}

/** One decoded window. */
export interface DecodeResult {
  /** Without the end token, with timestamps. */
  readonly tokens: readonly number[];
  readonly text: string;
  readonly avgLogprob: number;
  readonly noSpeechProb: number;
  readonly language: string;
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

/** A loaded model. One computation runs at a time; calls made meanwhile wait in order. */
export interface Model {
  readonly info: ModelInfo;
  readonly tokenizer: Tokenizer;
  /** Text of a recording of any length. */
  transcribe(audio: AudioInput, options?: TranscribeOptions): Transcription;
  /** One window, padded with silence or cut. */
  decode(audio: AudioInput, options?: DecodeOptions): Promise<DecodeResult>;
  logMel(audio: AudioInput, options?: LogMelOptions): Promise<Mel>;
  /** Audio states `[nAudioCtx * nState]` of one window of log-mel. */
  encode(mel: Mel): Promise<Float32Array>;
  /** Unfiltered logits `[nVocab]` after the last of `tokens`, for the window encoded last. */
  logits(tokens: readonly number[] | Uint32Array): Promise<Float32Array>;
  memory(): Promise<MemoryFacts>;
  /** Ends the engine and frees its memory; work under way is aborted. */
  dispose(): void;
  [Symbol.dispose](): void;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface InspectOptions {
  readonly onProgress?: (event: ProgressEvent) => void;
  readonly signal?: AbortSignal;
}

export interface InspectedTensor {
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly number[];
  /** Byte offset in the file. */
  readonly offset: number;
  /** Bytes in the file. */
  readonly size: number;
  /** Bytes in memory. */
  readonly rawSize: number;
}

/** What a model file holds; the whole file has been read and verified. */
export interface Inspection {
  readonly format: string;
  readonly version: string;
  /** Names of the flags that are set. */
  readonly flags: readonly string[];
  readonly byteCount: number;
  /** The metadata as stored, without its long lists: those are replaced by their lengths. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly tensors: readonly InspectedTensor[];
  readonly warnings: readonly string[];
}

export interface ConvertOptions {
  /** Type of the large weights; `'f16'` if absent. */
  readonly dtype?: 'f32' | 'f16' | 'q8_0';
  /** `'lz4'` if absent. */
  readonly compress?: 'lz4' | 'none';
  /** A `.tiktoken` rank file, for folders without a vocabulary. In Node also a path. */
  readonly vocabulary?: string | Blob | ArrayBuffer | Uint8Array;
  /** Overwrites a destination that exists. */
  readonly force?: boolean;
  readonly onProgress?: (event: ProgressEvent) => void;
  readonly signal?: AbortSignal;
}

export interface ConvertResult {
  /** Bytes of the file written. */
  readonly byteCount: number;
  readonly tensorCount: number;
  readonly warnings: readonly string[];
}

/** The fields of a SusurrusError that tell where it happened. */
export type { ErrorDetails };
