// The models that are compared: folders as the hub has them, and the files that the converter makes of them.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { whisper } from '../../facts/read_facts.mjs';
import { writeRandomModel } from '../../random_model.mjs';
import { root } from '../../toolchain/steps.mjs';
import { ensureTrainedFolder } from '../../trained_model.mjs';
import { writeStoredValues } from './stored_values.mjs';

export const shared = resolve(root, process.env.SUSURRUS_SHARED ?? '../shared');
const build = join(root, 'build/accuracy');
const ranks = join(shared, 'golden/tokenizer/multilingual.tiktoken');

const random = (size, outliers) => () => {
  const folder = join(build, `${size}${outliers ? '-outliers' : ''}`);
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  writeRandomModel(size, ranks, unfinished, { outliers });
  renameSync(unfinished, folder);
  return folder;
};

const golden = (name) => () => join(shared, 'golden/models', name);

/** Name → the folder, made when it is first asked for. */
export const folders = {
  digits: () => join(shared, 'digits-model/model'),
  'tiny.en': ensureTrainedFolder,
  tiny: random('tiny', false),
  'tiny, outliers': random('tiny', true),
  base: random('base', false),
  'base, outliers': random('base', true),
  // Small random models, f16, that the reference's results are of.
  micro: golden('micro'),
  'micro-en': golden('micro-en'),
  'micro-v3-turbo': golden('micro-v3-turbo'),
};

/** Model files of a folder, made by the package `api` when they are wanted, and removed by clear(). */
export class ModelFiles {
  #api;
  #source;
  #folder;

  constructor(api, name, source) {
    this.#api = api;
    this.#source = source;
    this.#folder = join(build, `${name} files`);
    mkdirSync(this.#folder, { recursive: true });
  }

  async converted(dtype) {
    return this.#convert(this.#source, dtype, `${dtype}.apr`);
  }

  /** f32 weights of just the values that the file in `dtype` has. */
  async sameValues(dtype) {
    const name = `values-of-${dtype}.apr`;
    if (existsSync(join(this.#folder, name))) return join(this.#folder, name);
    const path = await this.converted(dtype);
    const values = join(this.#folder, 'values');
    const { tensors } = await this.#api.inspect(path);
    writeStoredValues(path, tensors, this.#source, values);
    const made = await this.#convert(values, 'f32', name);
    rmSync(values, { recursive: true });
    return made;
  }

  async #convert(source, dtype, name) {
    const path = join(this.#folder, name);
    if (!existsSync(path)) {
      await this.#api.convertModel(source, path, { dtype, compress: 'none' });
    }
    return path;
  }

  clear() {
    rmSync(this.#folder, { recursive: true });
  }
}

/** 30 s of a 16 kHz mono s16 recording from this second on, or what there is. */
export function window(file, second = 0) {
  const bytes = readFileSync(join(shared, file));
  const pcm = new Int16Array(
    bytes.buffer.slice(bytes.byteOffset + 44, bytes.byteOffset + bytes.length - (bytes.length % 2)),
  );
  return Float32Array.from(
    pcm.subarray(second * whisper.sampleRate, (second + 30) * whisper.sampleRate),
    (s) => s / 32768,
  );
}
