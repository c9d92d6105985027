import { expect, test } from '@jest/globals';
import { addOfficialTokens } from '../../web/tools/convert/official_tokens.js';

/** Whatever stands for the ordinary text. */
const ordinary = (count: number): string[] => Array.from({ length: count }, (_, id) => `t${id}`);

test.each([
  [51864, 50256, 50363],
  [51865, 50257, 50364],
  [51866, 50257, 50365],
])('an official vocabulary of %d gets its control tokens', (size, base, firstTimestamp) => {
  const vocabulary = ordinary(base);
  addOfficialTokens(vocabulary, size);
  expect(vocabulary).toHaveLength(size);
  expect(vocabulary[base]).toBe('<|endoftext|>');
  expect(vocabulary[firstTimestamp]).toBe('<|0.00|>');
  expect(vocabulary.at(-1)).toBe('<|30.00|>');
  // A padded size gives the same vocabulary, even if the timestamps are missing.
  const padded = vocabulary.slice(0, firstTimestamp);
  addOfficialTokens(padded, size + 8 - (size % 8));
  expect(padded).toEqual(vocabulary);
});

test('another vocabulary stays as it is', () => {
  const other = [...ordinary(50), '<|notimestamps|>'];
  addOfficialTokens(other, 100);
  expect(other).toHaveLength(51);
  // Timestamps that the model has no room for.
  const small = ordinary(50363).concat('<|notimestamps|>');
  addOfficialTokens(small, 50400);
  expect(small).toHaveLength(50364);
});
