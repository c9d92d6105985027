// Requests to the module that reads model files, and its answers.
import type {
  Dimensions,
  ConvertOptions,
  ConvertResult,
  InspectedFilterbank,
  InspectedGraph,
  InspectedLayer,
  InspectedNetwork,
  InspectedSection,
  InspectedStatistics,
  Mel,
} from '../api/types.js';
import type { PhaseProgress } from '../api/overall_progress.js';
import type { Format } from '../api/generated/formats.js';
import type { Link, PartFile } from './link.js';
import type { PlainModel } from './plain_model.js';

export interface InspectionFacts {
  readonly format: Format;
  readonly version: string;
  readonly flags: readonly string[];
  readonly byteCount: number;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly dims?: Dimensions;
  readonly tensors: readonly {
    readonly name: string;
    readonly dtype: string;
    readonly shape: readonly number[];
    readonly offset: number;
    readonly size: number;
    readonly rawSize: number;
    readonly rowScales?: boolean;
    readonly scale?: number;
    readonly flags?: number;
    /** Index of the shard, of a model in shards. */
    readonly shard?: number;
    readonly node?: number;
  }[];
  /** Shards of the model, if it has any. */
  readonly shards?: readonly { readonly file: string; readonly flags: readonly string[] }[];
  /** Graph of a network. */
  readonly graph?: InspectedGraph;
  readonly melFilterbank?: InspectedFilterbank;
  /** Networks of an .april file. */
  readonly networks?: readonly InspectedNetwork[];
  /** Sections of a BW2L or APR1 file. */
  readonly sections?: readonly InspectedSection[];
  readonly layers?: readonly InspectedLayer[];
  readonly warnings: readonly string[];
}

/** What a model shall run with. */
export interface PlannedEngine {
  readonly threads: number;
  /** Beams, or samples at a time. */
  readonly sequences: number;
}

/** In bytes; `peakBytes` are those of all together. */
export interface PlannedMemory {
  readonly dims: Dimensions;
  readonly plan: Readonly<
    Record<
      | 'weightBytes'
      | 'kvCacheBytes'
      | 'activationBytes'
      | 'sequenceBytes'
      | 'wordBytes'
      | 'overheadBytes'
      | 'peakBytes',
      number
    >
  >;
}

/** A tensor of a model whose description was read, or of another file, whose tensors are plain numbers. */
export type TensorRequest =
  | {
      readonly model: number;
      readonly tensor: number;
      /** For a tensor of an encrypted file: how many decrypted bytes will come. */
      readonly byteCount?: number;
    }
  | {
      readonly name: string;
      readonly dtype: string;
      readonly size: number;
      /** Integers q stand for scale * (q - offset). */
      readonly scale: number;
      readonly offset: number;
    };

/** What a piece of a tensor's stored bytes becomes. */
export interface TensorPiece {
  readonly values: Float32Array;
  /** As the file's type has them, no longer compressed. */
  readonly bytes: Uint8Array;
}

/** One of these. */
export interface ConversionStep {
  readonly bytes?: Uint8Array;
  readonly progress?: PhaseProgress;
  readonly result?: ConvertResult;
}

/** A part of a file that is written, as the core wants it. */
export interface PlannedPart {
  readonly name: string;
  /** As the format names it; empty for plain bytes. */
  readonly dtype: string;
  readonly elementCount: number;
  /** Uncompressed. */
  readonly byteCount: number;
}

/** All parts are given in each pass; only the last one gives bytes of the file. */
export type WritePass = 'scan' | 'measure' | 'write';

