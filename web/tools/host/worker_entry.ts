// The module worker that reads model files in a browser.
import { FilesHost } from './host.js';
import { openFilesModule } from '../files/module.js';
import { fetchEngine } from '../../src/platform/browser_module.js';
import { answerMessages } from '../../src/worker/host.js';

answerMessages(
  (addresses) =>
    new FilesHost(async () => openFilesModule(await fetchEngine(addresses['files.wasm']!))),
);
