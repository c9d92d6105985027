import { readFile } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import type { Variant } from '../api_types.js';
import type { OpenedEngine } from '../engine/glue.js';
import {
  loadThreadsGlue,
  openSeveralThreads,
  type StartedThread,
  type ThreadOrder,
} from '../engine/several_threads.js';
import { openSingleThread } from '../engine/single_thread.js';
import { openFilesModule, type FilesModule } from '../files/module.js';

const compiled = new Map<string, Promise<WebAssembly.Module>>();

/** Reads and compiles a module that lies beside this one, once in a process. */
function readModule(name: string): Promise<WebAssembly.Module> {
  let engine = compiled.get(name);
  if (!engine) {
    engine = readFile(new URL(`./${name}.wasm`, import.meta.url)).then((bytes) =>
      WebAssembly.compile(bytes),
    );
    compiled.set(name, engine);
    // Another call may find the file, or memory, again.
    engine.catch(() => compiled.delete(name));
  }
  return engine;
}

export async function openEngine(variant: Variant, threads: number): Promise<OpenedEngine> {
  if (threads === 1) return openSingleThread(await readModule(`engine.${variant}`));
  const [glue, engine] = await Promise.all([
    loadThreadsGlue(),
    readModule(`engine.${variant}-threads`),
  ]);
  return openSeveralThreads(glue, engine, threads, startThread);
}

export const compileFiles = (): Promise<WebAssembly.Module> => readModule('files');

export const openFiles = async (): Promise<FilesModule> => openFilesModule(await compileFiles());

function startThread(order: ThreadOrder): StartedThread {
  const worker = new Worker(new URL('./thread.node.mjs', import.meta.url), { workerData: order });
  const ready = new Promise<void>((done, failed) => {
    worker.once('message', () => {
      // From here on it holds nobody up who forgets to dispose of the model.
      worker.unref();
      done();
    });
    worker.once('error', failed);
  });
  return { ready, end: () => void worker.terminate() };
}
