// A file pushed into a WebAssembly module: the way that loading and inspecting share.
import type { ModelSource, ProgressEvent, SealOptions } from '../api_types.js';
import { abortedBy } from '../errors.js';
import type { Platform } from '../platform/platform.js';
import { openSource } from './open_source.js';
import { pump, withOrigin } from './pump.js';
import { openSealed, type Seals } from './sealed_source.js';

export interface Reader<Started, Facts> {
  readonly phase: ProgressEvent['phase'];
  readonly seals: Seals;
  readonly start: () => Promise<Started>;
  readonly begin: (byteCount: number | undefined) => Promise<unknown>;
  readonly push: (bytes: Uint8Array) => Promise<unknown>;
  readonly finish: () => Promise<Facts>;
  /** Ends the module, and whatever it is doing. */
  readonly close: () => void;
}

/** Starts the module and streams the source into it; on any failure the module is gone again. */
export async function readSource<Started, Facts>(
  source: ModelSource,
  platform: Platform,
  reader: Reader<Started, Facts>,
  options: SealOptions & {
    readonly onProgress?: ((event: ProgressEvent) => void) | undefined;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<{ readonly started: Started; readonly facts: Facts; readonly signer?: string }> {
  const { onProgress, signal } = options;
  // Closing the module ends whatever is under way, so the signal needs nobody's attention.
  const onAbort = (): void => reader.close();
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    const [started, opened] = await Promise.all([
      reader.start(),
      openSource(source, platform, signal),
    ]);
    try {
      await reader.begin(opened.byteCount);
      const sealed = openSealed(opened, options, reader.seals);
      await pump(sealed.source, reader.push, { phase: reader.phase, onProgress, signal });
      const facts = await reader.finish();
      const signer = sealed.confirm();
      return { started, facts, ...(signer !== undefined && { signer }) };
    } catch (error) {
      throw withOrigin(error, opened);
    }
  } catch (error) {
    reader.close();
    throw signal?.aborted ? abortedBy(signal) : error;
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}

/** What a file holds, with whose signature of it was verified: then it is no longer one that was not checked. */
export function withSigner<Facts extends { readonly warnings: readonly string[] }>(
  facts: Facts,
  signer: string | undefined,
): Facts & { readonly signer?: string } {
  if (signer === undefined) return facts;
  const warnings = facts.warnings.filter((warning) => warning !== 'signature not checked');
  return { ...facts, warnings, signer };
}
