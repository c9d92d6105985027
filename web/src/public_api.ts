// What both entries export besides their functions.
export type * from './api_types.js';
export { SusurrusError, errorNumbers, type ErrorCode } from './errors.js';
