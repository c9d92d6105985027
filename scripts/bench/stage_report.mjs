// From the runs of stages.mjs to rows, ratios, tables, and what is wrong with them.
import { crossOperations, encoderFloorMs, encoderOperations, tokenBytes } from './operations.mjs';
import { median, medians } from '../statistics.mjs';
import { formatTable, number, percent, runsText } from './table.mjs';

/** @import { Dims } from './operations.mjs' */
/**
 * @typedef {{
 *   readonly mulAdd: number;
 *   readonly dotI16: number;
 *   readonly madd?: number;
 *   readonly relaxedDot?: number;
 *   readonly readRates: readonly (readonly [mebibytes: number, bytes: number])[];
 * }} Limits
 */
/**
 * @typedef {{
 *   readonly [time: string]: unknown;
 *   readonly dims?: Dims;
 *   readonly wasmBytes?: number;
 *   readonly memory?: { wasmBytes: number; weightBytes: number; kvCacheBytes: number };
 * }} Run
 */
/**
 * @typedef {{
 *   readonly engine: string;
 *   readonly weights: string;
 *   readonly variant: string;
 *   readonly threads: number;
 * }} Case
 */
/** @typedef {Case & Readonly<Record<string, unknown>>} Row */

const mebibyte = 2 ** 20;

/** The medians of the limits of all runs: {mulAdd, madd, dotI16, relaxedDot, readRates}. */
export function medianLimits(limits) {
  const readRates = limits[0].readRates.map(([mebibytes], i) => [
    mebibytes,
    median(limits.map((one) => one.readRates[i][1])),
  ]);
  return { ...medians(limits), readRates };
}

/** Bytes a second at which so many bytes are read again and again: between the sizes that were measured. */
function readRate({ readRates }, bytes) {
  const next = readRates.findIndex(([mebibytes]) => mebibytes * mebibyte >= bytes);
  if (next < 0) return readRates.at(-1)[1];
  const [[low, lowRate], [high, highRate]] = [readRates[Math.max(0, next - 1)], readRates[next]];
  const part = high > low ? (bytes / mebibyte - low) / (high - low) : 0;
  return lowRate + part * (highRate - lowRate);
}

/**
 * One row for each case; times in ms, rates in G a second, shares of the limit from 0 to 1.
 * @type {(measured: {
 *   cases: readonly (Case & { runs: readonly Run[] })[];
 *   limits: readonly Limits[];
 * }) => Row[]}
 */
export function toRows({ cases, limits: allLimits }) {
  const limits = medianLimits(allLimits);
  const dims = cases.find(({ runs }) => runs[0].dims)?.runs[0].dims;
  return cases.map(({ engine, weights, variant, threads, runs }) => {
    const times = medians(runs);
    // Differences of two times, and what is computed from them: undefined where noise exceeds them.
    const crossMs = times.crossMs > 0 ? times.crossMs : undefined;
    const tokenMs = times.tokenMs > 0 ? times.tokenMs : undefined;
    const beamTokenMs = times.beamTokenMs > 0 ? times.beamTokenMs : undefined;
    const { memory, wasmBytes = memory.wasmBytes } = runs.at(-1);
    const isOurs = engine === 'ours';
    const minus = (whole, part) => (part === undefined ? undefined : whole - part);
    // Our encode() makes the keys and values of cross-attention too.
    const measuresCross = isOurs && 'crossMs' in times;
    const encoderMs = measuresCross ? minus(times.encodeMs, crossMs) : times.encodeMs;
    const operations =
      encoderOperations(dims).total + (isOurs && !measuresCross ? crossOperations(dims) : 0);
    const rates =
      variant === 'relaxed'
        ? { f32: limits.madd, int8: limits.relaxedDot }
        : { f32: limits.mulAdd, int8: limits.dotI16 };
    const bytes = memory && tokenBytes(dims, weights, memory.kvCacheBytes);
    return {
      ...{ engine, weights, variant, threads, ...times, crossMs, tokenMs, beamTokenMs, encoderMs },
      encoderGflops: encoderMs && operations / encoderMs / 1e6,
      encoderShare: encoderMs && encoderFloorMs(dims, weights, rates) / threads / encoderMs,
      promptAndCrossMs: isOurs ? crossMs && times.promptMs + crossMs : times.promptMs,
      promptMs: isOurs ? times.promptMs : undefined,
      tokenShare:
        bytes > 0 ? tokenMs && (1000 * bytes) / readRate(limits, bytes) / tokenMs : undefined,
      wasmMiB: wasmBytes / mebibyte,
      weightMiB: memory && memory.weightBytes / mebibyte,
    };
  });
}

