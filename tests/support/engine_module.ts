import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { MainModule } from '../../web/src/engine/engine.mjs';
import { projectRoot } from './shared_folder.js';

type Factory = (options: object) => Promise<MainModule>;

/** The engine itself, below the API: for what only the allocator's own numbers can show. */
export async function engineModule(): Promise<MainModule> {
  const address = pathToFileURL(join(projectRoot, 'dist/engine.mjs')).href;
  const { default: createEngine } = (await import(address)) as { default: Factory };
  const compiled = await WebAssembly.compile(
    readFileSync(join(projectRoot, 'dist/engine.simd.wasm')),
  );
  return createEngine({
    instantiateWasm(
      imports: WebAssembly.Imports,
      receive: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
    ) {
      void WebAssembly.instantiate(compiled, imports).then((instance) => {
        receive(instance, compiled);
      });
      return {};
    },
  });
}

export interface CoreError {
  readonly code: string;
  readonly reason: string;
  readonly subject: string;
}

/** What the engine's methods answer: no text is no error. */
export function coreError(text: string): CoreError | undefined {
  return text === '' ? undefined : (JSON.parse(text) as CoreError);
}

/** Pushes all of `bytes` and returns the first error. */
export function pushAll(
  target: { inputWindow(n: number): Uint8Array; push(n: number): string },
  bytes: Uint8Array,
  afterPush?: (pushed: number) => void,
): CoreError | undefined {
  for (let at = 0; at < bytes.length;) {
    const window = target.inputWindow(bytes.length - at);
    window.set(bytes.subarray(at, at + window.length));
    at += window.length;
    const error = coreError(target.push(window.length));
    if (error) return error;
    afterPush?.(at);
  }
  return undefined;
}
