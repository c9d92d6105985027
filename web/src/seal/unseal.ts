import type { ModelKey } from '../api_types.js';
import { zeros } from './apr2_footer.js';
import { flagBits, hasFlag, readApr2Front, type Apr2Front } from './apr2_front.js';
import { ByteQueue } from './byte_queue.js';
import { DecryptedBytes, type Decryption } from './decrypted_bytes.js';
import { digestsBegin, readPieceDigests, signatureBlockBytes } from './piece_digests.js';
import { checkSignature, noSignature } from './signature.js';
import { verifiedPieces } from './verified_bytes.js';

/** What a caller gave to open a file with. */
export interface SealKeys {
  readonly key: ModelKey | undefined;
  /** Signers that are trusted; undefined: whoever signed. */
  readonly publicKeys: readonly Uint8Array[] | undefined;
  readonly isSignatureRequired: boolean;
}

/** What was found out on the way. */
export interface SealReport {
  /** The public key, in hexadecimal digits, whose signature was verified. */
  signer?: string;
  /** The last bytes of padding are not the file's. */
  hasOtherPadding?: boolean;
}

/**
 * A file's bytes in front of the core's reader: those that digests, a signature or encryption stand for are passed on only
 * when they are proved. `isPart`: it is one of several files. Files that are no sound APR2 pass as they are, and the core says what is wrong with them.
 */
export async function* unseal(
  queue: ByteQueue,
  keys: SealKeys,
  decryption: Decryption,
  report: SealReport,
  isPart = false,
): AsyncGenerator<Uint8Array> {
  const front = await readApr2Front(queue);
  if (!front) {
    yield* queue.rest();
    return;
  }
  const verified = await verify(queue, front, keys, report);
  const { key } = keys;
  const isDecrypted = key !== undefined && hasFlag(front, flagBits.encrypted);
  if (isDecrypted && isPart && decryption === 'plain') report.hasOtherPadding = true;
  let passed = 0;
  for await (const bytes of isDecrypted
    ? new DecryptedBytes(new ByteQueue(verified), front, decryption, isPart).bytes(key)
    : verified) {
    passed += bytes.length;
    yield bytes;
  }
  // Of a file that was cut: zeros for what could not be proved, so that the core misses the footer where the file ends.
  yield* zeros(queue.position - passed);
}

/** Checks the signature, where one is asked for, before anything is passed on. */
async function verify(
  queue: ByteQueue,
  front: Apr2Front,
  { publicKeys, isSignatureRequired }: SealKeys,
  report: SealReport,
): Promise<AsyncIterable<Uint8Array>> {
  const isSigned = hasFlag(front, flagBits.signed);
  if (isSignatureRequired && !isSigned) throw noSignature();
  const begin = digestsBegin(front);
  const beginning = await queue.peek(begin);
  if (beginning.length < begin) return queue.rest();
  const isChecked = isSigned && (isSignatureRequired || publicKeys !== undefined);
  let digests;
  if (isChecked) {
    const block = beginning.subarray(begin - signatureBlockBytes);
    const checked = await checkSignature(front, block, publicKeys);
    report.signer = checked.signer;
    digests = checked.digests;
  } else {
    digests = readPieceDigests(front);
  }
  if (!digests) return queue.rest();
  return verifiedFile(queue, begin, verifiedPieces(queue, front, digests, isChecked));
}

async function* verifiedFile(
  queue: ByteQueue,
  begin: number,
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield queue.take(begin);
  yield* pieces;
}
