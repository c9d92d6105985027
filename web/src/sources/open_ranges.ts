// Opens sources of which parts can be read.
import { refuseDetached } from '../api/detached.js';
import type { ModelSource } from '../api/types.js';
import type { SourceFolder } from '../platform/source_folder.js';
import type { OpenedSource, Platform } from '../platform/platform.js';
import { blobFolder, fileListFolder, memoryFolder } from './blob_folder.js';
import { filesOf } from './file_list.js';
import type { Origin } from './pump.js';
import { openUrl } from './url_folder.js';

export interface OpenedFolder {
  readonly folder: SourceFolder;
  readonly origin: Origin;
}

export type OpenedRanges =
  | OpenedFolder
  /** A source that can only be read forwards, or a file that a server has begun to send whole. */
  | { readonly folder?: undefined; readonly whole?: OpenedSource };

export async function openRanges(
  source: ModelSource,
  platform: Pick<Platform, 'openFolder'>,
  signal: AbortSignal | undefined,
): Promise<OpenedRanges> {
  if (typeof source === 'string' || source instanceof URL) {
    const folder = await platform.openFolder(source);
    if (folder === null) return {};
    return folder ? { folder, origin: { name: String(source) } } : openUrl(source, signal);
  }
  if (typeof Request !== 'undefined' && source instanceof Request) {
    return source.method === 'GET' ? openUrl(source, signal) : {};
  }
  const folder = await folderOf(source);
  return folder ? { folder, origin: originOf(folder) } : {};
}

async function folderOf(
  source: Exclude<ModelSource, string | URL>,
): Promise<SourceFolder | undefined> {
  if (typeof Blob !== 'undefined' && source instanceof Blob) return blobFolder(source);
  const files = filesOf(source);
  if (files) return fileListFolder(files);
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) refuseDetached(source, 'source');
  if (source instanceof ArrayBuffer) return memoryFolder(new Uint8Array(source));
  if (!ArrayBuffer.isView(source)) return undefined;
  const { buffer, byteOffset, byteLength } = source;
  return memoryFolder(new Uint8Array(buffer, byteOffset, byteLength));
}

const originOf = ({ weightsFile }: SourceFolder): Origin =>
  weightsFile === undefined ? {} : { name: weightsFile };
