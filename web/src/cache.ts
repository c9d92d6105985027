/**
 * The models that loadModel() keeps.
 * @module susurrus/cache
 */
// In a page: dist/cache.mjs is made from tools/cache/entry.ts, which has these and what loading asks for.
export { cacheSpace, deleteModel, listModels, persist } from '../tools/cache/manage.js';
export type { CacheSpace, KeptModel } from './api/types.js';
