// An encrypted APR2 file as the plain one that the core reads. Nothing moves: what nonces and tags took is padding behind each
// tensor, so that every offset, of the file's parts and of errors, is that of the encrypted file. Of a shard the
// checksum is the same too, which its manifest may state.
import type { ModelKey } from '../../src/api/types.js';
import type { ByteQueue } from '../../src/platform/byte_queue.js';
import type { Decryption } from '../../src/platform/crypto_types.js';
import { footerBytes, type Apr2Front, type RunningCrc32 } from './apr2_core.js';
import {
  decryptPieces,
  encryptedTensor,
  malformed,
  type EncryptedTensor,
} from './decrypt_pieces.js';
import { decryptionKey, readScheme, type EncryptionScheme } from './encryption.js';
import { beforeFooter, footerAtEnd, wrongChecksum, zeros } from './footer.js';

/** Padding is passed on in pieces of this size at most. */
const stretchBytes = 1 << 20;
/** Bytes that suffice to force a CRC-32. */
const patchBytes = 4;

/** Decrypts a file that may be encrypted; call `bytes()` once. */
export class DecryptedBytes {
  readonly #queue: ByteQueue;
  readonly #front: Apr2Front;
  readonly #isPlain: boolean;
  readonly #keepsChecksum: boolean;
  /** CRC-32s of the input and of the output. */
  readonly #crcIn: RunningCrc32;
  readonly #crcOut: RunningCrc32;

  /** `keepsChecksum`: what is passed on has the file's own checksum, for which its last bytes of padding are chosen. */
  constructor(queue: ByteQueue, front: Apr2Front, decryption: Decryption, keepsChecksum: boolean) {
    this.#queue = queue;
    this.#front = front;
    this.#isPlain = decryption === 'plain';
    this.#keepsChecksum = keepsChecksum && this.#isPlain && front.tensors.length > 0;
    this.#crcIn = front.core.crc32();
    this.#crcOut = front.core.crc32();
  }

  async *bytes(key: ModelKey): AsyncGenerator<Uint8Array> {
    const { header, headerBytes, core } = this.#front;
    // The core sees each section first, so that its errors come before those found here.
    const plainHeader = core.plainHeader(this.#front);
    yield this.#changed(await this.#taken(headerBytes.length), (copy) => copy.set(plainHeader));
    while (this.#queue.position < header.indexOffset) {
      const left = header.indexOffset - this.#queue.position;
      yield this.#same(await this.#taken(Math.min(left, stretchBytes)));
    }
    const scheme = readScheme(this.#front);
    const tensors = this.#front.tensors
      .map((entry) => encryptedTensor(this.#front, entry, scheme))
      .sort((a, b) => a.begin - b.begin || a.entry.size - b.entry.size);
    yield this.#changed(await this.#taken(header.indexEnd - header.indexOffset), (copy) => {
      const view = new DataView(copy.buffer);
      for (const { entry, plainBytes } of tensors) {
        view.setBigUint64(entry.placeAt + 8, BigInt(plainBytes), true);
      }
    });
    const aes = await decryptionKey(key, scheme);
    // The bytes before the footer are nonce or padding.
    const held = this.#keepsChecksum ? patchBytes : 0;
    for (const tensor of tensors) {
      yield* this.#gap(tensor);
      const kept = tensor === tensors.at(-1) ? held : 0;
      if (!(yield* this.#tensor(tensor, aes, scheme, kept))) return;
    }
    yield* this.#end(held);
  }

  /** What is between tensors; the footer is not, wherever the index says that the next one begins. */
  async *#gap(tensor: EncryptedTensor): AsyncGenerator<Uint8Array> {
    const queue = this.#queue;
    while (queue.position < tensor.begin) {
      const most = Math.min(tensor.begin - queue.position, stretchBytes);
      const ahead = await queue.peek(most + footerBytes);
      if (ahead.length === 0) return;
      if (ahead.length < most + footerBytes) this.#checkIsCut(ahead, tensor);
      yield this.#same(queue.take(Math.min(most, ahead.length)));
    }
  }

  /** A file that ends too early was cut, unless it ends in a footer: then it is whole, and the index is wrong. */
  #checkIsCut(ahead: Uint8Array, { entry, begin }: EncryptedTensor): void {
    const footer = footerAtEnd(this.#front.core, ahead, this.#queue.position);
    if (!footer) return;
    throw malformed('bounds', {
      offset: begin,
      subject: entry.name,
      expected: `an end of at most ${footer.byteCount - footerBytes}`,
      got: String(begin + entry.size),
    });
  }

  /** Yields all but the last `kept` bytes. Returns false if the file ends before them. */
  async *#tensor(
    tensor: EncryptedTensor,
    key: CryptoKey,
    scheme: EncryptionScheme,
    kept: number,
  ): AsyncGenerator<Uint8Array, boolean> {
    const queue = this.#queue;
    let overhead = 0;
    const pieces = decryptPieces(queue, tensor, key, scheme);
    let step = await pieces.next();
    for (; !step.done; step = await pieces.next()) {
      const { stored, plain } = step.value;
      this.#crcIn.update(stored);
      if (this.#isPlain) overhead += stored.length - plain.length;
      yield this.#isPlain ? this.#out(plain) : stored;
    }
    if (!step.value) {
      const ahead = await queue.peek(tensor.entry.size);
      this.#checkIsCut(ahead, tensor);
      queue.take(ahead.length);
      return false;
    }
    for (const padding of zeros(overhead - kept)) yield this.#out(padding);
    return true;
  }

  /** What is behind the last tensor, and the footer. The `held` bytes before it are chosen so that its checksum is right. */
  async *#end(held: number): AsyncGenerator<Uint8Array> {
    const queue = this.#queue;
    const { core } = this.#front;
    const rest = beforeFooter(core, queue);
    let step = await rest.next();
    for (; !step.done; step = await rest.next()) {
      this.#crcIn.update(step.value);
      yield this.#out(step.value);
    }
    const footer = step.value;
    if (!footer) {
      queue.take(footerBytes);
      return;
    }
    if (this.#crcIn.value !== footer.crc32) {
      throw wrongChecksum(queue.position, footer, this.#crcIn);
    }
    queue.take(footerBytes);
    if (held > 0) {
      const patch = new Uint8Array(patchBytes);
      new DataView(patch.buffer).setUint32(0, this.#crcOut.bytesTo(footer.crc32), true);
      yield this.#out(patch);
    }
    yield core.footer(this.#isPlain ? this.#crcOut.value : footer.crc32, footer.byteCount);
  }

  async #taken(byteCount: number): Promise<Uint8Array<ArrayBuffer>> {
    await this.#queue.peek(byteCount);
    return this.#queue.take(byteCount);
  }

  #out(bytes: Uint8Array): Uint8Array {
    // Only the checksum of plain bytes is new.
    if (this.#isPlain) this.#crcOut.update(bytes);
    return bytes;
  }

  #same(bytes: Uint8Array): Uint8Array {
    this.#crcIn.update(bytes);
    return this.#out(bytes);
  }

  #changed(
    bytes: Uint8Array<ArrayBuffer>,
    change: (copy: Uint8Array<ArrayBuffer>) => void,
  ): Uint8Array {
    this.#crcIn.update(bytes);
    if (!this.#isPlain) return bytes;
    const copy = bytes.slice();
    change(copy);
    return this.#out(copy);
  }
}
