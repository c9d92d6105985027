import { afterEach, expect, jest, test } from '@jest/globals';
import { expectedSpeed, stepsPerSecond } from '../../web/demo/models/expected_speed.js';

const desk = { steps: 780e6, dot: 'none', processors: 1, memoryBytes: 8 * 2 ** 30 } as const;

afterEach(() => {
  jest.restoreAllMocks();
});

test('tiny.en takes what was measured; others, engines and relaxed SIMD change it as they were measured', () => {
  expect(expectedSpeed('tiny.en', desk)).toBeCloseTo(20, 5);
  expect(expectedSpeed('tiny.en', { ...desk, steps: 390e6 })).toBeCloseTo(10, 5);
  expect(expectedSpeed('base', desk)).toBeCloseTo(8, 5);
  expect(expectedSpeed('small', desk)).toBeCloseTo(2, 5);
  expect(expectedSpeed('tiny.en', { ...desk, dot: 'slow' })).toBeCloseTo(20, 5);
  expect(expectedSpeed('tiny.en', { ...desk, dot: 'fast' })).toBeCloseTo(36, 5);
  expect(expectedSpeed('tiny.en', { ...desk, processors: 2 })).toBeCloseTo(38, 5);
  // A gigabyte has room for one engine of small.
  const phone = { ...desk, processors: 8, memoryBytes: 2 ** 30 };
  expect(expectedSpeed('small', phone)).toBeCloseTo(2, 5);
});

test('nothing is said of a model that was not measured', () => {
  expect(expectedSpeed('large-v3-turbo', desk)).toBeUndefined();
  expect(expectedSpeed('OWNER/NAME', desk)).toBeUndefined();
});

test('the step runs here, and a clock that stands still gives no infinite speed', async () => {
  expect(await stepsPerSecond()).toBeGreaterThan(1e6);
  jest.spyOn(performance, 'now').mockReturnValue(1);
  expect(await stepsPerSecond()).toBe(2 ** 21 * 1000);
});

test('where WebAssembly may not run nothing is said', async () => {
  jest.spyOn(WebAssembly, 'instantiate').mockRejectedValue(new WebAssembly.CompileError('policy'));
  expect(await stepsPerSecond()).toBeUndefined();
});
