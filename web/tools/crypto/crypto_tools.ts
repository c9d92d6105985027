import type { Watched } from '../../src/api/progress_callback.js';
import type { InspectOptions, Inspection, RereadableSource } from '../../src/api/types.js';
import type { Protection } from '../../src/platform/crypto_types.js';
import type { Outcome } from '../../src/api/outcome.js';

/** A file as it is read from its beginning. */
export interface ReadableFile {
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly byteCount?: number;
  /** Opens a file of the same folder; absent if there is no folder. */
  readonly sibling?: (name: string) => Promise<ReadableFile>;
}

export type Write = (bytes: Uint8Array) => Promise<void>;

/** What this code needs from the rest of the package. */
export interface CryptoTools {
  /** Compiles files.wasm. */
  readonly compileFiles: () => Promise<WebAssembly.Module>;
  openSource(source: RereadableSource, signal: AbortSignal | undefined): Promise<ReadableFile>;
  /** The core's reader over a whole file. */
  inspect(
    source: RereadableSource,
    options: Watched<InspectOptions>,
    protection: Protection,
  ): Promise<Outcome<Inspection>>;
  /**
   * Lets `fill` write a file, and others of the same folder by their names, one after the other. Rejects anything but a path, and in pages
   * everything.
   */
  writeFiles<T>(
    destination: string | URL,
    force: boolean,
    fill: (create: (name?: string) => Promise<Write>) => Promise<T>,
  ): Promise<T>;
}
