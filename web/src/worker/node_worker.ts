// A module in a worker of Node.
import { Worker } from 'node:worker_threads';
import { SusurrusError } from '../api/errors.js';
import type { CallTable, Link, ToWorker } from '../protocol/link.js';
import { openWorker } from './client.js';

/** What may run in a worker. */
export type NodeHost = 'engine' | 'networks';

/** A module in a worker, which keeps the process alive only while it is asked something. */
export function openNodeWorker<Calls extends CallTable<Calls>, Event>(
  host: NodeHost,
): Link<Calls, Event> {
  const worker = new Worker(new URL('./worker.node.mjs', import.meta.url), { workerData: host });
  worker.unref();
  const link = openWorker<Calls, Event>(asInPage(worker), whyItEnded);
  let callCount = 0;
  return {
    async call(name, request, options) {
      if (callCount++ === 0) worker.ref();
      try {
        return await link.call(name, request, options);
      } finally {
        if (--callCount === 0) worker.unref();
      }
    },
    close: () => link.close(),
  };
}

/** A worker of Node with what the client uses of one in a page. */
function asInPage(worker: Worker): globalThis.Worker {
  const client = {
    onmessage: undefined as ((event: { readonly data: unknown }) => void) | undefined,
    onmessageerror: undefined as (() => void) | undefined,
    onerror: undefined as ((event: EndEvent) => void) | undefined,
    postMessage: (message: ToWorker, transfer: readonly ArrayBuffer[]) =>
      worker.postMessage(message, transfer),
    terminate: () => void worker.terminate(),
  };
  const end = (message: string): void =>
    client.onerror?.({ message, preventDefault: () => undefined });
  worker.on('message', (data: unknown) => client.onmessage?.({ data }));
  worker.on('messageerror', () => client.onmessageerror?.());
  worker.on('error', (error) => end(String(error)));
  worker.on('exit', (code) => end(`exit code ${code}`));
  return client as unknown as globalThis.Worker;
}

type EndEvent = Pick<ErrorEvent, 'message' | 'preventDefault'>;

const whyItEnded = ({ message }: EndEvent): Promise<SusurrusError> =>
  Promise.resolve(
    new SusurrusError('internal_error', `A worker ended: ${message}`, {
      reason: 'internal',
      subject: 'worker',
      got: message,
    }),
  );
