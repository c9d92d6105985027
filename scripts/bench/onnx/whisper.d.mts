import type { Dims } from '../operations.mjs';

type TensorSource = (name: string) => { shape: readonly number[]; values: Float32Array };
type Network = (
  tensor: TensorSource,
  dims: Dims,
  precision: 'fp32' | 'int8',
) => readonly Uint8Array[];

export declare const promptTokens: number;
export declare function quantised(values: Float32Array): { scale: number; values: Int8Array };
export declare const encoderNetwork: Network;
export declare const promptNetwork: Network;
export declare const stepNetwork: Network;
