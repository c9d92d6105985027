import { fileError, type SusurrusError } from '../../src/api/errors.js';
import { footerBytes, type Apr2Front } from './apr2_core.js';
import { footerAtEnd, trailingData } from './footer.js';
import type { ByteQueue } from '../../src/platform/byte_queue.js';
import { areEqual, toHex } from './hex.js';
import { badDigests, digestsKey, type PieceDigests } from './piece_digests.js';
import { signatureError } from './signature.js';
import { sha256 } from './web_crypto.js';

/**
 * Yields the pieces of a file from the first one with a digest on, each once its digest is verified, and the footer. A truncated file ends
 * before its incomplete piece. `isSigned`: the digests are signed.
 */
export async function* verifiedPieces(
  queue: ByteQueue,
  front: Apr2Front,
  { pieceBytes, digests }: PieceDigests,
  isSigned: boolean,
): AsyncGenerator<Uint8Array> {
  for (let piece = 0; ; ++piece) {
    // The last piece ends before the footer, whose position is known only at the end.
    const ahead = await queue.peek(pieceBytes + footerBytes + 1);
    const isLast = ahead.length <= pieceBytes + footerBytes;
    const isCut = isLast && !footerAtEnd(front.core, ahead, queue.position);
    const byteCount = isLast ? ahead.length - footerBytes : pieceBytes;
    const digest = digests[piece];
    const got = isCut || byteCount === 0 ? undefined : await sha256(ahead.subarray(0, byteCount));
    const isRight = digest && got ? areEqual(digest, got) : !digest && byteCount === 0;
    if (isCut || !isRight) {
      const trailing = await trailingData(front.core, ahead, queue);
      if (trailing) throw trailing;
    }
    if (isCut) {
      queue.take(ahead.length);
      return;
    }
    if (!isRight) {
      if (!digest || !got) throw wrongCount(front, digests.length, digest ? 'fewer' : 'more');
      throw wrongDigest(queue.position, piece, digest, got, isSigned);
    }
    if (isLast && piece + 1 < digests.length) throw wrongCount(front, digests.length, 'fewer');
    if (byteCount > 0) yield queue.take(byteCount);
    if (isLast) {
      yield queue.take(footerBytes);
      return;
    }
  }
}

function wrongCount(front: Apr2Front, count: number, has: 'fewer' | 'more'): SusurrusError {
  return badDigests(
    front,
    `${digestsKey}.digests`,
    'one for each piece',
    `${count}; the file has ${has}`,
  );
}

function wrongDigest(
  offset: number,
  piece: number,
  expected: Uint8Array,
  got: Uint8Array,
  isSigned: boolean,
): SusurrusError {
  const subject = `${digestsKey}[${piece}]`;
  if (isSigned) return signatureError(offset, subject, toHex(expected), toHex(got));
  return fileError('checksum_mismatch', 'a piece differs from its digest', {
    reason: 'checksum',
    offset,
    subject,
    expected: toHex(expected),
    got: toHex(got),
  });
}
