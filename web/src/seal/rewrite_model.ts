// Model files encrypted, signed and given digests: what both entries offer, with the tools of their platform.
import type {
  EncryptOptions,
  ModelDestination,
  ProgressEvent,
  RereadableSource,
  RewriteOptions,
  RewriteResult,
  SignOptions,
} from '../api_types.js';
import { Pace } from '../engine/pace.js';
import { invalidOption } from '../errors.js';
import { abortedOr, throwIfAborted } from '../signals.js';
import { checkOptions, flag, progressCheck, signalCheck, type Check } from '../options.js';
import { unwrapOutcome } from './load_seal.js';
import { encryptFile } from './encrypt_file.js';
import type { RewriteJob } from './rewrite.js';
import { digestFile, signFile } from './sign_file.js';
import { keyCheck } from './key_options.js';
import { checkRereadable } from './rereadable.js';
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
  throwIfAborted(signal);
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
    throw abortedOr(signal, error);
  }
}
