// The module worker that the package starts in a browser.
import type { ToWorker } from '../engine/protocol.js';
import { openSingleThread } from '../engine/single_thread.js';
import { fetchEngine } from '../platform/browser_engine.js';
import { createWorkerHost } from './host.js';

const answer = createWorkerHost(
  { postMessage: (message, transfer) => postMessage(message, { transfer: transfer ?? [] }) },
  async (variant) => {
    // Written out, so that bundlers see the files.
    const url =
      variant === 'relaxed'
        ? new URL('./engine.relaxed.wasm', import.meta.url)
        : new URL('./engine.simd.wasm', import.meta.url);
    return openSingleThread(await fetchEngine(url));
  },
);
addEventListener('message', ({ data }: MessageEvent<ToWorker>) => void answer(data));
