import { fetchEngine } from '../platform/browser_module.js';
import type { FileAddresses } from '../protocol/link.js';
import { EngineHost } from './engine_host.js';
import { openSingleThread } from './single_thread.js';

/** An engine of one thread in a browser, in whichever thread it lives. */
export const openEngineHost = (addresses: FileAddresses): EngineHost =>
  new EngineHost(async (variant, _threads, compiled) =>
    openSingleThread(compiled ?? (await fetchEngine(addresses[`engine.${variant}.wasm`]!))),
  );
