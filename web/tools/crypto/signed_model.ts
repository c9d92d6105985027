// What binds the signed shards of a model together: each states, in its signed metadata, SHA-256 of the piece digests of all shards
// in the manifest's order. So a manifest that names a shard of another model, leaves one out, or changes their order is found out.
import type { ShardOrigin, SignedModel } from '../../src/platform/crypto_types.js';
import { YieldController } from '../../src/wasm/yield_controller.js';
import { describe } from '../../src/api/errors.js';
import { isObject } from '../../src/api/json_object.js';
import type { Apr2Front } from './apr2_core.js';
import { fromHex, toHex } from './hex.js';
import { badDigests, digestAlgorithm, digestsBetween, type PieceDigests } from './piece_digests.js';
import { signatureError } from './signature.js';
import { sha256 } from './web_crypto.js';

export const modelDigestKey = 'model_digest';

/** The part of a shard's metadata that is about the whole model. */
export const statedModelDigest = (digest: string): object => ({
  algorithm: digestAlgorithm,
  digest,
});

/** Digest of the piece digests of all shards, in the manifest's order. */
export async function modelDigest(pieceDigests: readonly Uint8Array[]): Promise<string> {
  const all = new Uint8Array(32 * pieceDigests.length);
  const yielder = new YieldController();
  for (const [i, digest] of pieceDigests.entries()) {
    all.set(digest, 32 * i);
    if (i % digestsBetween === 0) await yielder.step();
  }
  return toHex(await sha256(all));
}

/** Takes note of a shard whose signature was verified. Throws `signature_invalid` where it belongs to another model than the first. */
export function addSignedShard(
  { name, model }: ShardOrigin,
  front: Apr2Front,
  { digests }: PieceDigests,
): void {
  const digest = readModelDigest(front);
  model.first ??= { shard: name, digest };
  if (digest !== model.first.digest) {
    throw signatureError(
      front.header.metadataOffset,
      modelDigestKey,
      `that of ${model.first.shard}, ${model.first.digest ?? 'none'}`,
      digest ?? 'none',
    );
  }
  for (const each of digests) model.pieceDigests.push(each);
  ++model.signedCount;
}

/**
 * Call when all shards have been read. Returns whether they are those that were signed together: false if the signatures do not state it,
 * like those of earlier versions, or if not all shards are signed. Throws `signature_invalid` for shards of another model.
 */
export async function checkSignedModel(model: SignedModel, shardCount: number): Promise<boolean> {
  const { first, pieceDigests, signedCount } = model;
  if (first?.digest === undefined || signedCount < shardCount) return false;
  const digest = await modelDigest(pieceDigests);
  if (digest === first.digest) return true;
  throw signatureError(0, modelDigestKey, first.digest, `${digest} of the shards in the manifest`);
}

function readModelDigest(front: Apr2Front): string | undefined {
  const stated = front.metadata[modelDigestKey];
  if (stated === undefined || stated === null) return undefined;
  const digest = isObject(stated) && stated.algorithm === digestAlgorithm && fromHex(stated.digest);
  if (!digest || digest.length !== 32) {
    throw badDigests(
      front,
      modelDigestKey,
      `{"algorithm": "${digestAlgorithm}", "digest": 64 hexadecimal digits}`,
      describe(stated),
    );
  }
  return toHex(digest);
}
