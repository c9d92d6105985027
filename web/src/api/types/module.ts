// Networks that are run by name.
import type { Assets, Variant } from './load.js';
import type { ProgressEvent } from './progress.js';

/** What the elements of a tensor are. f16 are their bits, in a Uint16Array; bool are 0 and 1, in a Uint8Array. */
export type TensorType =
  'f32' | 'f64' | 'f16' | 'i8' | 'u8' | 'i16' | 'u16' | 'i32' | 'u32' | 'i64' | 'u64' | 'bool';

/** Elements of a tensor, row by row. */
export type TensorData =
  | Float32Array
  | Float64Array
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | BigInt64Array
  | BigUint64Array;

/** A tensor for a module. */
export interface ModuleTensor {
  readonly data: TensorData;
  /** Outermost dimension first; of one dimension unless given. */
  readonly shape?: readonly number[];
  /** As the array's class says, unless it is `'f16'` or `'bool'`. */
  readonly type?: TensorType;
}

/** A tensor that a module gives. */
export interface ModuleOutput {
  /** Empty for parts of a packed output. */
  readonly name: string;
  readonly type: TensorType;
  readonly shape: readonly number[];
  readonly data: TensorData;
}

/** What a module takes. */
export interface ModuleInput {
  readonly name: string;
  /** Where the file says; a TenniS module takes what it is fed with. */
  readonly type?: TensorType;
  /** null where a dimension is open. */
  readonly shape?: readonly (number | null)[];
}

/** Options of openModule(). */
export interface OpenModuleOptions {
  readonly signal?: AbortSignal;
  /** Called with the bytes that are read; what it throws stops the work. */
  readonly onProgress?: (event: ProgressEvent) => void;
  /** The binary to use; the fastest that runs here unless given. */
  readonly variant?: Variant;
  /** Where the package's own files lie. */
  readonly assets?: Assets;
}

/** A TenniS module, or an ONNX network, ready to run. */
export interface GraphModule {
  /** `'TenniS'` or `'ONNX'`. */
  readonly format: string;
  readonly inputs: readonly ModuleInput[];
  /** Their names. */
  readonly outputs: readonly string[];
  readonly warnings: readonly string[];
  /** Memory for the weights. */
  readonly weightBytes: number;
  /**
   * The outputs for these inputs: by name, or in the module's order. Shapes may differ from call to call; what was worked out for the last
   * four sets of shapes is used again. Calls made meanwhile wait in order. Throws SusurrusError: a wrong input by its name, a node that
   * cannot be run by its name and place.
   */
  run(
    inputs: Readonly<Record<string, ModuleTensor>> | readonly ModuleTensor[],
    options?: { readonly signal?: AbortSignal },
  ): Promise<readonly ModuleOutput[]>;
  /** Frees the memory and ends its worker. */
  dispose(): void;
  /** The same as dispose(), for `using`. */
  [Symbol.dispose](): void;
}
