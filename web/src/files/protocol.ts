// What is asked of the module that reads model files, and what it answers.
import type {
  Dimensions,
  ConvertOptions,
  ConvertResult,
  InspectedGraph,
  InspectedLayer,
  InspectedNetwork,
  InspectedSection,
  InspectedStatistics,
  ProgressEvent,
} from '../api_types.js';
import type { Format } from '../generated/formats.js';
import type { Link, PartFile } from '../worker/link.js';

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
    /** Index of the shard, of a model in shards. */
    readonly shard?: number;
  }[];
  /** Of a model in shards. */
  readonly shards?: readonly { readonly file: string; readonly flags: readonly string[] }[];
  /** Of a network. */
  readonly graph?: InspectedGraph;
  /** Of an .april file. */
  readonly networks?: readonly InspectedNetwork[];
  /** Of a BW2L or APR1 file. */
  readonly sections?: readonly InspectedSection[];
  readonly layers?: readonly InspectedLayer[];
  readonly warnings: readonly string[];
}

/** A tensor of a model whose description was read, or of another file, whose tensors are plain numbers. */
export type TensorRequest =
  | { readonly model: number; readonly tensor: number }
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
  readonly progress?: ProgressEvent;
  readonly result?: ConvertResult;
}

export interface FilesCalls {
  start: { request: undefined; answer: undefined };
  /** The model's file, or the next one of those that belong to it; after finishInspect that of another model. */
  beginFile: {
    request: { readonly byteCount: number | undefined; readonly skims?: boolean };
    answer: undefined;
  };
  /** How many of the bytes that follow may be left out. */
  pushInspect: {
    request: { readonly bytes: Uint8Array };
    answer: { readonly skippable: number };
  };
  skipInspect: { request: { readonly byteCount: number }; answer: undefined };
  /** The files that are still missing. */
  endFile: { request: undefined; answer: readonly PartFile[] };
  /** Begins to convert: a URL, or the files of a folder. */
  convert: {
    request: { readonly source: string | readonly Blob[]; readonly options: ConvertOptions };
    answer: undefined;
  };
  /** What it gives next; nothing goes on before it is asked for. */
  nextOutput: { request: undefined; answer: ConversionStep };
  finishInspect: { request: undefined; answer: InspectionFacts };
  /** Bytes that a Whisper computes with besides its weights; 0 where it cannot be one. */
  stateBytes: {
    request: { readonly dims: Dimensions; readonly hasBlocks: boolean };
    answer: number;
  };
  /** One tensor at a time. */
  beginTensor: {
    request: { readonly tensor: TensorRequest; readonly counts: boolean };
    answer: undefined;
  };
  pushTensor: { request: { readonly bytes: Uint8Array }; answer: TensorPiece };
  /** Of its values, if they were counted. */
  endTensor: { request: undefined; answer: InspectedStatistics | undefined };
}

export type FilesLink = Link<FilesCalls>;
