import type { ModelKey } from '../../src/api/types.js';
import { ByteQueue } from '../../src/platform/byte_queue.js';
import type { Decryption, ProtectionReport, ShardOrigin } from '../../src/platform/crypto_types.js';
import type { Apr2Core, Apr2Front } from './apr2_core.js';
import { DecryptedBytes } from './decrypted_bytes.js';
import { zeros } from './footer.js';
import {
  digestsBegin,
  readPieceDigests,
  signatureBlockBytes,
  type PieceDigests,
} from './piece_digests.js';
import { checkSignature, noSignature } from './signature.js';
import { addSignedShard } from './signed_model.js';
import { verifiedPieces } from './verified_bytes.js';

/** What a caller gave to open a file with. */
export interface FileKeys {
  readonly key: ModelKey | undefined;
  /** Trusted signers; undefined: any. */
  readonly publicKeys: readonly Uint8Array[] | undefined;
  readonly isSignatureRequired: boolean;
}

export interface OpenedFile {
  readonly keys: FileKeys;
  readonly decryption: Decryption;
  /** Which shard the file is, if it is one of several. */
  readonly shard?: ShardOrigin | undefined;
}

/**
 * Decrypts and verifies a file's bytes before the core reads them: bytes with digests, a signature or encryption are passed on only once
 * they are verified. Anything but a valid APR2 file passes unchanged, and the core reports its error.
 */
export async function* decryptAndVerify(
  core: Apr2Core,
  queue: ByteQueue,
  opened: OpenedFile,
  report: ProtectionReport,
): AsyncGenerator<Uint8Array> {
  const front = await core.readFront(queue);
  if (!front) {
    yield* queue.rest();
    return;
  }
  const { keys, decryption, shard } = opened;
  const verified = await verify(queue, front, opened, report);
  const { key } = keys;
  const isDecrypted = key !== undefined && front.header.isEncrypted;
  if (isDecrypted && shard && decryption === 'plain') report.hasOtherPadding = true;
  let passed = 0;
  for await (const bytes of isDecrypted
    ? new DecryptedBytes(new ByteQueue(verified), front, decryption, shard !== undefined).bytes(key)
    : verified) {
    passed += bytes.length;
    yield bytes;
  }
  // Truncated file: pad with zeros so that the core reports a missing footer.
  yield* zeros(queue.position - passed);
}

/** Checks the signature, where one is asked for, before anything is passed on. */
async function verify(
  queue: ByteQueue,
  front: Apr2Front,
  { keys, shard }: OpenedFile,
  report: ProtectionReport,
): Promise<AsyncIterable<Uint8Array>> {
  const begin = digestsBegin(front);
  const isSigned = front.header.isSigned;
  if (keys.isSignatureRequired && !isSigned) throw noSignature();
  const beginning = await queue.peek(begin);
  if (beginning.length < begin) return queue.rest();
  const { signer, digests } = await trustedDigests(front, beginning, keys);
  if (signer !== undefined) {
    report.signer = signer;
    if (shard && digests) addSignedShard(shard, front, digests);
  }
  if (!digests) return queue.rest();
  return verifiedFile(queue, begin, verifiedPieces(queue, front, digests, signer !== undefined));
}

/**
 * Returns the file's digests and, if requested, their signer. `beginning`: the file up to its first piece. Throws `signature_invalid` if a
 * signature is required and none verifies.
 */
export async function trustedDigests(
  front: Apr2Front,
  beginning: Uint8Array<ArrayBuffer>,
  { publicKeys, isSignatureRequired }: Omit<FileKeys, 'key'>,
): Promise<{ readonly signer?: string; readonly digests: PieceDigests | undefined }> {
  const { isSigned } = front.header;
  if (isSignatureRequired && !isSigned) throw noSignature();
  if (!isSigned || (!isSignatureRequired && publicKeys === undefined)) {
    return { digests: await readPieceDigests(front) };
  }
  const block = beginning.subarray(beginning.length - signatureBlockBytes);
  return checkSignature(front, block, publicKeys);
}

async function* verifiedFile(
  queue: ByteQueue,
  begin: number,
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield queue.take(begin);
  yield* pieces;
}
