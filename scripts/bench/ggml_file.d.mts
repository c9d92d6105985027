import type { Dims } from './operations.mjs';

export declare function ggmlName(name: string): string;
export declare function writeGgmlFile(
  path: string,
  dims: Dims & { readonly nAudioHead: number; readonly nTextHead: number },
  weights: {
    readonly names: readonly string[];
    tensor(name: string): { shape: readonly number[]; values: Float32Array };
  },
  tokens: readonly string[],
  filterbank: Float32Array,
  endToken: number,
): void;
