// A thread of an engine in a worker of a browser: both ends.
import type { StartedWorker } from '../platform/start_worker.js';
import type { StartedThread, ThreadOrder } from './several_threads.js';
import { enterThread } from './thread.js';

/** By its worker's name the script knows that it is to run a thread. */
export const threadName = 'susurrus thread';

/** What the worker says: that it listens, which is when it gets its order, and that its thread has begun. */
export type ThreadAnswer = 'listening' | 'ready';

/** Nothing is sent to the worker before it listens. */
export function startThread({ worker, failure }: StartedWorker, order: ThreadOrder): StartedThread {
  const ready = new Promise<void>((done, failed) => {
    worker.onmessage = ({ data }: MessageEvent<ThreadAnswer>) => {
      if (data === 'ready') done();
      else worker.postMessage(order);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      void failure(event).then(failed);
    };
  });
  return { ready, end: () => worker.terminate() };
}

/** The worker's end. */
export function answerAsThread(enter = enterThread): void {
  addEventListener('message', ({ data }: MessageEvent<ThreadOrder>) => {
    const serve = enter(data);
    say('ready');
    // Not in this task: no message need leave a worker that works or sleeps.
    setTimeout(serve);
  });
  addEventListener('messageerror', () => {
    throw new Error('it could not read its order');
  });
  say('listening');
}

const say = (answer: ThreadAnswer): void => postMessage(answer);
