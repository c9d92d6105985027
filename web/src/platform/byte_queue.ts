// A byte queue over chunks of any size, with look-ahead.
import { joined } from '../api/joined.js';

/** Reads the source only on demand, and holds only what was peeked at. */
export class ByteQueue {
  readonly #source: AsyncIterator<Uint8Array>;
  #parts: Uint8Array[] = [];
  #held = 0;
  #isOver = false;
  /** How many bytes were taken: the offset in the file of the next one. */
  position: number;

  /** `position`: the offset in the file of the source's first byte. */
  constructor(chunks: AsyncIterable<Uint8Array>, position = 0) {
    this.#source = chunks[Symbol.asyncIterator]();
    this.position = position;
  }

  /** The next bytes, which stay; fewer than so many only where the source ends. The view holds until something is taken. */
  async peek(byteCount: number): Promise<Uint8Array<ArrayBuffer>> {
    while (this.#held < byteCount && (await this.#read()));
    let first = this.#parts[0] ?? new Uint8Array();
    if (first.length < Math.min(byteCount, this.#held)) {
      first = joined(this.#parts, Uint8Array);
      this.#parts = [first];
    }
    // WebCrypto takes no memory that is shared.
    return first.subarray(0, byteCount) as Uint8Array<ArrayBuffer>;
  }

  /** Takes bytes that were looked at. */
  take(byteCount: number): Uint8Array<ArrayBuffer> {
    const [first = new Uint8Array()] = this.#parts;
    const taken = first.subarray(0, byteCount);
    this.#drop(taken.length);
    return taken as Uint8Array<ArrayBuffer>;
  }

  /** Whatever comes next, at most so many bytes; undefined at the end. */
  async next(most = Infinity): Promise<Uint8Array<ArrayBuffer> | undefined> {
    while (this.#held === 0) if (!(await this.#read())) return undefined;
    return this.take(Math.min(most, this.#parts[0]?.length ?? 0));
  }

  /** All that is left, as it comes. */
  async *rest(): AsyncGenerator<Uint8Array> {
    for (let piece = await this.next(); piece; piece = await this.next()) yield piece;
  }

  /** Cancels the source at once, even while a chunk of it is awaited. */
  close(): void {
    this.#isOver = true;
    void Promise.resolve(this.#source.return?.()).catch(() => undefined);
  }

  async #read(): Promise<boolean> {
    if (this.#isOver) return false;
    const step = await this.#source.next();
    if (step.done) {
      this.#isOver = true;
      return false;
    }
    // Not a Node Buffer: its slice() does not copy.
    const { buffer, byteOffset, byteLength } = step.value;
    if (byteLength > 0) this.#parts.push(new Uint8Array(buffer, byteOffset, byteLength));
    this.#held += byteLength;
    return true;
  }

  #drop(byteCount: number): void {
    this.position += byteCount;
    this.#held -= byteCount;
    const [first = new Uint8Array()] = this.#parts;
    if (byteCount === first.length) this.#parts.shift();
    else this.#parts[0] = first.subarray(byteCount);
  }
}
