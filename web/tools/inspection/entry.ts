// Inspection of files: in pages a separate bundle, downloaded on demand.
export { inspectOn, readWhole, verifyOn } from './inspect_model.js';
export { openModelFileOn } from './open_model_file.js';
export { extractOn } from './extract.js';
export { logMelOn } from './log_mel.js';
