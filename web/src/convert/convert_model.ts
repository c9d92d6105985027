import type { ConvertOptions, ConvertResult } from '../api_types.js';
import { Pace } from '../engine/pace.js';
import { abortedBy, invalidOption, SusurrusError } from '../errors.js';
import type { Converter } from '../files/files.mjs';
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
import { baseName, openFolder, writeFiles, type CreateFile } from '../platform/node_files.js';
import { openFiles } from '../platform/node_engine.js';
import { openCheckpoint, type OpenedCheckpoint } from './checkpoint.js';
import { isModelFile, openModelFile } from './model_file.js';
import { alignmentCheck, ModelFiles, shardSizeCheck, type PlannedFile } from './model_files.js';
import { runConverter } from './run_converter.js';
import { readSourceParts } from './source_parts.js';
import type { SourceFolder } from './source_folder.js';
import { findWeightFiles } from './weight_files.js';
import { apr1WeightTypes, weightTypes } from './weight_types.js';

const isFile = (value: unknown): boolean =>
  typeof value === 'string' ||
  value instanceof Uint8Array ||
  value instanceof ArrayBuffer ||
  value instanceof Blob;

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
    ],
    compress: oneOf('lz4', 'none'),
    vocabulary: rankFile,
    metadata: ['a path, or the bytes of a config.json', isFile],
    shardSize: ofApr2(shardSizeCheck),
    alignment: ofApr2(alignmentCheck),
    force: flag,
    onProgress: progressCheck,
    signal: signalCheck,
  });
}

/**
 * Converts a Whisper of another kind or type to an APR2 or APR1 file: a folder as the Hugging Face hub, MLX or faster-whisper
 * has it, or a file of SafeTensors, ggml, GGUF, APR1 or APR2 (the manifest of shards, too), told by its first bytes. The
 * destination appears when it is whole, and replaces another only with `force`. Throws SusurrusError.
 */
export async function convertModel(
  source: string | URL | Blob,
  destination: string | URL,
  options: ConvertOptions = {},
): Promise<ConvertResult> {
  checkConvertOptions(options);
  if (options.signal?.aborted) throw abortedBy(options.signal);
  return convertFolder(await openFolder(source), destination, options);
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
  if (options.signal?.aborted) throw abortedBy(options.signal);
  const folder = await openFolder(source);
  if (folder.weightsFile === undefined) {
    throw invalidOption('source', 'a file of the format APR1', source);
  }
  return convertFolder(folder, destination, { ...options, format: 'apr2', sourceFormat: 'APR1' });
}

interface FolderOptions extends ConvertOptions {
  /** Awaited when all is written, before the destination has its name. */
  readonly beforeItAppears?: () => Promise<void>;
  /** The only one that is taken. */
  readonly sourceFormat?: string;
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
  options: FolderOptions,
): Promise<ConvertResult> {
  const { format = 'apr2', onProgress, signal, shardSize = 0, alignment = 64 } = options;
  const compress = options.compress ?? (format === 'apr1' ? 'none' : 'lz4');
  const pace = new Pace(signal ?? new AbortController().signal);
  const weights: OpenedCheckpoint[] = [];
  let converter: Converter | undefined;
  try {
    for (const file of await findWeightFiles(folder)) {
      const open = (await isModelFile(folder, file)) ? openModelFile : openCheckpoint;
      weights.push(
        await open(module, folder, file, pace, (loaded, total) =>
          onProgress?.({ phase: 'inspect', loaded, total, fraction: loaded / total }),
        ),
      );
    }
    refuseOthers(weights, options);
    const source = await readSourceParts(module, folder, weights, options);
    const running = (converter = new module.Converter(
      format,
      source.dtype,
      compress === 'lz4',
      shardSize,
      alignment,
    ));
    const planned = (): PlannedFile[] => JSON.parse(running.files()) as PlannedFile[];
    let output: ModelFiles | undefined;
    await runConverter(module, running, {
      folder,
      weights,
      metadata: source.metadata,
      pace,
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
    return {
      byteCount: output?.byteCount ?? 0,
      tensorCount: running.tensorCount(),
      ...(files.length > 0 && { files }),
      warnings: [...source.warnings, ...(JSON.parse(running.warnings()) as string[])],
    };
  } finally {
    converter?.delete();
    for (const { core } of weights) core.delete();
  }
}

function refuseOthers([first]: readonly OpenedCheckpoint[], { sourceFormat }: FolderOptions): void {
  const format = first?.facts.format ?? '';
  if (sourceFormat === undefined || format.startsWith(sourceFormat)) return;
  const file = first?.files[0] ?? '';
  throw new SusurrusError(
    'unsupported_feature',
    `${file}: ${format} is not upgraded; convert it.`,
    {
      reason: 'unsupported',
      subject: file,
      expected: sourceFormat,
      got: format,
    },
  );
}
