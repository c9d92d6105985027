// Downloads one model and keeps it, in a worker of its own or in Node's thread: bytes come as they are asked for.
import { wrongState } from '../../src/api/errors.js';
import { notKeepable } from '../../src/sources/kept_errors.js';
import type { ByteRange } from '../../src/api/types.js';
import type { PhaseProgress } from '../../src/api/overall_progress.js';
import { usualType } from '../../src/sources/model_name.js';
import type { Host } from '../../src/protocol/link.js';
import type { DownloadPlace } from '../hub/partial_download.js';
import type * as Hub from '../hub/convert_repository.js';
import type { DigestCheck } from '../hub/repository_files.js';
import { onDemand } from '../host/on_demand.js';
import type {
  HubOrigin,
  OpenAnswer,
  OpenRequest,
  StoreCalls,
  StoreStep,
  UrlOrigin,
  Wrong,
} from './calls.js';
import { KeptFile } from './kept_file.js';
import { spillingFile } from './memory_file.js';
import {
  digestName,
  downloadEnding,
  groupOf,
  idOf,
  type ModelFacts,
  type ModelStore,
} from './model_store.js';
import { wordsFor, type StoreFiles } from './store_files.js';
import { waitForTurn } from './turn.js';
import { openUrlDownload, type UrlDownload } from './url_download.js';

/** What the host needs from its environment. */
export interface StoreEnvironment {
  /** Undefined where nothing can be kept. */
  openStore(): Promise<ModelStore | undefined>;
  /** Waits until the name is free, and holds it until release() or the end of the worker. */
  hold(name: string): Promise<() => void>;
  /** Milliseconds, instead of the usual. */
  readonly patience?: number;
  /** Where models are converted. */
  readonly hub?: typeof Hub;
  /** URL of files.wasm, which converts models. */
  readonly filesAddress?: string | undefined;
}

export const noStorage = 'not kept: the browser gives this page no storage';

/** How long others may get no further before their download is not waited for any more. */
const patienceMilliseconds = 30_000;

interface Turn {
  readonly kept?: Blob | string;
  readonly target?: KeptFile;
}

/** What is known of a file that a repository has. */
interface Origin {
  readonly check?: DigestCheck | undefined;
  /** The repository, for progress. */
  readonly source?: string;
}

type Give = (step: StoreStep) => Promise<void>;

export class StoreHost implements Host<StoreCalls, PhaseProgress> {
  readonly #environment: StoreEnvironment;
  readonly #ending = new AbortController();
  #store: ModelStore | undefined;
  #target: KeptFile | undefined;
  #next: (() => Promise<StoreStep | undefined>) | undefined;
  #warnings: readonly string[] = [];
  #mustKeep = false;
  #release: () => void = () => undefined;

  constructor(environment: StoreEnvironment) {
    this.#environment = environment;
  }

