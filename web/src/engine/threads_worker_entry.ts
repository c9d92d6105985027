// The module worker for an engine with threads, which are workers of this one: it may sleep until they are done.
import { EngineHost } from './host.js';
import { openSeveralThreads, type StartedThread, type ThreadOrder } from './several_threads.js';
import { createThreadsEngine } from './threads_module.js';
import { fetchEngine } from '../platform/browser_module.js';
import { answerMessages } from '../worker/host.js';

function startThread(order: ThreadOrder): StartedThread {
  const worker = new Worker(new URL('./thread.mjs', import.meta.url), { type: 'module' });
  const ready = new Promise<void>((done, failed) => {
    worker.onmessage = () => done();
    worker.onerror = ({ message }) => failed(new Error(message || 'a thread could not be started'));
  });
  worker.postMessage(order);
  return { ready, end: () => worker.terminate() };
}

answerMessages(
  new EngineHost(async (variant, threads) => {
    // Written out, so that bundlers see the files.
    const url =
      variant === 'relaxed'
        ? new URL('./engine.relaxed-threads.wasm', import.meta.url)
        : new URL('./engine.simd-threads.wasm', import.meta.url);
    return openSeveralThreads(createThreadsEngine, await fetchEngine(url), threads, startThread);
  }),
);
