// Modules that could not be read are read again by the next call, and those that the caller has compiled are used.
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, test } from '@jest/globals';
import type * as FilesEntry from '../../web/src/node_files.js';
import type * as NodeEntry from '../../web/src/node.js';
import { builtPackage } from '../support/built_package.js';
import { errorOf, modelPath, sampleAudio, sampleText } from '../support/embedded_model.js';
import { projectRoot } from '../support/shared_folder.js';

const folder = mkdtempSync(join(tmpdir(), 'susurrus-engine-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a module that could not be read is read again', async () => {
  cpSync(join(projectRoot, 'dist'), join(folder, 'dist'), { recursive: true });
  const [address, filesAddress] = ['node.mjs', 'model_files.node.mjs'].map(
    (name) => pathToFileURL(join(folder, 'dist', name)).href,
  ) as [string, string];
  const { loadModel } = (await import(address)) as typeof NodeEntry;
  const { inspect } = (await import(filesAddress)) as typeof FilesEntry;
  const modules = ['engine.simd.wasm', 'engine.relaxed.wasm', 'files.wasm'];
  for (const name of modules) renameSync(join(folder, 'dist', name), join(folder, name));
  for (const work of [loadModel, inspect]) {
    expect(await errorOf(work(modelPath))).toMatchObject({
      code: 'source_failed',
      message: expect.stringMatching(
        /\/dist\/\w+(\.\w+)?\.wasm: .*ENOENT.*must leave susurrus outside/,
      ) as unknown,
    });
  }
  for (const name of modules) renameSync(join(folder, name), join(folder, 'dist', name));
  (await loadModel<'whisper'>(modelPath)).dispose();
  expect((await inspect(modelPath)).format).toBe('APR2');
});

describe('the option module', () => {
  const compiled = (name: string) =>
    WebAssembly.compile(readFileSync(join(projectRoot, 'dist', name)));

  test('is the engine that runs, with threads where it has them', async () => {
    const { loadModel } = await builtPackage();
    for (const [name, threads] of [
      ['engine.simd.wasm', 1],
      ['engine.simd-threads.wasm', 2],
    ] as const) {
      using model = await loadModel<'whisper'>(modelPath, {
        module: await compiled(name),
        threads,
      });
      expect(model.info).toMatchObject({
        ...{ variant: 'simd', variantReason: 'compiled by the caller', threads },
      });
      expect((await model.transcribe(sampleAudio())).text.trim()).toBe(sampleText);
    }
  });

  test('is refused where it is none, of another kind, or has threads that are not wanted', async () => {
    const { loadModel } = await builtPackage();
    const engine = readFileSync(join(projectRoot, 'dist/engine.simd.wasm'));
    for (const [module, threads] of [
      [engine, 1],
      [await compiled('files.wasm'), 1],
      [await compiled('networks.simd.wasm'), 1],
      [await compiled('engine.simd-threads.wasm'), 1],
    ] as const) {
      const load = loadModel<'whisper'>(modelPath, { module: module, threads });
      expect(await errorOf(load)).toMatchObject({
        ...{ code: 'invalid_argument', details: { reason: 'option', subject: 'module' } },
      });
    }
  });
});

test('assets are checked in Node too, which has its own', async () => {
  const { loadModel, setAssets } = await builtPackage();
  for (const assets of [{}, { base: '' }, { base: 5 }, { bass: '/' }]) {
    const expected = { code: 'invalid_argument', details: { reason: 'option' } };
    expect(
      await errorOf(loadModel<'whisper'>(modelPath, { assets: assets as never })),
    ).toMatchObject(expected);
    const set = Promise.resolve().then(() => setAssets(assets as never));
    expect(await errorOf(set)).toMatchObject(expected);
  }
  (await loadModel<'whisper'>(modelPath, { assets: { base: 'https://example.com/' } })).dispose();
});
