// Conversion in a page, under the strict policy: dropped files give the bytes that Node writes.
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import type * as FilesEntry from '../../web/src/files.js';
import type * as BrowserEntry from '../../web/src/index.js';
import { builtPackage } from '../support/built_package.js';
import { writeHubFolder } from '../support/hub_folder.js';
import { describeWithShared, sharedFolder } from '../support/shared_folder.js';
import { type Stage, drop, dropAll, shown, startStage, statusOf, worked } from './browser_page.js';
import { launchBrowser, withPackagePage } from './package_page.js';

const root = mkdtempSync(join(tmpdir(), 'susurrus-page-'));
const folder = writeHubFolder(join(root, 'tiny'));
const names = ['config.json', 'generation_config.json', 'vocab.json', 'model.safetensors'];
const contents = names.map((name) => ({
  name,
  base64: readFileSync(join(folder, name)).toString('base64'),
}));

let browser: Browser;
let stage: Stage;
beforeAll(async () => {
  browser = await launchBrowser();
  stage = await startStage();
});
afterAll(async () => {
  await browser.close();
  await stage.close();
  rmSync(root, { recursive: true });
});

test('files of a folder become the bytes that Node writes', () =>
  withPackagePage(browser, false, async ({ page, problems, requests }) => {
    const isFree = !requests.some((path) => path.endsWith('files.wasm'));
    const variants = [
      {},
      { dtype: 'q8_0', compress: 'none' },
      { format: 'apr1', dtype: 'int8' },
      { format: 'ggml' },
      { format: 'safetensors', dtype: 'f16' },
    ] as const;
    const found = await page.evaluate(
      async ({ contents, variants }) => {
        const [root, tools] = ['/index.mjs', '/model_files.mjs'];
        const { SusurrusError, loadModel } = (await import(root)) as typeof BrowserEntry;
        const { convertModel } = (await import(tools)) as typeof FilesEntry;
        const files = contents.map(
          ({ name, base64 }) =>
            new File([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], name),
        );
        const outcomes: unknown[] = [];
        for (const options of variants) {
          const parts: Uint8Array<ArrayBuffer>[] = [];
          let waiting = 0;
          const bar: number[] = [];
          const sink = new WritableStream<Uint8Array>({
            async write(part) {
              parts.push(part as Uint8Array<ArrayBuffer>);
              waiting = Math.max(waiting, part.length);
              await new Promise((done) => setTimeout(done));
            },
          });
          const result = await convertModel(files, sink, {
            ...options,
            onProgress: ({ overall }) => bar.push(overall),
          }).catch((error: unknown) => String(error));
          const bytes = await new Blob(parts).arrayBuffer();
          const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
          const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
          const isOne = bar.every((part, i) => part >= (bar[i - 1] ?? 0)) && bar.at(-1) === 1;
          outcomes.push([result, hex, isOne]);
        }
        const codes: string[] = [];
        const stopped = new AbortController();
        const refusals = [
          () => convertModel(files, 'model.apr' as never),
          () => convertModel(files, new WritableStream(), { shardSize: 1000 }),
          () => convertModel([files[0]!], new WritableStream()),
          () =>
            convertModel(
              files,
              new WritableStream({ write: () => stopped.abort(new Error('enough')) }),
              {
                signal: stopped.signal,
              },
            ),
          () =>
            convertModel(
              files,
              new WritableStream({
                write: () => {
                  throw new Error('full');
                },
              }),
            ),
        ];
        for (const refusal of refusals) {
          await refusal().then(
            () => codes.push('accepted'),
            (error: unknown) =>
              codes.push(error instanceof SusurrusError ? error.code : (error as Error).message),
          );
        }
        const transfer = new DataTransfer();
        for (const file of files) transfer.items.add(file);
        const model = await loadModel(transfer.files);
        const { dtypes } = model.info;
        model.dispose();
        return { outcomes, codes, dtypes };
      },
      { contents, variants },
    );

    const { convertModel } = await builtPackage();
    for (const [i, options] of variants.entries()) {
      const path = join(
        root,
        `${i}.${'format' in options && options.format === 'safetensors' ? 'safetensors' : 'out'}`,
      );
      const result = await convertModel(folder, path, options);
      const digest = createHash('sha256').update(readFileSync(path)).digest('hex');
      expect(found.outcomes[i]).toEqual([result, digest, true]);
    }
    expect(found.codes).toEqual([
      'invalid_argument',
      'invalid_argument',
      'unsupported_feature',
      'enough',
      'full',
    ]);
    expect(found.dtypes).toContain('q8_0');
    expect(isFree).toBe(true);
    expect(problems).toEqual([]);
  }));

