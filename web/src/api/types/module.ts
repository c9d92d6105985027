// Networks that are run by name.
import type { Assets, Variant } from './load.js';
import type { Progress } from './progress.js';

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

/** Outermost dimension first; null where a dimension is open. */
export type OpenShape = readonly (number | null)[];

/** Shapes of a module's inputs: by name, or in the module's order. */
export type ModuleShapes = Readonly<Record<string, OpenShape>> | readonly OpenShape[];

/** What a module takes. */
export interface ModuleInput {
  readonly name: string;
  /** Where the file says; a TenniS module takes what it is fed with. */
  readonly type?: TensorType;
  /** Where the file says. */
  readonly shape?: OpenShape;
}

/** A node of a module, as a run has it. */
export interface ModuleNode {
  /** The operator; `<param>` and `<const>` are inputs and constants. */
  readonly op: string;
  readonly name: string;
  /** Indices of the nodes whose results it takes. */
  readonly inputs: readonly number[];
  /** What it gives; several where that is packed, none where no output of the module needs it. */
  readonly outputs: readonly { readonly type: TensorType; readonly shape: OpenShape }[];
  /** In multiply-adds: as many as products, convolutions and recurrences have; of other operators what takes about as long. */
  readonly cost: number;
  /** Whether it depends on constants alone, and so is worked out once. */
  readonly constant: boolean;
  /** How many elements of constants it takes; each constant counts for the first node that takes it. */
  readonly weights: number;
}

/** What a run of a module does, without running it. */
export interface ModuleDescription {
  /** Nodes of a TenniS module as in the file; for an ONNX network the nodes that run, in order. */
  readonly nodes: readonly ModuleNode[];
  /** Indices of nodes. */
  readonly inputs: readonly number[];
  readonly outputs: readonly number[];
  /** The shapes that cost and bytes are for; sizes of open dimensions are chosen so that the network runs. */
  readonly inputShapes: readonly (readonly number[])[];
  /** Cost of all nodes, in multiply-adds. */
  readonly cost: number;
  /** Memory for a run, at its peak, beside weights and inputs. */
  readonly runBytes: number;
  /** Memory for the constants as a run reads them. */
  readonly constantBytes: number;
}

/** Options of openModule(). */
export interface OpenModuleOptions {
  readonly signal?: AbortSignal;
  /** Called with the bytes that are read; what it throws stops the work. */
  readonly onProgress?: (event: Progress) => void;
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
  /**
   * What a run does, node by node: shapes, cost, memory. Shapes that are not given are those of the file. null stands for an open
   * dimension, and shapes that follow from it are null there. Throws SusurrusError: `invalid_argument` for an input whose shape neither
   * you nor the file say, and what run() throws for shapes that do not fit.
   */
  describe(
    shapes?: ModuleShapes,
    options?: { readonly signal?: AbortSignal },
  ): Promise<ModuleDescription>;
  /** Frees the memory and ends its worker. */
  dispose(): void;
  /** Calls dispose(), for `using`. */
  [Symbol.dispose](): void;
  /** Calls dispose(), for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}
