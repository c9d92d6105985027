// The package's own files, as a page finds them.
import { assetsInUse } from './api/assets.js';
import { SusurrusError } from './api/errors.js';
import type { Assets } from './api/types.js';
import type { FileAddresses } from './protocol/link.js';

/** Written out, so that bundlers see the files and put the addresses that they get here. Each is whole: it imports no other. */
const shipped = {
  'worker.mjs': () => new URL('./worker.mjs', import.meta.url),
  'engine.simd.wasm': () => new URL('./engine.simd.wasm', import.meta.url),
  'engine.relaxed.wasm': () => new URL('./engine.relaxed.wasm', import.meta.url),
  'worker.threads.mjs': () => new URL('./worker.threads.mjs', import.meta.url),
  'engine.simd-threads.wasm': () => new URL('./engine.simd-threads.wasm', import.meta.url),
  'engine.relaxed-threads.wasm': () => new URL('./engine.relaxed-threads.wasm', import.meta.url),
  'worker.networks.mjs': () => new URL('./worker.networks.mjs', import.meta.url),
  'networks.simd.wasm': () => new URL('./networks.simd.wasm', import.meta.url),
  'networks.relaxed.wasm': () => new URL('./networks.relaxed.wasm', import.meta.url),
  'worker.files.mjs': () => new URL('./worker.files.mjs', import.meta.url),
  'files.wasm': () => new URL('./files.wasm', import.meta.url),
  'worker.audio.mjs': () => new URL('./worker.audio.mjs', import.meta.url),
  'worker.cache.mjs': () => new URL('./worker.cache.mjs', import.meta.url),
  'worker.hub.mjs': () => new URL('./worker.hub.mjs', import.meta.url),
  'capture_worklet.mjs': () => new URL('./capture_worklet.mjs', import.meta.url),
  '../models/digits.apr': () => new URL('../models/digits.apr', import.meta.url),
  '../models/vad.tsm': () => new URL('../models/vad.tsm', import.meta.url),
  // Not written out: a bundler would copy its 9 MB into every site. Those that use it say where it is.
  '../models/speakers.apr': () => besideThis('../models/speakers.apr'),
} satisfies Record<string, () => URL>;

const besideThis = (path: string): URL => new URL(path, import.meta.url);

export type ShippedFile = keyof typeof shipped;

/** Where a file of the package is. Throws SusurrusError where neither the bundler nor the page knows. */
export function addressOf(name: ShippedFile, assets = assetsInUse()): URL {
  try {
    // Turbopack's URLs have no origin.
    return assets ? new URL(name, folderOf(assets)) : new URL(shipped[name](), location.href);
  } catch (error) {
    throw new SusurrusError(
      'unsupported_environment',
      assets
        ? `assets.base is no URL of a folder: ${String(assets.base)}.`
        : `This bundle does not know where ${name} is: it has no import.meta.url. Say where the package's files lie with ` +
            "assets.base: setAssets({ base: '/susurrus/dist/' }).",
      { reason: 'environment', subject: 'assets.base' },
      error,
    );
  }
}

/** What a worker needs, by its name in the package. */
export const addressesOf = (
  names: readonly ShippedFile[],
  assets: Assets | undefined,
): FileAddresses => Object.fromEntries(names.map((name) => [name, addressOf(name, assets).href]));

function folderOf({ base }: Assets): URL {
  const folder = new URL(base, location.href);
  if (!folder.pathname.endsWith('/')) folder.pathname += '/';
  return folder;
}
