// npm run bench: how fast this build is, stage by stage, on one thread in this Node.
//
//   node scripts/bench/bench.mjs [--model FILE] [--size tiny|base|small] [--dtype f32,f16,q8_0]
//                                [--variant simd,relaxed] [--runs N] [--json]
//
// Without --model it makes models of Whisper's exact dimensions with random weights. Every figure is the median of
// alternating runs. Operations are counted two a multiply-accumulate, in matrix products only.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { relaxedSimdFlags } from '../toolchain/node_flags.mjs';
import { main, root, StepError } from '../toolchain/steps.mjs';
import { benchAudio, benchModel } from './bench_model.mjs';

const { values } = parseArgs({
  options: {
    model: { type: 'string' },
    size: { type: 'string', default: 'tiny' },
    dtype: { type: 'string', default: 'f32,f16,q8_0' },
    variant: { type: 'string', default: 'simd,relaxed' },
    runs: { type: 'string', default: '3' },
    json: { type: 'boolean', default: false },
  },
});

// Random weights go round in circles, which the default mode would cut short.
const windowOptions = { language: 'en', timestamps: 'none', compatibility: 'openai' };

const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

async function milliseconds(work) {
  const start = performance.now();
  const result = await work();
  return [performance.now() - start, result];
}

/** Operations of the encoder and of the cross-attention's keys and values, for one window. */
function encoderOperations(dims) {
  const { nAudioCtx: n, nAudioState: s, nMels, nAudioLayer, nTextLayer } = dims;
  const convolutions = 2 * n * s * nMels * 3 + n * s * s * 3;
  const layer = n * 12 * s * s + 2 * n * n * s;
  return 2 * (convolutions + nAudioLayer * layer + nTextLayer * 2 * n * s * s);
}

/** From an abort to the end of the call, at worst; the abort comes in the encoder and among the tokens. */
async function abortLatency(engine, window, windowMilliseconds) {
  let worst = 0;
  for (const part of [0.1, 0.4, 0.9]) {
    const controller = new AbortController();
    const ended = engine
      .decode(window, { ...windowOptions, signal: controller.signal })
      .catch((error) => error);
    await new Promise((done) => setTimeout(done, part * windowMilliseconds));
    const [latency] = await milliseconds(() => {
      controller.abort();
      return ended;
    });
    worst = Math.max(worst, latency);
  }
  return worst;
}

/** One run of every stage. */
async function measure(loadModel, model, variant) {
  const bytes = readFileSync(model);
  const [load, engine] = await milliseconds(() => loadModel(bytes, { variant }));
  try {
    const window = benchAudio(30);
    // The compiler's warm-up is not what is measured.
    await engine.encode(await engine.logMel(window));
    const [mel, logMel] = await milliseconds(() => engine.logMel(window));
    const [encode] = await milliseconds(() => engine.encode(logMel));
    const { startOfTranscript: start } = engine.tokenizer.special;
    await engine.logits([start]);
    const [prompt] = await milliseconds(() => engine.logits([start, start, start, start]));
    const [decode, decoded] = await milliseconds(() => engine.decode(window, windowOptions));
    const tokens = decoded.tokens.length;
    if (tokens < 8) throw new StepError(`This model ends after ${tokens} tokens; no token time.`);
    return {
      load,
      mel,
      encode,
      prompt,
      token: (decode - mel - encode - prompt) / tokens,
      abort: await abortLatency(engine, window, decode),
      tokens,
      memory: await engine.memory(),
      dims: engine.info.dims,
    };
  } finally {
    engine.dispose();
  }
}

async function bench() {
  if (!existsSync(join(root, 'dist/node.mjs'))) {
    throw new StepError('There is no build in dist.', 'Build it first: npm run build.');
  }
  const { loadModel } = await import('../../dist/node.mjs');
  const variants = values.variant.split(',');
  const models = [];
  if (values.model) models.push([values.model, values.model]);
  for (const dtype of values.model ? [] : values.dtype.split(',')) {
    models.push([`${values.size} ${dtype}`, await benchModel(values.size, dtype)]);
  }
  const cases = models.flatMap(([name, path]) =>
    variants.map((variant) => ({ name, path, variant, runs: [] })),
  );
  for (let run = 0; run < Number(values.runs); ++run) {
    for (const one of cases) one.runs.push(await measure(loadModel, one.path, one.variant));
  }
  return cases.map(({ name, variant, runs }) => {
    const of = (field) => median(runs.map((run) => run[field]));
    const { dims, memory, tokens } = runs[0];
    const encode = of('encode');
    return {
      model: name,
      variant,
      loadMs: of('load'),
      melMs: of('mel'),
      encodeMs: encode,
      encodeGflops: encoderOperations(dims) / encode / 1e6,
      promptOf4Ms: of('prompt'),
      tokenMs: of('token'),
      tokens,
      abortMs: Math.max(...runs.map((run) => run.abort)),
      wasmMiB: memory.wasmBytes / 2 ** 20,
      weightMiB: memory.weightBytes / 2 ** 20,
    };
  });
}

function print(rows) {
  const columns = [
    ['model', 'model'],
    ['variant', 'variant'],
    ['loadMs', 'load ms', 0],
    ['melMs', 'mel ms', 1],
    ['encodeMs', 'encoder ms', 0],
    ['encodeGflops', 'GFLOP/s', 1],
    ['promptOf4Ms', 'prompt ms', 1],
    ['tokenMs', 'token ms', 2],
    ['abortMs', 'abort ms', 0],
    ['weightMiB', 'weights MiB', 1],
    ['wasmMiB', 'memory MiB', 1],
  ];
  const text = (row, [field, , digits]) =>
    digits === undefined ? row[field] : row[field].toFixed(digits);
  const lines = [
    columns.map(([, title]) => title),
    ...rows.map((row) => columns.map((column) => text(row, column))),
  ];
  const widths = columns.map((_, i) => Math.max(...lines.map((line) => line[i].length)));
  for (const line of lines) {
    console.log(
      line.map((cell, i) => (i < 2 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join('  '),
    );
  }
  console.log(
    `\nNode ${process.versions.node}, 1 thread, medians of ${values.runs} alternating runs; the encoder's time ` +
      'includes the keys and values of cross-attention. Abort: the longest wait for the call to end.',
  );
}

await main(async () => {
  const flags = relaxedSimdFlags();
  const wantsRelaxed = values.variant.split(',').includes('relaxed');
  if (wantsRelaxed && flags === undefined) {
    throw new StepError('This Node has no relaxed SIMD.', 'Use --variant simd, or Node 22.');
  }
  const missing = wantsRelaxed ? flags.filter((flag) => !process.execArgv.includes(flag)) : [];
  if (missing.length > 0) {
    const self = fileURLToPath(import.meta.url);
    const all = [...missing, ...process.execArgv, self, ...process.argv.slice(2)];
    process.exitCode = spawnSync(process.execPath, all, { stdio: 'inherit' }).status ?? 1;
    return;
  }
  const rows = await bench();
  if (values.json) console.log(JSON.stringify(rows, null, 2));
  else print(rows);
});
