// What inspect() reports.
import type { Format } from '../generated/formats.js';
import type { Dimensions } from '../generated/whisper.js';
import type { Progress } from './progress.js';
import type { SealOptions } from './source.js';

export interface InspectOptions extends SealOptions {
  /** Also reads all weights and adds `statistics` to each tensor; only for sources that are read in parts. */
  readonly stats?: boolean;
  /** Shows lists and texts of any length; otherwise those of more than 32 items or 1 KiB are given by their length. */
  readonly full?: boolean;
  /** Counts the bytes that are read. */
  readonly onProgress?: (event: Progress) => void;
  readonly signal?: AbortSignal;
}

/** Statistics of a tensor's values. Range and mean are those of the finite values, null if there are none. */
export interface InspectedStatistics {
  readonly min: number | null;
  readonly max: number | null;
  readonly mean: number | null;
  /** How many values are NaN, and how many are infinite. */
  readonly nan: number;
  readonly infinite: number;
}

/** A tensor in the file's index. */
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
  /** The scale of `'i8'` weights: value = integer × scale. */
  readonly scale?: number;
  /** Integers with one scale for each row. */
  readonly rowScales?: boolean;
  /** APR2 only, if they are not 0. They have no meaning, and copies have 0. */
  readonly flags?: number;
  /** For a model in shards: index of the shard that holds the tensor. */
  readonly shard?: number;
  /** With the option `stats`, for numeric types. */
  readonly statistics?: InspectedStatistics;
  /** For a TenniS constant: index of its node. */
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
   * The text, the number of a scalar, or a list of numbers in the order of the file; absent beyond 1 KiB of text or 32 numbers,
   * unless `full` is set. Integers beyond 2^53 are strings of digits.
   */
  readonly value?: string | number | boolean | null | readonly (number | boolean | string | null)[];
}

/** An input or output of a network. */
export interface InspectedEnd {
  /** Index of the node. */
  readonly node: number;
  readonly name: string;
  /** The type that an input is cast to, if the file states it. */
  readonly dtype?: string;
  /** The shape of an input, if the file states it; -1 is any size. */
  readonly shape?: readonly number[];
}

/** The network of operators of a TenniS module. */
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
  /** Version of the ONNX operator set. */
  readonly opset: number;
  readonly nodes: number;
  /** Number of weight tensors. */
  readonly weights: number;
  readonly inputs: readonly InspectedValue[];
  readonly outputs: readonly InspectedValue[];
  /** Names of the operators used, each once. */
  readonly operators: readonly string[];
}

/** A section of a file. */
export interface InspectedSection {
  readonly name: string;
  /** BW2L only. */
  readonly type?: string;
  readonly description?: string;
  /** Byte offset in the file; in BW2L files, of the section's data. */
  readonly offset: number;
  readonly size: number;
}

/** A layer of a BW2L file. */
export interface InspectedLayer {
  /** The line that defines it, in wav2letter's language of architectures. */
  readonly arch: string;
  /** The value of an integer q is `scale * (q - offset)`. An offset beyond 2^53 is a string of digits. */
  readonly scale: number;
  readonly offset: number | string;
  /** Indices of its weights in `tensors`. */
  readonly tensors: readonly number[];
}

/** Bytes that a Whisper needs to run in one thread. Beam search and word timestamps need more while they run. */
export interface InspectedMemory {
  /** Weights, in the types that the file stores. */
  readonly weights: number;
  /** KV caches and activations. */
  readonly state: number;
  readonly total: number;
}

/** A mel filterbank in a model file. */
export interface InspectedFilterbank {
  /** Mel bands, bins. */
  readonly shape: readonly [number, number];
  /** Which triangles it has, within 1e-4: those that Whisper models are trained with, or HTK's, of area 1. */
  readonly kind: 'whisper' | 'htk' | 'other';
  /** Sum of the first band's weights: 0.0249 in Whisper's of 80 bands. */
  readonly firstRowSum: number;
}

/** Contents of a model file. */
export interface Inspection {
  readonly format: Format;
  readonly version: string;
  /** Names of the flags that are set. */
  readonly flags: readonly string[];
  readonly byteCount: number;
  /**
   * The metadata as stored, with long lists replaced by their lengths. If the format has a header instead, the header's
   * contents under the same names. Integers beyond 2^53 are strings of digits.
   */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** For a Whisper whose file or folder states them. */
  readonly dims?: Dimensions;
  /** For a Whisper whose dimensions are known. */
  readonly memory?: InspectedMemory;
  readonly tensors: readonly InspectedTensor[];
  /** The files of a model in shards. */
  readonly shards?: readonly InspectedShard[];
  /** TenniS only. The values of its constants are listed in `tensors`. */
  readonly graph?: InspectedGraph;
  /** The mel filterbank in a Whisper's file; absent where the file has none. */
  readonly melFilterbank?: InspectedFilterbank;
  /** .april only: encoder, decoder, joiner. */
  readonly networks?: readonly InspectedNetwork[];
  /** BW2L and APR1 only. */
  readonly sections?: readonly InspectedSection[];
  /** BW2L only. */
  readonly layers?: readonly InspectedLayer[];
  readonly warnings: readonly string[];
  /** The Ed25519 public key whose signature was verified, in hexadecimal; several if shards have different signers. */
  readonly signer?: string;
}
