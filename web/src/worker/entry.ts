// The module worker that the package starts in a browser.
import { readEngine } from '../platform/browser_engine.js';
import type { ToWorker } from '../engine/protocol.js';
import { createWorkerHost } from './host.js';

const answer = createWorkerHost(
  { postMessage: (message, transfer) => postMessage(message, { transfer: transfer ?? [] }) },
  readEngine,
);
addEventListener('message', ({ data }: MessageEvent<ToWorker>) => void answer(data));
