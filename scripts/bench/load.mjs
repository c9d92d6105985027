// Times the loading of model files, raw and compressed, and the work that no loader can avoid: copying, decoding, checking.
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { root, StepError } from '../toolchain/steps.mjs';
import { loadModels } from './models.mjs';
import { progress } from './progress.mjs';
import { medians } from '../statistics.mjs';
import { formatTable, number, runsText } from './table.mjs';

/**
 * @typedef {{
 *   readonly where: string;
 *   readonly dtype: string;
 *   readonly storage: 'none' | 'lz4';
 *   readonly source: 'memory' | 'blob' | 'stream';
 *   readonly variant: string;
 *   readonly firstMs: number;
 *   readonly streamMs: number;
 *   readonly readyMs: number;
 *   readonly weightBytes: number;
 *   readonly rate: number;
 *   readonly ofCopy: number;
 *   readonly ofCopyFresh: number;
 *   readonly ofCrc32: number;
 *   readonly ofLz4?: number;
 *   readonly ofBound: number;
 * }} LoadRow
 */
/**
 * @typedef {{
 *   readonly models: readonly {
 *     readonly dtype: string;
 *     readonly byteCounts: { readonly none: number; readonly lz4: number };
 *     readonly tensorBytes: number;
 *     readonly ratio: number;
 *   }[];
 *   readonly limits: readonly { readonly where: string; readonly [name: string]: number | string }[];
 *   readonly rows: readonly LoadRow[];
 *   readonly peaks: readonly {
 *     readonly dtype: string;
 *     readonly storage: string;
 *     readonly variant: string;
 *     readonly aboveTensors: number;
 *   }[];
 * }} MeasuredLoad
 */

/** Above the weights' own bytes. */
const mostPeakBytes = 2 * 2 ** 20;

