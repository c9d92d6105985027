// Jest's transform: ES modules through esbuild, TypeScript's types dropped and checked elsewhere (tsc --noEmit).
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { transformSync, version } from 'esbuild';

const self = readFileSync(import.meta.filename);

/**
 * Jest's sandbox is slow to look up a global. Tests, our scripts and the package use these for every sample and weight, so each
 * module holds them as constants.
 */
const fast = [
  ...['Math', 'Number', 'BigInt', 'Array', 'ArrayBuffer', 'DataView', 'Buffer'],
  ...['Int8Array', 'Uint8Array', 'Int16Array', 'Uint16Array', 'Int32Array', 'Uint32Array'],
  ...['Float32Array', 'Float64Array'],
];
const constants = `const { ${fast.join(', ')} } = globalThis;`;

export default {
  getCacheKey: (source, path) =>
    createHash('sha256')
      .update(self)
      .update(version)
      .update(path)
      .update('\0')
      .update(source)
      .digest('hex'),

  process(source, path) {
    const { code } = transformSync(source, {
      loader: path.endsWith('.ts') ? 'ts' : 'js',
      format: 'esm',
      target: 'node20',
      sourcemap: 'inline',
      sourcefile: path,
      banner: constants,
    });
    return { code };
  },
};
