// Copies of an engine with its model: quicker than loading the file again, which may have come as a stream, or with a key.
import { orAborted } from '../api/signals.js';
import type { Platform } from '../platform/platform.js';
import type { EngineLink } from '../protocol/engine.js';
import type { EngineChoice } from './engine_load.js';
import type { CopyEngine } from './engine_pool.js';

/** What makes copies once the model is whole. The engine may be at work then. */
export const copiesOf =
  (
    engine: EngineLink,
    platform: Platform,
    { variant, module, threads: own }: EngineChoice,
    whole?: Promise<unknown>,
  ): CopyEngine =>
  async (threads, signal) => {
    if (whole) await orAborted(whole, signal);
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
  };
