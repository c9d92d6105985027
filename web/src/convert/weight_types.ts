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

/** What is written, and of which types. */
const dtypes = {
  apr2: weightTypes,
  apr1: apr1WeightTypes,
  safetensors: ['f32', 'f16', 'bf16'],
  ggml: weightTypes.filter((type) => type !== 'bf16'),
} as const satisfies Record<string, readonly (WeightType | 'int8')[]>;
export type OutputFormat = keyof typeof dtypes;
export const outputFormats = Object.keys(dtypes) as readonly OutputFormat[];
export const dtypesOf = (format: OutputFormat): readonly (WeightType | 'int8')[] => dtypes[format];

/** What the core is asked for; `'exact'` is as exact as the source, which is no type. */
export type WrittenType = WeightType | 'int8' | 'exact';
