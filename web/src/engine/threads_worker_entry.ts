// The module worker for an engine with threads, which are workers of this one: it may sleep until they are done. They run this
// same script, so that the whole is one file.
import { EngineHost } from './engine_host.js';
import { openForThreads } from './several_threads.js';
import { createThreadsEngine } from './threads_module.js';
import { answerAsThread, startThread, threadName } from './worker_thread.js';
import { fetchEngine } from '../platform/browser_module.js';
import { startWorker } from '../platform/start_worker.js';
import { answerMessages } from '../worker/worker_host.js';

if (self.name === threadName) answerAsThread();
else
  answerMessages(
    (addresses) =>
      new EngineHost(async (variant, threads, compiled) =>
        openForThreads(
          createThreadsEngine,
          compiled ?? (await fetchEngine(addresses[`engine.${variant}-threads.wasm`]!)),
          threads,
          (order) =>
            startThread(startWorker(new URL(addresses['worker.threads.mjs']!), threadName), order),
        ),
      ),
  );
