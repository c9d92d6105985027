// Where the time of a run of all tests went.

/** @typedef {{ readonly name: string; readonly seconds: number }} Timed */

/**
 * Lines for people: every step of at least half a second in its order, then the ten suites that took longest.
 * @type {(steps: readonly Timed[], suites: readonly Timed[]) => string[]}
 */
export function timeTable(steps, suites) {
  const line = ({ name, seconds }) => `${seconds.toFixed(1).padStart(8)} s  ${name}`;
  const slowest = [...suites].sort((a, b) => b.seconds - a.seconds).slice(0, 10);
  const long = steps.filter(({ seconds }) => seconds >= 0.5);
  return [
    ...(long.length > 0 ? ['Steps', ...long.map(line)] : []),
    ...(slowest.length > 0 ? ['Slowest suites', ...slowest.map(line)] : []),
  ];
}
