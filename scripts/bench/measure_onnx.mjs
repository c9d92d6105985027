// One run of every stage of onnxruntime-web's WebAssembly backend; in Node and in a browser's worker.
import { timed } from './measure_ours.mjs';
import { median, relativeError } from '../statistics.mjs';

/** Memories that are made from here on: the library does not show its own. */
function watchMemories() {
  const memories = [];
  const { Memory } = WebAssembly;
  WebAssembly.Memory = class extends Memory {
    constructor(descriptor) {
      super(descriptor);
      memories.push(this);
    }
  };
  return () => memories.reduce((sum, memory) => sum + memory.buffer.byteLength, 0);
}

/**
 * job: {encoder, prompt, step (paths of onnxModels()), mel, states (files of floats: the input, and what our encoder makes
 * of it), dims, threads, tokens, repeats}. Times in ms. The token's time is that of running the session alone:
 * the next token is not chosen, so that nothing but the library is measured.
 */
export async function measureOnnx(job, place) {
  const memoryBytes = watchMemories();
  const ort = await place.importModule(place.onnxEntry);
  ort.env.wasm.numThreads = job.threads;
  if (place.onnxFolder) ort.env.wasm.wasmPaths = place.onnxFolder;
  const sessions = {};
  const loadMs = {};
  for (const name of ['encoder', 'prompt', 'step']) {
    const bytes = await place.read(job[name]);
    [loadMs[name], sessions[name]] = await timed(() =>
      ort.InferenceSession.create(bytes, {
        executionProviders: ['wasm'],
        graphOptimizationLevel: 'all',
      }),
    );
  }
  const floats = async (path) => new Float32Array((await place.read(path)).slice().buffer);
  const { nMels, nAudioCtx, nTextLayer } = job.dims;
  const mel = new ort.Tensor('float32', await floats(job.mel), [1, nMels, 2 * nAudioCtx]);
  const whole = (list, dims) => new ort.Tensor('int64', BigInt64Array.from(list, BigInt), dims);
  const repeated = async (run) => {
    const [firstMs, result] = await timed(run);
    const times = [];
    for (let i = 0; i < job.repeats; ++i) times.push((await timed(run))[0]);
    return [firstMs, median(times), result];
  };

  const [firstEncodeMs, encodeMs, { states }] = await repeated(() => sessions.encoder.run({ mel }));
  const tokens = whole([50258, 50259, 50359, 50363], [1, 4]);
  const [, promptMs, prompt] = await repeated(() => sessions.prompt.run({ tokens, states }));
  let logits = prompt.logits;
  const caches = (kind, from, result, to) => {
    for (let layer = 0; layer < nTextLayer; ++layer) {
      for (const part of ['key', 'value'])
        to[`${kind}.${layer}.${part}`] = result[`${from}.${layer}.${part}`];
    }
    return to;
  };
  const cross = caches('cross', 'cross', prompt, {});
  let tokenMs;
  // The first round is the compiler's warm-up.
  for (const count of [8, job.tokens]) {
    const start = performance.now();
    let past = caches('past', 'self', prompt, {});
    for (let position = 4; position < 4 + count; ++position) {
      const inputs = { tokens: whole([464], [1, 1]), position: whole([position], [1]) };
      const result = await sessions.step.run({ ...inputs, ...past, ...cross });
      past = caches('past', 'self', result, {});
      logits = result.logits;
    }
    tokenMs = (performance.now() - start) / count;
  }
  if (!logits.data.every(Number.isFinite)) throw new Error('ONNX Runtime gives no numbers.');
  return {
    loadMs: loadMs.encoder + loadMs.prompt + loadMs.step,
    sessionLoadMs: loadMs,
    ...{ firstEncodeMs, encodeMs, promptMs, tokenMs },
    wasmBytes: memoryBytes(),
    encoderDifference: relativeError(states.data, await floats(job.states)),
  };
}
