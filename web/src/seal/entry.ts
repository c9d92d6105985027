// What the rest of the package knows of the code for sealed files. Errors come as data: see load_seal.ts.
import type { SealOptions } from '../api_types.js';
import { toErrorMessage } from '../errors.js';
import type { ByteQueue } from './byte_queue.js';
import type { Decryption } from './decrypted_bytes.js';
import { checkKeys as checkKeyOptions, sealKeys } from './key_options.js';
import { asOutcomes, type Outcome } from './load_seal.js';
import * as files from './model_files.js';
import { newSigningKey } from './sign_file.js';
import { noSignature } from './signature.js';
import { unseal as unsealed, type SealReport } from './unseal.js';

/** unseal(), a step at a time; `confirm()` is asked when the core has accepted everything. */
export interface Unsealing {
  next(): Promise<Outcome<IteratorResult<Uint8Array, unknown>>>;
  confirm(): Outcome<string | undefined>;
}

export function unseal(queue: ByteQueue, options: SealOptions, decryption: Decryption): Unsealing {
  const keys = sealKeys(options);
  const report: SealReport = {};
  const bytes = unsealed(queue, keys, decryption, report);
  return {
    next: asOutcomes(() => bytes.next()),
    // A file of another format, which the core knows and nobody could have signed.
    confirm: () =>
      report.signer === undefined && keys.isSignatureRequired
        ? { error: toErrorMessage(noSignature()), cause: undefined }
        : { value: report.signer },
  };
}

export const checkKeys = asOutcomes((options: SealOptions) => {
  checkKeyOptions(options);
  return Promise.resolve();
});
export const encryptModel = asOutcomes(files.encryptModel);
export const signModel = asOutcomes(files.signModel);
export const addPieceDigests = asOutcomes(files.addPieceDigests);
export const verifyModel = asOutcomes(files.verifyModel);
export const soundRanges = asOutcomes(files.soundRanges);
export const generateSigningKey = asOutcomes(newSigningKey);
