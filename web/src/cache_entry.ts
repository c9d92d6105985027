// dist/cache.mjs: susurrus/cache in a page, with what loading a kept model asks for.
export * from './cache.js';
export { openStored } from '../tools/cache/entry.js';
