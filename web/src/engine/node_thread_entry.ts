// A thread of an engine in Node.
import { parentPort, workerData } from 'node:worker_threads';
import type { ThreadOrder } from './several_threads.js';
import { enterThread } from './thread.js';

const serve = enterThread(workerData as ThreadOrder);
parentPort?.postMessage('ready');
serve();
