// The module worker that reads model files in a browser.
import { FilesHost } from '../files/host.js';
import { openFilesModule } from '../files/module.js';
import { fetchEngine } from '../platform/browser_engine.js';
import { answerMessages } from './host.js';

answerMessages(
  new FilesHost(async () =>
    // Written out, so that bundlers see the file.
    openFilesModule(await fetchEngine(new URL('./files.wasm', import.meta.url))),
  ),
);
