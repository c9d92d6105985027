export declare function relativeError(actual: Float32Array, expected: Float32Array): number;
export declare function columnErrors(
  actual: Float32Array,
  expected: Float32Array,
  columns: number,
): number[];
export declare function largest(
  values: Float32Array,
  end?: number,
  isAllowed?: (index: number) => boolean,
): number;
export declare function margin(values: Float32Array): number;
export declare function compareLogits(
  actual: Float32Array,
  expected: Float32Array,
): { error: number; correlation: number; isSameTop: boolean };
