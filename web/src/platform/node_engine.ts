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

const compiled = new Map<string, Promise<WebAssembly.Module>>();

/** Reads and compiles an engine that lies beside this module, once in a process. */
function readEngine(name: string): Promise<WebAssembly.Module> {
  let engine = compiled.get(name);
  if (!engine) {
    engine = readFile(new URL(`./engine.${name}.wasm`, import.meta.url)).then((bytes) =>
      WebAssembly.compile(bytes),
    );
    compiled.set(name, engine);
  }
  return engine;
}

export async function openEngine(variant: Variant, threads: number): Promise<OpenedEngine> {
  if (threads === 1) return openSingleThread(await readEngine(variant));
  const [glue, engine] = await Promise.all([loadThreadsGlue(), readEngine(`${variant}-threads`)]);
  return openSeveralThreads(glue, engine, threads, startThread);
}

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
