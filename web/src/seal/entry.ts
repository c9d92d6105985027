// What the rest of the package knows of the code for sealed files. Errors come as data: see load_seal.ts.
import type { ByteQueue } from './byte_queue.js';
import type { Decryption } from './decrypted_bytes.js';
import { asOutcomes, type Outcome } from './load_seal.js';
import * as files from './model_files.js';
import { newSigningKey } from './sign_file.js';
import { unseal as unsealed, type SealKeys, type SealReport } from './unseal.js';

/** unseal(), a step at a time. */
export function unseal(
  queue: ByteQueue,
  keys: SealKeys,
  decryption: Decryption,
  report: SealReport,
): { next(): Promise<Outcome<IteratorResult<Uint8Array, unknown>>> } {
  const bytes = unsealed(queue, keys, decryption, report);
  return { next: asOutcomes(() => bytes.next()) };
}

export const encryptModel = asOutcomes(files.encryptModel);
export const signModel = asOutcomes(files.signModel);
export const addPieceDigests = asOutcomes(files.addPieceDigests);
export const verifyModel = asOutcomes(files.verifyModel);
export const soundRanges = asOutcomes(files.soundRanges);
export const generateSigningKey = asOutcomes(newSigningKey);
