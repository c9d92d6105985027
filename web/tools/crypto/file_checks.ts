// The checks of verifyModel() except structure and checksum, independent of each other.
import type { VerificationCheck } from '../../src/api/types.js';
import { ByteQueue } from '../../src/platform/byte_queue.js';
import type { ShardOrigin } from '../../src/platform/crypto_types.js';
import type { YieldController } from '../../src/wasm/yield_controller.js';
import type { Apr2Core } from './apr2_core.js';
import type { FileKeys } from './decrypt_and_verify.js';
import { readScheme } from './encryption.js';
import { beforeFooter } from './footer.js';
import {
  digestsBegin,
  digestsKey,
  readPieceDigests,
  signatureBlockBytes,
  type PieceDigests,
} from './piece_digests.js';
import { checkSignature, noSignature, splitBlock } from './signature.js';
import { toHex } from './hex.js';
import { addSignedShard } from './signed_model.js';
import { surveyPieces } from './survey.js';

export type Found = Omit<VerificationCheck, 'name'>;

/** A file to be looked at. */
export interface CheckedFile {
  readonly core: Apr2Core;
  /** The file from its beginning, again at each call. */
  readonly open: () => Promise<AsyncIterable<Uint8Array>>;
  readonly yielder: YieldController;
  /** Which shard the file is, if it is one of several. */
  readonly shard?: ShardOrigin | undefined;
}

/** Checks every piece against its digest: the file is read once to find its end and once for the pieces. */
export async function checkPieces(file: CheckedFile): Promise<Found> {
  const { core, open } = file;
  const queue = new ByteQueue(await open());
  try {
    const front = await core.readFront(queue);
    if (!front) return unreadable;
    const digests = await readPieceDigests(front);
    if (!digests) return { outcome: 'absent', message: 'the file has no piece digests' };
    const begin = digestsBegin(front);
    return await comparePieces(queue, begin, digests, await endOf(file));
  } finally {
    queue.close();
  }
}

async function comparePieces(
  queue: ByteQueue,
  begin: number,
  digests: PieceDigests,
  end: number,
): Promise<Found> {
  const { length: expected } = digests.digests;
  await queue.peek(begin);
  queue.take(begin);
  let count = 0;
  const wrong: { readonly piece: number; readonly begin: number }[] = [];
  for await (const piece of surveyPieces(queue, digests, end)) {
    if (!piece.isSound) wrong.push({ piece: count, begin: piece.begin });
    ++count;
  }
  const [first] = wrong;
  const failed = { outcome: 'failed', code: 'checksum_mismatch', reason: 'checksum' } as const;
  if (first) {
    const message = `${wrong.length} of ${expected} pieces differ from their digests, the first is ${digestsKey}[${first.piece}] at byte ${first.begin}`;
    return { ...failed, message, offset: first.begin };
  }
  if (count !== expected || queue.position !== end) {
    const message = `there are ${expected} digests, and whole pieces of ${queue.position - begin} bytes among ${end - begin}`;
    return { ...failed, message, offset: queue.position };
  }
  return { outcome: 'passed', message: `${count} pieces of ${digests.pieceBytes} bytes at most` };
}

/**
 * The signature alone; the digests that it vouches for are another check. Without `publicKeys` any signer's will do. `isSound`:
 * the core could read the file, which is of a format that cannot be signed if it cannot be read here.
 */
export async function checkSigner(
  { core, open, shard }: CheckedFile,
  { publicKeys, isSignatureRequired }: Omit<FileKeys, 'key'>,
  isSound: boolean,
): Promise<Found> {
  const queue = new ByteQueue(await open());
  try {
    const front = await core.readFront(queue);
    if (!front) {
      if (isSound && isSignatureRequired) throw noSignature();
      return unreadable;
    }
    if (!front.header.isSigned) {
      if (isSignatureRequired) throw noSignature();
      return { outcome: 'absent', message: 'the file is not signed' };
    }
    const begin = digestsBegin(front);
    const beginning = await queue.peek(begin);
    if (beginning.length < begin) return unreadable;
    const block = beginning.subarray(begin - signatureBlockBytes);
    const { signer, digests } = await checkSignature(front, block, publicKeys);
    if (shard) addSignedShard(shard, front, digests);
    if (publicKeys) return { outcome: 'passed', message: `signed by ${signer}` };
    const message = `by ${toHex(splitBlock(block).publicKey)}, and no public key was given to trust`;
    return { outcome: 'unchecked', message };
  } finally {
    queue.close();
  }
}

/** Checks that the file's description of its encryption is one that a key could open; throws `decryption_failed` otherwise. */
export async function checkScheme({ core, open }: CheckedFile): Promise<Found> {
  const queue = new ByteQueue(await open());
  try {
    const front = await core.readFront(queue);
    if (!front) return unreadable;
    if (!front.header.isEncrypted)
      return { outcome: 'absent', message: 'the file is not encrypted' };
    readScheme(front);
    return { outcome: 'unchecked', message: 'no key was given' };
  } finally {
    queue.close();
  }
}

const unreadable: Found = {
  outcome: 'unchecked',
  message: 'what stands before the tensors cannot be read',
};

/** Where the footer begins, or the file ends that has none. */
async function endOf({ core, open, yielder }: CheckedFile): Promise<number> {
  const queue = new ByteQueue(await open());
  try {
    const rest = beforeFooter(core, queue);
    while (!(await rest.next()).done) await yielder.step();
    return queue.position;
  } finally {
    queue.close();
  }
}
