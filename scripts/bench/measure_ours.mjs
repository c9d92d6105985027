// One run of every stage of our engine, through the package's own API; in Node and in a browser's worker.
import { median } from '../statistics.mjs';

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

/** loadModel() with so many threads; where the package knows no threads, one is all there is. Throws NoThreads. */
export async function openModel(loadModel, source, { variant, threads, ...more }) {
  let model;
  try {
    model = await loadModel(source, { variant, threads, ...more });
  } catch (error) {
    if (error.details?.subject !== 'threads') throw error;
    if (threads > 1) throw new NoThreads(error.message);
    return loadModel(source, { variant, ...more });
  }
  if (model.info.threads === threads) return model;
  model.dispose();
  throw new NoThreads(`there are ${model.info.threads}: ${model.info.threadsReason}`);
}
class NoThreads extends Error {}

/** What `work` returns, or {skipped: why} where there are not as many threads as it wants. */
export async function unlessNoThreads(work) {
  try {
    return await work();
  } catch (error) {
    if (error instanceof NoThreads) return { skipped: error.message };
    throw error;
  }
}

/** Loads from memory; the time counts from when the engine is ready for the first byte. */
async function load(loadModel, bytes, options) {
  let ready;
  const onProgress = () => (ready ??= performance.now());
  const model = await openModel(loadModel, bytes, { ...options, onProgress });
  return [performance.now() - ready, model];
}

/** Keys and values of cross-attention of a window: the difference that the decoder's other layers make. */
async function measureCross(one, all, layers, mel, repeats) {
  const differences = [];
  for (const model of [one, all]) await model.encode(mel);
  for (let i = 0; i < repeats; ++i) {
    const [less] = await timed(() => one.encode(mel));
    const [more] = await timed(() => all.encode(mel));
    differences.push(more - less);
  }
  return (median(differences) * layers) / (layers - 1);
}

async function decodeTime(model, audio, tokens, options) {
  const settings = { ...endless(model.tokenizer.special, tokens), ...options };
  const [time, { tokens: text }] = await timed(() => model.decode(audio, settings));
  if (text.length !== tokens) throw new Error(`The text ended after ${text.length} tokens.`);
  return time;
}

const fewTokens = 4;

/** The time that each of `tokens` tokens adds to decoding a window. */
async function measureTokens(model, audio, tokens, repeats, options = {}) {
  const times = [];
  for (let i = 0; i < repeats; ++i) {
    const short = await decodeTime(model, audio, fewTokens, options);
    times.push((await decodeTime(model, audio, fewTokens + tokens, options)) - short);
  }
  return median(times) / tokens;
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
 * job: {model, decoder (decoderModels(); absent: the model's own decoder is measured, and no cross-attention), audio, variant,
 * threads, tokens, repeats}. Times in ms. {skipped: why} where there are not so many threads.
 */
export const measureOurs = (job, place) => unlessNoThreads(() => measureStages(job, place));

async function measureStages(job, place) {
  const { variant, threads, tokens, repeats } = job;
  const { loadModel } = await place.importModule(place.packageEntry);
  const open = async (path) => openModel(loadModel, await place.read(path), { variant, threads });
  const start = threads === 1 && (await measureStart(place, variant));
  const bytes = await place.read(job.model);
  const audio = new Float32Array((await place.read(job.audio)).slice().buffer);
  const loadStart = performance.now();
  const [firstLoadMs, model] = await load(loadModel, bytes, { variant, threads });
  const coldLoadMs = performance.now() - loadStart;

  const [firstMelMs, mel] = await timed(() => model.logMel(audio));
  const [firstEncodeMs] = await timed(() => model.encode(mel));
  const prompt = Array(4).fill(model.tokenizer.special.startOfTranscript);
  const [firstPromptMs] = await timed(() => model.logits(prompt));
  const firstWindowMs = await decodeTime(model, audio, fewTokens + tokens);
  // By now the compiler has done what it does in the background.
  const melMs = await medianTime(repeats + 2, () => model.logMel(audio));
  const encodeMs = await medianTime(repeats, () => model.encode(mel));
  const promptMs = await medianTime(repeats + 2, () => model.logits(prompt));
  const shortMs = await decodeTime(model, audio, fewTokens);
  const windowMs = await decodeTime(model, audio, fewTokens + tokens);
  const memory = await model.memory();
  const abortMs = await measureAbort(model, audio, windowMs);

  const decoder = job.decoder ? await open(job.decoder.all) : model;
  const tokenMs = await measureTokens(decoder, audio, tokens, repeats);
  const beamTokenMs = await measureTokens(decoder, audio, tokens, repeats, { beamSize: 5 });
  let crossMs;
  if (job.decoder) {
    const { layers, one } = job.decoder;
    crossMs = await measureCross(await open(one), decoder, layers, mel, repeats + 2);
  }
  const [loadMs] = await load(loadModel, bytes, { variant, threads });
  return {
    ...start,
    ...{ coldLoadMs, firstLoadMs, firstMelMs, firstEncodeMs, firstPromptMs, firstWindowMs },
    ...{ loadMs, melMs, encodeMs, promptMs, windowMs, tokenMs, beamTokenMs, abortMs },
    ...(crossMs !== undefined && { crossMs }),
    wholeMs: loadMs + shortMs,
    memory,
    dims: model.info.dims,
  };
}
