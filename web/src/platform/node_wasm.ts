import { readFile } from 'node:fs/promises';

const compiled = new Map<string, Promise<WebAssembly.Module>>();

/** Reads and compiles a module that lies beside the package's JavaScript, once in a process. */
export function compileModule(name: string): Promise<WebAssembly.Module> {
  let module = compiled.get(name);
  if (!module) {
    module = readFile(new URL(`./${name}.wasm`, import.meta.url)).then((bytes) =>
      WebAssembly.compile(bytes),
    );
    compiled.set(name, module);
    // Not cached: a later call may succeed.
    module.catch(() => compiled.delete(name));
  }
  return module;
}
