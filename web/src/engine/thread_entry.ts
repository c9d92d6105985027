// A thread of an engine in a browser: a worker of the engine's worker.
import type { ThreadOrder } from './several_threads.js';
import { enterThread } from './thread.js';

addEventListener(
  'message',
  ({ data }: MessageEvent<ThreadOrder>) => {
    const serve = enterThread(data);
    postMessage('ready');
    serve();
  },
  { once: true },
);
