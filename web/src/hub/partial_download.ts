// A file on its way here: kept as far as it came, read while the rest is coming, and sound once its digest fits.
import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, rm, stat, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { sourceFailed, SusurrusError } from '../errors.js';
import type { HubFile } from './client.js';

/** Cut connections that brought something; then the wait before the next begins anew. */
const mostFailures = 5;
const firstWaitMilliseconds = 250;
const pieceBytes = 1 << 20;

/** The answer to a request for a file from `offset` on: see HubClient.open(). */
export type OpenFrom = (offset: number) => Promise<Response>;

export class ArrivingFile {
  /** Resolves when the whole file is here and its digest fits. */
  readonly arrived: Promise<void>;
  readonly #path: string;
  readonly #facts: HubFile;
  readonly #openFrom: OpenFrom;
  readonly #onBytes: (byteCount: number) => void;
  #byteCount = 0;
  #hash: Hash;
  #failure: Error | undefined;
  #waiting: (() => void)[] = [];

  /** Begins at once, behind what is there already. `onBytes` hears how many more bytes are here. */
  constructor(
    path: string,
    facts: HubFile,
    openFrom: OpenFrom,
    onBytes: (byteCount: number) => void,
  ) {
    this.#path = path;
    this.#facts = facts;
    this.#openFrom = openFrom;
    this.#onBytes = onBytes;
    this.#hash = this.#newHash();
    this.arrived = this.#fetchAll();
    this.arrived.catch((error: unknown) => {
      this.#failure = error instanceof Error ? error : new Error(String(error));
      this.#wake();
    });
  }

  /** Bytes [offset, offset + byteCount), as they come; fewer only at the end of the file. */
  async *read(offset: number, byteCount: number): AsyncIterable<Uint8Array> {
    const end = Math.min(offset + byteCount, this.#facts.byteCount);
    for (let at = offset; at < end;) {
      while (this.#byteCount <= at) {
        if (this.#failure) throw this.#failure;
        await new Promise<void>((wake) => this.#waiting.push(wake));
      }
      const until = Math.min(end, this.#byteCount);
      const stream = createReadStream(this.#path, {
        ...{ start: at, end: until - 1, highWaterMark: pieceBytes },
      });
      try {
        for await (const piece of stream) {
          at += (piece as Uint8Array).length;
          yield piece as Uint8Array;
        }
      } catch (error) {
        // It may be gone because it was wrong.
        await this.arrived;
        throw error;
      }
    }
  }

  #newHash(): Hash {
    const { digest, byteCount } = this.#facts;
    if (digest.kind === 'sha256') return createHash('sha256');
    return createHash('sha1').update(`blob ${byteCount}\0`);
  }

  async #fetchAll(): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true });
    await this.#takeWhatIsThere();
    const file = await open(this.#path, 'a');
    try {
      let failures = 0;
      while (this.#byteCount < this.#facts.byteCount) {
        const before = this.#byteCount;
        try {
          await this.#fetchOnce(file);
          if (this.#byteCount < this.#facts.byteCount) {
            throw sourceFailed(this.#facts.name, 'the connection was cut');
          }
        } catch (error) {
          failures = this.#byteCount > before ? 1 : failures + 1;
          if (!isWorthTryingAgain(error) || failures > mostFailures) throw error;
          const wait = firstWaitMilliseconds * 2 ** (failures - 1);
          await new Promise((done) => setTimeout(done, wait));
        }
      }
    } finally {
      await file.close();
    }
    await this.#check();
  }

  /** What an earlier call brought; a file that is too long is none of ours. */
  async #takeWhatIsThere(): Promise<void> {
    const facts = await stat(this.#path).catch(() => undefined);
    if (!facts) return;
    if (facts.size > this.#facts.byteCount) return rm(this.#path);
    for await (const piece of createReadStream(this.#path, { highWaterMark: pieceBytes })) {
      this.#take(piece as Uint8Array);
    }
  }

  async #fetchOnce(file: FileHandle): Promise<void> {
    const answer = await this.#openFrom(this.#byteCount);
    if (answer.status !== 206 && this.#byteCount > 0) {
      // No ranges here: from the beginning.
      await file.truncate(0);
      this.#onBytes(-this.#byteCount);
      this.#byteCount = 0;
      this.#hash = this.#newHash();
    }
    for await (const piece of answer.body ?? []) {
      if (this.#byteCount + piece.length > this.#facts.byteCount) {
        throw this.#wrong(`${this.#facts.byteCount} bytes`, 'more');
      }
      for (let at = 0; at < piece.length;) at += (await file.write(piece, at)).bytesWritten;
      this.#take(piece);
    }
  }

  #take(bytes: Uint8Array): void {
    this.#hash.update(bytes);
    this.#byteCount += bytes.length;
    this.#onBytes(bytes.length);
    this.#wake();
  }

  async #check(): Promise<void> {
    const { digest } = this.#facts;
    const got = this.#hash.digest('hex');
    if (got === digest.hex) return;
    // Nothing to go on from.
    await rm(this.#path, { force: true });
    throw this.#wrong(digest.hex, got);
  }

  #wrong(expected: string, got: string): SusurrusError {
    const { name } = this.#facts;
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

/** A connection that fails, or a server that is busy; not a refusal, a wrong digest, or a stop. */
function isWorthTryingAgain(error: unknown): boolean {
  if (!(error instanceof SusurrusError))
    return !(error instanceof Error) || error.name !== 'AbortError';
  return error.code === 'source_failed' && !/^HTTP 4(?!08|29)/.test(error.details.got ?? '');
}
