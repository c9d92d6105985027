// Models of URLs that are kept in Node: files in the folder of `susurrus pull`.
import { mkdir, open, readdir, readFile, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProgressEvent } from '../../src/api/types.js';
import type { OpenedSource } from '../../src/platform/platform.js';
import type { StoredModel, StoredRequest } from '../../src/platform/stored_model.js';
import { openInProcess } from '../../src/worker/in_process.js';
import { cacheFolder } from '../hub/model_cache.js';
import { downloadFile } from '../hub/node_download_file.js';
import { isRunning } from '../hub/partial_files.js';
import type { StoreCalls } from './calls.js';
import { StoreHost } from './host.js';
import { ModelStore } from './model_store.js';
import { FileInUse, type FoundFile, type StoreFiles } from './store_files.js';
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
      openInProcess<StoreCalls, ProgressEvent>(
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
          return facts ? [{ name, byteCount: facts.size, changedAt: facts.mtime }] : [];
        });
      return (await Promise.all(found)).flat();
    },
    async open(name) {
      await mkdir(folder, { recursive: true });
      const release = await takeFile(pathOf(name) + lockEnding);
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
    remove: (name) => rm(pathOf(name), { force: true }),
  };
}

const lockEnding = '.lock';

/** A file for one process, named in another one beside it, which a dead process does not keep. Answers how to give it back. */
async function takeFile(lock: string): Promise<() => Promise<void>> {
  try {
    const file = await open(lock, 'wx');
    await file.writeFile(String(process.pid));
    await file.close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const pid = Number(await readFile(lock, 'utf8').catch(() => ''));
    // One without a number is being written.
    if (pid > 0 && !isRunning(pid)) await rm(lock, { force: true });
    throw new FileInUse(lock);
  }
  return () => rm(lock, { force: true });
}
