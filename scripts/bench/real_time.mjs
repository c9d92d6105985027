// How much of a recording's duration its transcription takes, with as many tokens a window as speech has.
import { existsSync } from 'node:fs';
import { StepError } from '../toolchain/steps.mjs';
import { benchModel, samplesFile } from './models.mjs';
import { progress } from './progress.mjs';
import { medians } from '../statistics.mjs';
import { formatTable, number, runsText } from './table.mjs';

const sizes = ['tiny', 'base', 'small'];
const dtype = 'q8_0';

/** Rows for each size, variant and number of threads: times in ms, factors of the recording's duration. */
export async function measureRealTime({ recording, variants, threads, runs, tokens }, place) {
  if (!existsSync(recording)) throw new StepError(`There is no file ${recording}.`);
  const samples = samplesFile(recording);
  const cases = [];
  for (const size of sizes) {
    progress(`model ${size} ${dtype}`);
    const model = await benchModel(size, dtype);
    for (const variant of variants) {
      for (const count of threads) {
        const job = { kind: 'recording', model, samples, tokens, variant, threads: count };
        cases.push({ size, variant, threads: count, job, runs: [] });
      }
    }
  }
  for (let run = 1; run <= runs; ++run) {
    for (const one of cases) {
      progress(`run ${run} of ${runs}: ${one.size} ${one.variant}, ${one.threads} threads`);
      one.runs.push(await place.run(one.job));
    }
  }
  return cases
    .filter((one) => one.runs.every((run) => !run.skipped))
    .map(({ size, variant, threads: count, runs: measured }) => {
      const { workMs, loadMs, duration } = medians(measured);
      const { tokens: made, windows, memory } = measured.at(-1);
      return {
        ...{ size, variant, threads: count, loadMs, workMs, duration, windows },
        tokensPerWindow: made / windows,
        factor: workMs / 1000 / duration,
        factorWithLoad: (loadMs + workMs) / 1000 / duration,
        wasmMiB: memory.wasmBytes / 2 ** 20,
      };
    });
}

export function realTimeText(rows, { runs, format }, where) {
  const cell = (key, digits) => (row) => number(row[key], digits);
  const text = (key) => (row) => String(row[key]);
  const columns = [
    ['size', text('size'), 'text'],
    ['variant', text('variant'), 'text'],
    ['threads', text('threads')],
    ['windows', text('windows')],
    ['tokens a window', cell('tokensPerWindow', 0)],
    ['load', cell('loadMs')],
    ['transcription', cell('workMs')],
    ['real-time factor', cell('factor', 4)],
    ['from the URL', cell('factorWithLoad', 4)],
    ['memory, MiB', cell('wasmMiB', 1)],
  ];
  return [
    `${where}, ${dtype}, a recording of ${number(rows[0].duration)} s; milliseconds, ${runsText(runs)}.`,
    formatTable(rows, columns, format),
  ].join('\n\n');
}
