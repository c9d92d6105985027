// Files for benchmarks in build/bench: models of Whisper's exact dimensions with random weights, the same weights as ONNX
// and as whisper.cpp's format, and sound. Their text is meaningless; speed does not depend on it.
import { existsSync, mkdirSync, openSync, closeSync, renameSync, rmSync, statSync } from 'node:fs';
import { readFileSync, writeFileSync, writeSync } from 'node:fs';
import { basename, join } from 'node:path';
import { whisper } from '../facts/read_facts.mjs';
import { readRanks } from '../hub_vocabulary.mjs';
import { writeRandomModel } from '../random_model.mjs';
import { root, StepError } from '../toolchain/steps.mjs';
import { wavSamples } from '../wav_samples.mjs';
import { writeGgmlFile } from './ggml_file.mjs';
import { encoderNetwork, promptNetwork, stepNetwork } from './onnx/whisper.mjs';
import { openSafetensors } from './safetensors.mjs';

const folder = 'build/bench';
const inRoot = (path) => join(root, path);
const { multilingualTextTokens: multilingualTokens } = whisper;
/** Makes all weights powers of two. With more bits LZ4 compresses less (with two bits to 72 % instead of 67 %). */
const mantissaBits = 0;

/** Makes `path` with `write(unfinished)` unless it is there and newer than what it is made of; returns the path. */
async function made(path, sources, write) {
  const madeOf = ['scripts/random_model.mjs', ...sources].map(inRoot);
  const newest = Math.max(...madeOf.map((source) => statSync(source).mtimeMs));
  if (existsSync(inRoot(path)) && statSync(inRoot(path)).mtimeMs > newest) return path;
  mkdirSync(inRoot(folder), { recursive: true });
  const unfinished = `${inRoot(path)}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  await write(unfinished);
  rmSync(inRoot(path), { recursive: true, force: true });
  renameSync(unfinished, inRoot(path));
  return path;
}

/** A rank file as large as the multilingual one: the bytes, then pairs of them. */
function writeRanks(path) {
  const tokens = [];
  for (let byte = 0; byte < 256; ++byte) tokens.push([byte]);
  for (let pair = 0; tokens.length < multilingualTokens - 1; ++pair) {
    tokens.push([pair >> 8, pair & 255]);
  }
  const lines = tokens.map((bytes, rank) => `${Buffer.from(bytes).toString('base64')} ${rank}`);
  writeFileSync(path, `${lines.join('\n')}\n= ${multilingualTokens - 1}\n`);
}

const ranksFile = () => made(`${folder}/ranks.tiktoken`, [], writeRanks);

/** A folder as the hub has them. `layers`: its `dims`. */
async function hubFolder(size, layers) {
  const name = layers ? `${size}-${layers.encoderLayers}-${layers.decoderLayers}` : size;
  const ranks = inRoot(await ranksFile());
  return made(`${folder}/${name}`, [], (path) =>
    writeRandomModel(size, ranks, path, { dims: layers }),
  );
}

/** Path, from the project's folder, of an APR2 file with these dimensions and weights of type `dtype`. */
export async function benchModel(size, dtype, layers) {
  const hub = await hubFolder(size, layers);
  const path = `${folder}/${basename(hub)}-${dtype}.apr`;
  return made(path, [hub, 'dist/engine.simd.wasm'], async (unfinished) => {
    const { convertModel } = await import('../../dist/model_files.node.mjs');
    await convertModel(inRoot(hub), unfinished, { dtype, compress: 'none', force: true });
  });
}

/**
 * Makes two files of one set of random weights, one plain and one LZ4: returns {none, lz4}, the paths under the converter's names
 * for compression. The weights are rounded so that LZ4 shrinks them. The folder with the source weights is deleted.
 */
export async function loadModels(size, dtype) {
  const ranks = inRoot(await ranksFile());
  const path = `${folder}/${size}-rounded-${dtype}`;
  const sources = ['scripts/bench/models.mjs', 'dist/files.wasm'];
  await made(path, sources, async (unfinished) => {
    const { convertModel } = await import('../../dist/model_files.node.mjs');
    const hub = join(unfinished, 'hub');
    writeRandomModel(size, ranks, hub, { mantissaBits });
    for (const compress of ['none', 'lz4']) {
      await convertModel(hub, join(unfinished, `${compress}.apr`), { dtype, compress });
    }
    rmSync(hub, { recursive: true });
  });
  return { none: `${path}/none.apr`, lz4: `${path}/lz4.apr` };
}

/**
 * Models of one size with random weights of each type: {type: {path, seconds (of the conversion)}}. The folder they are made of goes
 * again.
 */
export async function convertedModels(size, dtypes) {
  const ranks = inRoot(await ranksFile());
  const path = `${folder}/${size}-converted-${dtypes.join('-')}`;
  await made(path, ['scripts/bench/models.mjs', 'dist/files.wasm'], async (unfinished) => {
    const { convertModel } = await import('../../dist/model_files.node.mjs');
    const hub = join(unfinished, 'hub');
    writeRandomModel(size, ranks, hub, { dtype: 'f16' });
    const seconds = {};
    for (const dtype of dtypes) {
      const begun = performance.now();
      await convertModel(hub, join(unfinished, `${dtype}.apr`), { dtype, compress: 'none' });
      seconds[dtype] = (performance.now() - begun) / 1000;
    }
    rmSync(hub, { recursive: true });
    writeFileSync(join(unfinished, 'seconds.json'), JSON.stringify(seconds));
  });
  const seconds = JSON.parse(readFileSync(inRoot(`${path}/seconds.json`), 'utf8'));
  return Object.fromEntries(
    dtypes.map((dtype) => [dtype, { path: `${path}/${dtype}.apr`, seconds: seconds[dtype] }]),
  );
}

/**
 * Models with one encoder layer, in whose times the decoder's share is large: {one, all} with one and with all `layers` of
 * the size's decoder layers. Their encoders' times differ by the keys and values of cross-attention of the other layers.
 */
export async function decoderModels(size, dtype) {
  const { nTextLayer: layers } = await benchDims(size);
  const [one, all] = await Promise.all(
    [1, layers].map((decoderLayers) =>
      benchModel(size, dtype, { encoderLayers: 1, decoderLayers }),
    ),
  );
  return { one, all, layers };
}

function writeChunks(path, chunks) {
  const file = openSync(path, 'w');
  chunks.forEach((chunk) => writeSync(file, chunk));
  closeSync(file);
}

/** Paths of the three networks {encoder, prompt, step} with the same weights, 'fp32' or 'int8'. */
export async function onnxModels(size, precision, dims) {
  const hub = await hubFolder(size);
  const networks = { encoder: encoderNetwork, prompt: promptNetwork, step: stepNetwork };
  const paths = {};
  for (const [name, network] of Object.entries(networks)) {
    const path = `${folder}/${size}.${name}.${precision}.onnx`;
    const sources = [hub, 'scripts/bench/onnx/whisper.mjs', 'scripts/bench/onnx/graph.mjs'];
    paths[name] = await made(path, sources, (unfinished) => {
      const weights = openSafetensors(inRoot(`${hub}/model.safetensors`));
      const tensor = (tensorName) => weights.tensor(`model.${tensorName}`);
      writeChunks(unfinished, network(tensor, dims, precision));
      weights.close();
    });
  }
  return paths;
}

/** Path of the same model for whisper.cpp, in Q8_0, whose text ends at once. */
export async function ggmlModel(size, dims) {
  const hub = await hubFolder(size);
  const ranks = await ranksFile();
  return made(`${folder}/${size}-q8_0.bin`, [hub, 'scripts/bench/ggml_file.mjs'], (unfinished) => {
    const weights = openSafetensors(inRoot(`${hub}/model.safetensors`));
    const tokens = readRanks(inRoot(ranks));
    // Any filterbank takes the same time.
    const filterbank = new Float32Array(dims.nMels * whisper.frequencyBins).fill(0.01);
    writeGgmlFile(unfinished, dims, weights, tokens, filterbank, multilingualTokens);
    weights.close();
  });
}

/** Seeded noise with pauses, 16 kHz: something like the loudness of speech. */
export function benchAudio(seconds) {
  const samples = new Float32Array(seconds * whisper.sampleRate);
  let state = 1;
  let smooth = 0;
  for (let i = 0; i < samples.length; ++i) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    smooth += 0.2 * (state / 0x80000000 - 1 - smooth);
    samples[i] = 0.3 * smooth * Math.max(0, Math.sin(i / 4000));
  }
  return samples;
}

/** Samples of a 16 kHz mono WAV file with a plain header. */
export function readRecording(path) {
  const bytes = readFileSync(path);
  if (bytes.readUInt32LE(24) !== whisper.sampleRate || bytes.readUInt16LE(22) !== 1) {
    throw new StepError(`${path} is not 16 kHz mono.`);
  }
  return wavSamples(bytes);
}

const writeFloats = (path, values) =>
  writeFileSync(path, new Uint8Array(values.buffer, values.byteOffset, values.byteLength));

/** Path of a file of 30 s of raw samples. */
export const noiseFile = () =>
  made(`${folder}/noise.f32`, ['scripts/bench/models.mjs'], (path) =>
    writeFloats(path, benchAudio(30)),
  );

/** Path of a file of the samples of a 16 kHz mono WAV file with a plain header, its first `seconds`. */
export function samplesFile(wav, seconds = Infinity) {
  const samples = readRecording(wav).subarray(0, seconds * whisper.sampleRate);
  const path = `${folder}/recording.f32`;
  mkdirSync(inRoot(folder), { recursive: true });
  writeFloats(inRoot(path), samples);
  return path;
}

/** Dimensions of a size, with the names of model.info.dims. */
export async function benchDims(size) {
  const config = JSON.parse(readFileSync(inRoot(`${await hubFolder(size)}/config.json`), 'utf8'));
  return {
    nVocab: config.vocab_size,
    nAudioCtx: config.max_source_positions,
    nAudioState: config.d_model,
    nAudioHead: config.encoder_attention_heads,
    nAudioLayer: config.encoder_layers,
    nTextCtx: config.max_target_positions,
    nTextState: config.d_model,
    nTextHead: config.decoder_attention_heads,
    nTextLayer: config.decoder_layers,
    nMels: config.num_mel_bins,
  };
}

/** Files of the mel of noiseFile() and of what our encoder makes of it with f32 weights: {mel, states}. */
export async function referenceFiles(size) {
  const model = await benchModel(size, 'f32');
  const sources = [model, await noiseFile(), 'dist/engine.simd.wasm'];
  const results = {};
  const compute = async () => {
    const { loadModel } = await import('../../dist/node.mjs');
    const engine = await loadModel(inRoot(model), { variant: 'simd' });
    results.logMel = await engine.logMel(benchAudio(30));
    results.states = await engine.encode(results.logMel);
    engine.dispose();
  };
  const file = (name, values) =>
    made(`${folder}/${size}.${name}.f32`, sources, async (path) => {
      if (!results.states) await compute();
      writeFloats(path, values());
    });
  return {
    mel: await file('mel', () => results.logMel.data),
    states: await file('states', () => results.states),
  };
}
