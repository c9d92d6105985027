// The networks' Emscripten module as embind describes it: `npm run build` writes build/wasm/networks.d.ts.
export { default } from '../../../build/wasm/networks.js';
export type * from '../../../build/wasm/networks.js';
