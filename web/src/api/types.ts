import type { ErrorDetails } from './errors.js';
import type { WeightType } from './generated/dtypes.js';
import type { Format, OutputFormat } from './generated/formats.js';
import type {
  AlignOptionValues,
  DecodeOptionValues,
  DetectLanguageOptionValues,
  Hotword,
  RecordingOptionValues,
  ScoreOptionValues,
  Task,
} from './generated/options.js';
import type { Dimensions } from './generated/whisper.js';

// From the tables of facts.
export type { Dimensions, Format, Hotword, OutputFormat, Task, WeightType };

/**
 * Bytes of a model file: a URL, anything that `fetch` gives or takes, a file, memory, or a stream. In Node also a path. The
 * shards of a manifest are found beside its path or URL; a list of files holds the manifest and its shards, in any order.
 */
export type ModelSource =
  | string
  | URL
  | Request
  | Response
  | Blob
  | ArrayBuffer
  | ArrayBufferView
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>
  | readonly File[];

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

/** Samples as they come: 16 kHz mono, in pieces of any length. transcribe() holds one window of them at a time. */
export type AudioStream = AsyncIterable<Float32Array> | ReadableStream<Float32Array>;

/**
 * How far something is, as an `onProgress` is told. `fraction` (0 to 1) and `total` are absent while they are unknown. What an
 * `onProgress` throws stops the call, which rejects with it unchanged; the model stays usable. A promise that it returns is not
 * awaited.
 */
export interface ProgressEvent {
  /** `'load'` and `'inspect'` count bytes; `'prepare'` follows once; `'transcribe'` counts seconds of audio; `'convert'` and `'download'` count bytes. */
  readonly phase: 'load' | 'prepare' | 'inspect' | 'transcribe' | 'convert' | 'download';
  readonly loaded: number;
  readonly total?: number;
  readonly fraction?: number;
  /** Of a transcription, once its first window is done: the seconds it will still take at the pace so far. */
  readonly remainingSeconds?: number;
}

/** WebAssembly instructions that the engine is compiled for. */
export type Variant = 'simd' | 'relaxed';

/** An AES-256 key of 32 bytes, an AES-GCM CryptoKey of that length, or the passphrase that the key is derived from. */
export type ModelKey = CryptoKey | Uint8Array | { readonly passphrase: string };

/** What opens model files that are encrypted or signed. */
export interface SealOptions {
  /** Opens an encrypted file; others are read as they are. */
  readonly key?: ModelKey;
  /** Ed25519 public keys, 32 bytes or 64 hexadecimal digits each: the file must be signed by one of them. */
  readonly publicKeys?: readonly (Uint8Array | string)[];
  /**
   * Absent: with `publicKeys` true, without them false. `true` without `publicKeys`: the file must be signed, by whomever; `false`
   * with them: a file without signature will do, one with a wrong signature will not.
   */
  readonly requireSignature?: boolean;
}

export interface LoadOptions extends SealOptions {
  readonly onProgress?: (event: ProgressEvent) => void;
  /** Stops the load at once. */
  readonly signal?: AbortSignal;
  /** Which binary runs; chosen by feature detection if absent. */
  readonly variant?: Variant;
  /**
   * Threads that compute, 1 to 8, or `'auto'`: as many as the machine has processors. In a page more than one need
   * cross-origin isolation; without it there is one, whatever is asked for. `'auto'` if absent in a page, 1 in Node. Results
   * do not depend on it.
   */
  readonly threads?: number | 'auto';
  /**
   * A `.tiktoken` rank file, for models without a vocabulary or with one that is wrong; it takes the place of the file's. A
   * text is its URL, in Node also its path.
   */
  readonly vocabulary?: string | URL | Blob | ArrayBuffer | Uint8Array;
  /** Which mel filterbank the model hears with; `'auto'` if absent. */
  readonly filterbank?: FilterbankChoice;
}

/**
 * `'embedded'`: the file's; `'whisper'`: the one that OpenAI's models were trained with; `'auto'`: the file's, but Whisper's
 * in place of HTK's in an APR1 file, which a known converter wrote by mistake. A file without any has Whisper's.
 */
export type FilterbankChoice = 'auto' | 'embedded' | 'whisper';

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

interface Abortable {
  /** Stops the work; it ends within a tenth of a second on a small model. */
  readonly signal?: AbortSignal;
}

