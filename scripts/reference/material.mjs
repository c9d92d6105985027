// What cases are drawn from: model folders as Susurrus's files, and recordings as raw samples.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { readFacts, whisper } from '../facts/read_facts.mjs';
import { root, StepError } from '../toolchain/steps.mjs';
import { ensureTrainedFolder, isTrainedName, trainedNames } from '../trained_model.mjs';
import { sampleRate } from './audio.mjs';
import { Random } from './random.mjs';

const shared = resolve(root, process.env.SUSURRUS_SHARED ?? '../shared');
const goldenModels = ['micro', 'micro-en', 'micro-v3-turbo'];
const speechFolder = 'recordings/audio';
const audioFolders = [speechFolder, 'golden/audio'];

/** Noise of a copy, in deviations of each tensor: from nearly the same model to quite another. */
const amounts = [0.02, 0.3, 0.05, 0.1];

function needed(path, advice) {
  if (!existsSync(path)) throw new StepError(`There is no ${path}.`, advice);
  return path;
}

/** A trained model as a folder of the hub, which the reference reads. */
async function trainedModel(name, { scratch, engine }) {
  const { convertModel } = await import(join(dirname(engine), 'model_files.node.mjs'));
  const folder = join(scratch, name);
  const source = await ensureTrainedFolder({ name });
  await convertModel(source, folder, { format: 'safetensors', dtype: 'f32' });
  return { name, folder };
}

/** Folders of the goldens' models, or the one that was named. */
async function modelFolders(named, places) {
  const advice = `SUSURRUS_SHARED names the shared folder; --model takes a Whisper folder of the hub or one of ${trainedNames.join(', ')}.`;
  if (named && isTrainedName(named)) return [await trainedModel(named, places)];
  if (named) return [{ name: basename(resolve(named)), folder: needed(resolve(named), advice) }];
  return goldenModels.map((name) => ({
    name,
    folder: needed(join(shared, 'golden/models', name), advice),
  }));
}

/** Vocabulary sizes of English-only models, multilingual models, and multilingual models with Cantonese. */
const vocabularySizes = readFacts('whisper').vocabularies.map(({ size }) => size);

function dimensionsOf(folder) {
  const read = (name) => JSON.parse(readFileSync(needed(join(folder, name)), 'utf8'));
  const config = existsSync(join(folder, 'dims.json')) ? undefined : read('config.json');
  const { n_vocab, n_text_ctx } = config
    ? { n_vocab: config.vocab_size, n_text_ctx: config.max_target_positions }
    : read('dims.json');
  if (vocabularySizes.includes(n_vocab)) return { n_vocab, n_text_ctx };
  throw new StepError(
    `${folder} has ${n_vocab} tokens.`,
    `The reference brings its own vocabularies, of ${vocabularySizes.join(', ')} tokens.`,
  );
}

/** What a folder's files may say about decoding. The reference does not read it: it has settings of its own. */
const decodingSettings = [
  'suppress_tokens',
  'begin_suppress_tokens',
  'max_initial_timestamp_index',
];

/** The folder, or one of links to its files whose JSON lacks decoding settings. */
function withoutDecodingSettings({ name, folder }, scratch) {
  const rewritten = new Map();
  for (const file of ['config.json', 'generation_config.json']) {
    if (!existsSync(join(folder, file))) continue;
    const content = JSON.parse(readFileSync(join(folder, file), 'utf8'));
    if (!decodingSettings.some((key) => key in content)) continue;
    for (const key of decodingSettings) delete content[key];
    rewritten.set(file, JSON.stringify(content));
  }
  if (rewritten.size === 0) return folder;
  const to = join(scratch, `${name} as the reference reads it`);
  mkdirSync(to);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) continue;
    const text = rewritten.get(entry.name);
    if (text) writeFileSync(join(to, entry.name), text);
    else symlinkSync(join(folder, entry.name), join(to, entry.name));
  }
  return to;
}

/** Susurrus's file of a folder, with f32 weights: every value of f16, bf16 and f32 is kept. */
async function converted({ name, folder }, { scratch, assets, engine }) {
  const { convertModel } = await import(join(dirname(engine), 'model_files.node.mjs'));
  const dims = dimensionsOf(folder);
  const hasVocabulary = ['vocab.json', 'tokenizer.json'].some((file) =>
    existsSync(join(folder, file)),
  );
  const ranks = join(
    assets,
    dims.n_vocab >= whisper.multilingualVocabulary ? 'multilingual.tiktoken' : 'gpt2.tiktoken',
  );
  const file = join(scratch, `${name}.apr`);
  await convertModel(withoutDecodingSettings({ name, folder }, scratch), file, {
    ...{ dtype: 'f32', compress: 'none', force: true },
    ...(!hasVocabulary && { vocabulary: ranks }),
  });
  return { name, folder, file, dims };
}

/** [{ name, folder, file, dims }]: the models and `copies` copies of each with noise on the weights. */
export async function prepareModels({ named, copies, seed, reference, ...places }) {
  const { scratch } = places;
  const folders = await modelFolders(named, places);
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

/**
 * [{ name, path, file, samples }]: raw f32 files of the recordings, those of the shared folder or the ones that were named. `isSpeech`
 * leaves out those that are there for their format.
 */
export async function prepareRecordings({ named, isSpeech, scratch, reference }) {
  const folders = (isSpeech ? [speechFolder] : audioFolders).map((folder) => join(shared, folder));
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
    recordings.push({ name: `${i} ${basename(path)}`, path, file, samples });
  }
  return recordings;
}
