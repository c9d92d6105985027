import { Worker } from 'node:worker_threads';
import type { Variant } from '../api/types.js';
import { compileModule } from '../platform/node_wasm.js';
import type { OpenedEngine } from './engine_module.js';
import {
  loadThreadsGlue,
  openSeveralThreads,
  type StartedThread,
  type ThreadOrder,
} from './several_threads.js';
import { openSingleThread } from './single_thread.js';

/** An engine in this thread, with others in workers where it has several. */
export async function openEngine(variant: Variant, threads: number): Promise<OpenedEngine> {
  if (threads === 1) return openSingleThread(await compileModule(`engine.${variant}`));
  const [glue, engine] = await Promise.all([
    loadThreadsGlue(),
    compileModule(`engine.${variant}-threads`),
  ]);
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
