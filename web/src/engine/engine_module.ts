import { SusurrusError } from '../api/errors.js';
import type { Variant } from '../api/types.js';
import type { MainModule } from './engine.mjs';

/** The engine's WebAssembly module, whatever its variant. */
export type EngineModule = MainModule;

/** What modules that run models of any family have. */
export type RunningModule = Pick<
  EngineModule,
  'AudioConverter' | 'Live' | 'Transcriber' | 'Step' | 'heapStatistics' | 'kernelVariant'
> & { readonly HEAPU8: unknown };

/** What an engine begins with instead of a file, and how many threads it has. */
export interface CopiedMemory {
  readonly memory: Uint8Array;
  readonly threads: number;
}

/** Puts the memory of another engine of the same binary in the place of this one's. */
export function takeMemory(module: EngineModule, memory: Uint8Array): void {
  if (!module.growHeap(memory.length)) {
    throw new SusurrusError('out_of_memory', 'There is no memory for another engine.', {
      reason: 'memory',
      subject: 'memory',
      expected: `${memory.length} bytes`,
    });
  }
  (module.HEAPU8 as Uint8Array).set(memory);
}

/** An engine, and a function that ends its additional threads. */
export interface OpenedEngine {
  readonly module: EngineModule;
  readonly endThreads?: () => void;
  /** The module can only read a file's head; this makes the engine with threads, with memory that may grow to so many bytes. */
  readonly makeThreads?: (mostBytes: number, copy?: CopiedMemory) => Promise<OpenedEngine>;
  /** Lets so many threads work at most, where there are several. */
  readonly limitThreads?: (most: number) => void;
}

/** An engine of a variant, or the one that was compiled, with its threads, the calling one among them. */
export type EngineSource = (
  variant: Variant,
  threads: number,
  compiled: WebAssembly.Module | undefined,
) => Promise<OpenedEngine>;
