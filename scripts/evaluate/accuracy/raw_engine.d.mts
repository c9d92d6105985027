import type { Dimensions, SpecialTokens, Variant } from '../../../web/src/api_types.js';
export declare class RawModel {
  static load(dist: string, path: string, variant: Variant): Promise<RawModel>;
  readonly facts: { dims: Dimensions; special: SpecialTokens; multilingual: boolean };
  encode(samples: Float32Array): Float32Array;
  logits(tokens: readonly number[], appends: boolean): Float32Array;
}
