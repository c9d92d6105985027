// How slow this machine is today. Limits of tests are there against hangs alone, so they grow with it.

/** What the work below takes on a quiet core of the machine that the limits were chosen on: an Intel Xeon at 2.1 GHz. */
const referenceMilliseconds = 225;
/** Beyond this a machine is as good as hung. */
export const mostSlowness = 8;

/**
 * How many times as long as a quiet machine this one takes: 1 for all that are as fast or faster, at most 8.
 * @type {(milliseconds: number) => number}
 */
export function slownessOf(milliseconds) {
  const ratio = milliseconds / referenceMilliseconds;
  return Math.min(mostSlowness, Math.max(1, Math.ceil(10 * ratio) / 10));
}

/**
 * The median of five runs of a fixed piece of work. About two seconds.
 * @type {(clock: () => number, work?: () => unknown) => number}
 */
export function medianOfWork(clock, work = computeForAWhile) {
  const times = Array.from({ length: 5 }, () => {
    const begun = clock();
    work();
    return clock() - begun;
  });
  return times.sort((a, b) => a - b)[2];
}

/**
 * By the clock: whatever else the machine does counts.
 * @type {(clock?: () => number, work?: () => unknown) => number}
 */
export const measureSlowness = (clock = () => performance.now(), work = undefined) =>
  slownessOf(medianOfWork(clock, work));

/**
 * The factor in SUSURRUS_TEST_SLOWNESS, for jest and its suites; 1 if the variable is absent or invalid.
 * @type {(text: string | undefined) => number}
 */
export function slownessFrom(text) {
  const value = Number(text);
  return value >= 1 ? Math.min(mostSlowness, value) : 1;
}

function computeForAWhile() {
  let value = 1;
  for (let i = 0; i < 2e8; ++i) value = (Math.imul(value, 1664525) + 1013904223) | 0;
  return value;
}
