// What a page downloads to run each engine, compressed with brotli as a server would.
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { root } from '../toolchain/steps.mjs';

const peers = 'build/bench/peers/node_modules';
const modules = ['worker.mjs', 'index.mjs'];
const files = {
  'ours, simd': ['engine.simd.wasm', ...modules].map((name) => `dist/${name}`),
  'ours, relaxed': ['engine.relaxed.wasm', ...modules].map((name) => `dist/${name}`),
  'onnxruntime-web': [
    ...['ort-wasm-simd-threaded.wasm', 'ort-wasm-simd-threaded.mjs', 'ort.wasm.min.mjs'],
  ].map((name) => `${peers}/onnxruntime-web/dist/${name}`),
  '@remotion/whisper-web': [`${peers}/@remotion/whisper-web/main.js`],
};

/** Bytes of a file after brotli 11. Large ones take half a minute, so that sizes are kept in build/bench. */
function compressedBytes(path) {
  const notes = join(root, 'build/bench/sizes.json');
  const known = existsSync(notes) ? JSON.parse(readFileSync(notes, 'utf8')) : {};
  const key = `${path} ${statSync(join(root, path)).mtimeMs}`;
  if (!known[key]) {
    const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
    known[key] = brotliCompressSync(readFileSync(join(root, path)), { params }).length;
    writeFileSync(notes, JSON.stringify(known));
  }
  return known[key];
}

/** [{engine, bytes}] of those that are here. */
export function downloadSizes() {
  return Object.entries(files)
    .filter(([, paths]) => paths.every((path) => existsSync(join(root, path))))
    .map(([engine, paths]) => ({
      engine,
      bytes: paths.map(compressedBytes).reduce((sum, bytes) => sum + bytes),
    }));
}