test('M12: what lacks its list of words is refused with the files to drop, and the model in use stays', async () => {
  const { page, problems } = await stage.open();
  const before = await page.textContent('#model_name');
  const weights = readFileSync(join(folder, 'model.safetensors'));
  const config = readFileSync(join(folder, 'config.json'));
  const message = () => page.textContent('#error_message');
  for (const files of [
    [['model.safetensors', weights]],
    [
      ['model.safetensors', weights],
      ['config.json', config],
    ],
  ] as const) {
    await worked(page, () => dropAll(page, files));
    await shown(message).toMatch(
      /Drop it together with tokenizer\.json \(or vocab\.json\) and config\.json/,
    );
    await shown(() => page.isHidden('#conversion')).toBe(true);
    await shown(() => page.textContent('#model_name')).toBe(before);
  }
  await worked(page, () => page.click('#sample'));
  await shown(() => page.isVisible('#transcript')).toBe(true);
  expect(problems).toEqual([]);
});

describeWithShared(['golden/ctranslate2'], 'model.bin of faster-whisper', () => {
  test('M12: alone it names the files of its folder', async () => {
    const { page, problems } = await stage.open();
    const before = await page.textContent('#model_name');
    const weights = readFileSync(join(sharedFolder, 'golden/ctranslate2/float16/model.bin'));
    await worked(page, () => drop(page, 'model.bin', weights));
    await shown(() => page.textContent('#error_message')).toMatch(
      /Drop it together with vocabulary\.txt \(or .*\) and config\.json/,
    );
    await shown(() => page.textContent('#model_name')).toBe(before);
    expect(problems).toEqual([]);
  });
});

test('the demo page converts what is dropped on it, runs it and offers the file', async () => {
  const { page, problems } = await stage.open();
  const dropModel = () =>
    page.evaluate((contents) => {
      const dataTransfer = new DataTransfer();
      for (const { name, base64 } of contents) {
        const content = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
        dataTransfer.items.add(new File([content], name));
      }
      document
        .getElementById('drop_zone')
        ?.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    }, contents);
  // A choice that is not wanted after all.
  await dropModel();
  await page.waitForSelector('#conversion:not([hidden])');
  await worked(page, () => page.click('#cancel'));
  await shown(() => page.isHidden('#conversion')).toBe(true);
  await shown(() => page.textContent('#status')).toBe('Stopped.');

  await dropModel();
  await page.waitForSelector('#conversion:not([hidden])');
  // Nothing moves while the page waits for the person.
  await shown(() => page.textContent('#status')).toBe('Choose how exact its numbers are kept.');
  await shown(() => page.evaluate(() => document.querySelector('#progress')?.className)).toContain(
    'idle',
  );
  const types = await page.locator('.conversion-type strong').allTextContents();
  expect(types).toEqual(['q8_0 ', 'f16 ', 'q5_0 ', 'q4_0 ']);
  await shown(() => page.locator('.conversion-type').first().textContent()).toMatch(
    /^q8_0 about [\d.]+ MB.*Recommended/,
  );
  await worked(page, () => page.click('#conversion_start'));
  await shown(() => page.textContent('#status')).toBe('Ready. model.apr is loaded.');
  await shown(() => page.textContent('[data-fact="model"]')).toMatch(/^model\.apr.*APR2/);
  await shown(() => page.isVisible('#converted')).toBe(true);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.click('#converted_file'),
  ]);
  expect(download.suggestedFilename()).toBe('model.apr');
  const { convertModel } = await builtPackage();
  const path = join(root, 'demo.apr');
  await convertModel(folder, path, { dtype: 'q8_0' });
  const saved = await download.path();
  expect(readFileSync(saved).equals(readFileSync(path))).toBe(true);
  // It is kept as well.
  await shown(() => page.textContent('#model_name')).toMatch(/^[\w.]+ \(from [\w.]+\)$/);
  const name = await page.textContent('#model_name');
  await page.reload();
  await statusOf(page).getByText(`Ready. ${name} is loaded.`).waitFor();
  expect(problems).toEqual([]);
});
