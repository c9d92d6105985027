// Prints what a page downloads: sizes of WebAssembly, JavaScript and the model in dist/, raw and brotli-compressed.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { main, root, StepError } from './toolchain/steps.mjs';

const files = [
  ...['engine.simd.wasm', 'engine.relaxed.wasm', 'engine.mjs', 'worker.mjs', 'index.mjs'],
  ...['engine.simd-threads.wasm', 'engine.relaxed-threads.wasm', 'engine.threads.mjs'],
  ...[
    'worker.threads.mjs',
    'thread.mjs',
    'files.wasm',
    'files.mjs',
    'worker.files.mjs',
    'seal.mjs',
    'inspect.mjs',
    'write.mjs',
  ],
  ...['node.mjs', 'cli.mjs', '../models/digits.apr'],
];

await main(() => {
  const kibibytes = (bytes) => `${(bytes / 1024).toFixed(1)} KiB`.padStart(12);
  console.log(`${'file'.padEnd(28)}${'raw'.padStart(12)}${'brotli'.padStart(12)}`);
  for (const name of files) {
    const path = join(root, 'dist', name);
    if (!existsSync(path))
      throw new StepError(`There is no ${name}.`, 'Build it first: npm run build.');
    const content = readFileSync(path);
    const compressed = brotliCompressSync(content, {
      params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY },
    });
    const label = name.replace('../models/', '');
    console.log(`${label.padEnd(28)}${kibibytes(content.length)}${kibibytes(compressed.length)}`);
  }
});
