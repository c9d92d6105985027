import type { Dimensions } from '../../web/src/api_types.js';

export type Dims = Omit<Dimensions, 'nAudioHead' | 'nTextHead'>;
export declare function encoderOperations(dims: Dims): {
  convolutions: number;
  linear: number;
  attention: number;
  total: number;
};
export declare function crossOperations(dims: Dims): number;
export declare function tokenOperations(dims: Dims): number;
export declare function tokenWeights(dims: Dims): number;
export declare function tokenBytes(dims: Dims, dtype: string, kvCacheBytes: number): number;
export declare function encoderFloorMs(
  dims: Dims,
  dtype: string,
  limits: { f32: number; int8: number },
): number;
