// Reads single tensors of a file in parts: verifies their bytes by the file's piece digests and decrypts them. It reads only the pieces that
// contain them.
import { ByteQueue } from '../../src/platform/byte_queue.js';
import type { ModelKey } from '../../src/api/types.js';
import { SusurrusError } from '../../src/api/errors.js';
import { asOutcomes, type Outcome } from '../../src/api/outcome.js';
import { footerBytes, type Apr2Core, type Apr2Front } from './apr2_core.js';
import { decryptPieces, encryptedTensor } from './decrypt_pieces.js';
import { decryptionError, decryptionKey, readScheme, type EncryptionScheme } from './encryption.js';
import { areEqual, toHex } from './hex.js';
import {
  badDigests,
  digestsBegin,
  digestsKey,
  readPieceDigests,
  type PieceDigests,
} from './piece_digests.js';
import { sha256 } from './web_crypto.js';

export type ReadRange = (offset: number, byteCount: number) => AsyncIterable<Uint8Array>;

/** A tensor as it is stored in a file that is not encrypted. */
export interface OpenedTensor {
  readonly byteCount: number;
  readonly next: () => Promise<Outcome<IteratorResult<Uint8Array, unknown>>>;
}

/** A range of bytes in a file. */
export interface ByteRange {
  readonly begin: number;
  readonly end: number;
}

const firstBytes = 1 << 16;
/** Larger pieces are not cached. */
const mostKeptBytes = 16 << 20;

export class TensorBytes {
  readonly #front: Apr2Front;
  /** Where the footer begins. */
  readonly #end: number;
  readonly #digests: PieceDigests | undefined;
  readonly #encryption: { readonly scheme: EncryptionScheme; readonly key: CryptoKey } | undefined;
  /** The piece that was verified last: the next tensor often begins in it. */
  #kept: { readonly piece: number; readonly bytes: Uint8Array } | undefined;

  private constructor(
    front: Apr2Front,
    end: number,
    digests: PieceDigests | undefined,
    encryption: { readonly scheme: EncryptionScheme; readonly key: CryptoKey } | undefined,
  ) {
    this.#front = front;
    this.#end = end;
    this.#digests = digests;
    this.#encryption = encryption;
  }

  /** Returns undefined for anything but an APR2 file. Throws if the key does not suit the file's encryption. Does not check a signature. */
  static async open(
    core: Apr2Core,
    read: ReadRange,
    byteCount: number,
    key: ModelKey | undefined,
  ): Promise<TensorBytes | undefined> {
    const queue = new ByteQueue(growingParts(read, byteCount));
    try {
      const front = await core.readFront(queue);
      if (!front) return undefined;
      let encryption;
      if (front.header.isEncrypted && key !== undefined) {
        const scheme = readScheme(front);
        encryption = { scheme, key: await decryptionKey(key, scheme) };
      }
      const digests = await readPieceDigests(front);
      return new TensorBytes(front, byteCount - footerBytes, digests, encryption);
    } finally {
      queue.close();
    }
  }

