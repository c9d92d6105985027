// The WebAssembly module that reads, checks and converts model files, without running them.
import { instantiate } from '../../src/wasm/emscripten_module.js';
import createFiles, { type MainModule } from './files.mjs';

export type FilesModule = MainModule;

export const openFilesModule = (compiled: WebAssembly.Module): Promise<FilesModule> =>
  instantiate<FilesModule>(createFiles, compiled);
