import { invalidOption } from './api/errors.js';
import { chooseThreads } from './platform/threads.js';
import { openWorker } from './worker/client.js';
import { decodeWholeFile } from './platform/browser_audio.js';
import { fetchEngine } from './platform/browser_module.js';
import type { Platform } from './platform/platform.js';

let files: Promise<WebAssembly.Module> | undefined;

/** A page or a worker of it: engines live in workers, files are fetched. */
export const browser: Platform = {
  chooseThreads: (wanted = 'auto') =>
    chooseThreads(wanted, navigator.hardwareConcurrency, globalThis.crossOriginIsolated),
  openEngine: (threads) =>
    openWorker(
      threads > 1
        ? new Worker(new URL('./worker.threads.mjs', import.meta.url), { type: 'module' })
        : new Worker(new URL('./worker.mjs', import.meta.url), { type: 'module' }),
    ),
  openFiles: () =>
    openWorker(new Worker(new URL('./worker.files.mjs', import.meta.url), { type: 'module' })),
  compileFiles() {
    files ??= fetchEngine(new URL('./files.wasm', import.meta.url)).catch((error: unknown) => {
      files = undefined;
      throw error;
    });
    return files;
  },
  openPath: () => Promise.resolve(undefined),
  openFolder: () => Promise.resolve(undefined),
  writeFile: refusePath,
  writeFiles: refusePath,
  get embeddedModel() {
    return new URL('../models/digits.apr', import.meta.url);
  },
  openAudio: () =>
    openWorker(new Worker(new URL('./worker.audio.mjs', import.meta.url), { type: 'module' })),
  openAudioFile: () => Promise.resolve(undefined),
  decodeWhole: decodeWholeFile,
  undecodedNote: '',
  capture: async (stream, signal) =>
    (await import('../tools/capture/entry.js')).capture(stream, signal),
};

function refusePath(destination: string | URL): never {
  throw invalidOption('destination', 'a WritableStream', destination);
}
