// The exports of the package's root except loadModel() and plan(), for pages and Node.
export type { ErrorDetails } from './api/errors.js';
export type { WeightType } from './api/generated/dtypes.js';
export type { Format } from './api/generated/formats.js';
export type { Hotword, Task } from './api/generated/options.js';
export type { Dimensions } from './api/generated/whisper.js';
export type * from './api/types/audio.js';
export type * from './api/types/live.js';
export type * from './api/types/load.js';
export type * from './api/types/model.js';
export type { Filterbank } from './api/types/model_file.js';
export type * from './api/types/plan.js';
export type * from './api/types/progress.js';
export type { HubOptions } from './api/types/hub.js';
export type { ModelKey, ModelSource, SealOptions } from './api/types/source.js';
export type * from './api/types/transcribe.js';
export type * from './api/types/vad.js';
export { SusurrusError, type ErrorCode, type ErrorReason } from './api/errors.js';
export { check } from './writers/check_subtitles.js';
export type {
  CheckOptions,
  SubtitleReport,
  SubtitleRule,
  SubtitleViolation,
} from './writers/check_subtitles.js';
export { format, transcriptFormats } from './writers/format.js';
export { languageNames } from './api/generated/languages.js';
export type { FormatOptions, TranscriptFormat } from './writers/options.js';
export type { SubtitleProfile } from './writers/subtitle_profiles.js';
export type { TranscriptLike, TranscriptSegment, TranscriptWord } from './writers/transcript.js';
export { setAssets } from './api/assets.js';
