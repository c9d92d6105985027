// The sizes that README.md and the documents state are those of the files in dist/.
import { describe, expect, test } from '@jest/globals';
import { statedSizes } from '../../scripts/print_sizes.mjs';

describe('stated sizes', () => {
  const sizes = statedSizes();

  test('README.md and the table of downloads state some', () => {
    const paths = new Set(sizes.map(({ path }) => path));
    expect([...paths]).toEqual(expect.arrayContaining(['README.md', 'docs/performance.md']));
  });

  test.each(sizes)('$path: $names, $stated kB', ({ stated, actual }) => {
    // 1 %, and what rounding to the digits stated can add. `node scripts/print_sizes.mjs --update` corrects them.
    const rounding = Number.isInteger(stated) ? 0.5 : 0.05;
    expect(Math.abs(stated - actual)).toBeLessThanOrEqual(0.01 * actual + rounding);
  });
});
