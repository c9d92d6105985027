export interface Dims {
  readonly nVocab: number;
  readonly nAudioCtx: number;
  readonly nTextCtx: number;
  readonly nMels: number;
  readonly nAudioLayer: number;
  readonly nTextLayer: number;
  readonly nAudioState: number;
  readonly nTextState: number;
}
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
