// What both entries export besides their functions.
export type * from './api/types.js';
export type * from './api/write_types.js';
export { SusurrusError, errorNumbers, type ErrorCode, type ErrorReason } from './api/errors.js';
export { format, transcriptFormats } from './writers/format.js';
export { languageNames } from './api/generated/languages.js';
export type { FormatOptions, TranscriptFormat } from './writers/options.js';
export type { TranscriptLike, TranscriptSegment, TranscriptWord } from './writers/transcript.js';
export { TranscribeStream } from './model/transcribe_stream.js';
export { setAssets } from './api/assets.js';
/** @internal For what stands around a model, which is another file. */
export { assetsInUse } from './api/assets.js';
export { generateSigningKey } from './signing_key.js';
