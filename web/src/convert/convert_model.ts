import type { ConvertOptions, ConvertResult } from '../api_types.js';
import { Pace } from '../engine/pace.js';
import { abortedBy } from '../errors.js';
import type { Converter } from '../files/files.mjs';
import type { FilesModule } from '../files/module.js';
import { checkOptions, progressCheck, signalCheck } from '../options.js';
import { baseName, openFolder, writeFiles, type CreateFile } from '../platform/node_files.js';
import { openFiles } from '../platform/node_engine.js';
import { openCheckpoint, type OpenedCheckpoint } from './checkpoint.js';
import { metadataText, metadataWarnings } from './metadata.js';
import { alignmentCheck, ModelFiles, shardSizeCheck, type PlannedFile } from './model_files.js';
import { runConverter } from './run_converter.js';
import { readSourceParts } from './source_parts.js';
import type { SourceFolder } from './source_folder.js';
import { findWeightFiles } from './weight_files.js';
import { weightTypes } from './weight_types.js';

const dtypes: readonly unknown[] = weightTypes;
const compressions = ['lz4', 'none'];

const isFile = (value: unknown): boolean =>
  typeof value === 'string' ||
  value instanceof Uint8Array ||
  value instanceof ArrayBuffer ||
  value instanceof Blob;

function checkConvertOptions(options: ConvertOptions): void {
  checkOptions(options, {
    dtype: [`one of ${dtypes.join(', ')}`, (value) => dtypes.includes(value)],
    compress: [
      `one of ${compressions.join(', ')}`,
      (value) => compressions.includes(value as string),
    ],
    vocabulary: ['a path, or the bytes of a .tiktoken file', isFile],
    metadata: ['a path, or the bytes of a config.json', isFile],
    shardSize: shardSizeCheck,
    alignment: alignmentCheck,
    force: ['true or false', (value) => typeof value === 'boolean'],
    onProgress: progressCheck,
    signal: signalCheck,
  });
}

/**
 * Converts a Whisper checkpoint to an APR2 file: a folder as the Hugging Face hub, MLX or faster-whisper has it, or a file of
 * SafeTensors, ggml or GGUF, told by its first bytes. The destination appears when it is whole, and replaces another only
 * with `force`. Throws SusurrusError.
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
  const { compress = 'lz4', onProgress, signal, shardSize = 0, alignment = 64 } = options;
  const pace = new Pace(signal ?? new AbortController().signal);
  const weights: OpenedCheckpoint[] = [];
  let converter: Converter | undefined;
  try {
    for (const file of await findWeightFiles(folder)) {
      weights.push(await openCheckpoint(module, folder, file, pace));
    }
    const source = await readSourceParts(module, folder, weights, options);
    const { parts } = source;
    const running = (converter = new module.Converter(
      parts.dtype,
      compress === 'lz4',
      shardSize,
      alignment,
    ));
    const planned = (): PlannedFile[] => JSON.parse(running.files()) as PlannedFile[];
    let output: ModelFiles | undefined;
    await runConverter(running, {
      folder,
      weights,
      metadata: metadataText(parts),
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
      warnings: [
        ...source.warnings,
        ...metadataWarnings(parts),
        ...(JSON.parse(running.warnings()) as string[]),
      ],
    };
  } finally {
    converter?.delete();
    for (const { core } of weights) core.delete();
  }
}
