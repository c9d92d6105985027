// The types of susurrus/cache, for pages and Node.
export type { ErrorDetails } from './api/errors.js';
export type { WeightType } from './api/generated/dtypes.js';
export type * from './api/types/cache.js';
export type { HubOptions } from './api/types/hub.js';
export type * from './api/types/progress.js';
export type { ModelKey, SealOptions } from './api/types/source.js';
