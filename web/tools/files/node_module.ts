import { compileModule } from '../../src/platform/node_wasm.js';
import { openFilesModule, type FilesModule } from './module.js';

export const compileFiles = (): Promise<WebAssembly.Module> => compileModule('files');

/** An instance in this thread. */
export const openFiles = async (): Promise<FilesModule> => openFilesModule(await compileFiles());
