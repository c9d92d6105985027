// Transcribes one recording with the trained weights of tiny.en in our package, other WebAssembly engines and native engines.
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { compareWords, words } from '../evaluate/word_errors.mjs';
import { whisper } from '../facts/read_facts.mjs';
import { root, step, StepError } from '../toolchain/steps.mjs';
import { ensureTrainedFolder, ensureTrainedModel } from '../trained_model.mjs';
import { samplesFile } from './models.mjs';
import { ensureNativePeers, exportOnnx, runNative } from './native_place.mjs';
import { progress } from './progress.mjs';
import { limitLines, medianLimits } from './stage_report.mjs';
import { medians } from '../statistics.mjs';
import { formatTable, number, runsText } from './table.mjs';

const folder = 'build/bench/trained';
const name = 'tiny.en';
const sharedRecording = join(process.env.SUSURRUS_SHARED ?? '../shared', 'recordings/audio');

/** 60 s of a lecture where the shared folder is there, else the sentences of the demo page. */
function usualRecording() {
  const lecture = resolve(root, sharedRecording, 'lecture.wav');
  return existsSync(lecture) ? lecture : join(root, 'web/demo/sentences.wav');
}

/** Makes what is missing of the weights in the peers' formats: paths from the project's folder. */
async function weights(python) {
  const hub = `${folder}/hub/${name}`;
  const ggml = `${folder}/${name}.ggml`;
  const onnx = `${folder}/onnx/${name}`;
  mkdirSync(join(root, `${folder}/onnx`), { recursive: true });
  mkdirSync(join(root, `${folder}/hub`), { recursive: true });
  const { convertModel } = await import('../../dist/model_files.node.mjs');
  const from = await ensureTrainedFolder();
  const to = (path, options) =>
    existsSync(join(root, path)) || convertModel(from, join(root, path), options);
  await to(ggml, { format: 'ggml', dtype: 'q8_0' });
  await to(hub, { format: 'safetensors', dtype: 'f32' });
  if (!existsSync(join(root, onnx))) {
    const unfinished = join(root, `${onnx}.unfinished`);
    rmSync(unfinished, { recursive: true, force: true });
    await step('exporting tiny.en to ONNX', () => exportOnnx(python, join(root, hub), unfinished));
    renameSync(unfinished, join(root, onnx));
  }
  return { hub, ggml, onnx: `${folder}/onnx/` };
}

/** Returns our cases in a place: [{engine, where, weights, variant, threads, run()}]. */
function ourCases(place, { variants, threads }, model, samples) {
  return variants.flatMap((variant) =>
    threads.map((count) => ({
      ...{ engine: 'Susurrus', where: place.title, weights: 'q8_0', variant, threads: count },
      run: () => place.run({ kind: 'call', model, samples, variant, threads: count }),
    })),
  );
}

function browserPeers(browser, { threads }, { ggml, onnx }, audio) {
  const where = browser.title;
  return threads.flatMap((count) => [
    ...['q8', 'fp32'].map((dtype) => ({
      ...{ engine: 'Transformers.js', where, weights: dtype, threads: count },
      run: () =>
        browser.run({
          ...{ kind: 'transformers', folder: onnx, model: name, dtype, samples: audio },
          threads: count,
        }),
    })),
    {
      ...{ engine: 'whisper.cpp', where, weights: 'q8_0', threads: count },
      run: () => browser.run({ kind: 'whisperCpp', isIsolated: true, ggml, audio, threads: count }),
    },
  ]);
}

function nativePeers(python, reference, { threads }, { hub }, checkpoint, samples) {
  const native = (engine, weightsOf, program, job) =>
    threads.map((count) => ({
      ...{ engine, where: 'native', weights: weightsOf, threads: count },
      run: () =>
        runNative(program, { ...job, engine, samples: join(root, samples), threads: count }),
    }));
  return [
    ...native('faster-whisper', 'int8', python, { model: checkpoint, computeType: 'int8' }),
    ...native('faster-whisper', 'float32', python, { model: checkpoint, computeType: 'float32' }),
    ...native('openai-whisper', 'float32', reference, { model: join(root, hub) }),
  ];
}

async function peerCases(options, browser, samples) {
  const { ensureReference } = await import('../reference/setup.mjs');
  const python = await ensureNativePeers();
  const { python: reference } = await ensureReference();
  const files = await weights(python);
  return [
    ...nativePeers(python, reference, options, files, await ensureTrainedFolder(), samples),
    ...(browser ? browserPeers(browser, options, files, samples) : []),
  ];
}

/** {rows, limits, recording, duration}: times in ms, of `places` (ours) and of the peers. */
export async function measureTrained(options, places) {
  const recording = options.recording ?? usualRecording();
  if (!existsSync(recording)) throw new StepError(`There is no file ${recording}.`);
  const samples = samplesFile(recording);
  const model = `${folder}/${name}-q8_0.apr`;
  mkdirSync(join(root, folder), { recursive: true });
  // The browser's server has this folder.
  copyFileSync(await ensureTrainedModel(), join(root, model));
  const browser = places.find(({ title }) => title.includes('Chromium'));
  const cases = places.flatMap((place) => ourCases(place, options, model, samples));
  if (options.hasPeers) cases.push(...(await peerCases(options, browser, samples)));
  const measured = new Map(cases.map((one) => [one, []]));
  const limits = [];
  for (let run = 1; run <= options.runs; ++run) {
    progress(`run ${run} of ${options.runs}: limits`);
    limits.push(await places[0].run({ kind: 'limits', isQuick: options.isQuick }));
    for (const [one, results] of measured) {
      progress(`run ${run} of ${options.runs}: ${one.engine} ${one.weights} ${one.where}`);
      results.push(await one.run());
    }
  }
  const duration = statSync(join(root, samples)).size / 4 / whisper.sampleRate;
  return { rows: toRows(measured, duration), limits: medianLimits(limits), recording, duration };
}

function toRows(measured, duration) {
  const rows = Array.from(measured)
    .filter(([, runs]) => runs.every(({ skipped }) => !skipped))
    .map(([{ engine, where, weights: type, variant, threads }, runs]) => ({
      ...{ engine, where, weights: type, variant, threads },
      ...medians(runs),
      text: runs.at(-1).text,
    }));
  const first = words(rows[0].text);
  const fastest = rows.find(({ weights: type, threads }) => type === 'int8' && threads === 1);
  return rows.map((row) => ({
    ...row,
    factor: row.laterMs / 1000 / duration,
    toNative: fastest && row.laterMs / fastest.laterMs,
    unlike: compareWords(first, words(row.text)).errors,
  }));
}

export function trainedText({ rows, limits, recording, duration }, { runs, format }) {
  const cell = (key, digits) => (row) => number(row[key], digits);
  const text = (key) => (row) => row[key] ?? '–';
  const columns = [
    ['engine', text('engine'), 'text'],
    ['where', text('where'), 'text'],
    ['weights', text('weights'), 'text'],
    ['variant', text('variant'), 'text'],
    ['threads', cell('threads')],
    ['load', cell('loadMs')],
    ['first call', cell('firstMs')],
    ['later call', cell('laterMs')],
    ['real-time factor', cell('factor', 4)],
    ['over faster-whisper int8, 1 thread', cell('toNative', 2)],
    ['memory, MiB', cell('memoryMiB')],
    ['words unlike the first row', cell('unlike')],
  ];
  return [
    `tiny.en, trained weights, ${recording.split('/').at(-1)} (${number(duration)} s); milliseconds, ${runsText(runs)}.`,
    formatTable(rows, columns, format),
    limitLines(limits),
  ].join('\n\n');
}
