// The browser's way to an engine, without a browser: client and host of the worker, with messages that are cloned on the
// way and arrive in a later turn.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LoadOptions, WhisperModel, ModelSource } from '../../web/src/api/types.js';
import { EngineHost } from '../../web/src/engine/engine_host.js';
import type { EngineCalls, EngineEvent, EngineLink } from '../../web/src/protocol/engine.js';
import { openSingleThread } from '../../web/src/engine/single_thread.js';
import { loadModelOn } from '../../web/src/model/load_model.js';
import { node } from '../../web/src/node_platform.js';
import { openWorker } from '../../web/src/worker/client.js';
import { createWorkerHost } from '../../web/src/worker/worker_host.js';
import { openInProcess } from '../../web/src/worker/in_process.js';
import type { FromWorker, ToWorker } from '../../web/src/protocol/link.js';
import { projectRoot } from './shared_folder.js';

export const readModule = (name: string): Promise<WebAssembly.Module> =>
  WebAssembly.compile(readFileSync(join(projectRoot, `dist/${name}.wasm`)));

/** An engine without a model, in this thread: it converts audio. */
export async function startedEngine(): Promise<EngineLink> {
  const engine = openInProcess<EngineCalls, EngineEvent>(newHost());
  await engine.call('start', { variant: 'simd', threads: 1 });
  return engine;
}

const newHost = () =>
  new EngineHost(async (variant) => openSingleThread(await readModule(`engine.${variant}`)));

/** What openWorker() needs of a Worker. */
class ClonedMessages {
  onmessage: ((event: { data: FromWorker }) => void) | null = null;
  onerror: unknown = null;
  #isOver = false;
  readonly #host = createWorkerHost(
    {
      postMessage: (message, transfer) => {
        this.#later(message, (data) => this.onmessage?.({ data }), transfer);
      },
    },
    newHost(),
  );

  postMessage(message: ToWorker): void {
    this.#later(message, (data) => void this.#host(data));
  }
  terminate(): void {
    this.#isOver = true;
  }

  #later<T>(message: T, receive: (message: T) => void, transfer: Transferable[] = []): void {
    const data = structuredClone(message, { transfer });
    setImmediate(() => {
      if (!this.#isOver) receive(data);
    });
  }
}

/** For workers that send no error events. */
export const neverFails = (): Promise<never> => Promise.reject(new Error('It was not to fail.'));

/** An engine behind the worker's protocol. */
export const clonedEngine = (): EngineLink =>
  openWorker<EngineCalls, EngineEvent>(new ClonedMessages() as unknown as Worker, neverFails);

/** A model behind the worker's protocol. */
export function loadThroughWorker(
  source: ModelSource,
  options: LoadOptions = {},
): Promise<WhisperModel> {
  const compileFiles = () => readModule('files');
  const platform = { ...node, openEngine: clonedEngine, compileFiles };
  return loadModelOn(platform, source, { variant: 'simd', ...options }) as Promise<WhisperModel>;
}
