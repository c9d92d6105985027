import type { InspectOptions, Inspection, RereadableSource } from '../api_types.js';
import type { OpenedSource } from '../platform/platform.js';
import type { Seals } from '../sources/sealed_source.js';
import type { Outcome } from './load_seal.js';

/** What the code for sealed files needs from the package around it. */
export interface SealTools {
  openSource(source: RereadableSource, signal: AbortSignal | undefined): Promise<OpenedSource>;
  /** The core's reader over a whole file. */
  inspect(
    source: RereadableSource,
    options: InspectOptions,
    seals: Seals,
  ): Promise<Outcome<Inspection>>;
  /** Refuses what is no path, and in pages everything. */
  writeFile<T>(
    destination: string | URL,
    force: boolean,
    fill: (write: (bytes: Uint8Array) => Promise<void>) => Promise<T>,
  ): Promise<T>;
}
