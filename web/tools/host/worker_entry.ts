// The module worker that reads model files in a browser.
import { FilesHost } from './host.js';
import { openFilesModule } from '../files/module.js';
import { fetchEngine } from '../../src/platform/browser_module.js';
import { answerMessages } from '../../src/worker/host.js';

answerMessages(
  new FilesHost(async () =>
    // Written out, so that bundlers see the file.
    openFilesModule(await fetchEngine(new URL('./files.wasm', import.meta.url))),
  ),
);
