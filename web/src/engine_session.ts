// An engine with a file pushed into it: the way that loading and inspecting share.
import type { LoadOptions, ModelSource, ProgressEvent } from './api_types.js';
import type { EngineCalls, EngineLink } from './engine/protocol.js';
import { abortedBy } from './errors.js';
import type { Platform } from './platform/platform.js';
import { openSource } from './sources/open_source.js';
import { pump, withOrigin } from './sources/pump.js';

export interface ReadEngine<Facts> {
  readonly engine: EngineLink;
  readonly started: EngineCalls['start']['answer'];
  readonly facts: Facts;
}

interface Steps<Facts> {
  readonly phase: ProgressEvent['phase'];
  readonly begin: (engine: EngineLink, byteCount: number | undefined) => Promise<unknown>;
  readonly push: (engine: EngineLink, bytes: Uint8Array) => Promise<unknown>;
  readonly finish: (engine: EngineLink) => Promise<Facts>;
}

/** Starts an engine and streams the source into it; on any failure the engine is gone again. */
export async function readIntoEngine<Facts>(
  source: ModelSource,
  platform: Platform,
  { onProgress, signal, variant }: LoadOptions,
  { phase, begin, push, finish }: Steps<Facts>,
): Promise<ReadEngine<Facts>> {
  if (signal?.aborted) throw abortedBy(signal);
  const engine = platform.openEngine();
  // Closing the engine ends whatever is under way, so the signal needs nobody's attention.
  const onAbort = (): void => engine.close();
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    const [started, opened] = await Promise.all([
      engine.call('start', { variant }),
      openSource(source, platform, signal),
    ]);
    try {
      await begin(engine, opened.byteCount);
      await pump(opened, (bytes) => push(engine, bytes), { phase, onProgress, signal });
      return { engine, started, facts: await finish(engine) };
    } catch (error) {
      throw withOrigin(error, opened);
    }
  } catch (error) {
    engine.close();
    throw signal?.aborted ? abortedBy(signal) : error;
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}
