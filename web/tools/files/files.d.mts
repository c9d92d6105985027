// The Emscripten module that reads and converts model files, as embind describes it: `npm run build` writes
// build/wasm/files.d.ts.
export { default } from '../../../build/wasm/files.js';
export type * from '../../../build/wasm/files.js';