  async handle<Name extends keyof StoreCalls>(
    name: Name,
    request: StoreCalls[Name]['request'],
    _signal: AbortSignal,
    emit: (progress: PhaseProgress) => void,
  ): Promise<StoreCalls[Name]['answer']> {
    const handlers = {
      open: () => this.#open(request as OpenRequest, emit),
      next: async () => {
        const step = await this.#next?.();
        if (!step) throw wrongState('No model is being read.', 'cache');
        return step;
      },
      keep: async () => [...this.#warnings, ...((await this.#target?.keep()) ?? [])],
    };
    return handlers[name]();
  }

  close(): void {
    this.#ending.abort();
    void this.#target?.leave();
    this.#release();
  }

  async #open(
    { key, isKept, mustKeep = false, wrong, from }: OpenRequest,
    emit: (progress: PhaseProgress) => void,
  ): Promise<OpenAnswer> {
    this.#mustKeep = mustKeep;
    const kept = isKept ? await this.#openStore(key, wrong, emit) : undefined;
    if (kept !== undefined) return { kept, isResumed: true };
    this.#checkKept();
    const facts = this.#target?.facts;
    // What was converted to its end only has to be read once more.
    const isConverted =
      facts?.byteCount !== undefined && facts.byteCount === this.#target?.file?.byteCount;
    const missing = wrong === 'all' ? undefined : wrong;
    if ('url' in from || (isConverted && !missing)) {
      const origin = 'url' in from ? from : { url: key.address };
      return this.#download(key, origin, missing);
    }
    const { hub } = this.#environment;
    if (!hub) throw wrongState('Models are not converted here.', 'cache');
    const files = await hub.openRepository(
      from.repository,
      from.dtype ?? usualType,
      from.hub,
      from.token,
    );
    const ready = hub.readyModel(files, from.dtype);
    const file = ready === undefined ? undefined : await files.find(ready);
    if (file) {
      const origin = { url: files.urlOf(file), token: from.token };
      return this.#download(key, origin, missing, {
        check: hub.checkOf(file),
        source: files.title,
      });
    }
    return this.#convert(key, from, hub, files);
  }

  /** Returns what is kept, or opens the file that the model will be kept in. Without either it is not kept. */
  async #openStore(
    key: ModelFacts,
    wrong: Wrong | undefined,
    emit: (progress: PhaseProgress) => void,
  ): Promise<Blob | string | undefined> {
    let kind: StoreFiles['kind'] | undefined;
    try {
      const store = await this.#environment.openStore();
      if (!store) {
        this.#warnings = [noStorage];
        return undefined;
      }
      ({ kind } = store.files);
      const id = await idOf(key);
      const turn = this.#takeTurn(store, id, wrong);
      const taken = await waitForTurn(turn, {
        byteCount: () => store.byteCountOf(id),
        onBytes: (loaded) => emit({ phase: 'download', loaded }),
        patience: this.#environment.patience ?? patienceMilliseconds,
        signal: this.#ending.signal,
      });
      if (!taken) {
        void turn.then(({ target }) => target?.leave()).catch(() => undefined);
        this.#warnings = [
          `not kept: ${wordsFor(kind).other} is downloading the model, and gets no further`,
        ];
        return undefined;
      }
      this.#store = store;
      this.#target = taken.target;
      return taken.kept;
    } catch (error) {
      this.#warnings = [`not kept: ${wordsFor(kind).storage} failed (${String(error)})`];
      return undefined;
    }
  }

  async #takeTurn(store: ModelStore, id: string, wrong: Wrong | undefined): Promise<Turn> {
    this.#release = await this.#environment.hold(groupOf(id));
    if (wrong === 'all') await store.remove(id);
    const kept = wrong ? undefined : await store.kept(id);
    if (kept !== undefined) return { kept };
    await store.removeAbandoned();
    const file = await store.open(id, this.#ending.signal);
    return { target: new KeptFile(store, id, file, await store.facts(id)) };
  }

  async #download(
    key: ModelFacts,
    { url, token }: UrlOrigin,
    missing: readonly ByteRange[] | undefined,
    of: Origin = {},
  ): Promise<OpenAnswer> {
    const target = this.#target;
    const download = await openUrlDownload({
      ...{ url, token },
      kept: target,
      missing,
      signal: this.#ending.signal,
    });
    const { facts, keptBytes, remark } = download;
    await target?.begin({ ...key, ...facts }, keptBytes);
    this.#checkKept();
    this.#next = onDemand((give) => this.#pass(download, of, give));
    return {
      isResumed: keptBytes > 0,
      ...(facts.byteCount !== undefined && { byteCount: facts.byteCount }),
      ...(remark !== undefined && { remark }),
    };
  }

  async #pass(download: UrlDownload, { check, source }: Origin, give: Give): Promise<StoreStep> {
    for await (const { bytes, at, isKept, progress } of download.pieces()) {
      if (!isKept) await this.#target?.write(bytes, at);
      this.#checkKept();
      check?.update(bytes);
      await give({ bytes, progress: { ...progress, ...(source !== undefined && { source }) } });
    }
    check?.end();
    await this.#target?.end();
    return {};
  }

  async #convert(
    key: ModelFacts,
    { repository, dtype = usualType }: HubOrigin,
    hub: typeof Hub,
    files: Awaited<ReturnType<typeof Hub.openRepository>>,
  ): Promise<OpenAnswer> {
    const group = groupOf(await idOf(key));
    await this.#target?.begin(key, 0);
    this.#checkKept();
    const { filesAddress = '' } = this.#environment;
    const work = async (give: Give): Promise<StoreStep> => {
      let told = Promise.resolve();
      await hub.convertRepository({
        ...{ repository, files, dtype, filesAddress },
        take: (facts) => this.#takeDownload(group, files.place, facts),
        write: async (bytes) => {
          await target?.write(bytes);
          this.#checkKept();
          await told;
          await give({ bytes });
        },
        onProgress: (progress) => {
          // After a failure no further step is asked for.
          told = told.then(() => give({ progress })).catch(() => undefined);
        },
        onEnd: async () => target?.end(),
      });
      await told;
      return {};
    };
    const target = this.#target;
    this.#next = onDemand(work);
    return { isResumed: false };
  }

  /** Where the model is fetched only to be kept, what cannot be kept is not fetched any further. */
  #checkKept(): void {
    const problem = this.#warnings[0] ?? this.#target?.problem;
    if (this.#mustKeep && problem !== undefined) throw notKeepable(problem);
  }

  /** A file for a download that is converted: where there is room, so that it can be gone on with, else in memory. */
  async #takeDownload(
    group: string,
    place: string,
    facts: Parameters<DownloadPlace['take']>[0],
  ): ReturnType<DownloadPlace['take']> {
    const { name, byteCount, digest } = facts;
    const store = this.#store;
    if (!store) return spillingFile();
    try {
      const file = await digestName([place, name, digest?.hex ?? facts.validator, `${byteCount}`]);
      const room = await store.files.room();
      const stored = `${group}-${file}${downloadEnding}`;
      if (room !== undefined && room < byteCount) return spillingFile();
      return spillingFile(await store.openFile(stored, this.#ending.signal));
    } catch {
      return spillingFile();
    }
  }
}
