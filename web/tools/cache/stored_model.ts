// A model that is kept, or is to be, as loading sees it: its bytes come from the store, or through it from the network.
import { SusurrusError } from '../../src/api/errors.js';
import { onAbort } from '../../src/api/signals.js';
import type { SoundRanges } from '../../src/api/types.js';
import type { PhaseProgress } from '../../src/api/overall_progress.js';
import type { OpenedSource } from '../../src/platform/platform.js';
import type { StoredModel, StoredRequest } from '../../src/platform/stored_model.js';
import { readAhead } from '../../src/platform/read_ahead.js';
import { blobSource } from '../../src/sources/blob_source.js';
import { isAboutBytes, isAboutPiece, notKept } from '../../src/sources/kept_errors.js';
import { beside } from '../../src/sources/open_source.js';
import type { StoreLink, Wrong } from './calls.js';
import { idOf, type ModelKey, type ModelStore } from './model_store.js';
import type { Wanted } from './wanted.js';

export interface StoredModelEnvironment {
  /** A store to look into; undefined where there is none. */
  openStore(): Promise<ModelStore | undefined>;
  /** `converts`: for a model of the hub. */
  openLink(converts: boolean): StoreLink;
  openPath(path: string): Promise<OpenedSource>;
  /** What is right of a file, by its digests; throws where it has none. */
  soundRanges(file: Blob | string): Promise<SoundRanges>;
}

export function openStoredModel(
  wanted: Wanted,
  { cache = true, onProgress, signal, mustKeep = false, isFresh = false }: StoredRequest,
  environment: StoredModelEnvironment,
): StoredModel {
  const links: StoreLink[] = [];
  let usesKept = false;
  let hasChanged = false;
  /** What has been tried already. */
  let tried: 'usual' | 'mending' | 'all' = isFresh ? 'all' : 'usual';
  const stop = (): void => links.splice(0).forEach((link) => link.close());
  const stopListening = onAbort(signal, stop);

  async function lookFor(key: ModelKey): Promise<Blob | string | undefined> {
    const store = cache === false ? undefined : await environment.openStore();
    return store?.kept(await idOf(key)).catch(() => undefined);
  }

  /** Which bytes are to be fetched again, where the digests of the file that is here tell. */
  async function missingOf(key: ModelKey): Promise<Wrong | undefined> {
    const store = await environment.openStore();
    const id = await idOf(key);
    const [part, facts] = [await store?.part(id), await store?.facts(id)];
    if (part === undefined) return undefined;
    const { byteCount, missing } = await environment.soundRanges(part);
    return byteCount !== undefined && byteCount === facts?.byteCount ? missing : undefined;
  }

  async function open({ key, title, from }: Wanted): Promise<OpenedSource> {
    let wrong: Wrong | undefined = tried === 'all' ? 'all' : undefined;
    if (tried === 'mending') wrong = (await missingOf(key).catch(() => undefined)) ?? 'all';
    // A shard in which nothing is wrong.
    if (wrong?.length === 0) wrong = undefined;
    // Without a worker: what is kept is only read.
    const kept = wrong ? undefined : await lookFor(key);
    if (kept !== undefined) return openKept(kept);
    if (cache === 'only') throw notKept(title, key.dtype);
    const link = environment.openLink(!('url' in from));
    links.push(link);
    const {
      kept: keptMeanwhile,
      byteCount,
      remark,
      isResumed,
    } = await link.call(
      'open',
      { key, from, wrong, isKept: cache, mustKeep },
      { onEvent: (progress) => onProgress?.(progress) },
    );
    if (keptMeanwhile !== undefined) return openKept(keptMeanwhile);
    usesKept ||= isResumed;
    return {
      chunks: readAhead(steps(link)),
      givesAway: true,
      name: title,
      ...(byteCount !== undefined && { byteCount }),
      ...(remark !== undefined && { remark }),
      ...besides(from),
    };
  }

  /** The shards of a manifest lie beside it, and are kept like it. */
  function besides(from: Wanted['from']): Pick<OpenedSource, 'sibling'> {
    if (!('url' in from)) return {};
    return {
      sibling: (name) => {
        const url = beside(from.url, name);
        return open({ key: { address: url }, title: url, from: { ...from, url } });
      },
    };
  }

  async function openKept(kept: Blob | string): Promise<OpenedSource> {
    usesKept = true;
    const source = typeof kept === 'string' ? await environment.openPath(kept) : blobSource(kept);
    const { byteCount: total } = source;
    let loaded = 0;
    const report = async function* (): AsyncGenerator<Uint8Array> {
      for await (const chunk of source.chunks) {
        loaded += chunk.length;
        onProgress?.({
          ...{ phase: 'cache', loaded },
          ...(total !== undefined && { total, fraction: total === 0 ? 1 : loaded / total }),
        });
        yield chunk;
      }
    };
    return { ...source, name: wanted.title, chunks: report(), ...besides(wanted.from) };
  }

  function steps(link: StoreLink): AsyncIterableIterator<Uint8Array, undefined> {
    return {
      [Symbol.asyncIterator]() {
        return this;
      },
      async next() {
        for (;;) {
          const { bytes, progress } = await link.call('next', undefined).catch((error: unknown) => {
            hasChanged ||= error instanceof SusurrusError && error.code === 'checksum_mismatch';
            throw error;
          });
          if (progress) onProgress?.(progress satisfies PhaseProgress);
          if (bytes) return { done: false, value: bytes };
          if (!progress) return { done: true, value: undefined };
        }
      },
      return() {
        link.close();
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }

  return {
    open: () => open(wanted),
    again(error) {
      const isPiece = isAboutPiece(error);
      const canMend = tried === 'usual' && cache === true && isPiece;
      // A piece that was just fetched again and is still wrong is wrong on the server.
      const isDoubtful =
        hasChanged || (usesKept && isAboutBytes(error) && !(isPiece && tried === 'mending'));
      if (cache === 'only' || tried === 'all' || !(canMend || isDoubtful)) return undefined;
      tried = canMend ? 'mending' : 'all';
      usesKept = false;
      hasChanged = false;
      return () => {
        stop();
        return open(wanted);
      };
    },
    get usesKept() {
      return usesKept;
    },
    async keep() {
      const warnings = await Promise.all(links.map((link) => link.call('keep', undefined)));
      return [...new Set(warnings.flat())];
    },
    async kept() {
      const listed = (await (await environment.openStore())?.list()) ?? [];
      const own = await idOf(wanted.key);
      return listed.find(({ id }) => id === own)?.model;
    },
    close() {
      stopListening();
      stop();
      return Promise.resolve();
    },
  };
}
