// Everything that can be checked in a model file, one check after the other.
import type { Watched } from '../../src/api/progress_callback.js';
import type {
  RereadableSource,
  SealOptions,
  SoundRanges,
  Verification,
  VerificationCheck,
  VerifyOptions,
} from '../../src/api/types.js';
import {
  asSusurrusError,
  errorNumbers,
  sourceFailed,
  SusurrusError,
} from '../../src/api/errors.js';
import { checkOptions, progressCheck, signalCheck } from '../../src/api/options.js';
import { ByteQueue } from '../../src/platform/byte_queue.js';
import { newSignedModel, saysUnverified } from '../../src/platform/crypto_types.js';
import { YieldController } from '../../src/wasm/yield_controller.js';
import { Apr2Core } from './apr2_core.js';
import {
  checkPieces,
  checkScheme,
  checkSigner,
  type CheckedFile,
  type Found,
} from './file_checks.js';
import { fileKeys, keyChecks } from './key_options.js';
import { unwrapOutcome } from '../../src/api/outcome.js';
import { checkRereadable } from './rereadable.js';
import type { CryptoTools } from './crypto_tools.js';
import { checkSignedModel, modelDigestKey } from './signed_model.js';
import { throwIfAborted } from '../../src/api/signals.js';
import { findSoundRanges } from './survey.js';

export async function soundRanges(
  tools: Pick<CryptoTools, 'compileFiles' | 'openSource'>,
  source: RereadableSource,
  options: Pick<SealOptions, 'publicKeys'>,
): Promise<SoundRanges> {
  checkOptions(options, { publicKeys: keyChecks.publicKeys });
  const { chunks } = await tools.openSource(source, undefined);
  const queue = new ByteQueue(chunks);
  try {
    const core = await Apr2Core.open(tools.compileFiles);
    return await findSoundRanges(core, queue, fileKeys(options).publicKeys);
  } finally {
    queue.close();
  }
}

export async function verifyModel(
  tools: CryptoTools,
  source: RereadableSource,
  options: Watched<VerifyOptions>,
): Promise<Verification> {
  checkOptions(options, { onProgress: progressCheck, signal: signalCheck, ...keyChecks });
  checkRereadable(source);
  const { signal, onProgress, key } = options;
  const keys = fileKeys(options);
  const open = async (shard?: string): Promise<AsyncIterable<Uint8Array>> => {
    throwIfAborted(signal);
    const opened = await tools.openSource(source, signal);
    if (shard === undefined) return opened.chunks;
    new ByteQueue(opened.chunks).close();
    if (!opened.sibling) throw sourceFailed(shard, 'there is nothing beside the manifest');
    return (await opened.sibling(shard)).chunks;
  };
  const structure = await structureChecks(tools, source, {
    ...(signal && { signal }),
    ...(onProgress && { onProgress }),
  });
  const found = async (
    name: VerificationCheck['name'],
    work: () => Promise<Found>,
  ): Promise<VerificationCheck> => {
    try {
      return { name, ...(await work()) };
    } catch (error) {
      return failedCheck(name, error, signal);
    }
  };
  const { other, shards } = structure;
  const core = await Apr2Core.open(tools.compileFiles);
  const yielder = new YieldController(signal);
  const inFiles = async (
    check: (file: CheckedFile) => Promise<Found>,
    model = newSignedModel(),
  ): Promise<Found> => {
    if (other !== undefined && !keys.isSignatureRequired) {
      return { outcome: 'absent', message: `${other} has none` };
    }
    return inEachFile(
      shards,
      (shard) => ({
        core,
        open: () => open(shard),
        yielder,
        ...(shard !== undefined && { shard: { name: shard, model } }),
      }),
      check,
    );
  };
  const checkSigners = async (): Promise<Found> => {
    const model = newSignedModel();
    const signers = await inFiles((file) => checkSigner(file, keys, structure.isReadable), model);
    if (!shards || model.signedCount === 0) return signers;
    const isBound = await checkSignedModel(model, shards.length);
    return isBound ? signers : { ...signers, message: `${signers.message}; ${unbound}` };
  };
  const checks = [
    ...structure.checks,
    await found('piece digests', () => inFiles(checkPieces)),
    await found('signature', checkSigners),
    await found('encryption', async () => {
      if (!structure.isReadable)
        return { outcome: 'unchecked', message: 'the file cannot be read' };
      if (!structure.isEncrypted)
        return { outcome: 'absent', message: 'the file is not encrypted' };
      if (key === undefined) return inFiles(checkScheme);
      unwrapOutcome(await tools.inspect(source, { key, ...(signal && { signal }) }, 'stored'));
      return { outcome: 'passed', message: 'the key opens every piece' };
    }),
  ];
  // Signatures have their own check.
  const warnings = structure.warnings.filter((warning) => !saysUnverified(warning));
  return { valid: checks.every(({ outcome }) => outcome !== 'failed'), checks, warnings };
}

