// An encrypted APR2 file as the plain one that the core reads. Nothing moves: what nonces and tags took is padding behind each
// tensor, so that every offset, of the file's parts and of errors, is that of the encrypted file. Of a shard the
// checksum is the same too, which its manifest may state.
import type { ModelKey } from '../api_types.js';
import { fileError, type ErrorReason, type SusurrusError } from '../errors.js';
import { beforeFooter, footerAt, makeFooter, wrongChecksum, zeros } from './apr2_footer.js';
import { fieldOffsets, flagBits, footerBytes, headerBytes, type Apr2Front } from './apr2_front.js';
import type { IndexEntry } from './apr2_index.js';
import type { ByteQueue } from './byte_queue.js';
import { RunningCrc32 } from './crc32.js';
import {
  decryptionError,
  deriveKey,
  gcmParameters,
  noncePrefixBytes,
  pieceCount,
  readScheme,
  sealedBytes,
  tagBytes,
  unsealedBytes,
  type EncryptionScheme,
} from './encryption.js';
import { webCrypto } from './web_crypto.js';

/** Padding is passed on in pieces of this size at most. */
const stretchBytes = 1 << 20;
/** What it takes to give bytes another checksum. */
const patchBytes = 4;

interface SealedTensor {
  readonly entry: IndexEntry;
  /** In the file. */
  readonly begin: number;
  readonly plainBytes: number;
}

/** `'plain'` for loading; `'stored'` gives the file as it is, but each piece only when it has been authenticated. */
export type Decryption = 'plain' | 'stored';

/** A file that may be encrypted, through this class's hands: `bytes()` once. */
export class DecryptedBytes {
  readonly #queue: ByteQueue;
  readonly #front: Apr2Front;
  readonly #isPlain: boolean;
  readonly #keepsChecksum: boolean;
  /** Of what came, and of what went on. */
  readonly #crcIn = new RunningCrc32();
  readonly #crcOut = new RunningCrc32();

  /** `keepsChecksum`: what is passed on has the file's own checksum, for which its last bytes of padding are chosen. */
  constructor(queue: ByteQueue, front: Apr2Front, decryption: Decryption, keepsChecksum: boolean) {
    this.#queue = queue;
    this.#front = front;
    this.#isPlain = decryption === 'plain';
    this.#keepsChecksum = keepsChecksum && this.#isPlain && front.index.entries.length > 0;
  }

