import { readFile } from 'node:fs/promises';
import { sourceFailed } from '../api/errors.js';

const compiled = new Map<string, Promise<WebAssembly.Module>>();

/** Reads and compiles a module that lies beside the package's JavaScript, once in a process. */
export function compileModule(name: string): Promise<WebAssembly.Module> {
  let module = compiled.get(name);
  if (!module) {
    module = compile(new URL(`./${name}.wasm`, import.meta.url));
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
