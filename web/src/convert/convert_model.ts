import type { ConvertOptions, ConvertResult } from '../api_types.js';
import { Pace } from '../engine/pace.js';
import { abortedBy, invalidOption, sourceFailed } from '../errors.js';
import type { FilesModule } from '../files/module.js';
import {
  checkOptions,
  flag,
  oneOf,
  progressCheck,
  rankFile,
  signalCheck,
  type Check,
} from '../options.js';
import {
  baseName,
  openFolder,
  openModelFile,
  readWholeFile,
  writeFiles,
  type CreateFile,
  type ModelFile,
} from '../platform/node_files.js';
import { openFiles } from '../platform/node_engine.js';
import { readArchitecture } from './dimensions.js';
import { filterbankOf, slaneyFilterbank } from './filterbank.js';
import { readJsonObject } from './json_files.js';
import { metadataText, metadataWarnings, type MetadataParts } from './metadata.js';
import { readModelFile } from './model_file.js';
import { alignmentCheck, ModelFiles, shardSizeCheck, type PlannedFile } from './model_files.js';
import { runConverter, type ConversionTask } from './run_converter.js';
import type { SourceFolder } from './source_folder.js';
import { readRanks, readVocabulary, type SourceVocabulary } from './vocabulary.js';
import { findWeightFiles } from './weight_files.js';
import { apr1WeightTypes, weightTypes } from './weight_types.js';

function checkConvertOptions(options: ConvertOptions): void {
  const isApr1 = options.format === 'apr1';
  const dtypes: readonly string[] = isApr1 ? apr1WeightTypes : weightTypes;
  const ofApr2 = (check: Check): Check =>
    isApr1 ? ['left out: APR1 has no such', () => false] : check;
  checkOptions(options, {
    format: oneOf('apr2', 'apr1'),
    dtype: [
      `one of ${dtypes.join(', ')}`,
      (value) => typeof value === 'string' && dtypes.includes(value),
    ] satisfies Check,
    compress: oneOf('lz4', 'none'),
    vocabulary: rankFile,
    shardSize: ofApr2(shardSizeCheck),
    alignment: ofApr2(alignmentCheck),
    force: flag,
    onProgress: progressCheck,
    signal: signalCheck,
  });
}

/**
 * Converts a Whisper folder of the Hugging Face hub, one with OpenAI's tensor names, or an APR1 file (a path, or a Blob) to
 * an APR2 or APR1 file. The destination appears when it is whole, and replaces another only with `force`. Throws
 * SusurrusError.
 */
export async function convertModel(
  source: string | URL | Blob,
  destination: string | URL,
  options: ConvertOptions = {},
): Promise<ConvertResult> {
  checkConvertOptions(options);
  if (options.signal?.aborted) throw abortedBy(options.signal);
  const file = await openModelFile(source);
  if (file) return convertFile(file, destination, options);
  // What is no file was named by its path.
  const folder = await openFolder(source as string | URL);
  return write(destination, options, async (module, create) => {
    const weights = await findWeightFiles(folder);
    const { dtype = 'f16' } = options;
    const { parts, warnings } = await folderParts(module, folder, { ...options, dtype });
    const name = baseName(destination);
    return runTask(module, { folder, weights, parts, warnings, options, dtype, create, name });
  });
}

/**
 * Turns an APR1 file (a path, or a Blob) into an APR2 file with the same values: integers become f16 where that holds each of
 * their products with the scale, else f32; with the dtype q8_0 they stay integers, and their scale is rounded to a half
 * (relative error at most 2^-11). Throws SusurrusError.
 */
export async function upgradeModel(
  source: string | URL | Blob,
  destination: string | URL,
  options: Omit<ConvertOptions, 'format'> = {},
): Promise<ConvertResult> {
  checkConvertOptions(options);
  const file = await openModelFile(source);
  if (!file) throw invalidOption('source', 'a file of the format APR1', source);
  return convertFile(file, destination, { ...options, format: 'apr2' });
}

function convertFile(
  { folder, file }: ModelFile,
  destination: string | URL,
  options: ConvertOptions,
): Promise<ConvertResult> {
  const dtype: MetadataParts['dtype'] = options.dtype ?? 'exact';
  return write(destination, options, async (module, create) => {
    const { onProgress, signal } = options;
    const pace = new Pace(signal ?? new AbortController().signal);
    const model = await readModelFile(module, folder, file, pace, (loaded, total) =>
      onProgress?.({ phase: 'inspect', loaded, total, fraction: loaded / total }),
    );
    const { inspector, weights } = model;
    try {
      const found = options.vocabulary
        ? await givenVocabulary(options.vocabulary, model.parts.architecture.n_vocab)
        : model.vocabulary;
      const parts = { ...model.parts, vocabulary: found?.tokens, dtype };
      const warnings = [...model.warnings, ...vocabularyWarnings(found, 'file')];
      const from = { folder, weights: [weights], inspector };
      const to = { create, name: baseName(destination) };
      return await runTask(module, { ...from, ...to, parts, warnings, options, dtype });
    } finally {
      inspector.delete();
    }
  });
}

