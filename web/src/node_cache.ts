// susurrus/cache in Node.
export { cacheSpace, deleteModel, listModels, persist } from '../tools/cache/node_manage.js';
export type { CacheSpace, KeptModel } from './api/types.js';
