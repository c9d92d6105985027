import { readFile } from 'node:fs/promises';
import { sourceFailed } from '../api/errors.js';

/** Written out, so that bundlers of servers see the files. */
const modules = {
  'engine.simd': () => new URL('./engine.simd.wasm', import.meta.url),
  'engine.relaxed': () => new URL('./engine.relaxed.wasm', import.meta.url),
  'engine.simd-threads': () => new URL('./engine.simd-threads.wasm', import.meta.url),
  'engine.relaxed-threads': () => new URL('./engine.relaxed-threads.wasm', import.meta.url),
  'networks.simd': () => new URL('./networks.simd.wasm', import.meta.url),
  'networks.relaxed': () => new URL('./networks.relaxed.wasm', import.meta.url),
  files: () => new URL('./files.wasm', import.meta.url),
};

const compiled = new Map<string, Promise<WebAssembly.Module>>();

/** Reads and compiles a module that lies beside the package's JavaScript, once in a process. */
export function compileModule(name: keyof typeof modules): Promise<WebAssembly.Module> {
  let module = compiled.get(name);
  if (!module) {
    module = compile(modules[name]());
    compiled.set(name, module);
    // Not cached: a later call may succeed.
    module.catch(() => compiled.delete(name));
  }
  return module;
}

async function compile(path: URL): Promise<WebAssembly.Module> {
  try {
    return await WebAssembly.compile(await readFile(path));
  } catch (error) {
    const isAbsent = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const advice = isAbsent ? '; a bundle of a program for Node must leave susurrus outside' : '';
    throw sourceFailed(
      path.href,
      `the engine could not be read: ${String(error)}${advice}`,
      {},
      error,
    );
  }
}
