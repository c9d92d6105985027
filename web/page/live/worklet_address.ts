// The URL of the package's worklet.
import { assetsInUse } from '../../src/api/assets.js';
import { SusurrusError } from '../../src/api/errors.js';
import type { Assets } from '../../src/api/types.js';

/** Throws SusurrusError if neither the bundler nor setAssets() provides it. */
export function workletAddress(assets: Assets | undefined = assetsInUse()): URL {
  try {
    if (!assets) return new URL(new URL('./capture_worklet.mjs', import.meta.url), location.href);
    const folder = new URL(assets.base, location.href);
    if (!folder.pathname.endsWith('/')) folder.pathname += '/';
    return new URL('capture_worklet.mjs', folder);
  } catch (error) {
    throw new SusurrusError(
      'unsupported_environment',
      assets
        ? `assets.base is no URL of a folder: ${String(assets.base)}.`
        : 'This bundle does not know where capture_worklet.mjs is: it has no import.meta.url. Say where the package’s files lie ' +
            "with assets.base: setAssets({ base: '/susurrus/dist/' }).",
      { reason: 'environment', subject: 'assets.base' },
      error,
    );
  }
}
