// Model files in a page, under the strict policy: what they hold and single tensors, with code that others do not download.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import type * as FilesEntry from '../../web/src/files.js';
import type * as BrowserEntry from '../../web/src/index.js';
import { launchBrowser, withPackagePage } from './package_page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

test('a page looks into a model file and loads single tensors', () =>
  withPackagePage(browser, false, async ({ page, problems, requests }) => {
    const isFree = !requests.includes('inspect.mjs') && !requests.includes('demo/inspect.mjs');
    const outcome = await page.evaluate(async () => {
      const [root, tools] = ['/index.mjs', '/model_files.mjs'];
      const { SusurrusError } = (await import(root)) as typeof BrowserEntry;
      const susurrus = (await import(tools)) as typeof FilesEntry;
      const url = new URL('/demo/models/digits.apr', location.href);
      const blob = await (await fetch(url)).blob();
      const [fetched, dropped] = [await susurrus.inspect(url), await susurrus.inspect(blob)];
      const file = await susurrus.openModelFile(new File([blob], 'digits.apr'));
      const name = 'decoder.ln.weight';
      await file.prefetch([name]);
      const { values, bytes, dtype } = await file.tensor(name);
      let failure: unknown;
      await file.tensor('decoder.ln.wieght').catch((error: unknown) => (failure = error));
      file.close();
      const { tensors } = await susurrus.inspect(blob, { stats: true });
      return {
        dims: dropped.dims,
        areSame: JSON.stringify(fetched.tensors) === JSON.stringify(dropped.tensors),
        tensor: [dtype, values.length, bytes.length, Math.max(...values)],
        greatest: tensors.find((tensor) => tensor.name === name)?.statistics?.max,
        told:
          failure instanceof SusurrusError
            ? [failure.code, failure.details.expected]
            : String(failure),
      };
    });
    expect(isFree).toBe(true);
    expect(outcome).toMatchObject({
      dims: { nVocab: 1776, nAudioState: 96 },
      areSame: true,
      tensor: ['f32', 96, 384, Math.fround(outcome.greatest ?? 0)],
      told: ['invalid_argument', expect.stringContaining('decoder.ln.weight')],
    });
    expect(requests).toContain('inspect.mjs');
    expect(problems).toEqual([]);
  }));
