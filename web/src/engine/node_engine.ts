import { Worker } from 'node:worker_threads';
import type { Variant } from '../api/types.js';
import { SusurrusError } from '../api/errors.js';
import { compileModule } from '../platform/node_wasm.js';
import type { EngineCalls, EngineEvent, EngineLink } from '../protocol/engine.js';
import type { ToWorker } from '../protocol/link.js';
import { openWorker } from '../worker/client.js';
import type { OpenedEngine } from './engine_module.js';
import {
  loadThreadsModule,
  openForThreads,
  type StartedThread,
  type ThreadOrder,
} from './several_threads.js';
import { openSingleThread } from './single_thread.js';

/** An engine in this thread, with others in workers where it has several. */
export async function openEngine(
  variant: Variant,
  threads: number,
  compiled?: WebAssembly.Module,
): Promise<OpenedEngine> {
  if (threads === 1) {
    return openSingleThread(compiled ?? (await compileModule(`engine.${variant}`)));
  }
  const [createEngine, engine] = await Promise.all([
    loadThreadsModule(),
    compiled ? Promise.resolve(compiled) : compileModule(`engine.${variant}-threads`),
  ]);
  return openForThreads(createEngine, engine, threads, startThread);
}

function startThread(order: ThreadOrder): StartedThread {
  const worker = new Worker(new URL('./thread.node.mjs', import.meta.url), { workerData: order });
  const ready = new Promise<void>((done, failed) => {
    worker.once('message', () => {
      // An undisposed model must not keep the process alive.
      worker.unref();
      done();
    });
    worker.once('error', failed);
  });
  return { ready, end: () => void worker.terminate() };
}

/** An engine in a worker, which keeps the process alive only while it is asked something. */
export function openEngineInWorker(): EngineLink {
  const worker = new Worker(new URL('./engine.node.mjs', import.meta.url));
  worker.unref();
  const link = openWorker<EngineCalls, EngineEvent>(asInPage(worker), whyItEnded);
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
    new SusurrusError('internal_error', `The worker of an engine ended: ${message}`, {
      reason: 'internal',
      subject: 'worker',
      got: message,
    }),
  );
