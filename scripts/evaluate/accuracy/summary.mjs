// One line for a model in one format beside the same model in another.
import { quantile } from '../../statistics.mjs';
import { columnErrors, compareLogits, margin, relativeError } from './measures.mjs';

/**
 * @typedef {{
 *   readonly encoded: Float32Array;
 *   readonly logits: readonly Float32Array[];
 * }} Heard
 */

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * Positions whose largest logit is the same before the first whose is not.
 * @type {(isSame: readonly boolean[]) => number}
 */
export function untilDifference(isSame) {
  const first = isSame.indexOf(false);
  return first < 0 ? isSame.length : first;
}

/**
 * `actual`, `expected`: as hear() returns, after the same tokens; `width`: values of an encoder position. Errors are means
 * over windows and positions, shares are 0 to 1.
 * @type {(actual: readonly Heard[], expected: readonly Heard[], width: number) => Readonly<
 *   Record<
 *     'encoder' | 'medianChannel' | 'worstChannel' | 'logits' | 'worstLogits' | 'correlation',
 *     number
 *   > &
 *     Record<'top1' | 'greedy' | 'positions', number>
 * >}
 */
export function summarise(actual, expected, width) {
  const channels = actual.map(({ encoded }, window) =>
    columnErrors(encoded, expected[window].encoded, width),
  );
  const windows = actual.map(({ logits }, window) =>
    logits.map((row, position) => compareLogits(row, expected[window].logits[position])),
  );
  const positions = windows.flat();
  const share = (count) => count / positions.length;
  const count = (counts) => counts.reduce((sum, one) => sum + one, 0);
  return {
    encoder: mean(actual.map(({ encoded }, i) => relativeError(encoded, expected[i].encoded))),
    medianChannel: quantile(channels.flat(), 0.5),
    worstChannel: Math.max(...channels.flat()),
    logits: mean(positions.map(({ error }) => error)),
    worstLogits: Math.max(...positions.map(({ error }) => error)),
    correlation: mean(positions.map(({ correlation }) => correlation)),
    top1: share(positions.filter(({ isSameTop }) => isSameTop).length),
    greedy: share(
      count(windows.map((rows) => untilDifference(rows.map(({ isSameTop }) => isSameTop)))),
    ),
    positions: positions.length,
  };
}

/** The median distance of the best two logits, in standard deviations of a position's logits. */
export function medianMargin(heard) {
  return quantile(
    heard.flatMap(({ logits }) => logits.map((row) => margin(row))),
    0.5,
  );
}