/**
 * Ours over ONNX Runtime's with as many threads: [{weights, variant, threads, …}]; undefined where there is nothing beside it.
 * @type {(rows: readonly object[]) => (Case & Readonly<Record<string, unknown>>)[]}
 */
export function toRatios(rows) {
  const find = (wanted) =>
    rows.find((row) => Object.entries(wanted).every(([key, value]) => row[key] === value));
  return rows
    .filter(({ engine }) => engine === 'ours')
    .map((row) => {
      const { weights, variant, threads } = row;
      const peer = (precision) => find({ engine: 'onnxruntime-web', weights: precision, threads });
      const ratio = (part, whole) =>
        part === undefined || whole === undefined ? undefined : part / whole;
      const over = (other, key) => ratio(row[key], other?.[key]);
      const single =
        threads > 1 ? find({ engine: 'ours', weights, variant, threads: 1 }) : undefined;
      return {
        ...{ weights, variant, threads },
        encoderToInt8: over(peer('int8'), 'encoderMs'),
        encoderToFp32: over(peer('fp32'), 'encoderMs'),
        promptToInt8: over(peer('int8'), 'promptAndCrossMs'),
        tokenToInt8: over(peer('int8'), 'tokenMs'),
        memoryToInt8: over(peer('int8'), 'wasmMiB'),
        beamToGreedy: ratio(row.beamTokenMs, row.tokenMs),
        speedup: ratio(single?.encoderMs, row.encoderMs),
      };
    });
}

const positive = ['loadMs', 'encodeMs', 'tokenMs', 'wasmMiB'];
const positiveOfOurs = [...positive, 'melMs', 'promptMs', 'wholeMs'];
const positiveOnOneThread = [...positiveOfOurs, 'compileMs', 'instantiateMs'];
// A difference of two times, which a busy machine can lose in its noise.
const differences = new Set(['tokenMs']);

/**
 * What cannot be, as sentences; never about how fast something is. `expected`: number of rows.
 * @type {(rows: readonly object[], expected: number) => string[]}
 */
export function absurdities(rows, expected) {
  const problems = [];
  if (rows.length !== expected) problems.push(`${rows.length} rows instead of ${expected}`);
  for (const row of rows) {
    const name = `${row.engine} ${row.weights} ${row.variant}, ${row.threads} threads`;
    const ours = row.threads > 1 ? positiveOfOurs : positiveOnOneThread;
    for (const key of row.engine === 'ours' ? ours : positive) {
      const isPossible =
        row[key] === undefined ? differences.has(key) : Number.isFinite(row[key]) && row[key] > 0;
      if (!isPossible) problems.push(`${name}: ${key} is ${row[key]}`);
    }
    if (row.encodeMs > 60_000) problems.push(`${name}: the encoder takes longer than a minute`);
    if (row.weights === 'fp32' && !(row.encoderDifference < 1e-3)) {
      problems.push(`${name}: not the same network as ours (${row.encoderDifference})`);
    }
  }
  return problems;
}

const text = (key) => (row) => String(row[key]);
const ms = (key, digits) => (row) => number(row[key], digits);
const names = [
  ['weights', text('weights'), 'text'],
  ['variant', text('variant'), 'text'],
  ['threads', text('threads')],
];

