// The engine's Emscripten module as embind describes it: `npm run build` writes build/wasm/engine.d.ts.
export { default } from '../../../build/wasm/engine.js';
export type * from '../../../build/wasm/engine.js';
