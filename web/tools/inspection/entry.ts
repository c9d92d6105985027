// What says what is in files, for pages a file of its own that is downloaded when somebody asks.
export { inspectOn, verifyOn } from './inspect_model.js';
export { openModelFileOn } from './open_model_file.js';
export { extractNetworkOn } from './extract_network.js';
export { extractPartOn } from './extract_part.js';