const stageColumns = [
  ['engine', text('engine'), 'text'],
  ...names,
  ['load', ms('loadMs', 0)],
  ['mel', ms('melMs', 1)],
  ['encoder', ms('encoderMs', 0)],
  ['GFLOP/s', ms('encoderGflops', 1)],
  ['of limit', (row) => percent(row.encoderShare)],
  ['cross K/V', ms('crossMs', 1)],
  ['prompt of 4', ms('promptMs', 1)],
  ['both', ms('promptAndCrossMs', 1)],
  ['token', ms('tokenMs', 2)],
  ['of limit', (row) => percent(row.tokenShare)],
  ['beam of 5', ms('beamTokenMs', 2)],
  ['abort', ms('abortMs', 0)],
  ['memory, MiB', ms('wasmMiB', 1)],
];
const ratioColumns = [
  ...names,
  ['encoder / int8', ms('encoderToInt8', 2)],
  ['encoder / fp32', ms('encoderToFp32', 2)],
  ['prompt and K/V / int8', ms('promptToInt8', 2)],
  ['token / int8', ms('tokenToInt8', 2)],
  ['memory / int8', ms('memoryToInt8', 2)],
  ['beam of 5 / greedy', ms('beamToGreedy', 2)],
  ['1 thread / threads', ms('speedup', 2)],
];
const pair = (first, later, digits = 1) =>
  [first, later].map((key) => [key === first ? 'first' : 'later', ms(key, digits)]);
const startColumns = [
  ...names,
  ['compile', ms('compileMs', 1)],
  ['instantiate', ms('instantiateMs', 1)],
  ...pair('firstLoadMs', 'loadMs').map(([when, cell]) => [`${when} load`, cell]),
  ...pair('firstMelMs', 'melMs').map(([when, cell]) => [`${when} mel`, cell]),
  ...pair('firstEncodeMs', 'encodeMs', 0).map(([when, cell]) => [`${when} encode`, cell]),
  ...pair('firstPromptMs', 'promptMs').map(([when, cell]) => [`${when} prompt`, cell]),
  ...pair('firstWindowMs', 'windowMs', 0).map(([when, cell]) => [`${when} window`, cell]),
];

/** What this machine could do at most, as a line. */
export function limitLines({ mulAdd, madd, dotI16, relaxedDot, readRates }) {
  const rate = (value) => number(value === undefined ? undefined : value / 1e9, 1);
  const reads = readRates.map(([size, bytes]) => `${size} MiB ${rate(bytes)}`).join(', ');
  return (
    `Limits here, one thread, G operations a second: f32 multiply and add ${rate(mulAdd)}, relaxed madd ${rate(madd)}, ` +
    `int8 by dot_i16x8 ${rate(dotI16)}, int8 by relaxed dot ${rate(relaxedDot)}. Reading memory, GB/s: ${reads}.`
  );
}

/** Everything as text or Markdown. */
export function stageText(measured, { where, runs, tokens, size, format }) {
  const rows = toRows(measured);
  const ours = rows.filter(({ engine }) => engine === 'ours');
  const parts = [
    `${where}, ${size} dimensions, a window of 30 s; milliseconds, ${runsText(runs)}, ${tokens} tokens.`,
    formatTable(rows, stageColumns, format),
    limitLines(medianLimits(measured.limits)),
    'Start:',
    formatTable(ours, startColumns, format),
    'Ratios, ours over ONNX Runtime Web (smaller is better):',
    formatTable(toRatios(rows), ratioColumns, format),
  ];
  const agreement = rows.find(
    ({ encoderDifference, weights }) => encoderDifference && weights === 'fp32',
  );
  if (agreement) {
    const difference = agreement.encoderDifference.toExponential(1);
    parts.push(
      `ONNX Runtime's encoder in fp32 differs from ours in f32 by ${difference} (relative).`,
    );
  }
  if (measured.whisperCpp) {
    const { wholeMs, wasmBytes } = measured.whisperCpp;
    const wholes = ours.map((row) => `${row.weights} ${row.variant} ${number(row.wholeMs)}`);
    parts.push(
      `Whole call (load, mel, encoder, a few tokens), ms: whisper.cpp q8_0 ${number(wholeMs)} in ` +
        `${number(wasmBytes / mebibyte)} MiB; ours ${wholes.join(', ')}.`,
    );
  }
  if (measured.sizes.length > 0) {
    const list = measured.sizes.map(({ engine, bytes }) => `${engine} ${number(bytes / 1000, 1)}`);
    parts.push(`Download, kB after brotli: ${list.join('; ')}.`);
  }
  parts.push(...measured.skipped.map((line) => `Skipped: ${line}`));
  return parts.join('\n\n');
}
