// The module worker that the package starts in a browser.
import { EngineHost } from './host.js';
import { openSingleThread } from './single_thread.js';
import { fetchEngine } from '../platform/browser_module.js';
import { answerMessages } from '../worker/host.js';

answerMessages(
  new EngineHost(async (variant) => {
    // Written out, so that bundlers see the files.
    const url =
      variant === 'relaxed'
        ? new URL('./engine.relaxed.wasm', import.meta.url)
        : new URL('./engine.simd.wasm', import.meta.url);
    return openSingleThread(await fetchEngine(url));
  }),
);
