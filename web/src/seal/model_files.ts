// Model files encrypted, signed, given digests, and verified: what both entries offer, with the tools of their platform.
import type {
  EncryptOptions,
  ModelDestination,
  ProgressEvent,
  RereadableSource,
  RewriteOptions,
  RewriteResult,
  SealOptions,
  SignOptions,
  SoundRanges,
  Verification,
  VerificationCheck,
  VerifyOptions,
} from '../api_types.js';
import { Pace } from '../engine/pace.js';
import { abortedBy, asSusurrusError, errorNumbers, invalidOption } from '../errors.js';
import { checkOptions, flag, progressCheck, signalCheck, type Check } from '../options.js';
import { ByteQueue } from './byte_queue.js';
import { unwrapOutcome } from './load_seal.js';
import { encryptFile } from './encrypt_file.js';
import { checkPieces, checkSigner } from './file_checks.js';
import type { RewriteJob } from './rewrite.js';
import { digestFile, signFile } from './sign_file.js';
import { findSoundRanges } from './survey.js';
import { keyCheck, keyChecks, sealKeys } from './key_options.js';
import type { SealTools } from './seal_tools.js';
import { writeStream } from './write_stream.js';

const rewriteChecks = { force: flag, onProgress: progressCheck, signal: signalCheck };
const signingKeyCheck: Check = [
  'an Ed25519 private key of 32 bytes, or a CryptoKeyPair',
  (value) =>
    value instanceof Uint8Array
      ? value.length === 32
      : typeof value === 'object' &&
        value !== null &&
        'privateKey' in value &&
        'publicKey' in value,
];

export async function encryptModel(
  tools: SealTools,
  source: RereadableSource,
  destination: ModelDestination,
  options: EncryptOptions,
): Promise<RewriteResult> {
  checkOptions(options, { ...rewriteChecks, key: keyCheck });
  const { key } = required(options, 'key', keyCheck);
  return rewrite(tools, source, destination, options, 1, (job) => encryptFile(job, key));
}

export async function signModel(
  tools: SealTools,
  source: RereadableSource,
  destination: ModelDestination,
  options: SignOptions,
): Promise<RewriteResult> {
  checkOptions(options, { ...rewriteChecks, key: signingKeyCheck });
  const { key } = required(options, 'key', signingKeyCheck);
  return rewrite(tools, source, destination, options, 2, (job) => signFile(job, key));
}

export async function addPieceDigests(
  tools: SealTools,
  source: RereadableSource,
  destination: ModelDestination,
  options: RewriteOptions,
): Promise<RewriteResult> {
  checkOptions(options, rewriteChecks);
  return rewrite(tools, source, destination, options, 2, (job) => digestFile(job));
}

function required<T extends object>(options: T, name: keyof T & string, [expected]: Check): T {
  if (options[name] === undefined) throw invalidOption(name, expected, undefined);
  return options;
}

type Fill<T> = (write: (bytes: Uint8Array) => Promise<void>) => Promise<T>;

const writeTo = <T>(
  tools: SealTools,
  destination: ModelDestination,
  force: boolean,
  fill: Fill<T>,
): Promise<T> =>
  destination instanceof WritableStream
    ? writeStream(destination, fill)
    : tools.writeFile(destination, force, fill);

/** The source is verified as a whole first; then `work` reads it `passes` times. */
async function rewrite(
  tools: SealTools,
  source: RereadableSource,
  destination: ModelDestination,
  { force = false, onProgress, signal }: RewriteOptions,
  passes: number,
  work: (job: RewriteJob) => Promise<RewriteResult>,
): Promise<RewriteResult> {
  checkRereadable(source);
  if (signal?.aborted) throw abortedBy(signal);
  const pace = new Pace(signal ?? new AbortController().signal);
  try {
    return await writeTo(tools, destination, force, async (write) => {
      let byteCount: number | undefined;
      const report = (pass: number, loaded: number): void => {
        const before = pass * (byteCount ?? 0);
        onProgress?.({
          phase: 'convert',
          loaded: before + loaded,
          ...(byteCount !== undefined && {
            total: (passes + 1) * byteCount,
            fraction: byteCount === 0 ? 1 : (before + loaded) / ((passes + 1) * byteCount),
          }),
        });
      };
      const watched = {
        ...(signal && { signal }),
        onProgress: ({ loaded, total }: ProgressEvent) => {
          byteCount = total;
          report(0, loaded);
        },
      };
      const facts = unwrapOutcome(await tools.inspect(source, watched, 'stored'));
      byteCount = facts.byteCount;
      let pass = 0;
      return work({
        open: async () => {
          ++pass;
          return (await tools.openSource(source, signal)).chunks;
        },
        write,
        onStep: async (loaded) => {
          report(pass, loaded);
          await pace.step();
        },
      });
    });
  } catch (error) {
    throw signal?.aborted ? abortedBy(signal) : error;
  }
}

