// Everything that the page keeps in this browser, to be listed and deleted.
import { deleteModel, listModels, type KeptModel } from '../../src/cache.js';
import { keptRecordings } from '../history/library.js';
import { ownModels } from '../models/own_models.js';
import { SusurrusError } from '../../src/index.js';
import { pageStore, remembered } from '../shell/text_store.js';

/** All names of this page and its package begin with it. */
const prefix = 'susurrus';

interface Amount {
  readonly count: number;
  readonly bytes: number;
}

export interface KeptHere {
  readonly models: Amount;
  readonly recordings: Amount;
  /** The page's own files, for when there is no network. */
  readonly pageBytes: number;
  /** Settings, and copies of live captions. */
  readonly settings: Amount;
}

/** What the browser refuses to say counts as nothing. */
export async function keptHere(): Promise<KeptHere> {
  const models = [...(await listModels().catch(() => [])), ...(await ownModels.all())];
  const settings = settingNames();
  return {
    models: amountOf(models),
    recordings: amountOf(await keptRecordings.all()),
    pageBytes: await bytesOfCaches().catch(() => 0),
    settings: {
      count: settings.length,
      bytes: settings.reduce((sum, name) => sum + 2 * (remembered(name) ?? '').length, 0),
    },
  };
}

const amountOf = (kept: readonly { readonly byteCount: number }[]): Amount => ({
  count: kept.length,
  bytes: kept.reduce((sum, { byteCount }) => sum + byteCount, 0),
});

/** Deletes all but the transcripts, which the history deletes. Goes on past what is refused, then rejects with the first refusal. */
export async function deleteKept(): Promise<void> {
  const models = listModels().then((all) => Promise.all(all.map(deleteFreed)));
  const settings = Promise.resolve().then(deleteSettings);
  const files = [ownModels.removeAll(), keptRecordings.removeAll()];
  const done = await Promise.allSettled([models, ...files, settings]);
  // The models' files are closed by now. The worker goes first, or it would keep the page's files anew.
  const page = await Promise.allSettled([endServices().then(deleteCaches)]);
  const refused = [...done, ...page].find(({ status }) => status === 'rejected');
  if (refused?.status === 'rejected') throw refused.reason;
}

/** Milliseconds between two tries, and how many there are. */
const [freeingPause, freeingTries] = [100, 30];

/** A download that was stopped a moment ago lets its files go when its worker has ended; that of another tab goes on. */
async function deleteFreed(model: KeptModel): Promise<void> {
  for (let tries = 1; ; ++tries) {
    try {
      await deleteModel(model);
      return;
    } catch (error) {
      const isInUse = error instanceof SusurrusError && error.code === 'wrong_state';
      if (!isInUse || tries === freeingTries) throw error;
      await new Promise((done) => setTimeout(done, freeingPause));
    }
  }
}

function settingNames(): string[] {
  try {
    return pageStore.names(prefix);
  } catch {
    return [];
  }
}

function deleteSettings(): void {
  for (const name of settingNames()) pageStore.remove(name);
}

/** Pages of other folders of this site have services of their own. */
async function endServices(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  const registration = await navigator.serviceWorker.getRegistration();
  await registration?.unregister();
}

const cacheNames = async (): Promise<string[]> =>
  'caches' in globalThis ? (await caches.keys()).filter((name) => name.startsWith(prefix)) : [];

async function deleteCaches(): Promise<void> {
  await Promise.all((await cacheNames()).map((name) => caches.delete(name)));
}

async function bytesOfCaches(): Promise<number> {
  const names = (await cacheNames()).filter((name) => name.startsWith(`${prefix}-`));
  const sizes = names.map(async (name) => {
    const cache = await caches.open(name);
    const answers = await cache.matchAll();
    const blobs = await Promise.all(answers.map((answer) => answer.blob()));
    return blobs.reduce((sum, blob) => sum + blob.size, 0);
  });
  return (await Promise.all(sizes)).reduce((sum, bytes) => sum + bytes, 0);
}