/** Options of score(). */
export interface ScoreOptions extends ScoreOptionValues, Abortable {}

/** Options that everything about one window shares. */
export type WindowOptions = ScoreOptions;

/** Options of decode(): one window. `null` switches a threshold or limit off. */
export interface DecodeOptions extends DecodeOptionValues, Abortable {}

/** Options of a whole recording. */
export interface TranscribeOptions extends DecodeOptions, RecordingOptionValues {
  readonly onProgress?: (event: ProgressEvent) => void;
}

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
  | 'retried:audio-context'
  | 'dropped:no-speech'
  | 'dropped:silence'
  | 'dropped:past-end'
  | 'dropped:zero-length';

/** One try at a window. */
export interface Attempt {
  readonly temperature: number;
  readonly avgLogprob: number;
  readonly noSpeechProb: number;
  readonly compressionRatio: number;
  /** Encoder positions that heard the window. */
  readonly audioContext: number;
  /** Why it was not good enough; `'kept'` for the last one. */
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
  /** Encoder positions that heard its window, in the last attempt. */
  readonly audioContext: number;
  readonly language: string;
  /** `'kept'`; why its window's first attempt was not the last; or, among `rejected`, why it was dropped. */
  readonly decision: Decision;
  /** Every try at its window, in order. */
  readonly attempts: readonly Attempt[];
  /** With `timestamps: 'word'`. */
  readonly words?: readonly Word[];
}

export interface TranscriptionResult {
  readonly text: string;
  /** Of the recording; with `'per-window'`, that of most of its segments' time. */
  readonly language: string;
  /** Seconds of audio. */
  readonly duration: number;
  readonly segments: readonly Segment[];
  /** Text that was dropped, with the reason as its `decision`. */
  readonly rejected: readonly Segment[];
}

/** Await it for everything, or iterate over it for segments as they come. Leaving the loop early stops the work. */
export interface Transcription extends Promise<TranscriptionResult>, AsyncIterable<Segment> {}

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
  /** Encoder positions that heard the window, in the last attempt. */
  readonly audioContext: number;
  readonly language: string;
  /** `'kept'`, why the first attempt was not the last, or `'dropped:no-speech'` where transcribe() would drop it. */
  readonly decision: Decision;
  readonly attempts: readonly Attempt[];
  /** With `timestamps: 'word'`; seconds from the window's beginning. */
  readonly words?: readonly Word[];
}

export interface LanguageProbability {
  readonly language: string;
  readonly probability: number;
}

