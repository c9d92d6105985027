// Graphs that run on tensors.
import type { Assets, Variant } from './load.js';
import type { Progress } from './progress.js';

/** Type of a tensor's elements. f16 values are passed as their bits, in a Uint16Array; bool values as 0 and 1, in a Uint8Array. */
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
  /** Outermost dimension first; one dimension by default. */
  readonly shape?: readonly number[];
  /** The array's type by default; give it for `'f16'` and `'bool'`. */
  readonly type?: TensorType;
}

/** A tensor that a module returns. */
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

/** An input of a module. */
export interface ModuleInput {
  readonly name: string;
  /** If the file states it; a TenniS module accepts every type. */
  readonly type?: TensorType;
  /** If the file states it. */
  readonly shape?: OpenShape;
}

/** A node of a module, as it runs. */
export interface ModuleNode {
  /** The operator; `<param>` and `<const>` are inputs and constants. */
  readonly op: string;
  readonly name: string;
  /** Indices of the nodes whose results are its inputs. */
  readonly inputs: readonly number[];
  /** Its results: several if they are packed, none if no output of the module needs the node. */
  readonly outputs: readonly { readonly type: TensorType; readonly shape: OpenShape }[];
  /** In multiply-adds: the exact number for products, convolutions and recurrences; for other operators, as many as take about as long. */
  readonly cost: number;
  /** Whether it depends on constants alone, and so is computed once. */
  readonly constant: boolean;
  /** Number of elements of its constant inputs; each constant counts for the first node that uses it. */
  readonly weights: number;
}

/** Description of a run of a module. */
export interface ModuleDescription {
  /** Nodes of a TenniS module as in the file; for an ONNX network the nodes that run, in order. */
  readonly nodes: readonly ModuleNode[];
  /** Indices of nodes. */
  readonly inputs: readonly number[];
  readonly outputs: readonly number[];
  /** The shapes to which cost and bytes apply; sizes of open dimensions are chosen so that the network runs. */
  readonly inputShapes: readonly (readonly number[])[];
  /** Cost of all nodes, in multiply-adds. */
  readonly cost: number;
  /** Peak memory of a run, without weights and inputs. */
  readonly runBytes: number;
  /** Memory for the constants. */
  readonly constantBytes: number;
}

/** Options of openModule(). */
export interface OpenModuleOptions {
  readonly signal?: AbortSignal;
  /** Reports the bytes that are read. An exception stops the work. */
  readonly onProgress?: (event: Progress) => void;
  /** The binary to use; by default the fastest that runs here. */
  readonly variant?: Variant;
  /** Where the package's own files are. */
  readonly assets?: Assets;
}

/** A TenniS module, or an ONNX network, ready to run. */
export interface GraphModule {
  /** `'TenniS'` or `'ONNX'`. */
  readonly format: string;
  readonly inputs: readonly ModuleInput[];
  /** Names of the outputs. */
  readonly outputs: readonly string[];
  readonly warnings: readonly string[];
  /** Memory for the weights. */
  readonly weightBytes: number;
  /**
   * Runs the module and returns its outputs. Inputs are given by name, or in the module's order. Shapes may differ from call to call; the
   * plans for the last four sets of shapes are cached. Calls made meanwhile wait in order.
   *
   * @throws SusurrusError `invalid_argument` for a missing or wrong input; `shape_mismatch`, `malformed`, `unsupported_operator` or
   *   `unsupported_feature`, naming the node, for shapes with which the network does not run; `limit_exceeded`; `out_of_memory`; `wrong_state`
   *   after dispose(). An abort rejects with the signal's reason.
   * @example
   * ```js
   * const data = new Float32Array(480 * 640 * 3);
   * const [scores] = await module.run({ image: { data, shape: [1, 480, 640, 3] } });
   * console.log(scores?.shape, scores?.data);
   * ```
   */
  run(
    inputs: Readonly<Record<string, ModuleTensor>> | readonly ModuleTensor[],
    options?: { readonly signal?: AbortSignal },
  ): Promise<readonly ModuleOutput[]>;
  /**
   * Describes a run node by node: shapes, cost, memory. Shapes that are not given are those of the file. `null` is an open dimension;
   * dimensions that depend on it are `null` in the result.
   *
   * @throws SusurrusError `invalid_argument` for an input whose shape neither you nor the file gives; otherwise as run().
   * @example
   * ```js
   * const { cost, runBytes } = await module.describe({ image: [null, 480, 640, 3] });
   * console.log(cost, runBytes);
   * ```
   */
  describe(
    shapes?: ModuleShapes,
    options?: { readonly signal?: AbortSignal },
  ): Promise<ModuleDescription>;
  /** Frees the memory and ends the module's worker. */
  dispose(): void;
  /** Calls dispose(), for `using`. */
  [Symbol.dispose](): void;
  /** Calls dispose(), for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}
