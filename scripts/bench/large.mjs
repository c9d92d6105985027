// Models larger than small: conversion, load, memory beside what was planned, and a window of 30 s, in Node and in Chromium.
import { join } from 'node:path';
import { root } from '../toolchain/steps.mjs';
import { convertedModels, noiseFile } from './models.mjs';
import { progress } from './progress.mjs';
import { medians } from '../statistics.mjs';
import { formatTable, number, runsText } from './table.mjs';

/** Types of weights by size; those in `everywhere` are measured in Chromium too, and in one thread. */
const plan = [
  { size: 'medium', dtypes: ['q8_0', 'q5_0'], everywhere: ['q8_0'] },
  { size: 'large-v3-turbo', dtypes: ['q8_0', 'q5_0'], everywhere: ['q8_0'] },
  { size: 'distil-large-v3', dtypes: ['q8_0'], everywhere: ['q8_0'] },
  { size: 'large-v3', dtypes: ['q8_0'], everywhere: [] },
];
const quickPlan = [{ size: 'micro', dtypes: ['q8_0', 'q5_0'], everywhere: ['q8_0'] }];
const mebibyte = 2 ** 20;

/** What a load needs, by its file alone: {file, planned} in MiB. */
async function plannedFor(path) {
  const { inspect } = await import('../../dist/model_files.node.mjs');
  const { byteCount, memory } = await inspect(join(root, path));
  return { fileMiB: byteCount / mebibyte, plannedMiB: memory.total / mebibyte };
}

/** Rows: seconds, and MiB of memory. */
export async function measureLarge({ variants, threads, runs, tokens, isQuick }, places) {
  const samples = await noiseFile();
  const variant = variants.at(-1);
  const rows = [];
  for (const { size, dtypes, everywhere } of isQuick ? quickPlan : plan) {
    progress(`models ${size}`);
    const models = await convertedModels(size, dtypes);
    for (const dtype of dtypes) {
      const { path: model, seconds: convertSeconds } = models[dtype];
      const facts = { size, dtype, variant, convertSeconds, ...(await plannedFor(model)) };
      const isEverywhere = everywhere.includes(dtype);
      for (const place of isEverywhere ? places : places.slice(0, 1)) {
        for (const count of isEverywhere ? threads : threads.slice(-1)) {
          progress(`${size} ${dtype}, ${place.title}, ${count} threads`);
          const job = { kind: 'recording', model, samples, tokens, variant, threads: count };
          const measured = [];
          for (let run = 0; run < runs; ++run) measured.push(await place.run(job));
          const [{ skipped, memory }] = measured;
          if (skipped) continue;
          const { loadMs, workMs, duration } = medians(measured);
          rows.push({
            ...{ ...facts, where: place.title, threads: count, loadSeconds: loadMs / 1000 },
            factor: workMs / 1000 / duration,
            heapMiB: memory.heapPeakBytes / mebibyte,
            wasmMiB: memory.wasmBytes / mebibyte,
          });
        }
      }
    }
  }
  return rows;
}

export function largeText(rows, { runs, tokens, format }) {
  const cell = (key, digits) => (row) => number(row[key], digits);
  const text = (key) => (row) => String(row[key]);
  const columns = [
    ['size', text('size'), 'text'],
    ['weights', text('dtype'), 'text'],
    ['file, MiB', cell('fileMiB')],
    ['conversion, s', cell('convertSeconds', 1)],
    ['where', text('where'), 'text'],
    ['threads', text('threads')],
    ['load, s', cell('loadSeconds', 2)],
    ['real-time factor', cell('factor', 3)],
    ['planned, MiB', cell('plannedMiB')],
    ['heap at most, MiB', cell('heapMiB')],
    ['memory, MiB', cell('wasmMiB')],
  ];
  return [
    `Random weights, ${rows[0].variant}, a window of 30 s with ${tokens} tokens; ${runsText(runs)}.`,
    formatTable(rows, columns, format),
  ].join('\n\n');
}
