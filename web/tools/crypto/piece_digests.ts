// Piece digests: the SHA-256 of each piece of a file's data, stored in its metadata.
import { describe, fileError, type SusurrusError } from '../../src/api/errors.js';
import { isObject } from '../../src/api/json_object.js';
import { YieldController } from '../../src/wasm/yield_controller.js';
import type { Apr2Front } from './apr2_core.js';
import { fromHex } from './hex.js';

/** What is written, and the most that is read: nothing larger is ever held. */
export const pieceBytes = 1 << 20;
const fewestPieceBytes = 1 << 12;

/** Digests that are handled between two steps. */
export const digestsBetween = 256;

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

/** Returns undefined for a file without digests, or with those of an unknown algorithm. Throws if they are invalid. */
export async function readPieceDigests(front: Apr2Front): Promise<PieceDigests | undefined> {
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
  const digests = Array.isArray(stated.digests) && (await digestsFrom(stated.digests));
  if (!digests) {
    throw badDigests(front, `${digestsKey}.digests`, 'a list of 64 hexadecimal digits each');
  }
  return { pieceBytes: stated.piece_size, digests };
}

/** In steps: small pieces of a large file have hundreds of thousands. */
async function digestsFrom(
  list: readonly unknown[],
): Promise<Uint8Array<ArrayBuffer>[] | undefined> {
  const yielder = new YieldController();
  const digests: Uint8Array<ArrayBuffer>[] = [];
  for (const text of list) {
    const digest = fromHex(text);
    if (digest?.length !== 32) return undefined;
    digests.push(digest);
    if (digests.length % digestsBetween === 0) await yielder.step();
  }
  return digests;
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
