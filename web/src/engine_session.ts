// An engine with a file pushed into it: the way that loading and inspecting share.
import type { LoadOptions, ModelSource, ProgressEvent } from './api_types.js';
import type { EngineCalls, EngineLink } from './engine/protocol.js';
import { abortedBy } from './errors.js';
import type { Platform } from './platform/platform.js';
import { openSource } from './sources/open_source.js';
import { pump, withOrigin } from './sources/pump.js';
import type { ThreadChoice } from './threads.js';

export interface ReadEngine<Facts> {
  readonly engine: EngineLink;
  readonly started: EngineCalls['start']['answer'] & ThreadChoice;
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
  { onProgress, signal, variant, threads }: LoadOptions,
  { phase, begin, push, finish }: Steps<Facts>,
): Promise<ReadEngine<Facts>> {
  if (signal?.aborted) throw abortedBy(signal);
  let choice = platform.chooseThreads(threads);
  let engine = platform.openEngine(choice.threads);
  // Closing the engine ends whatever is under way, so the signal needs nobody's attention.
  const onAbort = (): void => engine.close();
  signal?.addEventListener('abort', onAbort, { once: true });
  const start = () => engine.call('start', { variant, threads: choice.threads });
  try {
    const [started, opened] = await Promise.all([
      start().catch((error: unknown) => {
        if (choice.threads === 1 || signal?.aborted) throw error;
        // Memory that can be shared is scarcer, and not every browser has workers within workers.
        engine.close();
        choice = { threads: 1, threadsReason: `threads did not start: ${String(error)}` };
        engine = platform.openEngine(1);
        return start();
      }),
      openSource(source, platform, signal),
    ]);
    try {
      await begin(engine, opened.byteCount);
      await pump(opened, (bytes) => push(engine, bytes), { phase, onProgress, signal });
      return { engine, started: { ...started, ...choice }, facts: await finish(engine) };
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
