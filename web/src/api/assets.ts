// Where the package's own files are.
import { invalidOption } from './errors.js';
import { checkOptions, type Check } from './options.js';
import type { Assets } from './types.js';

declare const SUSURRUS_VERSION: string | undefined;

/**
 * Each entry of the package is a bundle with its own variables, so the setting is a property of globalThis, which all of them read. The key
 * has the version, since another version has other files.
 */
const version = typeof SUSURRUS_VERSION === 'undefined' ? '' : SUSURRUS_VERSION;
const shared = globalThis as { [key: symbol]: Assets | undefined };
const key = /* @__PURE__ */ Symbol.for(`susurrus.assets ${version}`);

const place: Check = [
  'the URL of a folder',
  (value) => (typeof value === 'string' && value !== '') || value instanceof URL,
];

export function checkAssets(assets: unknown): void {
  checkOptions(assets, { base: place });
  const [expected] = place;
  if ((assets as Partial<Assets>).base === undefined) {
    throw invalidOption('assets.base', expected, undefined);
  }
}

/**
 * Sets the URL of the folder that has the package's workers and WebAssembly modules, for all calls of this page and all entries of the
 * package. It is needed only with bundlers that do not copy these files; docs/bundlers.md lists them. Call it before anything else. Node
 * ignores it.
 *
 * @throws SusurrusError `invalid_argument` unless `base` is a URL or a text.
 * @example
 * ```js
 * setAssets({ base: '/susurrus/' });
 * const model = await loadModel('base');
 * console.log(model.info.variant);
 * ```
 */
export function setAssets(assets: Assets): void {
  checkAssets(assets);
  shared[key] = assets;
}

/** What setAssets() has set, if anything. */
export const assetsInUse = (): Assets | undefined => shared[key];
