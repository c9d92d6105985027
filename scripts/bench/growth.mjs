// How the engine's cost grows: with the model's size against the operations, and with the recording's length.
import { whisper } from '../facts/read_facts.mjs';
import { benchAudio, benchModel, decoderModels, noiseFile } from './models.mjs';
import { crossOperations, encoderOperations, tokenOperations } from './operations.mjs';
import { progress } from './progress.mjs';
import { medians } from '../statistics.mjs';
import { formatTable, number, runsText } from './table.mjs';

const sizes = ['tiny', 'base', 'small'];
const minutes = [1, 10, 60];
const [dtype] = ['q8_0'];

async function growthOfSizes({ variants, runs, tokens }, place) {
  const audio = await noiseFile();
  const cases = [];
  for (const size of sizes) {
    for (const variant of variants) {
      progress(`model ${size} ${dtype}`);
      const model = await benchModel(size, dtype);
      const decoder = await decoderModels(size, dtype);
      cases.push({ size, variant, model, decoder, runs: [] });
    }
  }
  for (let run = 1; run <= runs; ++run) {
    for (const one of cases) {
      progress(`run ${run} of ${runs}: ${one.size} ${one.variant}`);
      const { model, decoder, variant } = one;
      const job = { kind: 'ours', model, decoder, variant, audio, tokens, threads: 1, repeats: 1 };
      one.runs.push(await place.run(job));
    }
  }
  return cases.map(({ size, variant, runs: measured }) => {
    const { encodeMs, tokenMs, loadMs } = medians(measured);
    const { dims, memory } = measured.at(-1);
    const encodeGflop = (encoderOperations(dims).total + crossOperations(dims)) / 1e9;
    const tokenGflop = tokenOperations(dims) / 1e9;
    return {
      ...{ size, variant, loadMs, encodeMs, encodeGflop, tokenMs },
      encodeRate: (1000 * encodeGflop) / encodeMs,
      tokenMflop: 1000 * tokenGflop,
      tokenRate: (1000 * tokenGflop) / tokenMs,
      wasmMiB: memory.wasmBytes / 2 ** 20,
    };
  });
}

/** A stream of minutes of noise, as if it were heard live. */
async function growthOfLength({ size, variants, runs }, place) {
  const samples = await noiseFile();
  const model = await benchModel(size, dtype);
  const variant = variants.at(-1);
  const cases = minutes.map((length) => ({ minutes: length, runs: [] }));
  const secondsEach = benchAudio(30).length / whisper.sampleRate;
  for (let run = 1; run <= runs; ++run) {
    for (const one of cases) {
      progress(`run ${run} of ${runs}: ${one.minutes} minutes`);
      const repeat = (one.minutes * 60) / secondsEach;
      const job = { kind: 'recording', model, variant, samples, repeat, threads: 1, tokens: 20 };
      one.runs.push(await place.run({ ...job, isStream: true, isWarm: true }));
    }
  }
  return cases.map(({ minutes: length, runs: measured }) => {
    const { workMs, duration } = medians(measured);
    const { memory, windows } = measured.at(-1);
    return {
      ...{ minutes: length, variant, windows, workMs },
      msPerMinute: workMs / (duration / 60),
      wasmMiB: memory.wasmBytes / 2 ** 20,
      heapPeakMiB: memory.heapPeakBytes / 2 ** 20,
    };
  });
}

/** {sizes: rows, lengths: rows} */
export async function measureGrowth(options, place) {
  return {
    sizes: await growthOfSizes(options, place),
    lengths: await growthOfLength(options, place),
  };
}

const cell = (key, digits) => (row) => number(row[key], digits);
const text = (key) => (row) => String(row[key]);

export function growthText(measured, { size, runs, tokens, format }, where) {
  const sizeColumns = [
    ['size', text('size'), 'text'],
    ['variant', text('variant'), 'text'],
    ['load', cell('loadMs')],
    ['encoder and K/V', cell('encodeMs')],
    ['GFLOP', cell('encodeGflop', 1)],
    ['GFLOP/s', cell('encodeRate', 1)],
    ['token', cell('tokenMs', 2)],
    ['MFLOP', cell('tokenMflop', 1)],
    ['GFLOP/s', cell('tokenRate', 1)],
    ['memory, MiB', cell('wasmMiB', 1)],
  ];
  const lengthColumns = [
    ['minutes', text('minutes')],
    ['windows', text('windows')],
    ['time', cell('workMs')],
    ['a minute', cell('msPerMinute', 1)],
    ['memory, MiB', cell('wasmMiB', 1)],
    ['heap at most, MiB', cell('heapPeakMiB', 1)],
  ];
  return [
    `${where}, ${dtype}, 1 thread; milliseconds, ${runsText(runs)}, ${tokens} tokens.`,
    formatTable(measured.sizes, sizeColumns, format),
    `A stream through a model of ${size} dimensions (${measured.lengths[0].variant}), 20 tokens a window:`,
    formatTable(measured.lengths, lengthColumns, format),
  ].join('\n\n');
}