/** What the signatures of shards leave open that do not state a digest of the model. */
const unbound = `the shards state no ${modelDigestKey}, which would bind them together`;

/** A check of a file, or of each shard, since a manifest has no signature. Reports the worst outcome and names its shard. */
async function inEachFile(
  shards: readonly string[] | undefined,
  fileOf: (shard?: string) => CheckedFile,
  check: (file: CheckedFile) => Promise<Found>,
): Promise<Found> {
  if (!shards) return check(fileOf());
  const counts = new Map<Found['outcome'], number>();
  let worst: Found = { outcome: 'absent', message: '' };
  for (const shard of shards) {
    let found: Found;
    try {
      found = await check(fileOf(shard));
    } catch (error) {
      if (!(error instanceof SusurrusError)) throw error;
      throw new SusurrusError(error.code, `${shard}: ${error.message}`, error.details, error.cause);
    }
    counts.set(found.outcome, (counts.get(found.outcome) ?? 0) + 1);
    const isWorse = severity.indexOf(found.outcome) > severity.indexOf(worst.outcome);
    if (isWorse || worst.message === '') {
      worst = { ...found, message: `${shard}: ${found.message}` };
    }
  }
  const count = counts.get(worst.outcome) ?? 0;
  return { ...worst, message: `${worst.message} (${count} of ${shards.length} shards)` };
}

const severity: readonly Found['outcome'][] = ['absent', 'passed', 'unchecked', 'failed'];

/** Runs the core's reader over the stored bytes. */
async function structureChecks(
  tools: CryptoTools,
  source: RereadableSource,
  options: Watched<VerifyOptions>,
): Promise<{
  readonly checks: readonly VerificationCheck[];
  readonly warnings: readonly string[];
  readonly isReadable: boolean;
  readonly isEncrypted: boolean;
  /** Shards that a manifest lists. */
  readonly shards?: readonly string[];
  /** A format that can be neither signed nor encrypted. */
  readonly other?: string;
}> {
  const sound: VerificationCheck = { name: 'structure', outcome: 'passed', message: '' };
  try {
    // Encryption and signatures are checks of their own.
    const facts = unwrapOutcome(await tools.inspect(source, options, 'ignored'));
    const { format, version, byteCount, tensors, flags } = facts;
    const name = `${format} ${version}`.trimEnd();
    const message = `${name}, ${tensors.length} tensors, ${byteCount} bytes`;
    return {
      checks: [
        { ...sound, message },
        format.startsWith('APR')
          ? { name: 'checksum', outcome: 'passed', message: 'CRC-32 of all bytes' }
          : { name: 'checksum', outcome: 'absent', message: `${format} has none` },
      ],
      warnings: facts.warnings,
      isReadable: true,
      isEncrypted: flags.includes('ENCRYPTED'),
      ...(format !== 'APR2' && { other: format }),
      ...(facts.shards && { shards: facts.shards.map(({ file }) => file) }),
    };
  } catch (error) {
    const isChecksum = asSusurrusError(error).code === 'checksum_mismatch';
    const checks: VerificationCheck[] = isChecksum
      ? [
          { ...sound, message: 'header, metadata, index and lengths' },
          failedCheck('checksum', error, options.signal),
        ]
      : [
          failedCheck('structure', error, options.signal),
          { name: 'checksum', outcome: 'unchecked', message: 'the structure is not sound' },
        ];
    return { checks, warnings: [], isReadable: false, isEncrypted: false };
  }
}

/** What the file's bytes or a key are to blame for; everything else is thrown on. */
function failedCheck(
  name: VerificationCheck['name'],
  thrown: unknown,
  signal: AbortSignal | undefined,
): VerificationCheck {
  throwIfAborted(signal);
  const error = asSusurrusError(thrown);
  const group = Math.floor(errorNumbers[error.code] / 10);
  if (error.code === 'unsupported_environment') {
    return { name, outcome: 'unchecked', message: error.message };
  }
  if (group > 4) throw error;
  const { offset, reason } = error.details;
  return {
    name,
    outcome: 'failed',
    message: error.message,
    code: error.code,
    ...(reason !== undefined && { reason }),
    ...(offset !== undefined && { offset }),
  };
}
