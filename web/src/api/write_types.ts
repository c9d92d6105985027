// The models that writeModel() takes, one type for each format.
import type { Dimensions, Progress } from './types.js';

/** A chunk of a part's bytes or values. */
export type PartChunk = ArrayBuffer | ArrayBufferView;

/**
 * The contents of a part. Typed arrays of the part's own dtype are its values (f16 and bf16 also as the bits in a Uint16Array); a
 * Float32Array for another float or block type is converted to it; a Uint8Array, ArrayBuffer or DataView has the bytes that the
 * file stores, little-endian.
 */
export type PartData =
  PartChunk | Blob | Iterable<PartChunk> | AsyncIterable<PartChunk> | ReadableStream<PartChunk>;

/**
 * The source of a part's contents. A function is called when its part is written, so that only one part is in memory. It is called
 * once for each pass: compression, and integers without a scale, need two or three passes.
 */
export type PartSource = PartData | (() => PartData | Promise<PartData>);

/** A tensor of an APR file. */
export interface WritableTensor {
  readonly name: string;
  /**
   * The stored type. APR2: `'f32'`, `'f16'`, `'bf16'`, `'q8_0'`, `'q5_1'`, `'q5_0'`, `'q4_1'`, `'q4_0'`, `'i8'`, `'i16'`, `'i32'`,
   * `'i64'`, `'u8'`. APR1: `'f32'`, `'f16'` or `'int8'`, the same for all tensors.
   */
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data: PartSource;
  /** Scale of APR1's `'int8'` (value = integer × scale). By default it is computed from the values, which are then read twice. */
  readonly scale?: number;
}

interface WritableApr {
  /** By token id: text, or bytes where a token is not UTF-8; empty for ids without a token. */
  readonly vocabulary?: readonly (string | Uint8Array)[];
  /** The mel filterbank, [nMels, 201] row by row. */
  readonly filterbank?: Float32Array;
  /** In file order. */
  readonly tensors: readonly WritableTensor[];
  /** `'lz4'` reads each tensor's data once more. Default `'none'`. */
  readonly compress?: 'lz4' | 'none';
}

/** An APR2 file in one piece; shardModel() divides it. */
export interface WritableApr2 extends WritableApr {
  readonly format: 'apr2';
  /** Dimensions of a Whisper; left out if `metadata` has its own `architecture`. */
  readonly dims?: Dimensions;
  /** Other metadata keys; `apr_version` and `model_type` have defaults. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Alignment of the tensors in bytes. Default 64. */
  readonly alignment?: 64 | 32;
}

/** An APR1 file. */
export interface WritableApr1 extends WritableApr {
  readonly format: 'apr1';
  readonly dims: Dimensions;
}

/** Bytes whose length is stored in front of them. */
export interface SizedPart {
  readonly data: PartSource;
  /** Required unless `data` is an array or a Blob. */
  readonly byteCount?: number;
}

/** The numbers of an .april file, under the names of its specification. The number of tokens follows from the tokens. */
export interface AprilParams {
  readonly batch_size: number;
  readonly segment_size: number;
  readonly segment_step: number;
  readonly mel_features: number;
  readonly samplerate: number;
  readonly frame_shift_ms: number;
  readonly frame_length_ms: number;
  readonly round_pow2: number;
  readonly mel_low: number;
  readonly mel_high: number;
  readonly snip_edges: number;
  readonly blank_token_id: number;
}

/** An .april file. */
export interface WritableApril {
  readonly format: 'april';
  /** An IETF language tag of at most 8 bytes. */
  readonly language: string;
  readonly name: string;
  readonly description: string;
  readonly params: AprilParams;
  /** By id. */
  readonly tokens: readonly (string | Uint8Array)[];
  /** ONNX models. */
  readonly networks: Readonly<Record<'encoder' | 'decoder' | 'joiner', SizedPart>>;
  /** Order of the parts in the file. april-asr reads only the default: the networks in this order, then the params. */
  readonly order?: readonly ('encoder' | 'decoder' | 'joiner' | 'params')[];
}

/** An array in a BW2L file. */
export interface WritableBw2lArray {
  readonly dtype: 'fp64' | 'fp32' | 'fp16' | 'i64' | 'i32' | 'i16' | 'i8';
  /** Number of elements. */
  readonly length: number;
  readonly data: PartSource;
}

/** A layer of a BW2L file. */
export interface WritableBw2lLayer {
  /** The line of the architecture file that defines the layer. */
  readonly arch: string;
  /** The value of an integer q is `scale * (q - offset)`. Defaults 1 and 0. */
  readonly scale?: number;
  readonly offset?: number | bigint;
  readonly arrays?: readonly WritableBw2lArray[];
}

/** The type decides which fields a section has. Types that BW2L does not define hold bytes, as `'data'` does. */
export type WritableBw2lSection = {
  readonly name: string;
  readonly description?: string;
} & (
  | { readonly type: 'utf8'; readonly text: string | Uint8Array }
  | {
      readonly type: 'keyval';
      readonly entries: readonly (readonly [key: string, value: string])[];
    }
  | ({ readonly type: 'array' } & WritableBw2lArray)
  | { readonly type: 'layers'; readonly layers: readonly WritableBw2lLayer[] }
  | ({ readonly type: string } & SizedPart)
);

/** A BW2L file. */
export interface WritableBw2l {
  readonly format: 'bw2l';
  readonly name: string;
  readonly sections: readonly WritableBw2lSection[];
}

/** One tensor of a node's parameter. For a string, dtype and shape default to `'char8'` and its length in bytes. */
export type WritableTennisField =
  | { readonly dtype?: string; readonly shape?: readonly number[]; readonly data: string }
  | { readonly dtype: string; readonly shape: readonly number[]; readonly data: PartSource };

/** A node of a TenniS module. */
export interface WritableTennisNode {
  /** Written as the parameters `#op` and `#name` before the others; omit them if `parameters` has its own. */
  readonly op?: string;
  readonly name?: string;
  /** Parameters whose names begin with `#` define the graph: their data must be strings, arrays or ArrayBuffers. */
  readonly parameters?: readonly {
    readonly name: string;
    readonly fields: readonly WritableTennisField[];
  }[];
  /** Indices of the nodes whose results are its arguments. */
  readonly inputs?: readonly number[];
}

/** A TenniS module. */
export interface WritableTennis {
  readonly format: 'tennis';
  /** Called `fake` in the specification. Default 0. */
  readonly reservedWord?: number;
  /** The header's 120 user bytes; shorter arrays are padded with zeros. */
  readonly userBytes?: Uint8Array;
  /** Indices of nodes. */
  readonly inputs: readonly number[];
  readonly outputs: readonly number[];
  readonly nodes: readonly WritableTennisNode[];
}

/** A model for writeModel(). Only the contents of its parts are read later. */
export type WritableModel =
  WritableApr2 | WritableApr1 | WritableApril | WritableBw2l | WritableTennis;

/** Options of writeModel(). */
export interface WriteOptions {
  /** Overwrites a file that exists. */
  readonly force?: boolean;
  /** Counts the uncompressed bytes of the parts in every pass. */
  readonly onProgress?: (event: Progress) => void;
  readonly signal?: AbortSignal;
}

/** What writeModel() wrote. */
export interface WriteResult {
  /** Bytes of the file written. */
  readonly byteCount: number;
  /** What readers will warn about. */
  readonly warnings: readonly string[];
}
