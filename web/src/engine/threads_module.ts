// The glue of engines with threads, for those that need it at once; others load it when they do (several_threads.ts).
export { default as createThreadsEngine } from './engine.threads.mjs';
