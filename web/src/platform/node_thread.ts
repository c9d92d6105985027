// A thread of an engine in Node.
import { parentPort, workerData } from 'node:worker_threads';
import type { ThreadOrder } from '../engine/several_threads.js';
import { enterThread } from '../engine/thread.js';

const serve = enterThread(workerData as ThreadOrder);
parentPort?.postMessage('ready');
serve();
