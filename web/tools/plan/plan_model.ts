// plan(): what a model will take, from its header alone.
import { SusurrusError } from '../../src/api/errors.js';
import { checkOptions, flag, wholeBetween } from '../../src/api/options.js';
import { abortedOr, onAbort, throwIfAborted } from '../../src/api/signals.js';
import type { ModelPlan, ModelSource, PlanOptions, WeightType } from '../../src/api/types.js';
import type { OpenedSource, Platform } from '../../src/platform/platform.js';
import type { StoredRequest } from '../../src/platform/stored_model.js';
import type { FilesLink, PlannedEngine } from '../../src/protocol/files.js';
import { filesOf } from '../../src/sources/file_list.js';
import { checkCryptoOptions } from '../../src/sources/crypto_options.js';
import { notKept } from '../../src/sources/kept_errors.js';
import { loadOptionChecks } from '../../src/sources/load_options.js';
import { checkSource } from '../../src/sources/choose_source.js';
import { hubFolderIn } from '../../src/sources/hub_folder.js';
import {
  embeddedName,
  isModelName,
  refuseHubOptions,
  usualType,
} from '../../src/sources/model_name.js';
import { openRanges, type OpenedRanges } from '../../src/sources/open_ranges.js';
import { openSource } from '../../src/sources/open_source.js';
import { withOrigin, type Origin } from '../../src/sources/pump.js';
import { readyModel, type RepositoryFiles } from '../hub/repository_files.js';
import { planHubFolder, planRepository } from './named.js';
import { planFile, planForwards, type PlannedFile } from './plan_file.js';
import { withUses } from './planned_uses.js';
import { verdictOn, type Device } from './verdict.js';

/** The usual number of beams. */
const usualSequences = 5;

/** What there is of a model by its name or URL. */
export interface FoundModel {
  /** For messages. */
  readonly title: string;
  /** The file of a cached model, or its path. */
  readonly kept?: Blob | string | undefined;
  /** Bytes in the cache, out of those to be fetched. */
  readonly partBytes: number;
  /** The model's file on a server. */
  readonly url?: string | undefined;
  readonly token?: string | undefined;
  /** The type that a conversion would write, and the one that a file needs to have that is taken as it is. */
  readonly dtype: WeightType;
  readonly readyType?: WeightType | undefined;
  /** Opens the repository, if nothing else was found. `partBytes`: bytes of its partial downloads. */
  readonly openRepository?: (
    signal: AbortSignal,
  ) => Promise<{ readonly files: RepositoryFiles; readonly partBytes?: number }>;
}

/** What differs between a page and Node. */
export interface PlanEnvironment {
  device(): Promise<Device>;
  find(request: Omit<StoredRequest, 'onProgress'>): Promise<FoundModel>;
}

/** Fetches only the part before the weights; for a repository, its file list and config.json. */
export async function planOn(
  usualPlatform: Platform,
  source: ModelSource,
  options: PlanOptions,
  environment: PlanEnvironment,
): Promise<ModelPlan> {
  checkOptions(options, {
    ...loadOptionChecks,
    beamSize: wholeBetween(1, 16),
    vad: flag,
    revise: flag,
    speakers: flag,
  });
  await checkCryptoOptions(options);
  const { signal, assets, beamSize: sequences = usualSequences } = options;
  throwIfAborted(signal);
  const platform = assets ? usualPlatform.withAssets(assets) : usualPlatform;
  const { threads } = platform.chooseThreads(options.threads);
  const files = platform.openFiles();
  const ending = new AbortController();
  const stopListening = onAbort(signal, () => {
    ending.abort();
    files.close();
  });
  try {
    await files.call('start', undefined);
    const task = { platform, files, engine: { threads, sequences }, signal: ending.signal };
    const { dims, plan, byteCount, keptBytes } = await planSource(
      task,
      source,
      options,
      environment,
    );
    const fetchBytes = byteCount === undefined ? undefined : Math.max(0, byteCount - keptBytes);
    const memory = withUses(plan, options);
    return {
      ...(fetchBytes !== undefined && { fetchBytes }),
      keptBytes,
      dims,
      ...memory,
      threads,
      verdict: verdictOn(
        { ...memory, keptLaterBytes: isKeptLater(source, options) ? (fetchBytes ?? 0) : 0 },
        await environment.device(),
      ),
    };
  } catch (error) {
    throw abortedOr(signal, ofWhispersAlone(error));
  } finally {
    stopListening();
    ending.abort();
    files.close();
  }
}

/** The core's answer for files that are loaded without conversion; their header does not state how much memory they need. */
const loadedAsIs = 'load it as it is';

