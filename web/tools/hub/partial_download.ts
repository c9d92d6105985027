// A download in progress: it can be read while it arrives, and is complete once the bytes on disk have the hub's digest.
import { createHash, type Hash } from 'node:crypto';
import { rm, type FileHandle } from 'node:fs/promises';
import { sourceFailed, SusurrusError } from '../../src/api/errors.js';
import { sleep, throwIfAborted } from '../../src/api/signals.js';
import { streamChunks } from '../../src/sources/blob_source.js';
import type { HubFile } from './client.js';
import { leavePartialFile, takePartialFile } from './partial_files.js';

/** Retries after lost connections; one that brought bytes resets the delay. */
const mostFailures = 5;
const firstWaitMilliseconds = 250;
const pieceBytes = 1 << 20;

export interface DownloadTask {
  /** Where the file lies while it is one's own, with more behind the name. */
  readonly path: string;
  readonly facts: HubFile;
  /** The answer to a request for the file from `offset` on: see HubClient.open(). */
  readonly openFrom: (offset: number) => Promise<Response>;
  /** Hears how many more bytes are here. What it throws ends the download. */
  readonly onBytes: (byteCount: number) => void;
  readonly signal: AbortSignal;
}

/** Its bytes are written once, in order, into a file that no other pull has: who reads a part gets what the digest is of. */
export class PartialDownload {
  /** Resolves when the whole file is here and its digest fits. */
  readonly arrived: Promise<void>;
  readonly #task: DownloadTask;
  #partial: string | undefined;
  #file: FileHandle | undefined;
  #byteCount = 0;
  #isWrong = false;
  #failure: { readonly error: unknown } | undefined;
  #ended: Promise<unknown> = Promise.resolve();
  #waiting: (() => void)[] = [];

  /** Begins at once, behind what an earlier pull left. */
  constructor(task: DownloadTask) {
    this.#task = task;
    this.arrived = this.#arrive();
    this.arrived.catch((error: unknown) => {
      this.#failure = { error };
      this.#wake();
    });
  }

  /** Bytes [offset, offset + byteCount), as they come; fewer only at the end of the file. */
  async *read(offset: number, byteCount: number): AsyncIterable<Uint8Array> {
    const { name, byteCount: size } = this.#task.facts;
    const end = Math.min(offset + byteCount, size);
    for (let at = offset; at < end;) {
      while (this.#byteCount <= at) {
        if (this.#failure) throw this.#failure.error;
        await new Promise<void>((wake) => this.#waiting.push(wake));
      }
      const bytes = new Uint8Array(Math.min(pieceBytes, end - at, this.#byteCount - at));
      const read = await this.#file?.read(bytes, 0, bytes.length, at);
      if (!read?.bytesRead) throw sourceFailed(name, 'it became shorter while it was read');
      at += read.bytesRead;
      yield bytes.subarray(0, read.bytesRead);
    }
  }

  /** Waits for whatever is under way. What is here is kept for the next pull, unless it is wrong, or it is removed. */
  async close(isKept: boolean): Promise<void> {
    await this.arrived.catch(() => undefined);
    await this.#ended;
    await this.#file?.close();
    if (this.#partial === undefined) return;
    if (isKept && !this.#isWrong) await leavePartialFile(this.#task.path, this.#partial);
    else await rm(this.#partial, { force: true });
  }

  async #arrive(): Promise<void> {
    const { facts, path } = this.#task;
    const taken = await takePartialFile(path);
    this.#partial = taken.path;
    const file = (this.#file = taken.file);
    const { size } = await file.stat();
    // Too long: not this file.
    if (size > facts.byteCount) await file.truncate(0);
    else this.#gain(size);
    const work = [this.#fetchAll(file), this.#check()];
    this.#ended = Promise.allSettled(work);
    await Promise.all(work);
  }

  async #fetchAll(file: FileHandle): Promise<void> {
    let failures = 0;
    while (this.#byteCount < this.#task.facts.byteCount) {
      const before = this.#byteCount;
      const cut = await this.#fetchOnce(file);
      if (!cut) return;
      throwIfAborted(this.#task.signal);
      failures = this.#byteCount > before ? 1 : failures + 1;
      if (failures > mostFailures) throw cut;
      await sleep(firstWaitMilliseconds * 2 ** (failures - 1), this.#task.signal);
    }
  }

  /** Answers how the connection failed, if trying again is worth it. Everything else that fails is thrown. */
  async #fetchOnce(file: FileHandle): Promise<SusurrusError | undefined> {
    const { facts, openFrom } = this.#task;
    let answer: Response;
    try {
      answer = await openFrom(this.#byteCount);
    } catch (error) {
      if (isWorthTryingAgain(error)) return error;
      throw error;
    }
    const wasCut = (cause?: unknown): SusurrusError =>
      sourceFailed(facts.name, 'the connection was cut', {}, cause);
    if (!answer.body) return wasCut();
    // The server ignored the range: skip what is already here.
    let known = answer.status === 206 ? 0 : this.#byteCount;
    const chunks = streamChunks(answer.body);
    try {
      for (;;) {
        let step: IteratorResult<Uint8Array, undefined>;
        try {
          step = await chunks.next();
        } catch (error) {
          return wasCut(error);
        }
        if (step.done) break;
        const bytes = step.value.subarray(known);
        known -= step.value.length - bytes.length;
        await this.#write(file, bytes);
      }
    } finally {
      await chunks.return?.();
    }
    return this.#byteCount < facts.byteCount ? wasCut() : undefined;
  }

  async #write(file: FileHandle, bytes: Uint8Array): Promise<void> {
    const { byteCount } = this.#task.facts;
    if (this.#byteCount + bytes.length > byteCount) throw this.#wrong(`${byteCount} bytes`, 'more');
    for (let at = 0; at < bytes.length;) {
      const { bytesWritten } = await file.write(bytes, at, bytes.length - at, this.#byteCount + at);
      at += bytesWritten;
    }
    this.#gain(bytes.length);
  }

  #gain(byteCount: number): void {
    this.#byteCount += byteCount;
    this.#wake();
    this.#task.onBytes(byteCount);
  }

  /** Of what is read back, as the converter reads it, while the rest arrives. */
  async #check(): Promise<void> {
    const { digest, byteCount } = this.#task.facts;
    const hash = newHash(this.#task.facts);
    for await (const piece of this.read(0, byteCount)) hash.update(piece);
    const got = hash.digest('hex');
    if (got !== digest.hex) throw this.#wrong(digest.hex, got);
  }

  #wrong(expected: string, got: string): SusurrusError {
    this.#isWrong = true;
    const { name } = this.#task.facts;
    return new SusurrusError(
      'checksum_mismatch',
      `${name}: what arrived is not what the hub has (${expected} expected, ${got} found).`,
      { reason: 'digest', subject: name, expected, got },
    );
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}

function newHash({ digest, byteCount }: HubFile): Hash {
  if (digest.kind === 'sha256') return createHash('sha256');
  return createHash('sha1').update(`blob ${byteCount}\0`);
}

/** A connection that fails, or a server that is busy; not a refusal, and not a stop. */
const isWorthTryingAgain = (error: unknown): error is SusurrusError =>
  error instanceof SusurrusError &&
  error.code === 'source_failed' &&
  !/^HTTP 4(?!08|29)/.test(error.details.got ?? '');
