import type { ConvertOptions, ConvertResult } from '../api_types.js';
import { Pace } from '../engine/pace.js';
import { abortedBy, sourceFailed } from '../errors.js';
import type { FilesModule } from '../files/module.js';
import { checkOptions, progressCheck, signalCheck } from '../options.js';
import {
  baseName,
  openFolder,
  readWholeFile,
  writeFiles,
  type CreateFile,
} from '../platform/node_files.js';
import { openFiles } from '../platform/node_engine.js';
import { readArchitecture } from './dimensions.js';
import { filterbankOf, slaneyFilterbank } from './filterbank.js';
import { readJsonObject } from './json_files.js';
import { metadataText, metadataWarnings } from './metadata.js';
import { alignmentCheck, ModelFiles, shardSizeCheck, type PlannedFile } from './model_files.js';
import { runConverter } from './run_converter.js';
import type { SourceFolder } from './source_folder.js';
import { readRanks, readVocabulary, type SourceVocabulary } from './vocabulary.js';
import { findWeightFiles } from './weight_files.js';
import { weightTypes } from './weight_types.js';

const dtypes: readonly unknown[] = weightTypes;
const compressions = ['lz4', 'none'];

function checkConvertOptions(options: ConvertOptions): void {
  checkOptions(options, {
    dtype: [`one of ${dtypes.join(', ')}`, (value) => dtypes.includes(value)],
    compress: [
      `one of ${compressions.join(', ')}`,
      (value) => compressions.includes(value as string),
    ],
    vocabulary: [
      'a path, or the bytes of a .tiktoken file',
      (value) =>
        typeof value === 'string' ||
        value instanceof Uint8Array ||
        value instanceof ArrayBuffer ||
        value instanceof Blob,
    ],
    shardSize: shardSizeCheck,
    alignment: alignmentCheck,
    force: ['true or false', (value) => typeof value === 'boolean'],
    onProgress: progressCheck,
    signal: signalCheck,
  });
}

/**
 * Converts a Whisper folder of the Hugging Face hub, or one with OpenAI's tensor names, to an APR2 file. The destination
 * appears when it is whole, and replaces another only with `force`. Throws SusurrusError.
 */
export async function convertModel(
  source: string | URL,
  destination: string | URL,
  options: ConvertOptions = {},
): Promise<ConvertResult> {
  checkConvertOptions(options);
  if (options.signal?.aborted) throw abortedBy(options.signal);
  return convertFolder(await openFolder(source), destination, options);
}

interface FolderOptions extends ConvertOptions {
  /** Awaited when all is written, before the destination has its name. */
  readonly beforeItAppears?: () => Promise<void>;
}

/** The same for a folder that is open, with options that are sound. */
export async function convertFolder(
  folder: SourceFolder,
  destination: string | URL,
  options: FolderOptions,
): Promise<ConvertResult> {
  const { signal, force = false } = options;
  const module = await openFiles();
  try {
    return await writeFiles(destination, force, async (create) => {
      const to = { create, name: baseName(destination) };
      const result = await convert(module, folder, to, options);
      await options.beforeItAppears?.();
      return result;
    });
  } catch (error) {
    throw signal?.aborted ? abortedBy(signal) : error;
  }
}

async function convert(
  module: FilesModule,
  folder: SourceFolder,
  destination: { readonly create: CreateFile; readonly name: string },
  options: ConvertOptions,
): Promise<ConvertResult> {
  const { dtype = 'f16', compress = 'lz4', vocabulary, onProgress, signal } = options;
  const weights = await findWeightFiles(folder);
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
    config,
    generation: await readJsonObject(folder, 'generation_config.json'),
    vocabulary: found?.tokens,
    filterbank:
      filterbankOf(preprocessor, architecture.n_mels) ??
      slaneyFilterbank(module, architecture.n_mels),
    dtype,
  };

  const { shardSize = 0, alignment = 64 } = options;
  const converter = new module.Converter(dtype, compress === 'lz4', shardSize, alignment);
  const planned = (): PlannedFile[] => JSON.parse(converter.files()) as PlannedFile[];
  let output: ModelFiles | undefined;
  try {
    await runConverter(converter, {
      folder,
      weights,
      metadata: metadataText(parts),
      pace: new Pace(signal ?? new AbortController().signal),
      onPlan: () => {
        const manifest = shardSize > 0 ? destination.name : undefined;
        output = new ModelFiles(destination.create, planned(), manifest);
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
    const noVocabulary = found
      ? []
      : ['the folder has no vocabulary: the model gives token ids but no text (--vocabulary FILE)'];
    return {
      byteCount: output?.byteCount ?? 0,
      tensorCount: converter.tensorCount(),
      ...(files.length > 0 && { files }),
      warnings: [
        ...noVocabulary,
        ...(found?.warnings ?? []),
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
