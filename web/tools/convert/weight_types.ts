import type { WeightType } from '../../src/api/types.js';
import { blockTypes } from '../../src/api/generated/dtypes.js';
import { outputDtypes, type OutputFormat } from '../../src/api/generated/formats.js';

/** Types that convertModel() gives weights of APR1. */
export const apr1WeightTypes = outputDtypes.apr1;

export const dtypesOf = (format: OutputFormat): readonly (WeightType | 'int8')[] =>
  outputDtypes[format];

/** Types that the core is asked for; `'exact'` keeps the source's precision. */
export type WrittenType = WeightType | 'int8' | 'exact';

export const isBlockType = (dtype: WrittenType): dtype is WeightType => blockTypes.includes(dtype);
