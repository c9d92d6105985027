// Folders of models and files that appear only when they are whole.
import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { invalidOption, sourceFailed, SusurrusError } from '../errors.js';
import type { CreateFile, Write } from '../convert/output.js';
import type { SourceFolder } from '../convert/source_folder.js';

const pieceBytes = 1 << 20;

export const asPath = (path: string | URL): string =>
  path instanceof URL || path.startsWith('file:') ? fileURLToPath(path) : path;

export const baseName = (path: string | URL): string => basename(asPath(path));

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

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

/**
 * Lets `fill` write a file and others beside it, one after the other. They appear only when all went well, in the order of their making.
 */
export async function writeFiles<T>(
  destination: string | URL,
  force: boolean,
  fill: (create: CreateFile) => Promise<T>,
): Promise<T> {
  if (typeof destination !== 'string' && !(destination instanceof URL)) {
    throw invalidOption('destination', 'a path', destination);
  }
  const target = asPath(destination);
  const finished: string[] = [];
  const unfinished = (path: string): string => `${path}.${process.pid}.unfinished`;
  const begun: string[] = [];
  let current: FileHandle | undefined;
  let path = target;
  const end = async (): Promise<void> => {
    const file = current;
    current = undefined;
    await file?.close();
  };
  try {
    await refuseExisting(target, force);
    const result = await fill(async (name) => {
      await end();
      path = name === undefined ? target : join(dirname(target), name);
      if (name !== undefined) await refuseExisting(path, force);
      begun.push(path);
      const file = (current = await open(unfinished(path), 'w'));
      return async (bytes) => {
        // A write may take less than it was given.
        for (let at = 0; at < bytes.length;) {
          at += (await file.write(bytes, at, bytes.length - at)).bytesWritten;
        }
      };
    });
    await end();
    for (path of begun) {
      await rename(unfinished(path), path);
      finished.push(path);
    }
    return result;
  } catch (error) {
    await end().catch(() => undefined);
    for (const each of [...begun.map(unfinished), ...finished]) {
      await rm(each, { force: true }).catch(() => undefined);
    }
    throw error instanceof SusurrusError || codeOf(error) === undefined
      ? error
      : sourceFailed(path, `it could not be written: ${String(error)}`, {}, error);
  }
}

async function refuseExisting(path: string, force: boolean): Promise<void> {
  const existing = await stat(path).catch(() => undefined);
  if (existing?.isDirectory()) throw sourceFailed(path, 'this is a folder; name a file');
  if (existing && !force) {
    throw new SusurrusError(
      'invalid_argument',
      `${path} exists already; it is overwritten only with --force ({force: true}).`,
      { reason: 'option', subject: 'force', expected: 'true', got: path },
    );
  }
}

/** Lets `fill` write into a folder, which is made where there is none and gone again if that fails. */
export async function withFolder<T>(folder: string, fill: () => Promise<T>): Promise<T> {
  let made: string | undefined;
  try {
    made = await mkdir(folder, { recursive: true });
    return await fill();
  } catch (error) {
    if (made !== undefined) await rm(made, { recursive: true, force: true }).catch(() => undefined);
    throw error instanceof SusurrusError || codeOf(error) === undefined
      ? error
      : sourceFailed(folder, `it could not be made: ${String(error)}`, {}, error);
  }
}
