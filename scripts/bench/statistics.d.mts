export declare function median(numbers: ArrayLike<number>): number;
export declare function medians(
  objects: readonly Readonly<Record<string, unknown>>[],
): Record<string, number>;
export declare function relativeError(
  values: ArrayLike<number>,
  expected: ArrayLike<number>,
): number;
