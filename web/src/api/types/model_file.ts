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
   * `"#7[1]"` its second value.
   *
   * @throws SusurrusError `invalid_argument` with similar names if there is no such tensor; `wrong_state` after close(), and for a file opened with
   *   `tensors: false`; `decryption_failed` for an encrypted file without its key; `source_failed`, `malformed` or `checksum_mismatch` if the
   *   bytes cannot be read; `out_of_memory`. An abort rejects with the signal's reason.
   * @example
   * ```js
   * const { dtype, shape, values } = await modelFile.tensor('decoder.ln.weight');
   * console.log(dtype, shape, values[0]);
   * ```
   */
  tensor(name: string): Promise<ModelTensor>;
  /**
   * The vocabulary by token id: the file's own (APR2, APR1, ggml, GGUF), or of a hub folder, SafeTensors, CTranslate2 or GGUF that
   * of the tokenizer files beside the weights; undefined if there is neither.
   *
   * @throws SusurrusError `wrong_state` after close(); `source_failed` or `malformed` for tokenizer files that cannot be read. An abort rejects
   *   with the signal's reason.
   * @example
   * ```js
   * const vocabulary = await modelFile.vocabulary();
   * console.log(vocabulary?.length, vocabulary?.[0]?.text);
   * ```
   */
  vocabulary(): Promise<readonly VocabularyToken[] | undefined>;
  /**
   * Returns the token table of an .april or BW2L file, by id; undefined for other formats.
   *
   * @throws SusurrusError `wrong_state` after close(). An abort rejects with the signal's reason.
   */
  tokens(): Promise<readonly string[] | undefined>;
  /**
   * Returns the file's mel filterbank; undefined if it has none. The model then uses Whisper's.
   *
   * @throws SusurrusError `wrong_state` after close(). An abort rejects with the signal's reason.
   */
  filterbank(): Promise<Filterbank | undefined>;
  /**
   * Returns the bytes of a section of a BW2L or APR1 file, as stored. If several have this name, the last one counts.
   *
   * @throws SusurrusError `invalid_argument` with the file's section names if there is no such section; `wrong_state` after close();
   *   `source_failed`; `out_of_memory`. An abort rejects with the signal's reason.
   * @example
   * ```js
   * const arch = new TextDecoder().decode(await modelFile.section('arch'));
   * console.log(arch);
   * ```
   */
  section(name: string): Promise<Uint8Array>;
  /**
   * Reads several tensors: neighbours with one request, at most four requests at a time. Each is held in memory until tensor() has
   * returned it.
   *
   * @throws SusurrusError as tensor().
   * @example
   * ```js
   * const names = modelFile.tensors.map(({ name }) => name).filter((name) => name.startsWith('encoder.'));
   * await modelFile.prefetch(names);
   * for (const name of names) console.log(name, (await modelFile.tensor(name)).values.length);
   * ```
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

/** Result of extract(). */
export interface ExtractResult {
  /** How many bytes were written. */
  readonly byteCount: number;
  /** What inspect() returns for the network that was written. */
  readonly network?: InspectedNetwork;
  /** What inspect() returns for the tensor that was written. */
  readonly tensor?: InspectedTensor;
}

/** Options of extract(). */
export interface ExtractOptions extends InspectOptions {
  /** Replaces a destination that exists; `false` if absent. */
  readonly force?: boolean;
}
