// What one bar over all phases of a call may be expected to show.
import { expect } from '@jest/globals';
import type { Progress } from '../../web/src/node.js';

/** `overall` of a call that succeeded: from 0 to 1, never back, 1 at the end. */
export function expectOneBar(events: readonly Pick<Progress, 'overall'>[]): void {
  const bar = events.map(({ overall }) => overall);
  expect(bar).toEqual([...bar].sort((a, b) => a - b));
  expect(bar.every((part) => part >= 0 && part <= 1)).toBe(true);
  expect(bar.at(-1)).toBe(1);
}