async function write(
  destination: string | URL,
  { force = false, signal }: ConvertOptions,
  fill: (module: FilesModule, create: CreateFile) => Promise<ConvertResult>,
): Promise<ConvertResult> {
  if (signal?.aborted) throw abortedBy(signal);
  const module = await openFiles();
  try {
    return await writeFiles(destination, force, (create) => fill(module, create));
  } catch (error) {
    throw signal?.aborted ? abortedBy(signal) : error;
  }
}

async function folderParts(
  module: FilesModule,
  folder: SourceFolder,
  { dtype, vocabulary }: ConvertOptions & { dtype: MetadataParts['dtype'] },
): Promise<{ parts: MetadataParts; warnings: string[] }> {
  const configFile = 'config.json';
  const config = await readJsonObject(folder, configFile);
  if (!config) throw sourceFailed(folder.name, 'there is no config.json in it');
  const architecture = readArchitecture(config, configFile);
  const preprocessor = await readJsonObject(folder, 'preprocessor_config.json');
  const found = vocabulary
    ? await givenVocabulary(vocabulary, architecture.n_vocab)
    : await readVocabulary(folder, architecture.n_vocab);
  const parts = {
    architecture,
    sourceFormat: 'SafeTensors',
    config,
    generation: await readJsonObject(folder, 'generation_config.json'),
    vocabulary: found?.tokens,
    filterbank:
      filterbankOf(preprocessor, architecture.n_mels) ??
      slaneyFilterbank(module, architecture.n_mels),
    dtype,
  };
  return { parts, warnings: vocabularyWarnings(found, 'folder') };
}

function vocabularyWarnings(found: SourceVocabulary | undefined, where: string): string[] {
  return found
    ? [...found.warnings]
    : [`the ${where} has no vocabulary: the model gives token ids but no text (--vocabulary FILE)`];
}

interface Task extends Pick<ConversionTask, 'folder' | 'weights' | 'inspector'> {
  readonly parts: MetadataParts;
  readonly warnings: readonly string[];
  readonly options: ConvertOptions;
  readonly dtype: string;
  readonly create: CreateFile;
  /** The destination's. */
  readonly name: string;
}

async function runTask(module: FilesModule, task: Task): Promise<ConvertResult> {
  const { parts, options, dtype, warnings } = task;
  const { format = 'apr2', shardSize = 0, alignment = 64, onProgress, signal } = options;
  const compress = options.compress ?? (format === 'apr1' ? 'none' : 'lz4');
  const isCompressed = compress === 'lz4';
  const converter = new module.Converter(format, dtype, isCompressed, shardSize, alignment);
  const planned = (): PlannedFile[] => JSON.parse(converter.files()) as PlannedFile[];
  let output: ModelFiles | undefined;
  try {
    await runConverter(module, converter, {
      ...task,
      metadata: metadataText(parts),
      pace: new Pace(signal ?? new AbortController().signal),
      onPlan: () => {
        const manifest = shardSize > 0 ? task.name : undefined;
        output = new ModelFiles(task.create, planned(), manifest);
      },
      onTensor: async (tensor) => output?.begin(tensor),
      write: async (bytes) => output?.write(bytes),
      onProgress: (loaded, total) =>
        onProgress?.({
          phase: 'convert',
          loaded,
          total,
          fraction: total === 0 ? 1 : loaded / total,
        }),
    });
    const files = (await output?.finish(planned())) ?? [];
    return {
      byteCount: output?.byteCount ?? 0,
      tensorCount: converter.tensorCount(),
      ...(files.length > 0 && { files }),
      warnings: [
        ...warnings,
        ...metadataWarnings(parts),
        ...(JSON.parse(converter.warnings()) as string[]),
      ],
    };
  } finally {
    converter.delete();
  }
}

async function givenVocabulary(
  given: NonNullable<ConvertOptions['vocabulary']>,
  vocabularySize: number,
): Promise<SourceVocabulary> {
  const name = typeof given === 'string' ? given : 'vocabulary';
  const bytes =
    typeof given === 'string'
      ? await readWholeFile(given)
      : given instanceof Blob
        ? await given.arrayBuffer()
        : given;
  return readRanks(new TextDecoder().decode(bytes), name, vocabularySize);
}
