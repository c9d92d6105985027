// Models of URLs that are kept in Node: files in the folder of `susurrus pull`.
import { mkdir, open, readdir, readFile, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { PhaseProgress } from '../../src/api/overall_progress.js';
import type { OpenedSource } from '../../src/platform/platform.js';
import type { StoredModel, StoredRequest } from '../../src/platform/stored_model.js';
import { openInProcess } from '../../src/worker/in_process.js';
import { cacheFolder } from '../hub/model_cache.js';
import { downloadFile } from '../hub/node_download_file.js';
import type { StoreCalls } from './calls.js';
import { lockEnding, removeStaleLock, takeLock } from './node_file_locks.js';
import { StoreHost } from './store_host.js';
import { ModelStore } from './model_store.js';
import type { FoundFile, StoreFiles } from './store_files.js';
import { soundRangesOf } from './sound_ranges.js';
import { openStoredModel } from './stored_model.js';
import { wantedModel } from './wanted.js';

export const openNodeStore = (): Promise<ModelStore> =>
  Promise.resolve(new ModelStore(filesIn(join(cacheFolder(process.env), 'urls'))));

/** A model by its URL. `openPath` opens the file of one that is kept. */
export async function openUrlModel(
  request: StoredRequest,
  openPath: (path: string) => Promise<OpenedSource>,
  compileFiles: () => Promise<WebAssembly.Module>,
): Promise<StoredModel> {
  const wanted = await wantedModel(request, undefined, openNodeStore);
  return openStoredModel(wanted, request, {
    openStore: openNodeStore,
    openLink: () =>
      openInProcess<StoreCalls, PhaseProgress>(
        new StoreHost({ openStore: openNodeStore, hold: () => Promise.resolve(() => undefined) }),
      ),
    openPath,
    soundRanges: (file) => soundRangesOf(file, openPath, compileFiles),
  });
}

function filesIn(folder: string): StoreFiles {
  const pathOf = (name: string): string => join(folder, name);
  return {
    kind: 'folder',
    async room() {
      const found = await statfs(folder).catch(() => undefined);
      return found && found.bavail * found.bsize;
    },
    async list() {
      const names = await readdir(folder).catch(() => []);
      const found = names
        .filter((name) => !name.endsWith(lockEnding))
        .map(async (name): Promise<FoundFile[]> => {
          const facts = await stat(pathOf(name)).catch(() => undefined);
          if (!facts) return [];
          const { size: byteCount, mtime: changedAt } = facts;
          return [{ name, byteCount, changedAt, path: pathOf(name) }];
        });
      return (await Promise.all(found)).flat();
    },
    async open(name) {
      await mkdir(folder, { recursive: true });
      const release = await takeLock(pathOf(name) + lockEnding);
      // Neither flag makes a file that is missing and leaves another as it is.
      const file = await open(pathOf(name), 'r+').catch(() => open(pathOf(name), 'w+'));
      return downloadFile(file, async (isKept) => {
        if (!isKept) await rm(pathOf(name), { force: true });
        await release();
      });
    },
    async find(name) {
      const path = pathOf(name);
      const facts = await stat(path).catch(() => undefined);
      return (
        facts && {
          byteCount: facts.size,
          text: () => readFile(path, 'utf8'),
          source: () => Promise.resolve(path),
        }
      );
    },
    async remove(name) {
      await rm(pathOf(name), { force: true });
      await removeStaleLock(pathOf(name) + lockEnding);
    },
  };
}
