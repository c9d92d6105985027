// Jest's transform: ES modules through esbuild, TypeScript's types dropped and checked elsewhere (tsc --noEmit).
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { transformSync, version } from 'esbuild';

const self = readFileSync(import.meta.filename);

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
    });
    return { code };
  },
};
