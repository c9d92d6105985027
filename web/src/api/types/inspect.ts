// What inspect() reports.
import type { Format } from '../generated/formats.js';
import type { Dimensions } from '../generated/whisper.js';
import type { ProgressEvent } from './progress.js';
import type { SealOptions } from './source.js';

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
