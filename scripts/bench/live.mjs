// How well streams of an .april model keep up with speech, beside the engine that the format comes from and onnxruntime-web: each
// in turn, one thread each.
//
//   node scripts/random_april.mjs random.april
//   node scripts/bench/live.mjs [--runs 3] [--python PYTHON] random.april AUDIO.wav
//
// PYTHON: of an environment with PyPI's april-asr 0.0.4; without it that engine is left out. Relaxed SIMD needs Node 24. What is
// left out is said on stderr.
// Ours and april-asr are fed the recording in pieces of 40 ms; a chunk is what takes such a piece, or several. onnxruntime-web
// runs the encoder alone, once for each 40 ms.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { main, root, run, StepError } from '../toolchain/steps.mjs';
import { wavSamples } from '../wav_samples.mjs';
import { median, quantile } from '../statistics.mjs';
import { ensurePeers } from './peers.mjs';

const peerEntry = join(
  root,
  'build/bench/peers/node_modules/onnxruntime-web/dist/ort.node.min.mjs',
);
const pieceSeconds = 0.04;
const sampleRate = 16000;
const pieceSamples = sampleRate * pieceSeconds;

/** Milliseconds of each call of `work`, one for each piece. */
async function timePieces(count, work) {
  const times = [];
  for (let i = 0; i < count; ++i) {
    const begin = performance.now();
    await work(i);
    times.push(performance.now() - begin);
  }
  return times;
}

async function ours(path, samples, variant, dtype) {
  const { loadModel } = await import('../../dist/node.mjs');
  const model = await loadModel(path, { variant, dtype });
  const pieces = Math.floor(samples.length / pieceSamples);
  const measure = async () => {
    const stream = model.stream({ sampleRate });
    const read = (async () => {
      for await (const event of stream) void event;
    })();
    const times = await timePieces(pieces, (i) =>
      stream.feed(samples.subarray(i * pieceSamples, (i + 1) * pieceSamples)),
    );
    await stream.close();
    await read;
    return times;
  };
  const used = model.info.variant;
  return { name: `Susurrus, ${dtype}, ${used}`, measure, close: () => model.dispose() };
}

async function onnxruntime(encoderPath, pieces) {
  await ensurePeers();
  const ort = await import(peerEntry);
  ort.env.wasm.numThreads = 1;
  const session = await ort.InferenceSession.create(readFileSync(encoderPath), {
    executionProviders: ['wasm'],
    graphOptimizationLevel: 'all',
  });
  const inputs = Object.fromEntries(
    session.inputMetadata.map(({ name, shape }) => {
      const dims = shape.map((dim) => (typeof dim === 'number' && dim > 0 ? dim : 1));
      const count = dims.reduce((product, dim) => product * dim, 1);
      return [name, new ort.Tensor('float32', new Float32Array(count).fill(0.1), dims)];
    }),
  );
  return {
    name: `onnxruntime-web ${ort.env.versions.web}, f32, encoder alone`,
    measure: () => timePieces(pieces, () => session.run(inputs)),
    close: () => session.release(),
  };
}

const aprilProgram = `
import sys, time, wave, json
import april_asr as april
model = april.Model(sys.argv[1])
with wave.open(sys.argv[2]) as audio:
    pcm = audio.readframes(audio.getnframes())
session = april.Session(model, lambda kind, tokens: None)
times = []
for at in range(0, len(pcm) - ${2 * pieceSamples} + 1, ${2 * pieceSamples}):
    begin = time.perf_counter()
    session.feed_pcm16(pcm[at:at + ${2 * pieceSamples}])
    times.append(1000 * (time.perf_counter() - begin))
session.flush()
print(json.dumps(times))
`;

function aprilAsr(python, model, audio) {
  if (!python) throw new StepError('no --python.');
  const measure = async () => {
    const env = { OMP_NUM_THREADS: '1' };
    const { output } = await run('taskset', ['-c', '0', python, '-c', aprilProgram, model, audio], {
      env,
      what: 'april-asr',
    });
    return JSON.parse(output.trim().split('\n').at(-1));
  };
  return { name: 'april-asr 0.0.4, native, f32', measure, close: () => undefined };
}

async function orLeftOut(name, open) {
  try {
    return await open();
  } catch (error) {
    console.error(`${name} is left out: ${error.message}`);
    return undefined;
  }
}

await main(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { runs: { type: 'string', default: '3' }, python: { type: 'string' } },
  });
  const [modelPath, audioPath] = positionals;
  if (!audioPath) throw new StepError('Wanted: MODEL.april AUDIO.wav');
  const samples = wavSamples(readFileSync(audioPath));
  const seconds = samples.length / sampleRate;
  const folder = mkdtempSync(join(tmpdir(), 'live-'));
  try {
    const encoder = join(folder, 'encoder.onnx');
    const cli = join(root, 'dist/cli.mjs');
    await run(process.execPath, [cli, 'extract', modelPath, 'encoder', encoder]);
    const engines = [
      await orLeftOut('Susurrus, relaxed', () => ours(modelPath, samples, 'relaxed', 'q8_0')),
      await ours(modelPath, samples, 'simd', 'q8_0'),
      await onnxruntime(encoder, Math.floor(seconds / pieceSeconds)),
      await orLeftOut('april-asr', () => aprilAsr(values.python, modelPath, audioPath)),
    ].filter(Boolean);
    const times = engines.map(() => []);
    for (let round = 0; round < Number(values.runs); ++round) {
      for (const [i, engine] of engines.entries()) times[i].push(await engine.measure());
    }
    for (const [i, engine] of engines.entries()) {
      const sum = (one) => one.reduce((total, time) => total + time, 0);
      const factor = median(times[i].map(sum)) / 1000 / seconds;
      // A piece that only waits for the next ones takes next to nothing.
      const chunks = times[i].flat().filter((time) => time > 1);
      console.log(
        `${engine.name}: ${factor.toFixed(3)} x real time, a chunk ${median(chunks).toFixed(1)} ms, ` +
          `95 % within ${quantile(chunks, 0.95).toFixed(1)} ms`,
      );
      await engine.close();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
