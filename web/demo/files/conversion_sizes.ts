// How large a converted model will be, by the type of its weights.
import type { Inspection } from '../../src/files.js';
import { bitsPerWeight, blockTypes, type WeightType } from '../../src/api/generated/dtypes.js';

/** What the page offers, the best choice for most first. */
export const offeredTypes = [
  'q8_0',
  'f16',
  'q5_0',
  'q4_0',
] as const satisfies readonly WeightType[];
export type OfferedType = (typeof offeredTypes)[number];

/** Bytes of the converted weights; the vocabulary and other parts are small in comparison. */
export function convertedBytes(
  { tensors }: Pick<Inspection, 'tensors'>,
  dtype: WeightType,
): number {
  let bits = 0;
  for (const { shape } of tensors) {
    const count = shape.reduce((product, size) => product * size, 1);
    // Vectors keep their numbers whole; blocks run along the last dimension.
    const isMatrix = shape.length === 2 && (shape.at(-1) ?? 0) % 32 === 0;
    bits += count * (isMatrix ? bitsPerWeight[dtype] : Math.max(16, shape.length > 1 ? 16 : 32));
  }
  return bits / 8;
}

/** Its weights were made smaller already: another type would cost time and be no better. */
export const isQuantised = ({ tensors }: Pick<Inspection, 'tensors'>): boolean =>
  tensors.some(({ dtype }) => blockTypes.includes(dtype));
