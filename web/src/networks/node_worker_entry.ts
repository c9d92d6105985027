// A worker of Node: an engine, or what runs networks.
import { parentPort, workerData } from 'node:worker_threads';
import type { FromWorker, ToWorker } from '../protocol/link.js';
import { createWorkerHost } from '../worker/worker_host.js';
import { EngineHost } from '../engine/engine_host.js';
import { openEngine } from '../engine/node_engine.js';
import { NetworksHost } from './networks_host.js';
import { openNetworks } from './node_networks.js';
import type { NodeHost } from '../worker/node_worker.js';

const port = parentPort!;
const client = {
  postMessage: (message: FromWorker, transfer: readonly Transferable[] = []) =>
    port.postMessage(message, transfer as readonly ArrayBuffer[]),
};
const answer =
  (workerData as NodeHost) === 'engine'
    ? createWorkerHost(client, new EngineHost(openEngine))
    : createWorkerHost(client, new NetworksHost(openNetworks));
port.on('message', (message: ToWorker) => void answer(message));
