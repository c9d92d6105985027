// The code that decrypts, verifies, encrypts and signs model files, as the rest of the package knows it; loaded by load_crypto.ts.
// A bundle of its own in pages, so that errors leave it as data (outcome.ts).
import type { ModelKey, SealOptions } from '../../src/api/types.js';
import type { ByteQueue } from '../../src/platform/byte_queue.js';
import type {
  Decryption,
  ProtectionReport,
  ShardOrigin,
  SignedModel,
} from '../../src/platform/crypto_types.js';
import { toErrorMessage } from '../../src/api/errors.js';
import { asOutcomes, type Outcome } from '../../src/api/outcome.js';
import { Apr2Core } from './apr2_core.js';
import { decryptAndVerify } from './decrypt_and_verify.js';
import { checkKeys as checkKeyOptions, fileKeys } from './key_options.js';
import { newSigningKey } from './sign_file.js';
import { noSignature } from './signature.js';
import { checkSignedModel } from './signed_model.js';
import { TensorBytes, type ReadRange } from './tensor_bytes.js';
import * as transforming from './transform_model.js';
import * as verifying from './verify_model.js';

/** decryptAndVerify(), a step at a time; `confirm()` is asked when the core has accepted everything. */
export interface FileDecryption {
  next(): Promise<Outcome<IteratorResult<Uint8Array, unknown>>>;
  confirm(): Outcome<ProtectionReport>;
}

/** `compileFiles` compiles files.wasm. */
export const openFile = asOutcomes(
  async (
    compileFiles: () => Promise<WebAssembly.Module>,
    queue: ByteQueue,
    options: SealOptions,
    decryption: Decryption,
    shard: ShardOrigin | undefined,
  ): Promise<FileDecryption> => {
    const core = await Apr2Core.open(compileFiles);
    const keys = fileKeys(options);
    const report: ProtectionReport = {};
    const bytes = decryptAndVerify(core, queue, { keys, decryption, shard }, report);
    return {
      next: asOutcomes(() => bytes.next()),
      // A file of another format, which the core reads although it cannot be signed.
      confirm: () =>
        report.signer === undefined && keys.isSignatureRequired
          ? { error: toErrorMessage(noSignature()), cause: undefined }
          : { value: report },
    };
  },
);

/** When all shards of a model were read: whether their signatures bind them to each other. */
export const confirmModel = asOutcomes((model: SignedModel, shardCount: number) =>
  checkSignedModel(model, shardCount),
);

/** For reading single tensors of an APR2 file; undefined for other files. */
export const openTensors = asOutcomes(
  async (
    compileFiles: () => Promise<WebAssembly.Module>,
    read: ReadRange,
    byteCount: number,
    key: ModelKey | undefined,
  ): Promise<TensorBytes | undefined> =>
    TensorBytes.open(await Apr2Core.open(compileFiles), read, byteCount, key),
);

export const checkKeys = asOutcomes((options: SealOptions) => {
  checkKeyOptions(options);
  return Promise.resolve();
});
export const encryptModel = asOutcomes(transforming.encryptModel);
export const signModel = asOutcomes(transforming.signModel);
export const addPieceDigests = asOutcomes(transforming.addPieceDigests);
export const verifyModel = asOutcomes(verifying.verifyModel);
export const soundRanges = asOutcomes(verifying.soundRanges);
export const generateSigningKey = asOutcomes(newSigningKey);
