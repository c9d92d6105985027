// The Emscripten module of engines with threads, imported statically; several_threads.ts imports it on demand.
export { default as createThreadsEngine } from './engine.threads.mjs';
