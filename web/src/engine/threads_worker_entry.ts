// The module worker for an engine with threads, which are workers of this one: it may sleep until they are done. They run this
// same script, so that the whole is one file.
import { EngineHost } from './host.js';
import { openForThreads, type StartedThread, type ThreadOrder } from './several_threads.js';
import { enterThread } from './thread.js';
import { createThreadsEngine } from './threads_module.js';
import { fetchEngine } from '../platform/browser_module.js';
import { startWorker } from '../platform/start_worker.js';
import { answerMessages } from '../worker/host.js';

interface ThreadMessage {
  readonly type: 'thread';
  readonly order: ThreadOrder;
}

function startThread(address: URL, order: ThreadOrder): StartedThread {
  const { worker, failure } = startWorker(address);
  const ready = new Promise<void>((done, failed) => {
    worker.onmessage = () => done();
    worker.onerror = (event) => {
      event.preventDefault();
      void failure(event).then(failed);
    };
  });
  worker.postMessage({ type: 'thread', order } satisfies ThreadMessage);
  return { ready, end: () => worker.terminate() };
}

addEventListener('message', ({ data }: MessageEvent<ThreadMessage | { readonly type: 'open' }>) => {
  if (data.type !== 'thread') return;
  const serve = enterThread(data.order);
  postMessage('ready');
  serve();
});

answerMessages(
  (addresses) =>
    new EngineHost(async (variant, threads, compiled) =>
      openForThreads(
        createThreadsEngine,
        compiled ?? (await fetchEngine(addresses[`engine.${variant}-threads.wasm`]!)),
        threads,
        (order) => startThread(new URL(addresses['worker.threads.mjs']!), order),
      ),
    ),
);
