import createEngine from './engine.mjs';
import { instantiate } from '../wasm/emscripten_module.js';
import type { OpenedEngine } from './engine_module.js';

/** An engine that computes in the thread that calls it. */
export async function openSingleThread(compiled: WebAssembly.Module): Promise<OpenedEngine> {
  return { module: await instantiate(createEngine, compiled) };
}
