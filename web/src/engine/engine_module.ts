import type { Variant } from '../api/types.js';
import type { MainModule } from './engine.mjs';

/** The engine's WebAssembly module, whatever its variant. */
export type EngineModule = MainModule;

/** What modules that run models of any family have. */
export type RunningModule = Pick<
  EngineModule,
  'AudioConverter' | 'Live' | 'Transcriber' | 'Step' | 'heapStatistics' | 'kernelVariant'
> & { readonly HEAPU8: unknown };

/** An engine, and a function that ends its additional threads. */
export interface OpenedEngine {
  readonly module: EngineModule;
  readonly endThreads?: () => void;
  /** The module can only read a file's head; this makes the engine with threads, with memory that may grow to so many bytes. */
  readonly makeThreads?: (mostBytes: number) => Promise<OpenedEngine>;
}

/** An engine of a variant, or the one that was compiled, with its threads, the calling one among them. */
export type EngineSource = (
  variant: Variant,
  threads: number,
  compiled: WebAssembly.Module | undefined,
) => Promise<OpenedEngine>;
