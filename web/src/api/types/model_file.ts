// Model files that are opened to read tensors and other parts.
import type { InspectOptions, Inspection } from './inspect.js';
import type { ProgressEvent } from './progress.js';
import type { ModelKey } from './source.js';

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
  /**
   * The vocabulary by token id: the file's own (APR2, APR1, ggml, GGUF), or of a hub folder, SafeTensors, CTranslate2 or GGUF that
   * of the tokenizer files beside the weights; undefined if there is neither.
   */
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
  /** Closes the source and frees what is held. */
  close(): void;
  [Symbol.dispose](): void;
}

/** What extractPart() writes. */
export type ExtractedPart = 'vocabulary' | 'tokens' | 'filterbank';

export interface ExtractOptions extends InspectOptions {
  /** Replaces a destination that exists; `false` if absent. */
  readonly force?: boolean;
}
