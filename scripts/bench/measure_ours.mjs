// One run of every stage of our engine, through the package's own API; in Node and in a browser's worker.
import { median } from './statistics.mjs';

export async function timed(work) {
  const start = performance.now();
  const result = await work();
  return [performance.now() - start, result];
}

/** The median time of `count` calls. */
async function medianTime(count, work) {
  const times = [];
  for (let i = 0; i < count; ++i) times.push((await timed(work))[0]);
  return median(times);
}

/** Random weights go round in circles, which the default mode would cut short; their text must not end either. */
const endless = ({ endOfText }, sampleLength) => ({
  language: 'en',
  timestamps: 'none',
  compatibility: 'openai',
  suppressTokens: [-1, endOfText],
  sampleLength,
});

/** Compiling the engine and making an instance, without a model. */
async function measureStart(place, variant) {
  const code = await place.read(`dist/engine.${variant}.wasm`);
  const { default: createEngine } = await place.importModule('dist/engine.mjs');
  const [compileMs, compiled] = await timed(() => WebAssembly.compile(code));
  const [instantiateMs] = await timed(() =>
    createEngine({
      instantiateWasm(imports, receive) {
        WebAssembly.instantiate(compiled, imports).then((instance) => receive(instance, compiled));
        return {};
      },
    }),
  );
  return { compileMs, instantiateMs };
}

/** Loads from memory; the time counts from when the engine is ready for the first byte. */
async function load(loadModel, bytes, options) {
  let ready;
  const onProgress = () => (ready ??= performance.now());
  const model = await loadModel(bytes, { ...options, onProgress });
  return [performance.now() - ready, model];
}

/**
 * Keys and values of cross-attention of a window, by difference: two models that have the same encoder and another number of
 * decoder layers take turns.
 */
async function measureCross({ few, many, layers }, open, place, mel, repeats) {
  const models = [];
  for (const path of [few, many]) models.push(await open(await place.read(path)));
  const differences = [];
  for (const model of models) await model.encode(mel);
  for (let i = 0; i < repeats; ++i) {
    const [[less], [more]] = [
      await timed(() => models[0].encode(mel)),
      await timed(() => models[1].encode(mel)),
    ];
    differences.push(more - less);
  }
  models.forEach((model) => model.dispose());
  return { crossMs: median(differences), crossLayers: layers };
}

/** The time that each of `tokens` tokens adds to decoding a window. */
async function measureTokens(model, audio, tokens, options = {}) {
  const { special } = model.tokenizer;
  const decode = (count) =>
    timed(() => model.decode(audio, { ...endless(special, count), ...options }));
  const few = 4;
  const [shortMs] = await decode(few);
  const [longMs, { tokens: text }] = await decode(few + tokens);
  if (text.length !== few + tokens) throw new Error(`The text ended after ${text.length} tokens.`);
  return { tokenMs: (longMs - shortMs) / tokens, shortMs };
}

/** From an abort to the end of the call, at worst; the abort comes in the encoder and among the tokens. */
async function measureAbort(model, audio, windowMs) {
  let worst = 0;
  for (const part of [0.1, 0.4, 0.9]) {
    const controller = new AbortController();
    const options = { ...endless(model.tokenizer.special, 100), signal: controller.signal };
    const ended = model.decode(audio, options).catch((error) => error);
    await new Promise((done) => setTimeout(done, part * windowMs));
    const [latency] = await timed(() => {
      controller.abort();
      return ended;
    });
    worst = Math.max(worst, latency);
  }
  return worst;
}

/**
 * job: {model, audio, variant, threads, tokens, repeats, cross (crossAttentionModels(), or absent)}. Times in ms. {skipped: why} where this package knows no threads.
 */
export async function measureOurs(job, place) {
  const { variant, threads, tokens, repeats } = job;
  const { loadModel } = await place.importModule(place.packageEntry);
  const options = { variant, ...(threads > 1 && { threads }) };
  const start = await measureStart(place, variant);
  const bytes = await place.read(job.model);
  const audio = new Float32Array((await place.read(job.audio)).slice().buffer);
  let first;
  const openMs = performance.now();
  try {
    first = await load(loadModel, bytes, options);
  } catch (error) {
    if (threads > 1) return { skipped: `${threads} threads: ${error.message}` };
    throw error;
  }
  const [firstLoadMs, model] = first;
  const coldLoadMs = performance.now() - openMs;
  try {
    const [firstMelMs, mel] = await timed(() => model.logMel(audio));
    const [firstEncodeMs] = await timed(() => model.encode(mel));
    const start4 = Array(4).fill(model.tokenizer.special.startOfTranscript);
    const [firstPromptMs] = await timed(() => model.logits(start4));
    // Whatever the compiler still does in the background is done after this.
    const { tokenMs: firstTokenMs } = await measureTokens(model, audio, 8);

    const melMs = await medianTime(repeats + 2, () => model.logMel(audio));
    const encodeMs = await medianTime(repeats, () => model.encode(mel));
    const promptMs = await medianTime(repeats + 2, () => model.logits(start4));
    const { tokenMs, shortMs } = await measureTokens(model, audio, tokens);
    const { tokenMs: beamTokenMs } = await measureTokens(model, audio, tokens, { beamSize: 5 });
    const abortMs = await measureAbort(model, audio, shortMs + 100 * tokenMs);
    const memory = await model.memory();
    const open = (file) => loadModel(file, options);
    const cross = job.cross && (await measureCross(job.cross, open, place, mel, repeats + 2));
    const [loadMs, again] = await load(loadModel, bytes, options);
    again.dispose();
    return {
      ...start,
      ...{ coldLoadMs, firstLoadMs, firstMelMs, firstEncodeMs, firstPromptMs, firstTokenMs },
      ...{ loadMs, melMs, encodeMs, promptMs, tokenMs, beamTokenMs, abortMs },
      ...cross,
      wholeMs: loadMs + shortMs,
      memory,
      dims: model.info.dims,
    };
  } finally {
    model.dispose();
  }
}
