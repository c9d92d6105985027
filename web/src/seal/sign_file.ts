import type { RewriteResult, SigningKey } from '../api_types.js';
import { SusurrusError } from '../errors.js';
import { flagBits, hasFlag } from './apr2_front.js';
import { toHex } from './hex.js';
import { digestAlgorithm, digestsKey, pieceBytes, signatureBlockBytes } from './piece_digests.js';
import {
  dataFrom,
  newFront,
  placeTensors,
  withPass,
  writeFile,
  type PlacedTensor,
  type RewriteJob,
  type SourcePass,
} from './rewrite.js';
import { signatureBytes, signedMessage } from './signature.js';
import { sha256, withEd25519 } from './web_crypto.js';

const algorithm = { name: 'Ed25519' } as const;
/** An Ed25519 private key in PKCS #8, up to the seed itself (RFC 8410). */
const seedPrefix = Uint8Array.of(
  ...[
    0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
  ],
);

/** Writes the same file with a signature, in place of one that it may have. */
export async function signFile(
  job: RewriteJob,
  key: Uint8Array | CryptoKeyPair,
): Promise<RewriteResult> {
  const { privateKey, publicKey } = await signingKeys(key);
  return writeDigested(job, { set: flagBits.signed, clear: 0 }, async (message) => {
    const block = new Uint8Array(signatureBlockBytes);
    block.set(
      new Uint8Array(await withEd25519((subtle) => subtle.sign(algorithm, privateKey, message))),
    );
    block.set(publicKey, signatureBytes);
    return block;
  });
}

/** Writes the same file with piece digests. */
export function digestFile(job: RewriteJob): Promise<RewriteResult> {
  return writeDigested(job, { set: 0, clear: 0 }, undefined);
}

/** Two passes: digests stand before the data that they are of. */
async function writeDigested(
  job: RewriteJob,
  flags: { readonly set: number; readonly clear: number },
  sign: ((message: Uint8Array<ArrayBuffer>) => Promise<Uint8Array>) | undefined,
): Promise<RewriteResult> {
  const begin = sign ? signatureBlockBytes : 0;
  const tensorsOf = (pass: SourcePass): readonly PlacedTensor[] =>
    placeTensors(pass.front, begin, ({ size }) => size);
  const dataOf = (pass: SourcePass): AsyncIterable<Uint8Array> =>
    dataFrom(begin, tensorsOf(pass), ({ entry }) => pass.tensor(entry));

  const digests = await withPass(job, async (pass) => {
    if (!sign && hasFlag(pass.front, flagBits.signed)) {
      throw new SusurrusError('invalid_argument', 'A signed file has its digests already.', {
        reason: 'option',
        subject: 'source',
        expected: 'a file that is not signed',
      });
    }
    const hasher = new PieceHasher();
    for await (const bytes of dataOf(pass)) await hasher.update(bytes);
    await pass.finish();
    return hasher.finish();
  });
  return withPass(job, async (pass) => {
    const tensors = tensorsOf(pass);
    const stated = { algorithm: digestAlgorithm, piece_size: pieceBytes, digests };
    const front = newFront(pass.front, tensors, flags, { [digestsKey]: stated });
    const block = sign
      ? await sign(await signedMessage(front.header, front.metadata, front.index))
      : new Uint8Array();
    const byteCount = await writeFile(front, block, dataOf(pass), job.write);
    await pass.finish();
    return { byteCount, tensorCount: tensors.length, warnings: [] };
  });
}

/** SHA-256 of each piece of what it is given. */
class PieceHasher {
  readonly #digests: string[] = [];
  readonly #piece = new Uint8Array(pieceBytes);
  #filled = 0;

  async update(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) {
      const count = Math.min(bytes.length - at, pieceBytes - this.#filled);
      this.#piece.set(bytes.subarray(at, at + count), this.#filled);
      this.#filled += count;
      at += count;
      if (this.#filled === pieceBytes) await this.#end();
    }
  }

  async finish(): Promise<readonly string[]> {
    if (this.#filled > 0) await this.#end();
    return this.#digests;
  }

  async #end(): Promise<void> {
    this.#digests.push(toHex(await sha256(this.#piece.subarray(0, this.#filled))));
    this.#filled = 0;
  }
}

/** A new pair of keys. */
export async function newSigningKey(): Promise<SigningKey> {
  return withEd25519(async (subtle) => {
    const pair = await subtle.generateKey(algorithm, true, ['sign', 'verify']);
    const pkcs8 = new Uint8Array(await subtle.exportKey('pkcs8', pair.privateKey));
    const publicKey = new Uint8Array(await subtle.exportKey('raw', pair.publicKey));
    return { privateKey: pkcs8.slice(seedPrefix.length), publicKey };
  });
}

async function signingKeys(
  key: Uint8Array | CryptoKeyPair,
): Promise<{ readonly privateKey: CryptoKey; readonly publicKey: Uint8Array }> {
  return withEd25519(async (subtle) => {
    if (!(key instanceof Uint8Array)) {
      const publicKey = new Uint8Array(await subtle.exportKey('raw', key.publicKey));
      return { privateKey: key.privateKey, publicKey };
    }
    const pkcs8 = Uint8Array.of(...seedPrefix, ...key);
    const privateKey = await subtle.importKey('pkcs8', pkcs8, algorithm, true, ['sign']);
    // The only way in which WebCrypto tells the public key of a private one.
    const { x = '' } = await subtle.exportKey('jwk', privateKey);
    const base64 = x.replaceAll('-', '+').replaceAll('_', '/');
    return { privateKey, publicKey: Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)) };
  });
}
