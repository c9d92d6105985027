// Folders of models and files that appear only when they are whole.
import { createReadStream } from 'node:fs';
import { mkdir, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { invalidOption, sourceFailed } from '../api/errors.js';
import type { CreateFile, Write } from './output.js';
import type { SourceFolder } from './source_folder.js';
import { codeOf, refuseExisting, writeAtomically } from './node_atomic_files.js';

const pieceBytes = 1 << 20;

export function asPath(path: string | URL): string {
  if (typeof path === 'string' && !path.startsWith('file:')) return path;
  try {
    return fileURLToPath(path);
  } catch (error) {
    throw sourceFailed(String(path), `this URL names no file: ${String(error)}`, {}, error);
  }
}

export const baseName = (path: string | URL): string => basename(asPath(path));

/** A folder, or the folder of a file with weights. */
export async function openFolder(source: string | URL): Promise<SourceFolder> {
  const path = asPath(source);
  let facts;
  try {
    facts = await stat(path);
  } catch (error) {
    const isAbsent = codeOf(error) === 'ENOENT';
    throw sourceFailed(
      path,
      isAbsent ? 'there is no such folder or file' : String(error),
      {},
      error,
    );
  }
  return facts.isDirectory()
    ? filesOf(path)
    : { ...filesOf(dirname(path)), weightsFile: basename(path) };
}

/** The folder that a file lies in. */
export const folderOf = (path: string | URL): SourceFolder => filesOf(dirname(asPath(path)));

function filesOf(folder: string): SourceFolder {
  return {
    name: folder,
    async byteCount(file) {
      try {
        const facts = await stat(join(folder, file));
        return facts.isFile() ? facts.size : undefined;
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return undefined;
        throw sourceFailed(join(folder, file), String(error), {}, error);
      }
    },
    async *read(file, offset, byteCount) {
      if (byteCount === 0) return;
      const stream = createReadStream(join(folder, file), {
        start: offset,
        end: offset + byteCount - 1,
        highWaterMark: pieceBytes,
      });
      try {
        for await (const piece of stream) yield piece as Uint8Array;
      } catch (error) {
        throw sourceFailed(join(folder, file), String(error), {}, error);
      }
    },
  };
}

/** The bytes of a whole file. */
export async function readWholeFile(path: string | URL): Promise<Uint8Array> {
  const name = asPath(path);
  const folder = filesOf(dirname(name));
  const file = basename(name);
  const byteCount = await folder.byteCount(file);
  if (byteCount === undefined) throw sourceFailed(name, 'there is no such file');
  const bytes = new Uint8Array(byteCount);
  let at = 0;
  for await (const piece of folder.read(file, 0, byteCount)) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes.subarray(0, at);
}

/** Lets `fill` write a file, which appears under its name only when all went well. */
export async function writeWhole<T>(
  destination: string | URL,
  force: boolean,
  fill: (write: Write) => Promise<T>,
): Promise<T> {
  return writeFiles(destination, force, async (create) => fill(await create()));
}

/** Lets `fill` write a file and others beside it, one after the other: all of them appear, or none (see writeAtomically()). */
export async function writeFiles<T>(
  destination: string | URL,
  force: boolean,
  fill: (create: CreateFile) => Promise<T>,
): Promise<T> {
  if (typeof destination !== 'string' && !(destination instanceof URL)) {
    throw invalidOption('destination', 'a path', destination);
  }
  const target = asPath(destination);
  // Rejected before any work, not after an hour of conversion.
  await refuseExisting(target, force);
  return writeAtomically(force, (create) =>
    fill((name) => create(name === undefined ? target : join(dirname(target), name))),
  );
}

/** Lets `fill` write into a folder, which is made where there is none and gone again if that fails and nothing is in it. */
export async function withFolder<T>(folder: string, fill: () => Promise<T>): Promise<T> {
  let made: string | undefined;
  try {
    made = await mkdir(folder, { recursive: true });
  } catch (error) {
    throw sourceFailed(folder, `it could not be made: ${String(error)}`, {}, error);
  }
  try {
    return await fill();
  } catch (error) {
    if (made !== undefined) await removeEmptyFolders(folder, made);
    throw error;
  }
}

/** Removes `folder` and those above it up to `last`; one that is not empty stays, and so do those above it. */
export async function removeEmptyFolders(folder: string, last: string): Promise<void> {
  const top = resolve(last);
  try {
    for (let each = resolve(folder); each.startsWith(top); each = dirname(each)) await rmdir(each);
  } catch {
    // It holds other files.
  }
}
