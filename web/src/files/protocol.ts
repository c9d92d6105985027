// What is asked of the module that reads model files, and what it answers.
import type {
  ConvertOptions,
  ConvertResult,
  InspectedGraph,
  InspectedLayer,
  InspectedNetwork,
  InspectedSection,
  ProgressEvent,
} from '../api_types.js';
import type { Link, PartFile } from '../worker/link.js';

export interface InspectionFacts {
  readonly format: string;
  readonly version: string;
  readonly flags: readonly string[];
  readonly byteCount: number;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly tensors: readonly {
    readonly name: string;
    readonly dtype: string;
    readonly shape: readonly number[];
    readonly offset: number;
    readonly size: number;
    readonly rawSize: number;
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

/** One of these. */
export interface ConversionStep {
  readonly bytes?: Uint8Array;
  readonly progress?: ProgressEvent;
  readonly result?: ConvertResult;
}

export interface FilesCalls {
  start: { request: undefined; answer: undefined };
  /** The model's file, or the next one of those that belong to it. */
  beginFile: { request: { readonly byteCount: number | undefined }; answer: undefined };
  pushInspect: { request: { readonly bytes: Uint8Array }; answer: undefined };
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
}

export type FilesLink = Link<FilesCalls>;
