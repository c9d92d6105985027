export declare function changedWords(
  actual: readonly (readonly string[])[],
  expected: readonly (readonly string[])[],
): number;
