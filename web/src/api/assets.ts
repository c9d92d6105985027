// Where the package's own files lie, as a page says it.
import { invalidOption } from './errors.js';
import { checkOptions, type Check } from './options.js';
import type { Assets } from './types.js';

declare const SUSURRUS_VERSION: string | undefined;

/**
 * Each entry of the package is a bundle with variables of its own, so what one of them is told stands where all of them look. Another
 * version's files are not ours.
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
 * Says for all calls of this page, those of the other entries of the package among them, where the package's own files lie: its workers and WebAssembly modules. Needed only where a
 * bundler does not bring them along; docs/bundlers.md lists these. Call it before anything else; Node ignores it. Throws
 * SusurrusError.
 */
export function setAssets(assets: Assets): void {
  checkAssets(assets);
  shared[key] = assets;
}

/** What setAssets() was told last. */
export const assetsInUse = (): Assets | undefined => shared[key];