export interface FilesCalls {
  start: { request: undefined; answer: undefined };
  /** The model's file, or the next one of those that belong to it; after finishInspect that of another model. */
  beginFile: {
    request: {
      readonly byteCount: number | undefined;
      /** Reads what describes the file; 'metadata' without its tensors where these stand apart. */
      readonly skims?: 'all' | 'metadata';
      /** Lists and texts of any length, where the core would give their lengths. */
      readonly full?: boolean | undefined;
      /** Rejects what no engine runs, as loading does. */
      readonly runs?: boolean;
    };
    answer: undefined;
  };
  /** How many of the bytes that follow may be left out, and whether a model in one file has told all of itself. */
  pushInspect: {
    request: { readonly bytes: Uint8Array };
    answer: { readonly skippable: number; readonly isDescribed: boolean };
  };
  skipInspect: { request: { readonly byteCount: number }; answer: undefined };
  /** The files that belong to the one that ends: the shards of a manifest, once. */
  endFile: { request: undefined; answer: readonly PartFile[] };
  /** Begins to convert: a URL, or the files of a folder. */
  convert: {
    request: { readonly source: string | readonly Blob[]; readonly options: ConvertOptions };
    answer: undefined;
  };
  /** What it gives next; nothing goes on before it is asked for. */
  nextOutput: { request: undefined; answer: ConversionStep };
  /** Checks a model that is to be written. One model for each module. */
  planWrite: {
    request: { readonly model: PlainModel };
    answer: { readonly parts: readonly PlannedPart[]; readonly passes: readonly WritePass[] };
  };
  /** Bytes that are answered belong to the file, in the order of the calls. */
  beginPass: { request: { readonly pass: WritePass }; answer: Uint8Array };
  /** The next part: f32 values to be converted, or bytes as they are stored uncompressed. */
  beginPart: { request: { readonly isFloats: boolean }; answer: undefined };
  pushPart: { request: { readonly bytes: Uint8Array }; answer: readonly Uint8Array[] };
  endPart: { request: undefined; answer: Uint8Array };
  endPass: {
    request: undefined;
    answer: { readonly bytes: Uint8Array; readonly warnings: readonly string[] };
  };
  finishInspect: {
    request: { readonly full?: boolean | undefined };
    answer: InspectionFacts;
  };
  /** Tokens of the first model that was read: their bytes and where each token ends, raw or in GPT-2's printable writing. */
  readVocabulary: {
    request: undefined;
    answer: {
      readonly bytes: Uint8Array;
      readonly ends: Uint32Array;
      readonly isByteLevel: boolean;
    };
  };
  /** Filterbank of the first model that was read; empty if its file has none. */
  readFilterbank: {
    request: undefined;
    answer: { readonly values: Float32Array; readonly melCount: number };
  };
  /** Spectrogram of samples, without a model; with Whisper's filterbank if none is given. */
  logMel: {
    request: {
      readonly samples: Float32Array;
      readonly mode: 'window' | 'whole';
      readonly nMels: number;
      readonly filterbank: Float32Array | undefined;
    };
    answer: Mel;
  };
  /** Tokens of the first model that was read, if its format has a token table. */
  readTokens: { request: undefined; answer: readonly string[] | undefined };
  /** Bytes that a Whisper computes with besides its weights; 0 where it cannot be one. */
  stateBytes: {
    request: { readonly dims: Dimensions; readonly hasBlocks: boolean };
    answer: number;
  };
  /** What an engine takes for the model whose description was read, or is being read as far as it goes. */
  planModel: { request: PlannedEngine; answer: PlannedMemory };
  /** What an engine takes for a Whisper model whose weights will be converted. */
  planConverted: {
    request: PlannedEngine & { readonly dims: Dimensions; readonly dtype: string };
    answer: PlannedMemory;
  };
  /** One tensor at a time. */
  beginTensor: {
    request: { readonly tensor: TensorRequest; readonly counts: boolean };
    answer: undefined;
  };
  pushTensor: { request: { readonly bytes: Uint8Array }; answer: TensorPiece };
  /** Returns statistics of the tensor's values, if they were counted. */
  endTensor: { request: undefined; answer: InspectedStatistics | undefined };
}

export type FilesLink = Link<FilesCalls>;
