// Model files that are opened to read tensors and other parts.
import type { InspectedNetwork, InspectedTensor, InspectOptions, Inspection } from './inspect.js';
import type { Progress } from './progress.js';
import type { ModelKey } from './source.js';

/** Options of openModelFile(). */
export interface OpenModelOptions {
  /** Decrypts the tensors of an encrypted file, each when it is read. */
  readonly key?: ModelKey;
  /**
   * `false`: only the metadata. `tensors` is empty; APR2's index is not read, and of a model in shards only the first file is
   * opened, since it has the metadata.
   */
  readonly tensors?: boolean;
  /** Counts the bytes that are read to open the file. */
  readonly onProgress?: (event: Progress) => void;
  readonly signal?: AbortSignal;
}

/** A tensor of a model file. */
export interface ModelTensor {
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly number[];
  /** Row-major: the last dimension is contiguous. Dequantised; integers are multiplied by their scale. */
  readonly values: Float32Array;
  /** The stored bytes in the file's `dtype`, decompressed. Of `'f32'` they are the memory of `values`. */
  readonly bytes: Uint8Array;
}

/** A token of a vocabulary. */
export interface VocabularyToken {
  /** May hold part of a character. */
  readonly bytes: Uint8Array;
  /** The bytes decoded as UTF-8, with U+FFFD for invalid ones. */
  readonly text: string;
}

/** Weights of the triangular mel filters, one row for each mel band. */
export interface Filterbank {
  /** Mel bands, bins. */
  readonly shape: readonly [number, number];
  /** Row-major. */
  readonly values: Float32Array;
}

/** An open model file. Tensors are read on demand. */
export interface ModelFile extends Inspection {
  /**
   * Reads one tensor. If several have this name, the last one counts. In a TenniS module `"#7"` is the constant of node 7 and
   * `"#7[1]"` its second value. Throws `invalid_argument` with similar names if there is no such tensor.
   */
  tensor(name: string): Promise<ModelTensor>;
  /**
   * The vocabulary by token id: the file's own (APR2, APR1, ggml, GGUF), or of a hub folder, SafeTensors, CTranslate2 or GGUF that
   * of the tokenizer files beside the weights; undefined if there is neither.
   */
  vocabulary(): Promise<readonly VocabularyToken[] | undefined>;
  /** The token table of an .april or BW2L file, by id; undefined for other formats. */
  tokens(): Promise<readonly string[] | undefined>;
  /** The file's mel filterbank; undefined if it has none. The model then uses Whisper's. */
  filterbank(): Promise<Filterbank | undefined>;
  /**
   * The bytes of a section of a BW2L or APR1 file, as they are stored; of those with one name, the last one's. Throws
   * `invalid_argument` with the names that there are.
   *
   * ```js
   * const file = await openModelFile('model.b2l');
   * const arch = new TextDecoder().decode(await file.section('arch'));
   * ```
   */
  section(name: string): Promise<Uint8Array>;
  /**
   * Reads several tensors: neighbours with one request, at most four requests at a time. Each is held until tensor() has
   * returned it.
   */
  prefetch(names: readonly string[]): Promise<void>;
  /** Closes the source and frees the held tensors. */
  close(): void;
  /** Calls close(), for `using`. */
  [Symbol.dispose](): void;
  /** Calls close(), for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** What extract() writes: `'section:spm'` is the section `spm`, `'network:encoder'` the network `encoder`. */
export type ExtractedPart =
  'vocabulary' | 'tokens' | 'filterbank' | `${'section' | 'network' | 'tensor'}:${string}`;

/** What extract() has written. */
export interface ExtractResult {
  /** How many bytes were written. */
  readonly byteCount: number;
  /** What inspect() says of the network that was written. */
  readonly network?: InspectedNetwork;
  /** What inspect() says of the tensor that was written. */
  readonly tensor?: InspectedTensor;
}

/** Options of extract(). */
export interface ExtractOptions extends InspectOptions {
  /** Replaces a destination that exists; `false` if absent. */
  readonly force?: boolean;
}
