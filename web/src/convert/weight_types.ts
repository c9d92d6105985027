import type { WeightType } from '../api_types.js';

/** Bits of a weight, with what its block shares. */
export const bitsPerWeight: Readonly<Record<WeightType, number>> = {
  f32: 32,
  f16: 16,
  bf16: 16,
  q8_0: 8.5,
  q5_1: 6,
  q5_0: 5.5,
  q4_1: 5,
  q4_0: 4.5,
};

/** Types that convertModel() gives weights. */
export const weightTypes = Object.keys(bitsPerWeight) as readonly WeightType[];
/** The same for APR1. */
export const apr1WeightTypes = ['f32', 'f16', 'int8'] as const;

/** What the core is asked for; `'exact'` is as exact as the source, which is no type. */
export type WrittenType = WeightType | 'int8' | 'exact';
