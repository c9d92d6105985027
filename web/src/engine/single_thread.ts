import createEngine from './engine.mjs';
import { instantiate, type OpenedEngine } from './glue.js';

/** An engine that computes in the thread that calls it. */
export async function openSingleThread(compiled: WebAssembly.Module): Promise<OpenedEngine> {
  return { module: await instantiate(createEngine, compiled) };
}
