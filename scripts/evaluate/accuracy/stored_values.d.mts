import type { InspectedTensor } from '../../../web/src/api_types.js';
export declare function storedValues(dtype: string, bytes: Uint8Array, count: number): Float32Array;
export declare function writeStoredValues(
  path: string,
  tensors: readonly InspectedTensor[],
  source: string,
  folder: string,
): void;
