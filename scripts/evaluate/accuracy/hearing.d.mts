interface Heard {
  readonly encoded: Float32Array;
  readonly logits: readonly Float32Array[];
}
interface HearingModel {
  encode(samples: Float32Array): Float32Array;
  logits(tokens: readonly number[], appends: boolean): Float32Array;
}
export declare function follow(
  model: HearingModel,
  windows: readonly Float32Array[],
  prompt: readonly number[],
  histories: readonly (readonly number[])[],
): Heard[];
export declare function wander(
  model: HearingModel,
  windows: readonly Float32Array[],
  prompt: readonly number[],
  textEnd: number,
  count: number,
): { heard: Heard[]; histories: number[][] };
