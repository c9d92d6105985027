// Plans models of the hub from their repository's file list and config, or from a picked folder, without fetching weights.
import { sourceFailed } from '../../src/api/errors.js';
import type { WeightType } from '../../src/api/types.js';
import type { Architecture } from '../../src/api/generated/whisper.js';
import type { SourceFolder } from '../../src/platform/source_folder.js';
import { streamChunks } from '../../src/sources/blob_source.js';
import type { FilesLink, PlannedEngine } from '../../src/protocol/files.js';
import { folderOfFiles } from '../convert/folder_of_files.js';
import { readArchitecture } from '../convert/dimensions.js';
import { readJsonObject } from '../convert/json_files.js';
import { findWeightFiles } from '../convert/weight_files.js';
import { inCamelCase } from '../files/inspection.js';
import { skimModel } from '../inspection/skim.js';
import type { RepositoryFiles } from '../hub/repository_files.js';
import type { PlannedFile } from './plan_file.js';

/** Plans a repository that will be converted, from its dimensions and the sizes of the files that the conversion reads. */
export async function planRepository(
  files: FilesLink,
  repository: RepositoryFiles,
  dtype: WeightType,
  engine: PlannedEngine,
  signal: AbortSignal,
): Promise<PlannedFile> {
  const folder = folderOf(repository, signal);
  const dims = inCamelCase(repository.architecture ?? (await architectureIn(folder)));
  const planned = await files.call('planConverted', { ...engine, dims, dtype });
  const { weightsFile } = repository;
  const needed = weightsFile === undefined ? await filesToFetch(folder) : [weightsFile];
  return { ...planned, byteCount: await byteCountOf(folder, needed) };
}

/** Plans a hub's folder that was picked; its files are here. */
export async function planHubFolder(
  files: FilesLink,
  picked: readonly File[],
  dtype: WeightType,
  engine: PlannedEngine,
  signal: AbortSignal,
): Promise<PlannedFile> {
  const folder = folderOfFiles(picked);
  // Some weights tell the dimensions, which config.json then lacks.
  const { facts } = await skimModel(files, folder, { signal });
  const dims = facts.dims ?? inCamelCase(await architectureIn(folder));
  const planned = await files.call('planConverted', { ...engine, dims, dtype });
  return { ...planned, byteCount: await byteCountOf(folder, await filesToFetch(folder)) };
}

async function byteCountOf(folder: SourceFolder, files: readonly string[]): Promise<number> {
  let byteCount = 0;
  for (const file of files) byteCount += (await folder.byteCount(file)) ?? 0;
  return byteCount;
}

async function architectureIn(folder: SourceFolder): Promise<Architecture> {
  const config = await readJsonObject(folder, 'config.json');
  if (!config) throw sourceFailed(folder.name, 'there is no config.json in it');
  return readArchitecture(config, 'config.json');
}

/** In the converter's order of preference (convert/vocabulary.ts, source_parts.ts). */
async function filesToFetch(folder: SourceFolder): Promise<readonly string[]> {
  const vocabularies = [
    ['tokenizer.json'],
    ['vocab.json', 'tokenizer_config.json', 'added_tokens.json'],
    ['vocabulary.json'],
    ['vocabulary.txt'],
  ];
  const weights = await findWeightFiles(folder);
  const index = 'model.safetensors.index.json';
  const found = ['config.json', 'preprocessor_config.json', 'generation_config.json', ...weights];
  for (const list of vocabularies) {
    if ((await folder.byteCount(list[0] ?? '')) === undefined) continue;
    found.push(...list);
    break;
  }
  return weights.length > 1 ? [...found, index] : found;
}

/** For the small files of a repository, which are read from their beginning. */
function folderOf(repository: RepositoryFiles, signal: AbortSignal): SourceFolder {
  return {
    name: repository.place,
    byteCount: async (name) => (await repository.find(name))?.byteCount,
    async *read(name, offset) {
      const file = await repository.find(name);
      if (!file) return;
      const { body } = await repository.open(file, offset, signal);
      if (body) yield* streamChunks(body, signal);
    },
  };
}
