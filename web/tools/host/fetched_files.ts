import { fetchEngine } from '../../src/platform/browser_module.js';
import type { FileAddresses } from '../../src/protocol/link.js';
import { openFilesModule } from '../files/module.js';
import { FilesHost } from './files_host.js';

/** The module for files in a browser, in whichever thread it lives. */
export const openFilesHost = (addresses: FileAddresses): FilesHost =>
  new FilesHost(async () => openFilesModule(await fetchEngine(addresses['files.wasm']!)));
