// Encrypted and signed APR2 files as the format's description has them, with Node's own cryptography: what is written here and
// what the package reads must agree.
import {
  createCipheriv,
  createHash,
  createPrivateKey,
  pbkdf2Sync,
  sign,
  type KeyObject,
} from 'node:crypto';
import {
  ByteList,
  flagBits,
  withFooter,
  type WrittenFile,
  type WrittenTensor,
} from './apr2_writer.js';

export interface Encryption {
  /** 32 bytes; or a passphrase with its salt. */
  readonly key: Uint8Array | { readonly passphrase: string; readonly salt: Uint8Array };
  readonly pieceSize: number;
  /** Members of the metadata's `encryption` that shall be others; undefined leaves one out. */
  readonly stated?: Readonly<Record<string, unknown>>;
  /** No `encryption` in the metadata at all. */
  readonly isUnstated?: boolean;
}

export interface Seals {
  readonly encryption?: Encryption;
  readonly digests?: {
    readonly pieceSize: number;
    readonly stated?: Readonly<Record<string, unknown>>;
  };
  /** Needs digests. */
  readonly signer?: Signer;
  /** Digest of all shards, written into the metadata as `model_digest`. */
  readonly modelDigest?: string;
  /** Between tensors and behind the last. */
  readonly padding?: number;
  /** Behind the last tensor. */
  readonly gapBytes?: number;
}

export interface Signer {
  readonly seed: Uint8Array;
  readonly privateKey: KeyObject;
  readonly publicKey: Uint8Array;
}

export interface SealedFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly metadataOffset: number;
  readonly indexOffset: number;
  readonly dataOffset: number;
  /** For each tensor in the order given: the range of its stored bytes and the offset of its entry. */
  readonly tensors: readonly {
    readonly begin: number;
    readonly end: number;
    readonly entry: number;
  }[];
  readonly footer: number;
}

/** RFC 8032, section 7.1: its first two test keys. */
export const signers = [
  signerOf(
    '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
    'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
  ),
  signerOf(
    '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
    '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
  ),
] as const;

function signerOf(seed: string, publicKey: string): Signer {
  const jwk = {
    kty: 'OKP',
    crv: 'Ed25519',
    d: Buffer.from(seed, 'hex').toString('base64url'),
    x: Buffer.from(publicKey, 'hex').toString('base64url'),
  };
  return {
    seed: Uint8Array.from(Buffer.from(seed, 'hex')),
    privateKey: createPrivateKey({ key: jwk, format: 'jwk' }),
    publicKey: Uint8Array.from(Buffer.from(publicKey, 'hex')),
  };
}

const tensorType = ({ dtype = 0, dims }: WrittenTensor): Uint8Array => {
  const list = new ByteList().u8(dtype).u8(dims.length);
  for (const dim of dims) list.u64(dim);
  return list.done();
};

const nameOf = ({ name }: WrittenTensor): Uint8Array =>
  typeof name === 'string' ? new TextEncoder().encode(name) : name;

/** A tensor's stored bytes, encrypted; `nonce` is 8 bytes. */
function encrypted(tensor: WrittenTensor, key: Uint8Array, pieceSize: number, nonce: Uint8Array) {
  const out = new ByteList().bytes(nonce);
  const count = Math.ceil(tensor.stored.length / pieceSize);
  for (let piece = 0; piece < count; ++piece) {
    const iv = new ByteList().bytes(nonce).u32(piece).done();
    const isLast = piece === count - 1;
    const associated = new ByteList()
      .bytes(nameOf(tensor))
      .u8(0)
      .bytes(tensorType(tensor))
      .u32(piece)
      .u8(isLast ? 1 : 0)
      .done();
    const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(associated);
    out.bytes(cipher.update(tensor.stored.subarray(piece * pieceSize, (piece + 1) * pieceSize)));
    out.bytes(cipher.final()).bytes(cipher.getAuthTag());
  }
  return out.done();
}

function aesKey({ key }: Encryption): { key: Uint8Array; stated: Record<string, unknown> } {
  if (key instanceof Uint8Array) return { key, stated: { kdf: 'none' } };
  const iterations = 600_000;
  return {
    key: pbkdf2Sync(key.passphrase, key.salt, iterations, 32, 'sha256'),
    stated: {
      kdf: 'PBKDF2-HMAC-SHA256',
      salt: Buffer.from(key.salt).toString('hex'),
      iterations,
    },
  };
}

