// What many runs come down to.

/**
 * The middle value; of an even number, the mean of both middle ones. Throws when there are none.
 * @type {(numbers: ArrayLike<number>) => number}
 */
export function median(numbers) {
  if (numbers.length === 0) throw new RangeError('A median of nothing.');
  const sorted = Float64Array.from(numbers).sort();
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * The value below which a part `share` (0 to 1) of `values` lies; NaN for none.
 * @type {(values: readonly number[], share: number) => number}
 */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
}

/**
 * Medians, key by key, of objects with the same numbers; a key that one of them lacks is left out.
 * @type {(objects: readonly Readonly<Record<string, unknown>>[]) => Record<string, number>}
 */
export function medians(objects) {
  const keys = Object.keys(objects[0] ?? {});
  return Object.fromEntries(
    keys
      .filter((key) => objects.every((object) => typeof object[key] === 'number'))
      .map((key) => [key, median(objects.map((object) => object[key]))]),
  );
}

/**
 * The root mean square of the difference over that of the expected values.
 * @type {(values: ArrayLike<number>, expected: ArrayLike<number>) => number}
 */
export function relativeError(values, expected) {
  if (values.length !== expected.length) throw new RangeError('These have different lengths.');
  let difference = 0;
  let size = 0;
  for (let i = 0; i < values.length; ++i) {
    difference += (values[i] - expected[i]) ** 2;
    size += expected[i] ** 2;
  }
  return Math.sqrt(difference / size);
}
