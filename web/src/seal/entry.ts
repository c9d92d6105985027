// What the rest of the package knows of the code for sealed files. Errors come as data: see load_seal.ts.
import type { SealOptions } from '../api_types.js';
import { toErrorMessage } from '../errors.js';
import type { ByteQueue } from './byte_queue.js';
import type { Decryption } from './decrypted_bytes.js';
import { checkKeys as checkKeyOptions, sealKeys } from './key_options.js';
import { asOutcomes, type Outcome } from './load_seal.js';
import * as rewriting from './rewrite_model.js';
import { newSigningKey } from './sign_file.js';
import * as verifying from './verify_model.js';
import { noSignature } from './signature.js';
import { unseal as unsealed, type SealReport } from './unseal.js';

/** unseal(), a step at a time; `confirm()` is asked when the core has accepted everything. */
export interface Unsealing {
  next(): Promise<Outcome<IteratorResult<Uint8Array, unknown>>>;
  confirm(): Outcome<SealReport>;
}

export function unseal(
  queue: ByteQueue,
  options: SealOptions,
  decryption: Decryption,
  isPart: boolean,
): Unsealing {
  const keys = sealKeys(options);
  const report: SealReport = {};
  const bytes = unsealed(queue, keys, decryption, report, isPart);
  return {
    next: asOutcomes(() => bytes.next()),
    // A file of another format, which the core knows and nobody could have signed.
    confirm: () =>
      report.signer === undefined && keys.isSignatureRequired
        ? { error: toErrorMessage(noSignature()), cause: undefined }
        : { value: report },
  };
}

export const checkKeys = asOutcomes((options: SealOptions) => {
  checkKeyOptions(options);
  return Promise.resolve();
});
export const encryptModel = asOutcomes(rewriting.encryptModel);
export const signModel = asOutcomes(rewriting.signModel);
export const addPieceDigests = asOutcomes(rewriting.addPieceDigests);
export const verifyModel = asOutcomes(verifying.verifyModel);
export const soundRanges = asOutcomes(verifying.soundRanges);
export const generateSigningKey = asOutcomes(newSigningKey);