const align = (offset: number): number => Math.ceil(offset / 64) * 64;

export function writeSealed(file: WrittenFile, seals: Seals): SealedFile {
  const { encryption, digests, signer, modelDigest, padding = 0, gapBytes = 0 } = seals;
  const metadata = { ...(file.metadata as Record<string, unknown>) };
  let flags = file.flags ?? flagBits.aligned64;
  let tensors = file.tensors;
  if (encryption) {
    const { key, stated } = aesKey(encryption);
    const { pieceSize } = encryption;
    flags |= flagBits.encrypted;
    tensors = tensors.map((tensor, index) => {
      const nonce = new ByteList().u32(0x12345678).u32(index).done();
      return { ...tensor, stored: encrypted(tensor, key, pieceSize, nonce) };
    });
    if (!encryption.isUnstated) {
      const scheme = { version: 1, cipher: 'AES-256-GCM', piece_size: pieceSize };
      metadata.encryption = { ...scheme, ...stated, ...encryption.stated };
    }
  }
  const regionBegin = signer ? 96 : 0;
  const data = new ByteList().bytes(new Uint8Array(regionBegin));
  const offsets = tensors.map(({ stored }) => {
    data.alignTo(64, padding);
    const offset = data.length;
    data.bytes(stored);
    return offset;
  });
  const all = data.bytes(new Uint8Array(gapBytes).fill(padding)).done();
  const region = all.subarray(regionBegin);
  if (signer) flags |= flagBits.signed;
  if (digests) {
    const { pieceSize } = digests;
    const count = Math.ceil(region.length / pieceSize);
    const list = Array.from({ length: count }, (_, i) =>
      createHash('sha256')
        .update(region.subarray(i * pieceSize, (i + 1) * pieceSize))
        .digest('hex'),
    );
    metadata.piece_digests = {
      algorithm: 'SHA-256',
      piece_size: pieceSize,
      digests: list,
      ...digests.stated,
    };
  }
  if (modelDigest !== undefined) {
    metadata.model_digest = { algorithm: 'SHA-256', digest: modelDigest };
  }
  const text = new TextEncoder().encode(JSON.stringify(metadata));
  const indexOffset = 32 + text.length;
  const index = new ByteList().u32(tensors.length).u32(0);
  const entries = tensors.map((tensor, i) => {
    const entry = indexOffset + index.length;
    const name = nameOf(tensor);
    index
      .u16(name.length)
      .bytes(name)
      .bytes(tensorType(tensor))
      .u64(tensor.offset ?? offsets[i]!)
      .u64(tensor.size ?? tensor.stored.length)
      .u64(tensor.rawSize ?? 0)
      .u32(0);
    return entry;
  });
  const indexBytes = index.done();
  const dataOffset = align(indexOffset + indexBytes.length);
  const header = new ByteList()
    .text('APR2')
    .u16(2)
    .u16(0)
    .u32(flags)
    .u32(32)
    .u32(text.length)
    .u32(indexOffset)
    .u32(indexBytes.length)
    .u32(dataOffset)
    .done();
  if (signer) {
    const message = createHash('sha256').update(header).update(text).update(indexBytes).digest();
    all.set(sign(null, message, signer.privateKey));
    all.set(signer.publicKey, 64);
  }
  const body = new ByteList()
    .bytes(header)
    .bytes(text)
    .bytes(indexBytes)
    .alignTo(64)
    .bytes(all)
    .done();
  return {
    bytes: Uint8Array.from(withFooter(body)),
    metadataOffset: 32,
    indexOffset,
    dataOffset,
    tensors: tensors.map(({ stored }, i) => ({
      begin: dataOffset + offsets[i]!,
      end: dataOffset + offsets[i]! + stored.length,
      entry: entries[i]!,
    })),
    footer: body.length,
  };
}

/** A copy of the file after `edit`; with a matching checksum if `isConsistent`. */
export function changed(
  { bytes, footer }: SealedFile,
  edit: (bytes: Uint8Array, view: DataView) => void,
  isConsistent = false,
): Uint8Array {
  const copy = bytes.slice();
  edit(copy, new DataView(copy.buffer));
  return isConsistent ? withFooter(copy.subarray(0, footer)) : copy;
}
