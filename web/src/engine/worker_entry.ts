// The module worker that the package starts in a browser.
import { EngineHost } from './host.js';
import { openSingleThread } from './single_thread.js';
import { fetchEngine } from '../platform/browser_module.js';
import { answerMessages } from '../worker/host.js';

answerMessages(
  (addresses) =>
    new EngineHost(async (variant, _threads, compiled) =>
      openSingleThread(compiled ?? (await fetchEngine(addresses[`engine.${variant}.wasm`]!))),
    ),
);
