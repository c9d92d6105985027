import { openWritableStore } from './browser_store.js';
import type { StoreEnvironment } from './store_host.js';
import { holdLock } from './locks.js';

/** Environment of a worker, whose locks end with it. */
export const workerEnvironment: StoreEnvironment = {
  openStore: openWritableStore,
  hold: async (name) => {
    await holdLock(name);
    return () => undefined;
  },
};
