import { readFile } from 'node:fs/promises';
import type { Variant } from '../api_types.js';

const compiled = new Map<Variant, Promise<WebAssembly.Module>>();

/** Reads and compiles the engine that lies beside this module, once in a process. */
export function readEngine(variant: Variant): Promise<WebAssembly.Module> {
  let engine = compiled.get(variant);
  if (!engine) {
    engine = readFile(new URL(`./engine.${variant}.wasm`, import.meta.url)).then((bytes) =>
      WebAssembly.compile(bytes),
    );
    compiled.set(variant, engine);
  }
  return engine;
}
