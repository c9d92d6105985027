// What cases are drawn from: model folders as Susurrus's files, and recordings as raw samples.
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { root, StepError } from '../toolchain/steps.mjs';
import { sampleRate } from './audio.mjs';
import { Random } from './random.mjs';

const shared = resolve(root, process.env.SUSURRUS_SHARED ?? '../shared');
const goldenModels = ['micro', 'micro-en', 'micro-v3-turbo'];
const audioFolders = ['recordings/audio', 'golden/audio'];

/** Noise of a copy, in deviations of each tensor: from nearly the same model to quite another. */
const amounts = [0.02, 0.3, 0.05, 0.1];

function needed(path, advice) {
  if (!existsSync(path)) throw new StepError(`There is no ${path}.`, advice);
  return path;
}

/** Folders of the goldens' models, or the one that was named. */
function modelFolders(named) {
  const advice =
    'SUSURRUS_SHARED names the shared folder; --model FOLDER takes a Whisper of the hub.';
  if (named) return [{ name: basename(resolve(named)), folder: needed(resolve(named), advice) }];
  return goldenModels.map((name) => ({
    name,
    folder: needed(join(shared, 'golden/models', name), advice),
  }));
}

function dimensionsOf(folder) {
  const read = (name) => JSON.parse(readFileSync(join(folder, name), 'utf8'));
  if (existsSync(join(folder, 'dims.json'))) return read('dims.json');
  const { vocab_size, max_target_positions } = read('config.json');
  return { n_vocab: vocab_size, n_text_ctx: max_target_positions };
}

/** Susurrus's file of a folder, with f32 weights: every value of f16, bf16 and f32 is kept. */
async function converted({ name, folder }, { scratch, assets, engine }) {
  const { convertModel } = await import(engine);
  const dims = dimensionsOf(folder);
  const hasVocabulary = ['vocab.json', 'tokenizer.json'].some((file) =>
    existsSync(join(folder, file)),
  );
  const ranks = join(assets, dims.n_vocab >= 51865 ? 'multilingual.tiktoken' : 'gpt2.tiktoken');
  const file = join(scratch, `${name}.apr`);
  await convertModel(folder, file, {
    ...{ dtype: 'f32', compress: 'none', force: true },
    ...(!hasVocabulary && { vocabulary: ranks }),
  });
  return { name, folder, file, dims };
}

/** [{ name, folder, file, dims }]: the models and `copies` copies of each with noise on the weights. */
export async function prepareModels({ named, copies, seed, reference, ...places }) {
  const { scratch } = places;
  const folders = modelFolders(named);
  for (const { name, folder } of [...folders]) {
    for (let copy = 1; copy <= copies; ++copy) {
      const to = join(scratch, `${name}~${copy}`);
      mkdirSync(to);
      const amount = amounts[(copy - 1) % amounts.length];
      const noise = { seed: new Random(`copy/${seed}/${name}/${copy}`).bits(), amount };
      await reference.need({ command: 'copy', from: folder, to, ...noise });
      folders.push({ name: `${name}~${copy}`, folder: to });
    }
  }
  const models = [];
  for (const each of folders) models.push(await converted(each, places));
  return models;
}

/** [{ name, file, samples }]: raw f32 files of the recordings, those of the shared folder or the ones that were named. */
export async function prepareRecordings({ named, scratch, reference }) {
  const folders = audioFolders.map((folder) => join(shared, folder));
  const advice = 'SUSURRUS_SHARED names the shared folder; --audio FILES takes recordings.';
  const paths = named.length
    ? named.map((path) => needed(resolve(path), advice))
    : folders.flatMap((folder) =>
        readdirSync(needed(folder, advice))
          .filter((name) => name.endsWith('.wav'))
          .map((name) => join(folder, name)),
      );
  const recordings = [];
  for (const [i, path] of paths.entries()) {
    const file = join(scratch, `recording${i}.f32`);
    const { samples } = await reference.need({ command: 'audio', file: path, to: file });
    if (samples < sampleRate / 10) throw new StepError(`${path} is shorter than 0.1 s.`);
    recordings.push({ name: `${i} ${basename(path)}`, file, samples });
  }
  return recordings;
}
