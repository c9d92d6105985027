// The Emscripten module of engines with threads: engine.mjs, and what bindings/threads_binding.cc adds.
import type { MainModule } from './engine.mjs';

/** What a thread needs to begin; functions are indices into the engine's table. */
export interface ThreadStart {
  readonly initialise: number;
  readonly serve: number;
  readonly breakOff: number;
  /** Address of the stacks of threads 1 and so on, one behind the other; 0 where there was no memory for them. */
  readonly stacks: number;
  readonly stackBytes: number;
}

export interface ThreadsModule extends MainModule {
  readonly wasmMemory: WebAssembly.Memory;
  /** Once, before a model is made: the pool, for `count` threads. */
  makeThreads(count: number): ThreadStart;
  limitThreads(most: number): void;
  stopThreads(): void;
}

export default function createEngine(options?: unknown): Promise<ThreadsModule>;
