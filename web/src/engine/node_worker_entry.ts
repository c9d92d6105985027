// An engine in a worker of Node.
import { parentPort } from 'node:worker_threads';
import type { ToWorker } from '../protocol/link.js';
import { createWorkerHost } from '../worker/worker_host.js';
import { EngineHost } from './engine_host.js';
import { openEngine } from './node_engine.js';

const port = parentPort!;
const answer = createWorkerHost(
  {
    postMessage: (message, transfer) =>
      port.postMessage(message, transfer as readonly ArrayBuffer[]),
  },
  new EngineHost(openEngine),
);
port.on('message', (message: ToWorker) => void answer(message));
