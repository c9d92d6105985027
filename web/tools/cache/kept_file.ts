// The file that a model's bytes go to while they pass. Where there is no room for it the bytes pass all the same.
import { isObject } from '../../src/api/json_object.js';
import type { DownloadFile } from '../../src/sources/download.js';
import type { ModelFacts, ModelStore } from './model_store.js';
import { wordsFor } from './store_files.js';

const megabytes = (byteCount: number): string => `${Math.ceil(byteCount / 1e6)} MB`;

export class KeptFile {
  readonly #store: ModelStore;
  readonly #id: string;
  readonly #file: DownloadFile;
  #facts: ModelFacts | undefined;
  #byteCount: number;
  #problem: string | undefined;
  #isClosed = false;
  #isDropped = false;

  /** `facts`: what is known of the bytes that are there. */
  constructor(store: ModelStore, id: string, file: DownloadFile, facts: ModelFacts | undefined) {
    this.#store = store;
    this.#id = id;
    this.#file = file;
    this.#facts = facts;
    this.#byteCount = facts ? file.byteCount : 0;
  }

  /** Undefined once it was dropped, since something did not fit. */
  get file(): DownloadFile | undefined {
    return this.#isDropped ? undefined : this.#file;
  }

  get facts(): ModelFacts | undefined {
    return this.#facts;
  }

  /** Why it cannot be kept, once that is known. */
  get problem(): string | undefined {
    return this.#problem;
  }

  get #words(): ReturnType<typeof wordsFor> {
    return wordsFor(this.#store.files.kind);
  }

  /** Before the first byte that is written. What is known of a file's state is there before the file is. */
  async begin(facts: ModelFacts, keptBytes: number): Promise<void> {
    this.#byteCount = keptBytes;
    await this.#try(facts.byteCount, async () => {
      const { byteCount } = facts;
      const room = await this.#store.files.room();
      const needed = (byteCount ?? 1) - keptBytes;
      if (room !== undefined && room < needed) {
        this.#problem = `not kept: ${this.#words.place} has room for ${megabytes(room)}, and ${megabytes(needed)} are needed`;
        return;
      }
      if (keptBytes === 0) {
        await this.#file.clear();
        await this.#store.writeFacts(this.#id, facts);
      }
      this.#facts = facts;
    });
  }

  async write(bytes: Uint8Array, at = this.#byteCount): Promise<void> {
    await this.#try(this.#facts?.byteCount, () => this.#file.write(bytes, at));
    this.#byteCount = at + bytes.length;
    await this.#drop();
  }

  /** All bytes are here: their number is known now. */
  async end(): Promise<void> {
    await this.#try(this.#facts?.byteCount, async () => {
      if (!this.#facts || this.#facts.byteCount !== undefined) return;
      this.#facts = { ...this.#facts, byteCount: this.#byteCount };
      await this.#store.writeFacts(this.#id, this.#facts);
    });
  }

  /** Ends without the whole: what is here stays for the next load, unless it did not fit. */
  async leave(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#drop();
    await this.#file.close(this.#problem === undefined).catch(() => undefined);
  }

  /** What did not fit only takes room from others. What comes first of it has been read when the first new byte is written. */
  async #drop(): Promise<void> {
    if (this.#problem === undefined || this.#isDropped) return;
    this.#isDropped = true;
    await this.#file.clear().catch(() => undefined);
    await this.#store.removeFacts(this.#id).catch(() => undefined);
  }

  /** The bytes are verified. Returns why they are not kept. */
  async keep(): Promise<readonly string[]> {
    await this.#try(this.#facts?.byteCount, async () => {
      // Mark the file before closing it, so that no other worker takes it for a part.
      await this.#store.mark(this.#id);
      await this.#file.close(true);
      this.#isClosed = true;
    });
    return this.#problem === undefined ? [] : [this.#problem];
  }

  /** After the first failure nothing more is written: a file with a hole is worth nothing. */
  async #try(byteCount: number | undefined, work: () => Promise<void>): Promise<void> {
    if (this.#problem !== undefined) return;
    try {
      await work();
    } catch (error) {
      const isFull =
        isObject(error) && (error.name === 'QuotaExceededError' || error.code === 'ENOSPC');
      const size = byteCount === undefined ? '' : ` of ${megabytes(byteCount)}`;
      this.#problem = isFull
        ? `not kept: ${this.#words.place} has no room left for the model${size}`
        : `not kept: ${this.#words.storage} failed (${String(error)})`;
    }
  }
}
