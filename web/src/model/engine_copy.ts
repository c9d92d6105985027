// Copies of an engine with its model: quicker than loading the file again, which may have come as a stream, or with a key.
import type { EngineChoice } from './engine_load.js';
import type { Platform } from '../platform/platform.js';
import type { EngineLink } from '../protocol/engine.js';

/** `threads`: of the copy, where the engine has several. The engine may be at work. */
export async function copyEngine(
  engine: EngineLink,
  platform: Platform,
  { variant, module, threads: own }: EngineChoice,
  { threads, signal }: { readonly threads: number; readonly signal: AbortSignal },
): Promise<EngineLink> {
  const made = platform.openFurtherEngine(own);
  try {
    await made.call('start', { variant, threads: own, module }, { signal });
    const copy = await engine.call('copy', undefined, { signal });
    await made.call('adopt', { ...copy, threads }, { signal, givesAway: true });
    return made;
  } catch (error) {
    made.close();
    throw error;
  }
}