/** Builds what measures the limits, unless it is there; what the build says goes to stderr. */
function buildLimits() {
  const script = join(root, 'scripts/build.mjs');
  const { status } = spawnSync(process.execPath, [script, 'load-limits'], {
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) throw new StepError('What measures the limits could not be built.');
}

/** A model in both forms: {files: {none, lz4}, byteCounts, tensorBytes, ranges of the compressed tensors}. */
async function describeModels(size, dtype) {
  progress(`model ${size} ${dtype}`);
  const files = await loadModels(size, dtype);
  const { inspect } = await import('../../dist/model_files.node.mjs');
  const { tensors } = await inspect(join(root, files.lz4));
  const compressed = tensors.filter((tensor) => tensor.size < tensor.rawSize);
  return {
    ...{ dtype, files },
    byteCounts: {
      none: statSync(join(root, files.none)).size,
      lz4: statSync(join(root, files.lz4)).size,
    },
    tensorBytes: tensors.reduce((sum, { rawSize }) => sum + rawSize, 0),
    ranges: compressed.map(({ offset, size: stored, rawSize }) => [offset, stored, rawSize]),
  };
}

function nativeLimits({ files, ranges }) {
  const { status, stdout, stderr } = spawnSync(
    join(root, 'build/native/load_limits'),
    [join(root, files.none), join(root, files.lz4)],
    { input: ranges.map((range) => range.join(' ')).join('\n'), encoding: 'utf8' },
  );
  if (status !== 0) throw new StepError(`The native limits could not be measured: ${stderr}`);
  return JSON.parse(stdout);
}

/** Cases in alternating order: each {where, dtype, storage, source, variant, job, place, runs}. */
function loadCases(model, places, { variants, isQuick }) {
  return places.flatMap((place) =>
    Object.entries(model.files).flatMap(([storage, file]) =>
      place.loadSources.flatMap((source) =>
        variants.map((variant) => ({
          ...{ where: place.title, dtype: model.dtype, storage, source, variant, place },
          job: { kind: 'load', model: file, source, variant, loads: isQuick ? 1 : 3 },
          runs: [],
        })),
      ),
    ),
  );
}

/** What the limits of one kind of place say about a file: bytes of weights a second that a load can reach there at most. */
function bound(storage, limits, { byteCounts, tensorBytes, ranges }) {
  const decodedBytes = ranges.reduce((sum, [, , rawBytes]) => sum + rawBytes, 0);
  const isCompressed = storage === 'lz4' && decodedBytes > 0;
  const copiedBytes = isCompressed ? tensorBytes - decodedBytes : tensorBytes;
  const seconds =
    byteCounts[storage] / limits.crc32Cached +
    copiedBytes / limits.copyFresh +
    (isCompressed ? decodedBytes / limits.lz4Fresh : 0);
  return tensorBytes / seconds;
}

/**
 * Measures every type of weights in every place: {models: [{dtype, byteCounts, tensorBytes, ratio}], limits: [{where, dtype, ...bytes a
 * second}], rows: [{where, dtype, storage, source, variant, times, rate, shares of limits}], peaks}.
 */
export async function measureLoad(options, places) {
  buildLimits();
  const result = { models: [], limits: [], rows: [], peaks: [] };
  for (const dtype of options.dtypes) {
    const model = await describeModels(options.size, dtype);
    const { byteCounts, tensorBytes } = model;
    const ratio = byteCounts.lz4 / byteCounts.none;
    result.models.push({ dtype, byteCounts, tensorBytes, ratio });
    await measureModel(model, options, places, result);
  }
  return result;
}

async function measureModel(model, options, places, result) {
  const { dtype, files, ranges, tensorBytes } = model;
  const cases = loadCases(model, places, options);
  const limitRuns = new Map([['native', []], ...places.map(({ title }) => [title, []])]);
  for (let run = 1; run <= options.runs; ++run) {
    const say = (what) => progress(`run ${run} of ${options.runs}: ${what}`);
    say('limits');
    limitRuns.get('native').push(nativeLimits(model));
    for (const place of places) {
      const job = { kind: 'loadLimits', raw: files.none, lz4: files.lz4, ranges };
      limitRuns.get(place.title).push(await place.run(job));
    }
    for (const { place, job, runs, where, ...one } of cases) {
      say(`${where}, ${one.storage} ${one.source} ${one.variant}`);
      runs.push(await place.run(job));
    }
  }
  const limits = new Map(Array.from(limitRuns, ([where, runs]) => [where, medians(runs)]));
  for (const [where, rates] of limits) result.limits.push({ where, dtype, ...rates });
  const native = limits.get('native');
  for (const { runs, where, storage, source, variant } of cases) {
    const { firstMs, streamMs, readyMs, weightBytes } = medians(runs);
    const rate = (1000 * tensorBytes) / streamMs;
    const here = limits.get(where);
    result.rows.push({
      ...{ where, dtype, storage, source, variant, firstMs, streamMs, readyMs, weightBytes, rate },
      ofCopy: rate / native.copy,
      ofCopyFresh: rate / here.copyFresh,
      ofCrc32: rate / here.crc32Cached,
      ...(storage === 'lz4' && native.lz4 && { ofLz4: rate / native.lz4 }),
      ofBound: rate / bound(storage, here, model),
    });
  }
  const [place] = places;
  for (const [storage, file] of Object.entries(files)) {
    for (const variant of options.variants) {
      progress(`memory, ${storage} ${variant}`);
      const { peakBytes } = await place.run({ kind: 'loadPeak', model: file, variant });
      result.peaks.push({ dtype, storage, variant, aboveTensors: peakBytes - tensorBytes });
    }
  }
}

/**
 * What cannot be, or must not.
 * @type {(measured: Pick<MeasuredLoad, 'rows' | 'peaks'>) => string[]}
 */
export function loadProblems({ rows, peaks }) {
  const problems = rows.flatMap(({ where, dtype, storage, source, variant, ...figures }) =>
    Object.entries(figures)
      .filter(([, value]) => !(value > 0 && Number.isFinite(value)))
      .map(
        ([key, value]) => `${where}, ${dtype} ${storage} ${source} ${variant}: ${key} is ${value}`,
      ),
  );
  for (const { dtype, storage, variant, aboveTensors } of peaks) {
    if (aboveTensors <= mostPeakBytes) continue;
    const taken = `${number(aboveTensors / 2 ** 20, 2)} MiB above its weights`;
    problems.push(`${dtype} ${storage} ${variant}: loading takes ${taken}`);
  }
  return problems;
}

const megabytes = (key) => (row) => number(row[key] && row[key] / 1e6);
const share = (key) => (row) => (row[key] === undefined ? '–' : `${number(100 * row[key])} %`);
const cell = (key, digits) => (row) => number(row[key], digits);
const text = (key) => (row) => row[key];
const storages = { none: 'raw', lz4: 'LZ4' };

const limitColumns = [
  ['limits, MB/s', text('where'), 'text'],
  ['weights', text('dtype'), 'text'],
  ['copy', megabytes('copy')],
  ['copy, fresh memory', megabytes('copyFresh')],
  ['set(), fresh memory', megabytes('setFresh')],
  ['reading a stream', megabytes('read')],
  ['LZ4', megabytes('lz4')],
  ['LZ4, fresh memory', megabytes('lz4Fresh')],
  ['CRC-32', megabytes('crc32')],
  ['CRC-32, in cache', megabytes('crc32Cached')],
  ["zlib's CRC-32", megabytes('zlibCrc32')],
];
const loadColumns = [
  ['load', text('where'), 'text'],
  ['weights', text('dtype'), 'text'],
  ['stored', (row) => storages[row.storage], 'text'],
  ['from', text('source'), 'text'],
  ['variant', text('variant'), 'text'],
  ['first, ms', cell('firstMs')],
  ['later, ms', cell('streamMs')],
  ['to ready, ms', cell('readyMs')],
  ['MB/s', megabytes('rate')],
  ['of native memcpy', share('ofCopy')],
  ['of copy, fresh', share('ofCopyFresh')],
  ['of native LZ4', share('ofLz4')],
  ['of CRC-32', share('ofCrc32')],
  ['of all limits', share('ofBound')],
];
const peakColumns = [
  ['weights', text('dtype'), 'text'],
  ['stored', (row) => storages[row.storage], 'text'],
  ['variant', text('variant'), 'text'],
  ['heap above the weights, MiB', (row) => number(row.aboveTensors / 2 ** 20, 2)],
];

/** @type {(measured: MeasuredLoad, options: { size: string; runs: number; format: 'text' | 'markdown' }) => string} */
export function loadText({ models, limits, rows, peaks }, { size, runs, format }) {
  const facts = models.map(
    ({ dtype, byteCounts, tensorBytes, ratio }) =>
      `${size} dimensions, ${dtype}: ${number(tensorBytes / 1e6, 1)} MB of weights; a file of ` +
      `${number(byteCounts.none / 1e6, 1)} MB, with LZ4 ${number(byteCounts.lz4 / 1e6, 1)} MB (${number(100 * ratio)} %).`,
  );
  return [
    `${facts.join('\n')}\nMB/s of weights, ${runsText(runs)}.`,
    formatTable(limits, limitColumns, format),
    formatTable(rows, loadColumns, format),
    formatTable(peaks, peakColumns, format),
  ].join('\n\n');
}
