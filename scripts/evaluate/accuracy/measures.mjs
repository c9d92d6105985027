// How far numbers are from what they should be.

/**
 * Norm of the difference over the norm of what it should be.
 * @type {(actual: Float32Array, expected: Float32Array) => number}
 */
export function relativeError(actual, expected) {
  let error = 0;
  let size = 0;
  for (let i = 0; i < expected.length; ++i) {
    error += (actual[i] - expected[i]) ** 2;
    size += expected[i] ** 2;
  }
  return Math.sqrt(error / size);
}

/**
 * Relative error of each column, for rows of `columns` values: the difference over the column's deviation from its own mean. So
 * neither a large channel nor an offset that all rows share can hide an error.
 * @type {(actual: Float32Array, expected: Float32Array, columns: number) => number[]}
 */
export function columnErrors(actual, expected, columns) {
  const rows = expected.length / columns;
  return Array.from({ length: columns }, (_, column) => {
    let error = 0;
    let sum = 0;
    let squares = 0;
    for (let row = 0, at = column; row < rows; ++row, at += columns) {
      error += (actual[at] - expected[at]) ** 2;
      sum += expected[at];
      squares += expected[at] ** 2;
    }
    return Math.sqrt(error / (squares - (sum * sum) / rows));
  });
}

/**
 * Index of the largest value below `end`, the first of several.
 * @type {(values: Float32Array, end?: number, isAllowed?: (index: number) => boolean) => number}
 */
export function largest(values, end = values.length, isAllowed = () => true) {
  let best = -1;
  for (let i = 0; i < end; ++i) {
    if ((best < 0 || values[i] > values[best]) && isAllowed(i)) best = i;
  }
  return best;
}

function meanAndDeviation(values) {
  let sum = 0;
  let squares = 0;
  for (const value of values) {
    sum += value;
    squares += value * value;
  }
  const mean = sum / values.length;
  return { mean, deviation: Math.sqrt(squares / values.length - mean * mean) };
}

/**
 * How far the largest value is from the second, in standard deviations of all.
 * @type {(values: Float32Array) => number}
 */
export function margin(values) {
  const first = largest(values);
  const second = largest(values, values.length, (i) => i !== first);
  return (values[first] - values[second]) / meanAndDeviation(values).deviation;
}

/**
 * Logits matter up to a constant: the error of the centred ones relative to their size, their correlation, and whether the
 * largest is the same.
 * @type {(actual: Float32Array, expected: Float32Array) => { error: number; correlation: number; isSameTop: boolean }}
 */
export function compareLogits(actual, expected) {
  const a = meanAndDeviation(actual);
  const b = meanAndDeviation(expected);
  let error = 0;
  let product = 0;
  for (let i = 0; i < expected.length; ++i) {
    const x = actual[i] - a.mean;
    const y = expected[i] - b.mean;
    error += (x - y) ** 2;
    product += x * y;
  }
  return {
    error: Math.sqrt(error / expected.length) / b.deviation,
    correlation: product / expected.length / (a.deviation * b.deviation),
    isSameTop: largest(actual) === largest(expected),
  };
}