function checkRereadable(source: unknown): void {
  const isRereadable =
    typeof source === 'string' ||
    source instanceof URL ||
    source instanceof Blob ||
    source instanceof ArrayBuffer ||
    ArrayBuffer.isView(source);
  if (isRereadable) return;
  throw invalidOption(
    'source',
    'something that can be read twice: a path, URL, Blob or bytes',
    source,
  );
}

export async function soundRanges(
  tools: SealTools,
  source: RereadableSource,
  options: Pick<SealOptions, 'publicKeys'>,
): Promise<SoundRanges> {
  checkOptions(options, { publicKeys: keyChecks.publicKeys });
  const { chunks } = await tools.openSource(source, undefined);
  const queue = new ByteQueue(chunks);
  try {
    return await findSoundRanges(queue, sealKeys(options).publicKeys);
  } finally {
    queue.close();
  }
}

export async function verifyModel(
  tools: SealTools,
  source: RereadableSource,
  options: VerifyOptions,
): Promise<Verification> {
  checkOptions(options, { onProgress: progressCheck, signal: signalCheck, ...keyChecks });
  checkRereadable(source);
  const { signal, onProgress, key } = options;
  const keys = sealKeys(options);
  const open = async (): Promise<AsyncIterable<Uint8Array>> => {
    if (signal?.aborted) throw abortedBy(signal);
    return (await tools.openSource(source, signal)).chunks;
  };
  const structure = await structureChecks(tools, source, {
    ...(signal && { signal }),
    ...(onProgress && { onProgress }),
  });
  const found = async (
    name: VerificationCheck['name'],
    work: () => Promise<Omit<VerificationCheck, 'name'>>,
  ): Promise<VerificationCheck> => {
    try {
      return { name, ...(await work()) };
    } catch (error) {
      return failedCheck(name, error, signal);
    }
  };
  const checks = [
    ...structure.checks,
    await found('piece digests', () => checkPieces(open)),
    await found('signature', () => checkSigner(open, keys.publicKeys, keys.isSignatureRequired)),
    await found('encryption', async () => {
      if (!structure.isReadable)
        return { outcome: 'unchecked', message: 'the file cannot be read' };
      if (!structure.isEncrypted)
        return { outcome: 'absent', message: 'the file is not encrypted' };
      if (key === undefined) return { outcome: 'unchecked', message: 'no key was given' };
      unwrapOutcome(await tools.inspect(source, { key, ...(signal && { signal }) }, 'stored'));
      return { outcome: 'passed', message: 'the key opens every piece' };
    }),
  ];
  return { isSound: checks.every(({ outcome }) => outcome !== 'failed'), checks };
}

/** The core's reader over the file as it stands. */
async function structureChecks(
  tools: SealTools,
  source: RereadableSource,
  options: VerifyOptions,
): Promise<{
  readonly checks: readonly VerificationCheck[];
  readonly isReadable: boolean;
  readonly isEncrypted: boolean;
}> {
  const sound: VerificationCheck = { name: 'structure', outcome: 'passed', message: '' };
  try {
    // Seals are checks of their own.
    const facts = unwrapOutcome(await tools.inspect(source, options, 'ignored'));
    const { format, version, byteCount, tensors, flags } = facts;
    const message = `${format} ${version}, ${tensors.length} tensors, ${byteCount} bytes`;
    return {
      checks: [
        { ...sound, message },
        { name: 'checksum', outcome: 'passed', message: 'CRC-32 of all bytes' },
      ],
      isReadable: true,
      isEncrypted: flags.includes('ENCRYPTED'),
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
    return { checks, isReadable: false, isEncrypted: false };
  }
}

/** What the file's bytes or a key are to blame for; everything else is thrown on. */
function failedCheck(
  name: VerificationCheck['name'],
  thrown: unknown,
  signal: AbortSignal | undefined,
): VerificationCheck {
  const error = asSusurrusError(thrown);
  const group = Math.floor(errorNumbers[error.code] / 10);
  if (error.code === 'unsupported_environment') {
    return { name, outcome: 'unchecked', message: error.message };
  }
  if (signal?.aborted || group > 4) throw error;
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
