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
 * Converts a Whisper model to APR2, APR1, SafeTensors or ggml, or to another type of weights. An .april, BW2L or TenniS file is rewritten in
 * its own format, without its unused parts.
 *
 * @param source The path or URL of a Hugging Face, MLX or faster-whisper folder, or of a file of any convertible format (also a manifest of
 *   shards), recognised by its first bytes; or one or several Files.
 * @param destination A file appears when it is complete, and overwrites an existing one only with `force`; a stream is aborted on failure.
 * @throws SusurrusError `invalid_argument` for a wrong option; `unknown_format`, `malformed`, `missing_tensor`, `shape_mismatch` or
 *   `unsupported_feature` for a checkpoint that is no Whisper model; `source_failed` for paths and URLs that cannot be read or written; otherwise
 *   as inspect(). An abort rejects with the signal's reason.
 * @example
 * ```js
 * await convertModel('whisper-base', 'base.apr', { dtype: 'q8_0' });
 * ```
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
 * Converts an APR1 file to an APR2 file with the same values. Integer weights become f16 if that represents their products with the scale
 * exactly, else f32; with `dtype: 'q8_0'` they stay integers, and their scale is rounded to half precision (relative error at most 2^-11).
 *
 * @throws SusurrusError `invalid_argument` for a folder; `unknown_format` for a file of another format; otherwise as convertModel(). An abort
 *   rejects with the signal's reason.
 * @example
 * ```js
 * await upgradeModel('old.apr', 'new.apr', { force: true });
 * ```
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
