import { sourceFailed, SusurrusError } from '../../src/api/errors.js';
import { badFile, isObject, readJsonObject, type JsonObject } from './json_files.js';
import {
  isJsonText,
  readRange,
  refusalNote,
  type SourceFolder,
} from '../../src/platform/source_folder.js';

/** Precisions that some folders have besides, or instead, as `model.fp32.safetensors`. */
const variants = ['', '.fp32', '.fp16', '.bf16'];

/**
 * The names of a folder's files of weights: the one that was named, model.safetensors or MLX's weights.safetensors, the parts
 * that an index lists, or CTranslate2's model.bin. A manifest of a model in shards stands for these.
 */
export async function findWeightFiles(folder: SourceFolder): Promise<string[]> {
  const { weightsFile } = folder;
  if (weightsFile !== undefined) {
    const isJson = isJsonText(await readRange(folder, weightsFile, 0, 64));
    const index = isJson ? await readJsonObject(folder, weightsFile) : undefined;
    return index && 'weight_map' in index ? partsOf(folder, weightsFile, index) : [weightsFile];
  }
  const has = async (file: string): Promise<boolean> =>
    (await folder.byteCount(file)) !== undefined;
  for (const variant of variants) {
    const single = `model${variant}.safetensors`;
    if (await has(single)) return [single];
    const index = `model.safetensors.index${variant}.json`;
    if (await has(index)) return partsOf(folder, index, await readJsonObject(folder, index));
  }
  for (const file of ['weights.safetensors', 'model.bin']) if (await has(file)) return [file];
  for (const file of ['pytorch_model.bin', 'weights.npz']) {
    if (!(await has(file))) continue;
    throw new SusurrusError(
      'unsupported_feature',
      `${folder.name}: ${file} is not read; the hub has model.safetensors for nearly every Whisper.`,
      { reason: 'unsupported', subject: file, expected: 'model.safetensors' },
    );
  }
  const note = refusalNote(folder, 'model.safetensors');
  throw sourceFailed(folder.name, `there is no model.safetensors in it${note}`, {
    expected: 'model.safetensors',
  });
}

/** The parts that an index names. */
async function partsOf(
  folder: SourceFolder,
  indexFile: string,
  index: JsonObject | undefined,
): Promise<string[]> {
  if (!isObject(index?.weight_map)) throw badFile(indexFile, 'it has no weight_map', 'manifest');
  const parts = [...new Set(Object.values(index.weight_map))];
  return Promise.all(parts.map((part) => partOf(folder, part, indexFile)));
}

async function partOf(folder: SourceFolder, file: unknown, indexFile: string): Promise<string> {
  if (typeof file !== 'string' || !/^[\w.-]+\.safetensors$/.test(file)) {
    throw badFile(indexFile, 'weight_map names something other than files beside it', 'manifest');
  }
  if ((await folder.byteCount(file)) === undefined) {
    throw sourceFailed(
      file,
      `it is missing, but ${indexFile} lists it${refusalNote(folder, file)}`,
    );
  }
  return file;
}
