// dist/cache.mjs: susurrus/cache in a page, with the code that loads cached models.
export * from './cache.js';
export { openStored } from '../tools/cache/entry.js';
