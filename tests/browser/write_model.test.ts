// A model written in a page, under the strict policy: the bytes that Node writes, by code that is downloaded for it.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import type * as FilesEntry from '../../web/src/files.js';
import type * as BrowserEntry from '../../web/src/index.js';
import type { WritableApr2 } from '../../web/src/api/write_types.js';
import { builtPackage } from '../support/built_package.js';
import { collectedStream } from '../support/collected_stream.js';
import { launchBrowser, withPackagePage } from './package_page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

const dims = {
  ...{ nVocab: 300, nAudioCtx: 6, nTextCtx: 8, nMels: 80, nAudioLayer: 1, nTextLayer: 1 },
  ...{ nAudioHead: 2, nTextHead: 2, nAudioState: 64, nTextState: 64 },
};

/** Runs in the page too: nothing from outside. */
function modelOf(dims: NonNullable<WritableApr2['dims']>): WritableApr2 {
  const values = Float32Array.from({ length: 1 << 20 }, (_, i) => ((i * 7919) % 2003) / 1001 - 1);
  async function* pieces(): AsyncGenerator<Float32Array> {
    for (let at = 0; at < values.length; at += 100_003) {
      yield await Promise.resolve(values.subarray(at, at + 100_003));
    }
  }
  return {
    format: 'apr2',
    dims,
    vocabulary: ['a', 'ż', Uint8Array.of(255)],
    filterbank: new Float32Array(80 * 201).fill(0.25),
    compress: 'lz4',
    tensors: [
      { name: 'blocks', dtype: 'q8_0', shape: [1 << 10, 1 << 10], data: pieces },
      { name: 'floats', dtype: 'f32', shape: [1 << 20], data: () => new Blob([values]).stream() },
      { name: 'halves', dtype: 'f16', shape: [1 << 20], data: values },
    ],
  };
}

test('a page writes into a stream what Node writes', () =>
  withPackagePage(browser, false, async ({ page, problems, requests }) => {
    const before = [...requests];
    await page.evaluate(`globalThis.modelOf = ${modelOf.toString()}`);
    const found = await page.evaluate(async (dims) => {
      const [root, tools] = ['/index.mjs', '/model_files.mjs'];
      const { SusurrusError } = (await import(root)) as typeof BrowserEntry;
      const { writeModel } = (await import(tools)) as typeof FilesEntry;
      const { modelOf } = globalThis as unknown as { modelOf: (of: typeof dims) => WritableApr2 };
      const model = modelOf(dims);
      const parts: Uint8Array<ArrayBuffer>[] = [];
      const stream = new WritableStream<Uint8Array>({
        write: (part) => void parts.push(part as Uint8Array<ArrayBuffer>),
      });
      const result = await writeModel(stream, model);
      const bytes = await new Blob(parts).arrayBuffer();
      const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
      const codes: string[] = [];
      const stopped = new AbortController();
      const broken: WritableApr2 = { ...model, tensors: [...model.tensors, ...model.tensors] };
      const refusals = [
        () => writeModel('model.apr' as never, model),
        () => writeModel(new WritableStream(), broken),
        () =>
          writeModel(
            new WritableStream({ write: () => stopped.abort(new Error('enough')) }),
            model,
            {
              signal: stopped.signal,
            },
          ),
        () =>
          writeModel(new WritableStream(), {
            ...model,
            tensors: [
              {
                ...{ name: 'x', dtype: 'f32', shape: [1] },
                data: () => {
                  throw new RangeError('mine');
                },
              },
            ],
          }),
      ];
      for (const refusal of refusals) {
        await refusal().then(
          () => codes.push('accepted'),
          (error: unknown) =>
            codes.push(error instanceof SusurrusError ? error.code : (error as Error).message),
        );
      }
      const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
      // The data are still the page's.
      const own = model.tensors.at(-1)?.data as Float32Array;
      return { result, hex, codes, ownLength: own.length };
    }, dims);
    const { writeModel } = await builtPackage();
    const { stream, bytes } = collectedStream();
    const result = await writeModel(stream, modelOf(dims));
    expect(found).toEqual({
      result,
      hex: createHash('sha256').update(bytes()).digest('hex'),
      codes: ['invalid_argument', 'invalid_argument', 'enough', 'mine'],
      ownLength: 1 << 20,
    });
    const isOnDemand = (name: string): boolean =>
      !before.some((path) => path.endsWith(name)) && requests.some((path) => path.endsWith(name));
    expect(['write.mjs', 'files.wasm'].map(isOnDemand)).toEqual([true, true]);
    expect(problems).toEqual([]);
  }));
