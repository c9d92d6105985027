// Where the time of a run of all tests went, and what each part of it may take.

/** @typedef {{ readonly name: string; readonly seconds: number }} Timed */
/** @typedef {{ readonly busy: number; readonly all: number }} MachineSeconds */
/** @typedef {Timed & { readonly part: string; readonly processor: number }} TimedStep */

/**
 * What the parts of `npm test` may take: processor time, in thousands of the fixed piece of work in slowness.mjs, which a quiet
 * Intel Xeon at 2.1 GHz does in 225 ms: a seventh to a third above a run of November 2026. Browsers' own processes are not counted. A change
 * that adds to a part takes the same from it, or says here why it is worth more. The package suites have 0.1 for base in f32: no other
 * trained weights there know more than English; the unit suites 0.03 for the command line's help, which starts Node for each command.
 * @type {Readonly<Record<string, number>>}
 */
export const budget = {
  build: 3.4,
  lint: 0.7,
  'C++ tests': 0.7,
  fuzzing: 0.1,
  'unit suites': 0.15,
  'package suites': 4.2,
  'native suites': 1.2,
  'browser suites': 1.3,
};

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

/**
 * A line for people: how busy all processors were between two readings of machineSeconds(), for nothing counts what the processes of
 * a browser take.
 * @type {(before: MachineSeconds, after: MachineSeconds) => string}
 */
export function machineLine(before, after) {
  const busy = after.busy - before.busy;
  const share = Math.round((100 * busy) / (after.all - before.all || 1));
  return `${busy.toFixed(1).padStart(8)} s  of all processors (${share} %), the browsers' own processes and other work among them`;
}

/**
 * Lines for people: the processor time of each part beside its budget, where `unit` is the seconds of the fixed piece of work. No
 * part fails for it, since machines differ in more than their speed.
 * @type {(steps: readonly TimedStep[], unit: number, allowed?: Readonly<Record<string, number>>) => string[]}
 */
export function budgetTable(steps, unit, allowed = budget) {
  /** @type {Map<string, number>} */
  const spent = new Map();
  for (const { part, processor } of steps) spent.set(part, (spent.get(part) ?? 0) + processor);
  const parts = [...spent].filter(([, seconds]) => seconds >= 0.5);
  if (parts.length === 0) return [];
  const lines = parts.map(([part, seconds]) => {
    const works = seconds / unit / 1000;
    const most = allowed[part];
    const verdict =
      most === undefined ? '' : works > most ? `of ${most}  TOO MUCH: ${part}` : `of ${most}`;
    return `${seconds.toFixed(1).padStart(8)} s  ${works.toFixed(2).padStart(6)} ${verdict.padEnd(8)}  ${part}`;
  });
  return [
    `Processor time, also in thousands of a piece of work of ${Math.round(unit * 1000)} ms, and its budget`,
    ...lines,
  ];
}
