// Conversion in Node, where files and folders have paths.
import type {
  ConvertOptions,
  ConvertResult,
  ConvertSource,
  ModelDestination,
} from '../../src/api/types.js';
import { YieldController } from '../../src/wasm/yield_controller.js';
import { invalidOption } from '../../src/api/errors.js';
import { abortedOr, throwIfAborted } from '../../src/api/signals.js';
import { openFiles } from '../files/node_module.js';
import {
  asPath,
  baseName,
  openFolder,
  readWholeFile,
  withFolder,
  writeFiles,
} from '../../src/platform/node_files.js';
import { converting } from '../../src/api/overall_progress.js';
import { withProgress } from '../../src/api/progress_callback.js';
import { writeStream } from '../../src/platform/write_stream.js';
import { filesOf } from '../../src/sources/file_list.js';
import { urlFolder } from '../../src/sources/url_folder.js';
import { checkConvertOptions, withFiles, type SourceOptions } from './convert_options.js';
import { convertSource, type Destination } from './convert_source.js';
import { folderOfFiles } from './folder_of_files.js';
import { noShards } from './model_files.js';
import type { SourceFolder } from '../../src/platform/source_folder.js';

/**
 * Converts a Whisper of another kind or type to APR2, APR1, SafeTensors or ggml: a folder as the Hugging Face hub, MLX or
 * faster-whisper has it, or a file of any of the convertible formats (the manifest of shards, too), told by its first
 * bytes; by its path, its URL, or as one or several Files. The destination appears when it is whole, and replaces another only
 * with `force`; a stream gets the same bytes. A file of .april, BW2L or TenniS is written once more in its own format, without
 * what nothing in it uses. Throws SusurrusError.
 */
export async function convertModel(
  source: ConvertSource,
  destination: ModelDestination,
  options: ConvertOptions = {},
): Promise<ConvertResult> {
  checkConvertOptions(options);
  throwIfAborted(options.signal);
  const folder = await openSource(source, options);
  return withProgress(converting, options, (watched) =>
    convertFolder(folder, destination, watched),
  );
}

/**
 * Turns an APR1 file (a path, or a Blob) into an APR2 file with the same values: integers become f16 where that holds each of
 * their products with the scale, else f32; with the dtype q8_0 they stay integers, and their scale is rounded to a half
 * (relative error at most 2^-11). Throws SusurrusError.
 */
export async function upgradeModel(
  source: string | URL | Blob,
  destination: ModelDestination,
  options: Omit<ConvertOptions, 'format'> = {},
): Promise<ConvertResult> {
  checkConvertOptions(options);
  throwIfAborted(options.signal);
  const folder = await openSource(source, options);
  if (folder.weightsFile === undefined) {
    throw invalidOption('source', 'a file of the format APR1', source);
  }
  return withProgress(converting, options, (watched) =>
    convertFolder(folder, destination, { ...watched, format: 'apr2', sourceFormat: 'APR1' }),
  );
}

function openSource(source: ConvertSource, { signal }: ConvertOptions): Promise<SourceFolder> {
  if (source instanceof Blob) return Promise.resolve(folderOfFiles([source]));
  const files = filesOf(source);
  if (files) return Promise.resolve(folderOfFiles(files));
  if (typeof source !== 'string' && !(source instanceof URL)) {
    throw invalidOption('source', 'the path or URL of a folder or file, a Blob, or Files', source);
  }
  return /^https?:/i.test(String(source)) ? urlFolder(new URL(source), signal) : openFolder(source);
}

interface FolderOptions extends SourceOptions {
  /** Awaited when all is written, before the destination has its name. */
  readonly beforeItAppears?: () => Promise<void>;
}

/** Converts a folder that is open, with options that are sound; for calls that have withProgress() themselves. */
export async function convertFolder(
  folder: SourceFolder,
  destination: ModelDestination,
  options: FolderOptions,
): Promise<ConvertResult> {
  const { signal, force = false } = options;
  const module = await openFiles();
  const yielder = new YieldController(signal ?? new AbortController().signal);
  const fill = async (to: Destination): Promise<ConvertResult> => {
    const given = await withFiles(options, readWholeFile);
    const result = await convertSource(module, folder, to, given, yielder);
    await options.beforeItAppears?.();
    return result;
  };
  const fillFile = (path: string | URL, isFolder = false): Promise<ConvertResult> =>
    writeFiles(path, force, (create) => fill({ create, name: baseName(path), isFolder }));
  try {
    if (destination instanceof WritableStream) {
      noShards(options);
      return await writeStream(
        destination,
        (write) => fill({ create: () => Promise.resolve(write), name: 'stream' }),
        signal,
      );
    }
    if (options.format !== 'safetensors' || /\.safetensors$/i.test(String(destination))) {
      return await fillFile(destination);
    }
    const path = asPath(destination);
    return await withFolder(path, () => fillFile(`${path}/model.safetensors`, true));
  } catch (error) {
    throw abortedOr(signal, error);
  }
}
