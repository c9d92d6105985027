// The types and constants of susurrus/files, for pages and Node.
export type { ErrorDetails } from './api/errors.js';
export type { WeightType } from './api/generated/dtypes.js';
export type { Format, OutputFormat } from './api/generated/formats.js';
export type { Dimensions } from './api/generated/whisper.js';
export type * from './api/types/convert.js';
export type * from './api/types/inspect.js';
export type { FilterbankChoice } from './api/types/load.js';
export type { Mel, LogMelOptions, SamplesLogMelOptions } from './api/types/model.js';
export type * from './api/types/model_file.js';
export type * from './api/types/progress.js';
export type * from './api/types/protect.js';
export type * from './api/types/source.js';
export type * from './api/write_types.js';
export { weightTypes } from './api/generated/dtypes.js';
export { generateSigningKey } from './signing_key.js';
