interface Heard {
  readonly encoded: Float32Array;
  readonly logits: readonly Float32Array[];
}
export declare function untilDifference(isSame: readonly boolean[]): number;
export declare function summarise(
  actual: readonly Heard[],
  expected: readonly Heard[],
  width: number,
): Readonly<
  Record<
    'encoder' | 'medianChannel' | 'worstChannel' | 'logits' | 'worstLogits' | 'correlation',
    number
  > &
    Record<'top1' | 'greedy' | 'positions', number>
>;
