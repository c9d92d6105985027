// Pushes a file into a WebAssembly module, for loading and for inspection.
import type { SealOptions } from '../api/types.js';
import type { PhaseProgress } from '../api/overall_progress.js';
import {
  newSignedModel,
  saysUnverified,
  type Protection,
  type ShardOrigin,
} from '../platform/crypto_types.js';
import { SusurrusError } from '../api/errors.js';
import { loadCrypto } from './load_crypto.js';
import { unwrapOutcome } from '../api/outcome.js';
import type { OpenedSource } from '../platform/platform.js';
import { isJsonText } from '../platform/source_folder.js';
import { abortedOr, onAbort } from '../api/signals.js';
import type { PartFile } from '../protocol/link.js';
import { sayIncomplete } from './incomplete.js';
import { pump, withOrigin, type PumpOptions } from './pump.js';
import { openProtected, type ProtectedSource } from './protected_source.js';

export interface FileReader {
  readonly protection: Protection;
  /** Compiles files.wasm. */
  readonly compileFiles: () => Promise<WebAssembly.Module>;
  readonly begin: (byteCount: number | undefined) => Promise<unknown>;
  /** `givesAway`: the memory of the bytes may go along with them. */
  readonly push: (bytes: Uint8Array, givesAway: boolean) => Promise<unknown>;
  /** Behind the last byte of a file. Returns which files are still missing; begin() starts the next. */
  readonly endFile: () => Promise<readonly PartFile[]>;
}

export interface Reader<Started, Facts> extends FileReader {
  readonly phase: PhaseProgress['phase'];
  readonly start: () => Promise<Started>;
  /** When none is missing. */
  readonly finish: () => Promise<Facts>;
  /** Ends the module and all its work; why. */
  readonly close: (failure: unknown) => void;
}

/** What decrypting and verifying a model's files found out. */
export interface OpenedProtection {
  /** Whose signatures were verified. */
  readonly signer?: string;
  /** Warnings of the core about padding that decryption has replaced. */
  readonly untrueWarnings: ReadonlySet<string>;
  /** What the signatures leave open. */
  readonly warnings: readonly string[];
}

export type ReadOptions = PumpOptions & SealOptions;

/**
 * Reads the file that was named and, if it is a manifest, all that it names, one after the other. Each shard is decrypted
 * and verified by itself, as the options ask; a manifest is not protected. Shards whose signatures say that they
 * belong to different models are rejected.
 */
export async function readFiles(
  opened: OpenedSource,
  reader: FileReader,
  options: ReadOptions,
): Promise<OpenedProtection> {
  // Progress counts the shards, not the manifest.
  let isManifest: boolean | undefined;
  const push: FileReader['push'] = (bytes, givesAway) => {
    isManifest ??= isJsonText(bytes.subarray(0, 64));
    return reader.push(bytes, givesAway);
  };
  const { missing, confirm } = await readFile(
    opened,
    { ...reader, push },
    { ...options, onProgress: (event) => !isManifest && options.onProgress?.(event) },
  );
  // A file that names others holds no weights, which is what a signature is asked for.
  const signers = new Set([missing.length > 0 ? undefined : confirm().signer]);
  const untrueWarnings = new Set<string>();
  const byteCount = missing.reduce((sum, file) => sum + file.byteCount, 0);
  const model = newSignedModel();
  let before = 0;
  for (const file of missing) {
    const part = await openPart(opened, file.name);
    const whole = { byteCount, before };
    const shard = { name: file.name, model };
    const read = await readFile(part, reader, { ...options, whole }, shard);
    const { signer, hasOtherPadding } = read.confirm();
    signers.add(signer);
    if (hasOtherPadding) untrueWarnings.add(`${file.name}: padding is not zero`);
    before += file.byteCount;
  }
  signers.delete(undefined);
  const warnings: string[] = [];
  if (model.signedCount > 0) {
    const { confirmModel } = await loadCrypto();
    const isBound = unwrapOutcome(await confirmModel(model, missing.length));
    if (!isBound) warnings.push(unboundShards);
  }
  return { ...(signers.size > 0 && { signer: [...signers].join(', ') }), untrueWarnings, warnings };
}

export const unboundShards = 'the signatures do not bind the shards to each other';

async function readFile(
  opened: OpenedSource,
  { protection, compileFiles, begin, push, endFile }: FileReader,
  options: ReadOptions,
  shard?: ShardOrigin,
): Promise<{
  readonly missing: readonly PartFile[];
  readonly confirm: ProtectedSource['confirm'];
}> {
  try {
    await begin(opened.byteCount);
    const protectedFile = openProtected(opened, options, protection, compileFiles, shard);
    await pump(protectedFile.source, push, options);
    return { missing: await endFile(), confirm: () => protectedFile.confirm() };
  } catch (error) {
    release(opened);
    throw withOrigin(await sayIncomplete(error, opened.byteCount, opened.readAt), opened);
  }
}

async function openPart({ sibling }: OpenedSource, name: string): Promise<OpenedSource> {
  if (!sibling) {
    throw missingPart(
      name,
      'shards are found beside a manifest that is named by its path or URL, or in a list of files',
    );
  }
  try {
    return await sibling(name);
  } catch (error) {
    if (error instanceof SusurrusError && error.code === 'source_failed') {
      throw missingPart(name, error.message, error);
    }
    throw error;
  }
}

function missingPart(name: string, problem: string, cause?: unknown): SusurrusError {
  return new SusurrusError(
    'source_failed',
    `The shard ${name} is missing: ${problem}`,
    { reason: 'manifest', subject: name },
    cause,
  );
}

export interface SourceOptions extends SealOptions {
  readonly onProgress?: ((event: PhaseProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ReadModel<Started, Facts> {
  readonly started: Started;
  readonly facts: Facts;
  readonly protection: OpenedProtection;
}

/** Starts the module and streams into it a source that is open, or about to be; any failure closes the module. */
export async function readOpening<Started, Facts>(
  opening: Promise<OpenedSource>,
  reader: Reader<Started, Facts>,
  options: SourceOptions,
): Promise<ReadModel<Started, Facts>> {
  const { signal } = options;
  // Closing the module ends all its work, so nothing else has to watch the signal.
  const stopListening = onAbort(signal, () => reader.close(abortedOr(signal, undefined)));
  try {
    const [started, opened] = await Promise.all([reader.start(), opening]);
    const protection = await readFiles(opened, reader, { ...options, phase: reader.phase });
    return { started, facts: await reader.finish(), protection };
  } catch (error) {
    const failure = abortedOr(signal, error);
    reader.close(failure);
    void opening.then(release, () => undefined);
    throw failure;
  } finally {
    stopListening();
  }
}

/** Closes a source that has not been read, such as a connection. */
export function release({ chunks }: OpenedSource): void {
  void Promise.resolve(chunks[Symbol.asyncIterator]().return?.()).catch(() => undefined);
}

/** Adds the verified signer to the facts, and removes the warning that the signature was not checked. */
export function withProtection<Facts extends { readonly warnings: readonly string[] }>(
  facts: Facts,
  { signer, untrueWarnings, warnings: ours }: OpenedProtection,
): Facts & { readonly signer?: string } {
  const isTrue = (warning: string): boolean =>
    !untrueWarnings.has(warning) && (signer === undefined || !saysUnverified(warning));
  const warnings = [...facts.warnings.filter(isTrue), ...ours];
  return { ...facts, warnings, ...(signer !== undefined && { signer }) };
}