function ofWhispersAlone(error: unknown): unknown {
  if (!(error instanceof SusurrusError) || !error.details.expected?.startsWith(loadedAsIs))
    return error;
  const { got = 'another model' } = error.details;
  return new SusurrusError(
    'unsupported_feature',
    `plan() knows what Whispers take, and this is ${got}: load it with loadModel(), and ask its memory().`,
    { ...error.details, expected: 'a Whisper' },
    error,
  );
}

const isKeptLater = (source: ModelSource, { cache }: PlanOptions): boolean =>
  Boolean(cache ?? (typeof source === 'string' && isModelName(source) && source !== embeddedName));

interface Task {
  readonly platform: Platform;
  readonly files: FilesLink;
  readonly engine: PlannedEngine;
  readonly signal: AbortSignal;
}

interface PlannedSource extends PlannedFile {
  readonly keptBytes: number;
}

async function planSource(
  task: Task,
  source: ModelSource,
  options: PlanOptions,
  environment: PlanEnvironment,
): Promise<PlannedSource> {
  const { platform } = task;
  checkSource(source);
  const isName =
    typeof source === 'string' && isModelName(source) && !(await platform.isFile(source));
  if (isName && source !== embeddedName) {
    return planFound(
      task,
      options,
      await environment.find({ ...options, model: { name: source } }),
    );
  }
  const listed = filesOf(source);
  const hubFolder = listed && (await hubFolderIn(listed));
  refuseHubOptions(options, hubFolder !== undefined);
  if (hubFolder) {
    const { files, engine, signal } = task;
    const { dtype = usualType } = options;
    const planned = await planHubFolder(files, hubFolder, dtype, engine, signal);
    return { ...planned, keptBytes: planned.byteCount ?? 0 };
  }
  const given = isName ? platform.embeddedModel : source;
  const isAddress = typeof given === 'string' || given instanceof URL;
  const url = options.cache && isAddress ? platform.urlOf(given) : undefined;
  if (url !== undefined) {
    return planFound(task, options, await environment.find({ ...options, model: { url } }));
  }
  // Local files need not be fetched.
  const isHere = !isAddress || platform.urlOf(given) === undefined;
  const planned = await planOpening(task, given);
  const isStream = !(given instanceof Blob) && !isAddress && !isBytes(given);
  return { ...planned, keptBytes: isHere && !isStream ? (planned.byteCount ?? 0) : 0 };
}

const isBytes = (source: ModelSource): boolean =>
  source instanceof ArrayBuffer || ArrayBuffer.isView(source) || filesOf(source) !== undefined;

async function planFound(
  task: Task,
  { cache }: PlanOptions,
  found: FoundModel,
): Promise<PlannedSource> {
  const { kept, title, url, token, partBytes, openRepository } = found;
  if (kept !== undefined) {
    const planned = await planOpening(task, kept);
    return { ...planned, keptBytes: planned.byteCount ?? 0 };
  }
  if (cache === 'only') throw notKept(title, found.readyType);
  const headers = token === undefined ? undefined : { authorization: `Bearer ${token}` };
  const ofUrl = async (address: string): Promise<PlannedSource> => ({
    ...(await planOpening(task, new Request(address, { ...(headers && { headers }) }))),
    keptBytes: partBytes,
  });
  if (url !== undefined || !openRepository) return ofUrl(url ?? title);
  const { files: repository, partBytes: downloaded = partBytes } = await openRepository(
    task.signal,
  );
  const ready = readyModel(repository, found.readyType);
  const file = ready === undefined ? undefined : await repository.find(ready);
  if (file) return ofUrl(repository.urlOf(file));
  const { files, engine, signal } = task;
  const planned = await planRepository(files, repository, found.dtype, engine, signal);
  return { ...planned, keptBytes: downloaded };
}

/** Whatever can be opened: in parts where that is possible, else forwards. */
async function planOpening(
  { platform, files, engine, signal }: Task,
  source: ModelSource,
): Promise<PlannedFile> {
  const opening: OpenedRanges & { readonly whole?: OpenedSource; readonly origin?: Origin } =
    await openRanges(source, platform, signal);
  const { folder, whole, origin = whole ?? {} } = opening;
  try {
    const file = folder?.weightsFile;
    if (folder && file !== undefined) return await planFile(files, folder, file, engine, signal);
    const opened = whole ?? (await openSource(source, platform, signal));
    return await planForwards(files, opened, engine, signal);
  } catch (error) {
    throw withOrigin(error, origin);
  }
}
