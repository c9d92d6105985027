// Checks all pieces of a complete or partial file, without stopping at the first wrong one.
import type { ByteRange, SoundRanges } from '../../src/api/types.js';
import { SusurrusError } from '../../src/api/errors.js';
import { footerBytes, type Apr2Core, type Apr2Front } from './apr2_core.js';
import { footerAtEnd } from './footer.js';
import type { ByteQueue } from '../../src/platform/byte_queue.js';
import { areEqual } from './hex.js';
import {
  digestsBegin,
  digestsKey,
  readPieceDigests,
  signatureBlockBytes,
  type PieceDigests,
} from './piece_digests.js';
import { checkSignature } from './signature.js';
import { sha256 } from './web_crypto.js';

export interface SurveyedPiece {
  readonly begin: number;
  readonly end: number;
  readonly isSound: boolean;
}

/** Yields the complete pieces; `end` is where the digested bytes end. */
export async function* surveyPieces(
  queue: ByteQueue,
  { pieceBytes, digests }: PieceDigests,
  end: number,
): AsyncGenerator<SurveyedPiece> {
  for (const digest of digests) {
    const begin = queue.position;
    const byteCount = Math.min(pieceBytes, end - begin);
    const piece = byteCount > 0 ? await queue.peek(byteCount) : undefined;
    if (!piece || piece.length < byteCount) return;
    const isSound = areEqual(digest, await sha256(piece));
    queue.take(byteCount);
    yield { begin, end: begin + byteCount, isSound };
  }
}

/** Where a file's data end that has nothing between its last tensor and its footer. */
const dataEnd = ({ header, tensors }: Apr2Front): number =>
  header.dataOffset + tensors.reduce((end, { offset, size }) => Math.max(end, offset + size), 0);

/**
 * Finds the valid ranges of a partial file. The beginning, which has no digest, counts as valid if it can be read and, with `publicKeys`,
 * if one of them signed it.
 */
export async function findSoundRanges(
  core: Apr2Core,
  queue: ByteQueue,
  publicKeys: readonly Uint8Array[] | undefined,
): Promise<SoundRanges> {
  const front = await core.readFront(queue);
  const begin = front && digestsBegin(front);
  const beginning = begin === undefined ? undefined : await queue.peek(begin);
  if (!front || begin === undefined || beginning?.length !== begin) {
    return { sound: [], missing: [{ begin: 0 }] };
  }
  const digests = await digestsOf(front, beginning, publicKeys);
  if (!digests) return { sound: [], missing: [{ begin: 0 }] };
  queue.take(begin);
  const end = dataEnd(front);
  const byteCount = end + footerBytes;
  const sound: Required<ByteRange>[] = [{ begin: 0, end: begin }];
  for await (const piece of surveyPieces(queue, digests, end)) {
    if (piece.isSound) add(sound, piece);
  }
  const footer = queue.position === end ? await queue.peek(footerBytes) : undefined;
  if (footer && footerAtEnd(core, footer, queue.position)?.byteCount === byteCount) {
    add(sound, { begin: end, end: byteCount });
  }
  const missing: ByteRange[] = [];
  let at = 0;
  for (const range of [...sound, { begin: byteCount, end: byteCount }]) {
    if (range.begin > at) missing.push({ begin: at, end: range.begin });
    at = range.end;
  }
  return { byteCount, sound, missing };
}

function add(ranges: Required<ByteRange>[], { begin, end }: Required<ByteRange>): void {
  const last = ranges.at(-1);
  if (last?.end === begin) ranges[ranges.length - 1] = { begin: last.begin, end };
  else ranges.push({ begin, end });
}

/** Undefined where no trusted signature covers them. */
async function digestsOf(
  front: Apr2Front,
  beginning: Uint8Array<ArrayBuffer>,
  publicKeys: readonly Uint8Array[] | undefined,
): Promise<PieceDigests | undefined> {
  if (publicKeys) {
    if (!front.header.isSigned) return undefined;
    try {
      const block = beginning.subarray(beginning.length - signatureBlockBytes);
      return (await checkSignature(front, block, publicKeys)).digests;
    } catch (error) {
      if (error instanceof SusurrusError && error.code === 'unsupported_environment') throw error;
      return undefined;
    }
  }
  const digests = await readPieceDigests(front);
  if (digests) return digests;
  throw new SusurrusError('unsupported_feature', 'The file has no piece digests.', {
    reason: 'unsupported',
    subject: digestsKey,
  });
}