  async *bytes(key: ModelKey): AsyncGenerator<Uint8Array> {
    const { header, index } = this.#front;
    // The core sees each section first, and what it says of it goes before what is said here.
    yield this.#changed(await this.#taken(headerBytes), (view) => {
      view.setUint32(fieldOffsets.flags, header.flags & ~flagBits.encrypted, true);
    });
    yield this.#same(await this.#taken(header.indexOffset - headerBytes));
    const scheme = readScheme(this.#front);
    const tensors = this.#tensors(scheme);
    yield this.#changed(await this.#taken(header.indexEnd - header.indexOffset), (view) => {
      for (const { entry, plainBytes } of tensors) {
        view.setBigUint64(entry.sizeAt, BigInt(plainBytes), true);
      }
    });
    if (index.brokenAt !== undefined || tensors.length < index.entries.length) {
      throw malformed('bad_index', {
        offset: header.indexOffset + (index.brokenAt ?? 0),
        subject: 'index',
        expected: 'tensors that fit a file',
      });
    }
    const opened = await deriveKey(key, scheme.kdf, 'decrypt');
    if (!opened) {
      const expected = scheme.kdf ? 'a passphrase' : 'a key of 32 bytes';
      throw decryptionError(fieldOffsets.flags, 'key', expected, 'another kind of key');
    }
    // The last bytes before the footer are nobody's: what the nonce of the last tensor took, or padding.
    const held = this.#keepsChecksum ? patchBytes : 0;
    for (const tensor of tensors) {
      yield* this.#gap(tensor);
      const kept = tensor === tensors.at(-1) ? held : 0;
      if (!(yield* this.#tensor(tensor, opened, scheme, kept))) return;
    }
    yield* this.#end(held);
  }

  /**
   * In the order of their data. Refuses sizes and overlaps that the core cannot see, since it is told of plain sizes; what the
   * core refuses anyway is left to it.
   */
  #tensors({ pieceBytes }: EncryptionScheme): readonly SealedTensor[] {
    const { header, index } = this.#front;
    const tensors: SealedTensor[] = [];
    for (const entry of index.entries) {
      if (entry.valueBytes === undefined) continue;
      const plainBytes = unsealedBytes(entry.size, pieceBytes);
      // A compressed tensor may have any size that pieces can have.
      const expected = entry.rawSize === 0 ? sealedBytes(entry.valueBytes, pieceBytes) : undefined;
      if (plainBytes === undefined || (expected ?? entry.size) !== entry.size) {
        throw malformed('size_mismatch', {
          offset: header.indexOffset + entry.at,
          subject: entry.name,
          expected: expected === undefined ? 'whole pieces' : `size ${expected}`,
          got: String(entry.size),
        });
      }
      tensors.push({ entry, begin: header.dataOffset + entry.offset, plainBytes });
    }
    tensors.sort((a, b) => a.begin - b.begin || a.entry.size - b.entry.size);
    let end = header.dataOffset;
    for (const { entry, begin } of tensors) {
      if (begin < end) {
        throw malformed('layout', {
          offset: begin,
          subject: entry.name,
          expected: `an offset of at least ${end - header.dataOffset}`,
          got: String(entry.offset),
        });
      }
      end = begin + entry.size;
    }
    return tensors;
  }

  /** What is between tensors; the footer is not, wherever the index says that the next one begins. */
  async *#gap(tensor: SealedTensor): AsyncGenerator<Uint8Array> {
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
  #checkIsCut(ahead: Uint8Array, { entry, begin }: SealedTensor): void {
    const footer = footerAt(ahead, ahead.length, this.#queue.position);
    if (!footer) return;
    throw malformed('bounds', {
      offset: begin,
      subject: entry.name,
      expected: `an end of at most ${footer.byteCount - footerBytes}`,
      got: String(begin + entry.size),
    });
  }

  /** All but the last `kept` bytes. False where the file ends within it. */
  async *#tensor(
    tensor: SealedTensor,
    key: CryptoKey,
    { pieceBytes }: EncryptionScheme,
    kept: number,
  ): AsyncGenerator<Uint8Array, boolean> {
    const queue = this.#queue;
    const { entry, plainBytes } = tensor;
    const pieces = pieceCount(plainBytes, pieceBytes);
    let noncePrefix = new Uint8Array();
    let overhead = 0;
    // A tensor without values still has its nonce.
    for (let piece = 0; piece < Math.max(1, pieces); ++piece) {
      const isLast = piece + 1 >= pieces;
      const textBytes = isLast ? plainBytes - piece * pieceBytes : pieceBytes;
      const prefixBytes = piece === 0 ? noncePrefixBytes : 0;
      const storedBytes = textBytes + (pieces > 0 ? tagBytes : 0);
      const ahead = await queue.peek(prefixBytes + storedBytes);
      if (ahead.length < prefixBytes + storedBytes) {
        this.#checkIsCut(ahead, tensor);
        queue.take(ahead.length);
        return false;
      }
      if (piece === 0) noncePrefix = ahead.slice(0, noncePrefixBytes);
      const offset = queue.position + prefixBytes;
      const stored = queue.take(prefixBytes + storedBytes);
      const plain =
        pieces > 0
          ? await this.#decrypted(
              stored.subarray(prefixBytes),
              key,
              gcmParameters(entry, noncePrefix, piece, isLast),
              { offset, subject: entry.name, piece },
            )
          : new Uint8Array();
      this.#crcIn.update(stored);
      if (this.#isPlain) overhead += stored.length - plain.length;
      yield this.#isPlain ? this.#out(plain) : stored;
    }
    for (const padding of zeros(overhead - kept)) yield this.#out(padding);
    return true;
  }

  async #decrypted(
    stored: Uint8Array<ArrayBuffer>,
    key: CryptoKey,
    parameters: AesGcmParams,
    { offset, subject, piece }: { offset: number; subject: string; piece: number },
  ): Promise<Uint8Array> {
    try {
      return new Uint8Array(await webCrypto().decrypt(parameters, key, stored));
    } catch (error) {
      const expected = `that the key opens piece ${piece}`;
      throw decryptionError(offset, subject, expected, 'a wrong tag', error);
    }
  }

  /** What is behind the last tensor, and the footer. The `held` bytes before it are chosen so that its checksum is right. */
  async *#end(held: number): AsyncGenerator<Uint8Array> {
    const queue = this.#queue;
    const rest = beforeFooter(queue);
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
    if (this.#crcIn.value !== footer.crc) {
      throw wrongChecksum(queue.position, footer, this.#crcIn);
    }
    queue.take(footerBytes);
    if (held > 0) {
      const patch = new Uint8Array(patchBytes);
      new DataView(patch.buffer).setUint32(0, this.#crcOut.bytesTo(footer.crc), true);
      yield this.#out(patch);
    }
    yield makeFooter(this.#isPlain ? this.#crcOut.value : footer.crc, footer.byteCount);
  }

  async #taken(byteCount: number): Promise<Uint8Array<ArrayBuffer>> {
    await this.#queue.peek(byteCount);
    return this.#queue.take(byteCount);
  }

  #out(bytes: Uint8Array): Uint8Array {
    this.#crcOut.update(bytes);
    return bytes;
  }

  #same(bytes: Uint8Array): Uint8Array {
    this.#crcIn.update(bytes);
    return this.#out(bytes);
  }

  #changed(bytes: Uint8Array, change: (view: DataView) => void): Uint8Array {
    this.#crcIn.update(bytes);
    if (!this.#isPlain) return bytes;
    const copy = bytes.slice();
    change(new DataView(copy.buffer));
    return this.#out(copy);
  }
}

function malformed(
  reason: ErrorReason,
  details: { offset: number; subject: string; expected: string; got?: string },
): SusurrusError {
  return fileError('malformed', 'the bytes contradict the format', { reason, ...details });
}