/** How probable a text is, given the audio. */
export interface CandidateScore {
  readonly text: string;
  readonly tokens: readonly number[];
  /** Sum over its tokens and the end token. */
  readonly logprob: number;
  /** The same for each token. */
  readonly avgLogprob: number;
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

export interface InspectOptions extends SealOptions {
  /** Reads all weights besides, for `statistics` of each tensor; only of sources that are read in parts. */
  readonly stats?: boolean;
  /** Lists of the metadata whatever their length; otherwise those of more than 32 items are `{ length }`. */
  readonly full?: boolean;
  readonly onProgress?: (event: ProgressEvent) => void;
  readonly signal?: AbortSignal;
}

/** What a tensor's values are like. Range and mean are of the finite ones, null where there is none. */
export interface InspectedStatistics {
  readonly min: number | null;
  readonly max: number | null;
  readonly mean: number | null;
  /** How many are no numbers, and how many infinite. */
  readonly nan: number;
  readonly infinite: number;
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
  /** Of `'i8'` weights: what their integers are multiplied with. */
  readonly scale?: number;
  /** Integers whose rows have a scale each. */
  readonly rowScales?: boolean;
  /** Of a model in several files: which of them holds the tensor. */
  readonly shard?: number;
  /** With the option `stats`, of types that are numbers. */
  readonly statistics?: InspectedStatistics;
  /** Of a network: the index of the node whose value it is. */
  readonly node?: number;
}

/** One file of a model in shards. */
export interface InspectedShard {
  readonly file: string;
  readonly flags: readonly string[];
}

/** One tensor of a node's parameter. */
export interface InspectedField {
  readonly dtype: string;
  readonly shape: readonly number[];
  /** Byte offset in the file. */
  readonly offset: number;
  readonly size: number;
  /**
   * Of texts, and of at most 32 numbers: a list in the order of the file, of a scalar its number. Integers beyond 2^53 are texts of
   * their digits.
   */
  readonly value?: string | number | boolean | null | readonly (number | boolean | string | null)[];
}

/** An input or output of a network. */
export interface InspectedEnd {
  /** Index of the node. */
  readonly node: number;
  readonly name: string;
  /** Of an input, where the file says so: what it is cast to. */
  readonly dtype?: string;
  /** Of an input, where the file says so: -1 for any size. */
  readonly shape?: readonly number[];
}

/** A network of operators: what a TenniS module holds. */
export interface InspectedGraph {
  readonly inputs: readonly InspectedEnd[];
  readonly outputs: readonly InspectedEnd[];
  readonly nodes: readonly {
    /** The operator; `<param>` and `<const>` are inputs and constants. */
    readonly op: string;
    readonly name: string;
    /** Indices of the nodes whose results are its arguments. */
    readonly inputs: readonly number[];
    readonly parameters: readonly {
      readonly name: string;
      readonly fields: readonly InspectedField[];
    }[];
  }[];
}

/** An input or output of an ONNX network. */
export interface InspectedValue {
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly number[];
}

/** A network inside a file, complete with its weights: an ONNX model. */
export interface InspectedNetwork {
  readonly name: string;
  /** Byte offset in the file. */
  readonly offset: number;
  readonly size: number;
  /** Version of ONNX's operators. */
  readonly opset: number;
  readonly nodes: number;
  /** How many tensors of weights it has. */
  readonly weights: number;
  readonly inputs: readonly InspectedValue[];
  readonly outputs: readonly InspectedValue[];
  /** Each operator that it uses, once. */
  readonly operators: readonly string[];
}

/** A section of a file. */
export interface InspectedSection {
  readonly name: string;
  /** Of a BW2L file. */
  readonly type?: string;
  readonly description?: string;
  /** Byte offset in the file; of a BW2L file that of its data. */
  readonly offset: number;
  readonly size: number;
}

/** A layer of a BW2L file. */
export interface InspectedLayer {
  /** The line that defines it, in wav2letter's language of architectures. */
  readonly arch: string;
  /** Integers q stand for `scale * (q - offset)`. An offset beyond 2^53 is a text of its digits. */
  readonly scale: number;
  readonly offset: number | string;
  /** Indices of its weights in `tensors`. */
  readonly tensors: readonly number[];
}

/** Bytes that a Whisper takes where it runs, in one thread; for beams and times of words it takes more while they last. */
export interface InspectedMemory {
  /** Of its weights in the types that the file stores. */
  readonly weights: number;
  /** Of all that it writes while it computes. */
  readonly state: number;
  readonly total: number;
}

/** What a model file holds. */
export interface Inspection {
  readonly format: Format;
  readonly version: string;
  /** Names of the flags that are set. */
  readonly flags: readonly string[];
  readonly byteCount: number;
  /**
   * The metadata as stored, without its long lists: those are replaced by their lengths. Of a format with a header instead,
   * the header's contents with the same names. Integers beyond 2^53 are texts of their digits.
   */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Of a Whisper, where the file or the folder says them. */
  readonly dims?: Dimensions;
  /** Of a Whisper whose dimensions are known. */
  readonly memory?: InspectedMemory;
  readonly tensors: readonly InspectedTensor[];
  /** Of a model in several files: all of them. */
  readonly shards?: readonly InspectedShard[];
  /** Of a network, such as a TenniS module; its tensors are those of its constants. */
  readonly graph?: InspectedGraph;
  /** Of an .april file: encoder, decoder, joiner. */
  readonly networks?: readonly InspectedNetwork[];
  /** Of a BW2L or APR1 file. */
  readonly sections?: readonly InspectedSection[];
  /** Of a BW2L file. */
  readonly layers?: readonly InspectedLayer[];
  readonly warnings: readonly string[];
  /** The Ed25519 public key, in hexadecimal digits, whose signature was verified; of shards by several, all of them. */
  readonly signer?: string;
}

export interface OpenModelOptions {
  /** Opens the tensors of an encrypted file, each when it is asked for. */
  readonly key?: ModelKey;
  /**
   * `false`: the metadata alone. The list of tensors is empty and, where the format keeps it apart (APR2), not read; of a model in
   * shards the first one is opened, which has the metadata.
   */
  readonly tensors?: boolean;
  readonly onProgress?: (event: ProgressEvent) => void;
  readonly signal?: AbortSignal;
}

/** A tensor of a model file. */
export interface ModelTensor {
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly number[];
  /** In the order of the shape, the last dimension next to each other: dequantised, integers with their scale. */
  readonly values: Float32Array;
  /** As the file's `dtype` has it, no longer compressed. */
  readonly bytes: Uint8Array;
}

/** A token of a vocabulary. */
export interface VocabularyToken {
  /** Not always whole characters. */
  readonly bytes: Uint8Array;
  /** The bytes as UTF-8, U+FFFD for what is none. */
  readonly text: string;
}

/** Weights of triangular filters over the bins of a spectrum. */
export interface Filterbank {
  /** Mel bands, bins. */
  readonly shape: readonly [number, number];
  /** Row by row. */
  readonly values: Float32Array;
}

/** A model file whose tensors are loaded when they are asked for. */
export interface ModelFile extends Inspection {
  /**
   * Reads one tensor. Of several with one name it is the last; `"#7"` is the constant of node 7 of a TenniS module, `"#7[1]"` its
   * second value. Throws `invalid_argument` for a name that it does not have, with names like it.
   */
  tensor(name: string): Promise<ModelTensor>;
  /** The file's vocabulary, by token id (APR2, APR1, ggml, GGUF); undefined where it has none. */
  vocabulary(): Promise<readonly VocabularyToken[] | undefined>;
  /** The token table of an .april or BW2L file, by id; undefined of other formats. */
  tokens(): Promise<readonly string[] | undefined>;
  /** The file's mel filterbank; undefined where it has none, and Whisper's is computed. */
  filterbank(): Promise<Filterbank | undefined>;
  /**
   * Reads tensors, neighbours with one request and at most four requests at the same time; each tensor is held until tensor() has
   * given it.
   */
  prefetch(names: readonly string[]): Promise<void>;
  /** Lets go of the source and of what is held. */
  close(): void;
  [Symbol.dispose](): void;
}

/** What extractPart() writes. */
export type ExtractedPart = 'vocabulary' | 'tokens' | 'filterbank';

export interface ExtractOptions extends InspectOptions {
  /** Replaces a destination that exists; `false` if absent. */
  readonly force?: boolean;
}

export interface ConvertOptions {
  /** What is written; `'apr2'` if absent. */
  readonly format?: OutputFormat;
  /**
   * Type of the large weights. If absent `'f16'`, but the blocks of a source that has them, and of an APR2 or APR1 source that
   * becomes APR2 whatever holds its values exactly. `'apr1'` takes `'f32'`, `'f16'` (if absent) and `'int8'`, for all weights.
   * `'safetensors'` takes `'f32'`, `'f16'` and `'bf16'`, for all weights; if absent each stays what it is, and blocks are refused.
   * `'ggml'` takes all but `'bf16'`; if absent the smallest that loses nothing.
   */
  readonly dtype?: WeightType | 'int8';
  /** Of APR2, where it is `'lz4'` if absent, and of APR1, `'none'`. */
  readonly compress?: 'lz4' | 'none';
  /** A `.tiktoken` rank file, for sources without a vocabulary. In Node also a path. */
  readonly vocabulary?: string | URL | Blob | ArrayBuffer | Uint8Array;
  /** Which mel filterbank is written; `'auto'` if absent. */
  readonly filterbank?: FilterbankChoice;
  /** The `config.json` of a SafeTensors file that has none beside it. In Node also a path. */
  readonly metadata?: string | Blob | ArrayBuffer | Uint8Array;
  /** The most bytes of a file: the destination is then a manifest, with shards beside it. At most 2 GiB. */
  readonly shardSize?: number;
  /** Of every tensor in the file; 64 if absent. */
  readonly alignment?: 64 | 32;
  /** Overwrites a destination that exists. */
  readonly force?: boolean;
  readonly onProgress?: (event: ProgressEvent) => void;
  readonly signal?: AbortSignal;
}

/** Options of pullModel(). */
export interface PullOptions {
  /** Type of the large weights; `'f16'` if absent. */
  readonly dtype?: WeightType;
  /** Where the model goes instead of the cache. */
  readonly output?: string | URL;
  /** Overwrites an output that exists. */
  readonly force?: boolean;
  readonly onProgress?: (event: ProgressEvent) => void;
  readonly signal?: AbortSignal;
}

/** What pullModel() made. */
export interface PullResult extends ConvertResult {
  /** The model's file. */
  readonly path: string;
}

/** A model that was pulled. */
export interface CachedModel {
  /** "openai/whisper-tiny.en", with @REVISION where that is not main. */
  readonly name: string;
  readonly dtype: WeightType;
  readonly path: string;
  readonly byteCount: number;
  readonly pulledAt: Date;
}

/** Options of unshardModel(). */
export type RepackOptions = Pick<ConvertOptions, 'alignment' | 'force' | 'onProgress' | 'signal'>;

/** Options of shardModel(). */
export interface ShardOptions extends RepackOptions {
  /** The most bytes of a shard. At most 2 GiB. */
  readonly size: number;
}

export interface RepackResult {
  /** Bytes of the files written. */
  readonly byteCount: number;
  readonly tensorCount: number;
  /** Of a model in shards: their names, then the manifest's. Of a folder of the hub: those of all its files. */
  readonly files?: readonly string[];
  readonly warnings: readonly string[];
}

export interface ConvertResult extends RepackResult {
  readonly tensors: readonly WrittenTensor[];
}

/** What became of a tensor. */
export interface WrittenTensor {
  /** OpenAI's. */
  readonly name: string;
  readonly dtype: string;
  /** What its values lost: the root of the sum of their squared errors, over that of their squares. 0: nothing. */
  readonly relativeError: number;
}

/**
 * What is converted: the path or URL of a file or folder (a URL of a folder ends in a slash), a file, or the files of a folder.
 * Pages take no paths.
 */
export type ConvertSource = string | URL | Blob | readonly Blob[];

/** A model file that can be read more than once. */
export type RereadableSource = string | URL | Blob | ArrayBuffer | ArrayBufferView;

/** Where a new file goes: any stream for bytes; in Node also a path, whose file appears when it is whole. */
export type ModelDestination = WritableStream<Uint8Array> | string | URL;

export interface RewriteOptions {
  /** Overwrites a file that exists. */
  readonly force?: boolean;
  /** Counts the bytes read, of every pass over the source. */
  readonly onProgress?: (event: ProgressEvent) => void;
  readonly signal?: AbortSignal;
}

export interface EncryptOptions extends RewriteOptions {
  readonly key: ModelKey;
}

export interface SignOptions extends RewriteOptions {
  /** An Ed25519 private key: 32 bytes (the seed of RFC 8032), or a pair of CryptoKeys. */
  readonly key: Uint8Array | CryptoKeyPair;
}

export interface RewriteResult {
  /** Bytes of the file written. */
  readonly byteCount: number;
  readonly tensorCount: number;
  readonly warnings: readonly string[];
}

/** Ed25519: the seed of RFC 8032, and the public key. */
export interface SigningKey {
  readonly privateKey: Uint8Array;
  readonly publicKey: Uint8Array;
}

/** One thing that was looked at in a model file. */
export interface VerificationCheck {
  readonly name: 'structure' | 'checksum' | 'piece digests' | 'signature' | 'encryption';
  /** `'absent'`: the file has none; `'unchecked'`: it could not be looked at, or nothing was given to check it by. */
  readonly outcome: 'passed' | 'failed' | 'absent' | 'unchecked';
  readonly message: string;
  /** Byte offset of the fault. */
  readonly offset?: number;
  /** The error's code and reason, of a check that failed. */
  readonly code?: string;
  readonly reason?: string;
}

export interface Verification {
  /** Nothing failed. */
  readonly isSound: boolean;
  readonly checks: readonly VerificationCheck[];
}

export interface VerifyOptions extends SealOptions {
  readonly onProgress?: (event: ProgressEvent) => void;
  readonly signal?: AbortSignal;
}

/** Bytes [begin, end) of a file; without `end` to wherever it ends. */
export interface ByteRange {
  readonly begin: number;
  readonly end?: number;
}

/** What of a file that was downloaded in part can be kept. */
export interface SoundRanges {
  /** Of the whole file; absent while its beginning is not there. */
  readonly byteCount?: number;
  /** In order, not touching each other. */
  readonly sound: readonly ByteRange[];
  /** Everything else: what is to be fetched. */
  readonly missing: readonly ByteRange[];
}

/** The fields of a SusurrusError that tell where it happened. */
export type { ErrorDetails };
