// A module that could not be read is read again by the next call.
import { cpSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from '@jest/globals';
import type * as NodeEntry from '../../web/src/node.js';
import { errorOf, modelPath } from '../support/embedded_model.js';
import { projectRoot } from '../support/shared_folder.js';

const folder = mkdtempSync(join(tmpdir(), 'susurrus-engine-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a module that could not be read is read again', async () => {
  cpSync(join(projectRoot, 'dist'), join(folder, 'dist'), { recursive: true });
  const address = pathToFileURL(join(folder, 'dist/node.mjs')).href;
  const { loadModel, inspect } = (await import(address)) as typeof NodeEntry;
  const modules = ['engine.simd.wasm', 'engine.relaxed.wasm', 'files.wasm'];
  for (const name of modules) renameSync(join(folder, 'dist', name), join(folder, name));
  for (const work of [loadModel, inspect]) {
    expect(((await errorOf(work(modelPath))) as Error).message).toMatch(/ENOENT/);
  }
  for (const name of modules) renameSync(join(folder, name), join(folder, 'dist', name));
  (await loadModel(modelPath)).dispose();
  expect((await inspect(modelPath)).format).toBe('APR2');
});
