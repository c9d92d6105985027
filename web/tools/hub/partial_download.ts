// A download in progress: it can be read while it arrives, and is complete once the stored bytes have the hub's digest.
import { sourceFailed, SusurrusError } from '../../src/api/errors.js';
import { download, type DownloadFile } from '../../src/sources/download.js';
import { digestCheck, type HubFile, type NewHash } from './repository_files.js';

const pieceBytes = 1 << 20;

/** What downloads need from their environment. */
export interface DownloadPlace {
  /** A file that no other download has, with what earlier ones left of it. */
  take(facts: HubFile): Promise<DownloadFile>;
  readonly newHash: NewHash;
}

export interface DownloadTask {
  readonly place: DownloadPlace;
  readonly facts: HubFile;
  /** The answer to a request for the file from `offset` on: see RepositoryFiles.open(). */
  readonly openFrom: (offset: number) => Promise<Response>;
  /** Called with the number of new bytes. What it throws ends the download. */
  readonly onBytes: (byteCount: number) => void;
  readonly signal: AbortSignal;
}

/** Writes the bytes once, in order, into a file that no other pull has, so that readers get the bytes that the digest covers. */
export class PartialDownload {
  /** Resolves when the whole file is downloaded and its digest verified. */
  readonly arrived: Promise<void>;
  readonly #task: DownloadTask;
  #file: DownloadFile | undefined;
  #byteCount = 0;
  #isVerified = false;
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
      const count = await this.#file?.read(bytes, at);
      if (!count) throw sourceFailed(name, 'it became shorter while it was read');
      at += count;
      yield bytes.subarray(0, count);
    }
  }

  /**
   * Waits for work under way. Keeps the partial file for the next pull, or removes it. A wrong file is always removed, and so is one without
   * a version that the rest could be matched to. `ifVerified`: keeps only a file with the hub's digest.
   */
  async close(isKept: boolean | 'ifVerified'): Promise<void> {
    await this.arrived.catch(() => undefined);
    await this.#ended;
    const isGood = isKept === 'ifVerified' ? this.#isVerified : isKept;
    await this.#file?.close(isGood && !this.#isWrong && this.#hasState);
  }

  /** Whether the downloaded bytes are wrong, so that they must not be continued. */
  get #isWrong(): boolean {
    const error = this.#failure?.error;
    return error instanceof SusurrusError && error.code === 'checksum_mismatch';
  }

  /** Whether the version of the downloaded bytes is known. */
  get #hasState(): boolean {
    const { digest, validator } = this.#task.facts;
    return digest !== undefined || validator !== undefined;
  }

  async #arrive(): Promise<void> {
    const { facts, place } = this.#task;
    const file = (this.#file = await place.take(facts));
    // Too long: not this file.
    if (file.byteCount > facts.byteCount || !this.#hasState) await file.clear();
    else this.#gain(file.byteCount);
    const work = [this.#fetchAll(file), this.#check()];
    this.#ended = Promise.allSettled(work);
    await Promise.all(work);
  }

  async #fetchAll(file: DownloadFile): Promise<void> {
    const { facts, openFrom, signal } = this.#task;
    const { name, byteCount } = facts;
    const task = { name, facts, hasDigest: facts.digest !== undefined, open: openFrom, signal };
    for await (const bytes of download({ ...task, kept: { file } }, this.#byteCount, byteCount)) {
      await file.write(bytes, this.#byteCount);
      this.#gain(bytes.length);
    }
  }

  #gain(byteCount: number): void {
    this.#byteCount += byteCount;
    this.#wake();
    this.#task.onBytes(byteCount);
  }

  /** Verifies the digest of the file as read back, which is what the converter reads, while the rest arrives. */
  async #check(): Promise<void> {
    const { facts, place } = this.#task;
    const check = digestCheck(facts, place.newHash);
    if (!check) return;
    for await (const piece of this.read(0, facts.byteCount)) check.update(piece);
    check.end();
    this.#isVerified = true;
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}
