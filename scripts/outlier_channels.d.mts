interface RandomTensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly fill: (values: Float32Array, random: () => number) => void;
}
export declare function withOutliers(
  tensors: readonly RandomTensor[],
  state: number,
  blocks: Readonly<Record<'encoder' | 'decoder', number>>,
  random: () => number,
): RandomTensor[];
