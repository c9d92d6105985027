import { Worker } from 'node:worker_threads';
import type { Variant } from '../api/types.js';
import { compileModule } from '../platform/node_wasm.js';
import type { OpenedEngine } from './engine_module.js';
import {
  loadThreadsModule,
  openForThreads,
  type StartedThread,
  type ThreadOrder,
} from './several_threads.js';
import { openSingleThread } from './single_thread.js';

/** An engine in this thread, with others in workers where it has several. */
export async function openEngine(
  variant: Variant,
  threads: number,
  compiled?: WebAssembly.Module,
): Promise<OpenedEngine> {
  if (threads === 1) {
    return openSingleThread(compiled ?? (await compileModule(`engine.${variant}`)));
  }
  const [createEngine, engine] = await Promise.all([
    loadThreadsModule(),
    compiled ? Promise.resolve(compiled) : compileModule(`engine.${variant}-threads`),
  ]);
  return openForThreads(createEngine, engine, threads, startThread);
}

function startThread(order: ThreadOrder): StartedThread {
  const worker = new Worker(new URL('./thread.node.mjs', import.meta.url), { workerData: order });
  const ready = new Promise<void>((done, failed) => {
    worker.once('message', () => {
      // An undisposed model must not keep the process alive.
      worker.unref();
      done();
    });
    worker.once('error', failed);
  });
  return { ready, end: () => void worker.terminate() };
}
