// The public types.
export type { ErrorDetails } from './errors.js';
// From the tables of facts.
export type { WeightType } from './generated/dtypes.js';
export type { Format, OutputFormat } from './generated/formats.js';
export type { Hotword, Task } from './generated/options.js';
export type { Dimensions } from './generated/whisper.js';
export type * from './types/audio.js';
export type * from './types/cache.js';
export type * from './types/convert.js';
export type * from './types/inspect.js';
export type * from './types/live.js';
export type * from './types/load.js';
export type * from './types/model.js';
export type * from './types/model_file.js';
export type * from './types/module.js';
export type * from './types/plan.js';
export type * from './types/progress.js';
export type * from './types/protect.js';
export type * from './types/hub.js';
export type * from './types/source.js';
export type * from './types/speakers.js';
export type * from './types/transcribe.js';
export type * from './types/vad.js';
