// The types of susurrus/graph, in pages and in Node.
export type { Assets, Variant } from './api/types/load.js';
export type * from './api/types/module.js';
export type * from './api/types/progress.js';
export type { ModelSource } from './api/types/source.js';
