import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { MainModule } from '../../web/tools/files/files.mjs';
import { projectRoot } from './shared_folder.js';

type Factory = (options: object) => Promise<MainModule>;

/** The module that reads model files itself, below the API: for what only the allocator's own numbers can show. */
export async function filesModule(): Promise<MainModule> {
  const address = pathToFileURL(join(projectRoot, 'dist/files.mjs')).href;
  const { default: createFiles } = (await import(address)) as { default: Factory };
  const compiled = await WebAssembly.compile(readFileSync(join(projectRoot, 'dist/files.wasm')));
  return createFiles({
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
