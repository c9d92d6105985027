// Jest's transform: TypeScript to ES modules with esbuild, types dropped and checked elsewhere (tsc --noEmit).
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { transformSync, version } from 'esbuild';

const self = readFileSync(import.meta.filename);

/** Jest's sandbox is slow to look up a global. Tests use these for every sample and weight, so each module holds them as constants. */
const fast = ['Math', 'Number', 'Array', 'Float32Array', 'Uint8Array', 'DataView', 'Buffer'];
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
      loader: 'ts',
      format: 'esm',
      target: 'node20',
      sourcemap: 'inline',
      sourcefile: path,
      banner: constants,
    });
    return { code };
  },
};
