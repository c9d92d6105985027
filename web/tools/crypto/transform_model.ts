// Model files encrypted, signed and given digests, each shard of a manifest by itself: what both entries offer, with the tools of
// their platform.
import type { Watched } from '../../src/api/progress_callback.js';
import type {
  EncryptOptions,
  Inspection,
  ModelDestination,
  RereadableSource,
  RewriteOptions,
  RewriteResult,
  SignOptions,
} from '../../src/api/types.js';
import type { PhaseProgress } from '../../src/api/overall_progress.js';
import { YieldController } from '../../src/wasm/yield_controller.js';
import { invalidOption, sourceFailed } from '../../src/api/errors.js';
import {
  checkOptions,
  flag,
  progressCheck,
  signalCheck,
  type Check,
} from '../../src/api/options.js';
import { unwrapOutcome } from '../../src/api/outcome.js';
import { abortedOr, throwIfAborted } from '../../src/api/signals.js';
import { writeStream } from '../../src/platform/write_stream.js';
import { Apr2Core } from './apr2_core.js';
import type { CryptoTools, ReadableFile, Write } from './crypto_tools.js';
import { encryptFile } from './encrypt_file.js';
import { fromHex } from './hex.js';
import { keyCheck } from './key_options.js';
import { checkRereadable } from './rereadable.js';
import { manifestText, shardName, type WrittenShard } from './shard_manifest.js';
import { pieceDigestsOf, signerOf, writeDigested } from './sign_file.js';
import { modelDigest } from './signed_model.js';
import type { TransformedFile, TransformJob } from './transform_apr2.js';

const commonChecks = { force: flag, onProgress: progressCheck, signal: signalCheck };
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

/** What becomes of a file. */
interface Transformation {
  /** A first pass over each file, before anything is written: its piece digests. */
  readonly digest?: (job: TransformJob) => Promise<readonly string[]>;
  /** `model`: the digest of all shards, of a model that has several. */
  readonly write: (
    job: TransformJob,
    digests: readonly string[],
    model: string | undefined,
  ) => Promise<TransformedFile>;
}

export async function encryptModel(
  tools: CryptoTools,
  source: RereadableSource,
  destination: ModelDestination,
  options: Watched<EncryptOptions>,
): Promise<RewriteResult> {
  checkOptions(options, { ...commonChecks, key: keyCheck });
  const { key } = required(options, 'key', keyCheck);
  return transform(tools, source, destination, options, {
    write: (job) => encryptFile(job, key),
  });
}

export async function signModel(
  tools: CryptoTools,
  source: RereadableSource,
  destination: ModelDestination,
  options: Watched<SignOptions>,
): Promise<RewriteResult> {
  checkOptions(options, { ...commonChecks, key: signingKeyCheck });
  const { key } = required(options, 'key', signingKeyCheck);
  const signer = await signerOf(key);
  return transform(tools, source, destination, options, {
    digest: (job) => pieceDigestsOf(job, true),
    write: (job, digests, model) => writeDigested(job, digests, signer, model),
  });
}

export async function addPieceDigests(
  tools: CryptoTools,
  source: RereadableSource,
  destination: ModelDestination,
  options: Watched<RewriteOptions>,
): Promise<RewriteResult> {
  checkOptions(options, commonChecks);
  return transform(tools, source, destination, options, {
    digest: (job) => pieceDigestsOf(job, false),
    write: (job, digests) => writeDigested(job, digests, undefined),
  });
}

function required<T extends object>(options: T, name: keyof T & string, [expected]: Check): T {
  if (options[name] === undefined) throw invalidOption(name, expected, undefined);
  return options;
}

type Create = (name?: string) => Promise<Write>;

