import type { SigningKey } from '../../src/api/types.js';
import { SusurrusError } from '../../src/api/errors.js';
import { toHex } from './hex.js';
import { digestAlgorithm, digestsKey, pieceBytes, signatureBlockBytes } from './piece_digests.js';
import {
  dataFrom,
  newFront,
  placeTensors,
  withPass,
  writeFile,
  type NewFront,
  type PlacedTensor,
  type SourcePass,
  type TransformedFile,
  type TransformJob,
} from './transform_apr2.js';
import { modelDigestKey, statedModelDigest } from './signed_model.js';
import { signatureBytes, signedMessage } from './signature.js';
import { sha256, withEd25519 } from './web_crypto.js';

const algorithm = { name: 'Ed25519' } as const;
/** An Ed25519 private key in PKCS #8, up to the seed itself (RFC 8410). */
const seedPrefix = Uint8Array.from([
  0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
]);

export interface Signer {
  readonly privateKey: CryptoKey;
  readonly publicKey: Uint8Array;
}

/**
 * Computes the piece digests that a file will have, in hexadecimal digits. This takes a separate pass, since digests precede their data in
 * the file.
 */
export function pieceDigestsOf(job: TransformJob, isSigned: boolean): Promise<readonly string[]> {
  return withPass(job, async (pass) => {
    if (!isSigned && pass.front.header.isSigned) {
      throw new SusurrusError('invalid_argument', 'A signed file has its digests already.', {
        reason: 'option',
        subject: 'source',
        expected: 'a file that is not signed',
      });
    }
    const hasher = new PieceHasher();
    for await (const bytes of digestedData(pass, isSigned).data) await hasher.update(bytes);
    await pass.finish();
    return hasher.finish();
  });
}

/** Writes the same file with these digests, and with a signature in place of one that it may have. */
export function writeDigested(
  job: TransformJob,
  digests: readonly string[],
  signer: Signer | undefined,
  model?: string,
): Promise<TransformedFile> {
  return withPass(job, async (pass) => {
    const { tensors, data } = digestedData(pass, signer !== undefined);
    const { isEncrypted, isSigned } = pass.front.header;
    const flags = { isEncrypted, isSigned: isSigned || signer !== undefined };
    const members = {
      [digestsKey]: { algorithm: digestAlgorithm, piece_size: pieceBytes, digests },
      // A shard signed alone no longer belongs to the set that was signed together.
      [modelDigestKey]: model === undefined ? undefined : statedModelDigest(model),
    };
    const front = await newFront(pass.front, tensors, flags, members, job.yielder);
    const block = signer ? await signatureBlock(front, signer) : new Uint8Array();
    const facts = await writeFile(job, front, block, data);
    await pass.finish();
    return { ...facts, tensorCount: tensors.length, warnings: [] };
  });
}

/** What the digests are of, in the new file. */
function digestedData(
  pass: SourcePass,
  isSigned: boolean,
): { readonly tensors: readonly PlacedTensor[]; readonly data: AsyncIterable<Uint8Array> } {
  const begin = isSigned ? signatureBlockBytes : 0;
  const tensors = placeTensors(pass.front, begin, ({ size }) => size);
  return { tensors, data: dataFrom(begin, tensors, ({ entry }) => pass.tensor(entry)) };
}

async function signatureBlock(
  { header, metadata, index }: NewFront,
  { privateKey, publicKey }: Signer,
): Promise<Uint8Array> {
  const message = await signedMessage(header, metadata, index);
  const block = new Uint8Array(signatureBlockBytes);
  block.set(
    new Uint8Array(await withEd25519((subtle) => subtle.sign(algorithm, privateKey, message))),
  );
  block.set(publicKey, signatureBytes);
  return block;
}

/** SHA-256 of each piece of its input. */
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

export async function signerOf(key: Uint8Array | CryptoKeyPair): Promise<Signer> {
  return withEd25519(async (subtle) => {
    if (!(key instanceof Uint8Array)) {
      const publicKey = new Uint8Array(await subtle.exportKey('raw', key.publicKey));
      return { privateKey: key.privateKey, publicKey };
    }
    const pkcs8 = Uint8Array.of(...seedPrefix, ...key);
    const privateKey = await subtle.importKey('pkcs8', pkcs8, algorithm, true, ['sign']);
    // WebCrypto gives the public key of a private one only this way.
    const { x = '' } = await subtle.exportKey('jwk', privateKey);
    const base64 = x.replaceAll('-', '+').replaceAll('_', '/');
    return { privateKey, publicKey: Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)) };
  });
}