  /** The range to read for some bytes: the pieces that contain them. */
  range({ begin, end }: ByteRange): ByteRange {
    if (!this.#digests || begin === end) return { begin, end };
    const { pieceBytes } = this.#digests;
    const origin = digestsBegin(this.#front);
    const first = Math.floor((begin - origin) / pieceBytes);
    const last = Math.ceil((end - origin) / pieceBytes);
    return {
      begin: origin + first * pieceBytes,
      end: Math.min(origin + last * pieceBytes, this.#end),
    };
  }

  /**
   * Returns the tensor at this offset of the file, whose bytes `read` returns. Throws `decryption_failed` if it is encrypted and there is no
   * key.
   */
  readonly tensor = asOutcomes(
    (name: string, offset: number, read: ReadRange): Promise<OpenedTensor> => {
      const { header, tensors } = this.#front;
      const entry = tensors.find(
        (one) => one.name === name && header.dataOffset + one.offset === offset,
      );
      if (!entry) throw new TypeError(`no tensor ${name} at ${offset}`);
      const { size } = entry;
      if (!header.isEncrypted) {
        const bytes = this.#stored(name, offset, size, read);
        return Promise.resolve({ byteCount: size, next: asOutcomes(() => bytes.next()) });
      }
      if (!this.#encryption) throw decryptionError(offset, name, 'a key', 'none');
      const { scheme, key } = this.#encryption;
      const tensor = encryptedTensor(this.#front, entry, scheme);
      const bytes = this.#decrypted(tensor, key, scheme, read);
      return Promise.resolve({
        byteCount: tensor.plainBytes,
        next: asOutcomes(() => bytes.next()),
      });
    },
  );

  async *#decrypted(
    tensor: ReturnType<typeof encryptedTensor>,
    key: CryptoKey,
    scheme: EncryptionScheme,
    read: ReadRange,
  ): AsyncGenerator<Uint8Array> {
    const { name, size } = tensor.entry;
    const queue = new ByteQueue(this.#stored(name, tensor.begin, size, read), tensor.begin);
    try {
      const pieces = decryptPieces(queue, tensor, key, scheme);
      let step = await pieces.next();
      for (; !step.done; step = await pieces.next()) yield step.value.plain;
    } finally {
      queue.close();
    }
  }

  /** Yields bytes of the file from the pieces that contain them, each once its digest is verified. */
  async *#stored(
    name: string,
    offset: number,
    byteCount: number,
    read: ReadRange,
  ): AsyncGenerator<Uint8Array> {
    if (!this.#digests || byteCount === 0) {
      yield* read(offset, byteCount);
      return;
    }
    const { pieceBytes, digests } = this.#digests;
    const { begin, end } = this.range({ begin: offset, end: offset + byteCount });
    const wantedOf = (bytes: Uint8Array, at: number): Uint8Array =>
      bytes.slice(Math.max(0, offset - at), Math.min(bytes.length, offset + byteCount - at));
    let piece = Math.floor((begin - digestsBegin(this.#front)) / pieceBytes);
    let from = begin;
    if (this.#kept?.piece === piece) {
      const { bytes } = this.#kept;
      yield wantedOf(bytes, begin);
      from += bytes.length;
      ++piece;
    }
    if (from >= end) return;
    const queue = new ByteQueue(read(from, end - from), from);
    try {
      for (; queue.position < end; ++piece) {
        const at = queue.position;
        const wanted = Math.min(pieceBytes, end - at);
        const bytes = await queue.peek(wanted);
        if (bytes.length < wanted) return; // the caller counts the bytes and reports it
        const expected = digests[piece];
        if (!expected) {
          const count = `${digests.length}; the file has more`;
          throw badDigests(this.#front, `${digestsKey}.digests`, 'one for each piece', count);
        }
        const got = await sha256(bytes);
        if (!areEqual(expected, got)) throw wrongPiece(name, piece, at, expected, got);
        const verified = queue.take(wanted);
        this.#kept = wanted <= mostKeptBytes ? { piece, bytes: verified } : undefined;
        yield wantedOf(verified, at);
      }
    } finally {
      queue.close();
    }
  }
}

const wrongPiece = (
  name: string,
  piece: number,
  offset: number,
  expected: Uint8Array,
  got: Uint8Array,
): SusurrusError =>
  new SusurrusError(
    'checksum_mismatch',
    `${name}: the bytes from ${offset} on, piece ${piece} of the file, differ from their digest.`,
    {
      reason: 'checksum',
      offset,
      subject: name,
      expected: toHex(expected),
      got: toHex(got),
    },
  );

/** A file from its beginning, in parts that are larger and larger: most descriptions are short. */
async function* growingParts(read: ReadRange, byteCount: number): AsyncGenerator<Uint8Array> {
  for (let at = 0, most = firstBytes; at < byteCount; most *= 2) {
    const count = Math.min(most, byteCount - at);
    yield* read(at, count);
    at += count;
  }
}
