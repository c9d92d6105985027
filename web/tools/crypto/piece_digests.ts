// Piece digests: SHA-256 over each run of a file's data, kept in its metadata.
import { describe, fileError, type SusurrusError } from '../../src/api/errors.js';
import { isObject } from '../../src/api/json_object.js';
import type { Apr2Front } from './apr2_core.js';
import { fromHex } from './hex.js';

/** What is written, and the most that is read: nothing larger is ever held. */
export const pieceBytes = 1 << 20;
const fewestPieceBytes = 1 << 12;

/** Signature and public key, in front of the tensors of a signed file. */
export const signatureBlockBytes = 96;

export const digestsKey = 'piece_digests';
export const digestAlgorithm = 'SHA-256';

export interface PieceDigests {
  readonly pieceBytes: number;
  readonly digests: readonly Uint8Array<ArrayBuffer>[];
}

/** Where the first piece begins. */
export const digestsBegin = (front: Apr2Front): number =>
  front.header.dataOffset + (front.header.isSigned ? signatureBlockBytes : 0);

export const isPieceSize = (value: unknown): value is number =>
  Number.isInteger(value) &&
  (value as number) >= fewestPieceBytes &&
  (value as number) <= pieceBytes;

export const pieceSizeRange = `${fewestPieceBytes} to ${pieceBytes}`;

/** Undefined in a file without them, or with those of an algorithm that is not known here. Throws where they make no sense. */
export function readPieceDigests(front: Apr2Front): PieceDigests | undefined {
  const stated = front.metadata[digestsKey];
  if (stated === undefined || stated === null) return undefined;
  if (!isObject(stated)) throw badDigests(front, digestsKey, 'an object', describe(stated));
  if (stated.algorithm !== digestAlgorithm) return undefined;
  if (!isPieceSize(stated.piece_size)) {
    throw badDigests(
      front,
      `${digestsKey}.piece_size`,
      pieceSizeRange,
      describe(stated.piece_size),
    );
  }
  const list: unknown = stated.digests;
  const digests = Array.isArray(list) ? list.map(fromHex) : undefined;
  if (!digests?.every((digest) => digest?.length === 32)) {
    throw badDigests(front, `${digestsKey}.digests`, 'a list of 64 hexadecimal digits each');
  }
  return { pieceBytes: stated.piece_size, digests: digests as Uint8Array<ArrayBuffer>[] };
}

export function badDigests(
  { header }: Apr2Front,
  subject: string,
  expected: string,
  got?: string,
): SusurrusError {
  return fileError('malformed', 'the piece digests make no sense', {
    reason: 'bad_metadata',
    offset: header.metadataOffset,
    subject,
    expected,
    ...(got !== undefined && { got }),
  });
}
