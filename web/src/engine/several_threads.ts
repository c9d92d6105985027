// Engines with threads: instances of one module on one memory, each in a worker of the platform.
import { SusurrusError } from '../api/errors.js';
import type { ThreadStart, ThreadsModule } from './engine.threads.mjs';
import { instantiate, type CreateEngine } from '../wasm/emscripten_module.js';
import { takeMemory, type OpenedEngine } from './engine_module.js';

/** What a thread needs to start; it can be posted to a worker. */
export interface ThreadOrder {
  readonly compiled: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  readonly start: ThreadStart;
  /** From 1: thread 0 is the engine's own. */
  readonly thread: number;
}

/** A worker that runs a thread: `ready` resolves once it waits for work. */
export interface StartedThread {
  readonly ready: Promise<void>;
  end(): void;
}

export const loadThreadsModule = async (): Promise<CreateEngine<ThreadsModule>> =>
  (await import('./engine.threads.mjs')).default;

const pageBytes = 1 << 16;
/** As bindings/link_flags.cmake has them: what an engine begins with, and what its memory grows by. */
const initialBytes = 2 << 20;
const growthBytes = 1 << 20;
/** All that addresses of 32 bits reach. */
const addressableBytes = 2 ** 32;
/** Many times what a trained model's metadata take while they are parsed; small enough to be had everywhere. */
const headBytes = 64 << 20;

/**
 * Memory that threads can share has to be made with the most that it may grow to, and where addresses are scarce, on phones, all of
 * that is taken at once.
 */
function sharedMemory(mostBytes: number): WebAssembly.Memory {
  const bytes = Math.min(mostBytes + initialBytes + growthBytes, addressableBytes);
  return new WebAssembly.Memory({
    initial: initialBytes / pageBytes,
    maximum: Math.ceil(bytes / pageBytes),
    shared: true,
  });
}

/** First an engine that reads the head of a file and so finds out how much memory the one with threads needs. */
export async function openForThreads(
  createEngine: CreateEngine<ThreadsModule>,
  compiled: WebAssembly.Module,
  threads: number,
  startThread: (order: ThreadOrder) => StartedThread,
): Promise<OpenedEngine> {
  return {
    module: await instantiate(createEngine, compiled, sharedMemory(headBytes)),
    makeThreads: (mostBytes, copy) =>
      openSeveralThreads(
        createEngine,
        compiled,
        copy?.threads ?? threads,
        startThread,
        mostBytes,
        copy?.memory,
      ),
  };
}

/** An engine whose work is divided among `threads`, all of which wait for work when it is handed out. */
export async function openSeveralThreads(
  createEngine: CreateEngine<ThreadsModule>,
  compiled: WebAssembly.Module,
  threads: number,
  startThread: (order: ThreadOrder) => StartedThread,
  mostBytes: number,
  copied?: Uint8Array,
): Promise<OpenedEngine> {
  const module = await instantiate(createEngine, compiled, sharedMemory(mostBytes));
  // The threads that it tells of are the other engine's.
  if (copied) takeMemory(module, copied);
  const start = module.makeThreads(threads);
  if (start.stacks === 0) {
    throw new SusurrusError('out_of_memory', 'There is no memory for threads.', {
      reason: 'memory',
      subject: 'threads',
    });
  }
  const started: StartedThread[] = [];
  const endThreads = (): void => {
    module.stopThreads();
    for (const one of started) one.end();
  };
  try {
    for (let thread = 1; thread < threads; ++thread) {
      started.push(startThread({ compiled, memory: module.wasmMemory, start, thread }));
    }
    await Promise.all(started.map(({ ready }) => ready));
  } catch (error) {
    endThreads();
    throw error;
  }
  return { module, endThreads, limitThreads: (most) => module.limitThreads(most) };
}