const writeTo = <T>(
  tools: CryptoTools,
  destination: ModelDestination,
  force: boolean,
  fill: (create: Create) => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> =>
  destination instanceof WritableStream
    ? writeStream(destination, (write) => fill(() => Promise.resolve(write)), signal)
    : tools.writeFiles(destination, force, fill);

/** Verifies the whole source first; then `work` reads it once or twice. */
async function transform(
  tools: CryptoTools,
  source: RereadableSource,
  destination: ModelDestination,
  { force = false, onProgress, signal }: Watched<RewriteOptions>,
  work: Transformation,
): Promise<RewriteResult> {
  checkRereadable(source);
  throwIfAborted(signal);
  const yielder = new YieldController(signal);
  try {
    const fill = async (create: Create): Promise<RewriteResult> => {
      const progress = new PassProgress(work.digest ? 3 : 2, onProgress);
      const watched = {
        ...(signal && { signal }),
        onProgress: ({ loaded, total }: PhaseProgress) => progress.report(loaded, total),
      };
      const facts = unwrapOutcome(await tools.inspect(source, watched, 'stored'));
      progress.endPass(facts.byteCount);
      const core = await Apr2Core.open(tools.compileFiles);
      const jobOf = (shard: string | undefined, write: Write): TransformJob => ({
        core,
        open: async () => {
          const opened = await openShard(await tools.openSource(source, signal), shard);
          progress.startFile(opened.byteCount);
          return opened.chunks;
        },
        write,
        onStep: async (loaded) => {
          progress.report(loaded);
          await yielder.step();
        },
        yielder,
      });
      const { shards } = facts;
      return shards
        ? transformShards(facts, shards, destination, create, work, jobOf)
        : transformFile(create, work, jobOf);
    };
    return await writeTo(tools, destination, force, fill, signal);
  } catch (error) {
    throw abortedOr(signal, error);
  }
}

type JobOf = (shard: string | undefined, write: Write) => TransformJob;
const unwritten: Write = () => Promise.reject(new TypeError('a pass that writes nothing wrote'));

async function transformFile(
  create: Create,
  work: Transformation,
  jobOf: JobOf,
): Promise<RewriteResult> {
  const digests = (await work.digest?.(jobOf(undefined, unwritten))) ?? [];
  const { byteCount, tensorCount, warnings } = await work.write(
    jobOf(undefined, await create()),
    digests,
    undefined,
  );
  return { byteCount, tensorCount, warnings };
}

/** Each shard, and a manifest of what became of them. */
async function transformShards(
  facts: Inspection,
  shards: NonNullable<Inspection['shards']>,
  destination: ModelDestination,
  create: Create,
  work: Transformation,
  jobOf: JobOf,
): Promise<RewriteResult> {
  if (destination instanceof WritableStream) {
    throw invalidOption('destination', 'a path, for a model in shards', destination);
  }
  const digests: (readonly string[])[] = [];
  for (const { file } of shards) {
    digests.push((await work.digest?.(jobOf(file, unwritten))) ?? []);
  }
  const model = await modelDigest(digests.flat().map((digest) => fromHex(digest)!));
  const written: WrittenShard[] = [];
  let tensorCount = 0;
  const warnings: string[] = [];
  for (const [i, { file }] of shards.entries()) {
    const name = shardName(destination, i, shards.length);
    const result = await work.write(jobOf(file, await create(name)), digests[i] ?? [], model);
    written.push({ ...result, file: name });
    tensorCount += result.tensorCount;
    warnings.push(...result.warnings.map((warning) => `${name}: ${warning}`));
  }
  const manifest = new TextEncoder().encode(manifestText(written, facts.tensors));
  await (
    await create()
  )(manifest);
  const byteCount = written.reduce((sum, shard) => sum + shard.byteCount, manifest.length);
  return { byteCount, tensorCount, warnings };
}

/** The file itself, or a shard in its folder. */
async function openShard(opened: ReadableFile, shard: string | undefined): Promise<ReadableFile> {
  if (shard === undefined) return opened;
  void Promise.resolve(opened.chunks[Symbol.asyncIterator]().return?.()).catch(() => undefined);
  if (!opened.sibling) throw sourceFailed(shard, 'there is nothing beside the manifest');
  return opened.sibling(shard);
}

/** Bytes read, of every pass over the source. */
class PassProgress {
  readonly #passes: number;
  readonly #onProgress: Watched<RewriteOptions>['onProgress'];
  /** In passes that are over, and in files of this pass. */
  #before = 0;
  #file = 0;
  #passBytes: number | undefined;

  constructor(passes: number, onProgress: Watched<RewriteOptions>['onProgress']) {
    this.#passes = passes;
    this.#onProgress = onProgress;
  }

  report(loaded: number, passBytes = this.#passBytes): void {
    this.#passBytes = passBytes;
    const all = this.#before + loaded;
    const total = passBytes === undefined ? undefined : this.#passes * passBytes;
    this.#onProgress?.({
      phase: 'convert',
      loaded: all,
      ...(total !== undefined && { total, fraction: total === 0 ? 1 : Math.min(1, all / total) }),
    });
  }

  /** Ends the first pass, which verifies; `byteCount` is the size of a single file. */
  endPass(byteCount: number): void {
    this.#passBytes ??= byteCount;
    this.#before = this.#passBytes;
  }

  /** A file is read from its beginning. */
  startFile(byteCount: number | undefined): void {
    this.#before += this.#file;
    this.#file = byteCount ?? this.#passBytes ?? 0;
  }
}
