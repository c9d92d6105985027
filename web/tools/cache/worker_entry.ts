// The module worker that downloads and keeps models in a browser. One for each model, which ends with it.
import { answerMessages } from '../../src/worker/host.js';
import { openBrowserStore } from './browser_store.js';
import { StoreHost } from './host.js';
import { holdLock } from './locks.js';

answerMessages(
  new StoreHost({
    openStore: openBrowserStore,
    hold: async (name) => {
      await holdLock(name);
      return () => undefined;
    },
    loadHub: () => import('../hub/entry.js'),
  }),
);
