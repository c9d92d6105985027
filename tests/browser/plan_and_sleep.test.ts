// In a page: what a model will take, known before it is fetched; models that sleep, and models that are forgotten.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page, Worker } from 'playwright-core';
import type * as BrowserEntry from '../../web/src/index.js';
import { modelBytes } from '../support/embedded_model.js';
import { projectRoot } from '../support/shared_folder.js';
import { writeHubFolder } from '../support/hub_folder.js';
import { startHub } from '../support/hub_server.js';
import { startModelServer } from '../support/model_server.js';
import { openKeptPage, withContext } from './kept_page.js';
import { launchBrowser, withPackagePage } from './package_page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser(['--js-flags=--expose-gc']);
});
afterAll(() => browser.close());

test('plans are what models take, in one thread and in several', () =>
  withPackagePage(browser, true, async ({ page, problems, requests }) => {
    const isOnDemand = !requests.includes('plan.mjs');
    const found = await page.evaluate(async () => {
      const address = '/index.mjs';
      const { loadModel, plan } = (await import(address)) as typeof BrowserEntry;
      const differences = [];
      for (const options of [{ threads: 1 }, { threads: 3 }, {}]) {
        const url = '/demo/models/digits.apr';
        const planned = await plan(url, options);
        const model = await loadModel<'whisper'>(url, options);
        const measured = await model.memory();
        for (const name of ['weightBytes', 'kvCacheBytes', 'activationBytes'] as const) {
          differences.push(planned[name] - measured[name]);
        }
        differences.push(Math.max(0, measured.wasmBytes - planned.peakBytes));
        differences.push(planned.threads - model.info.threads);
        model.dispose();
      }
      return { differences, verdict: (await plan('/demo/models/digits.apr')).verdict };
    });
    expect(found.differences).toEqual(found.differences.map(() => 0));
    // Chromium says how much memory there is, of a page like this one.
    expect(found.verdict).toMatchObject({ fits: 'yes', reasons: [expect.stringContaining('MiB')] });
    expect([isOnDemand, requests.includes('plan.mjs')]).toEqual([true, true]);
    expect(problems).toEqual([]);
  }));

test('by name and by URL, from what is kept and from the network', async () => {
  const root = mkdtempSync(join(tmpdir(), 'susurrus-plan-'));
  const folder = writeHubFolder(join(root, 'tiny'));
  const files = Object.fromEntries(
    readdirSync(folder).map((name) => [name, new Uint8Array(readFileSync(join(folder, name)))]),
  );
  const hub = await startHub({ repository: 'openai/whisper-tiny.en', files });
  const server = await startModelServer({ 'm.apr': { bytes: modelBytes(), tag: '"one"' } });
  await withContext(browser, async (context) => {
    const { page } = await openKeptPage(context, server.address);
    const found = await page.evaluate(async (hubAddress) => {
      const address = '/index.mjs';
      const { loadModel, plan } = (await import(address)) as typeof BrowserEntry;
      const outcomes = [];
      for (const [source, options] of [
        ['tiny.en', { hub: hubAddress, dtype: 'q8_0' }],
        ['/m.apr', { cache: true }],
      ] as const) {
        const before = await plan(source, options);
        const model = await loadModel<'whisper'>(source, options);
        const { weightBytes } = await model.memory();
        model.dispose();
        const after = await plan(source, options);
        outcomes.push({
          isRight: before.weightBytes === weightBytes && after.weightBytes === weightBytes,
          before: [before.fetchBytes, before.keptBytes],
          after: [after.fetchBytes, after.keptBytes],
        });
      }
      return outcomes;
    }, hub.endpoint);
    const hubBytes = Object.values(files).reduce((sum, { length }) => sum + length, 0);
    expect(found).toMatchObject([
      { isRight: true, before: [hubBytes, 0], after: [0, expect.any(Number)] },
      { isRight: true, before: [modelBytes().length, 0], after: [0, modelBytes().length] },
    ]);
  });
  await server.close();
  await hub.close();
  rmSync(root, { recursive: true });
});

/** Serves the voice detector's network to a page, and tells when its worker has started. */
async function serveDetector(page: Page): Promise<{ started: () => Promise<unknown> }> {
  const path = join(projectRoot, 'models/vad.tsm');
  await page.route('**/models/vad.tsm', (route) => route.fulfill({ path }));
  const predicate = (worker: Worker) => worker.url().endsWith('/worker.networks.mjs');
  return { started: () => page.waitForEvent('worker', { predicate }) };
}

test('an idle model has no worker; the next call starts one, and gets its answer', () =>
  withPackagePage(browser, true, async ({ page, problems }) => {
    const before = page.workers().length;
    const detector = await serveDetector(page);
    const handle = await page.evaluateHandle(async () => {
      const address = '/index.mjs';
      const { loadModel } = (await import(address)) as typeof BrowserEntry;
      return loadModel<'whisper'>('/demo/models/digits.apr', { autoSleep: 0.001, threads: 2 });
    });
    for (let round = 0; round < 3; ++round) {
      await page.waitForFunction((model) => model.asleep, handle);
      while (page.workers().length > before) await page.waitForTimeout(5);
      const tokens = await handle.evaluate((model) => model.tokenizer.encode('one two'));
      expect(tokens.length).toBeGreaterThan(0);
      // Its voice detector has a worker of its own.
      const started = detector.started();
      await handle.evaluate(async (model) => model.transcribe(new Float32Array(16_000)));
      await started;
    }
    await handle.evaluate((model) => model.dispose());
    expect(problems).toEqual([]);
  }));

test('the workers of forgotten models end, with one warning', () =>
  withPackagePage(browser, true, async ({ page, problems }) => {
    const before = page.workers().length;
    const warnings: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'warning') warnings.push(message.text());
    });
    const started = (await serveDetector(page)).started();
    await page.evaluate(async () => {
      const address = '/index.mjs';
      const { loadModel } = (await import(address)) as typeof BrowserEntry;
      for (const threads of [1, 2]) {
        const model = await loadModel<'whisper'>('/demo/models/digits.apr', { threads });
        await model.transcribe(new Float32Array(16_000));
      }
    });
    await started;
    while (page.workers().length > before) {
      await page.evaluate(() => (globalThis as { gc?: () => void }).gc?.());
      await page.waitForTimeout(5);
    }
    expect(warnings).toEqual([expect.stringContaining('dispose()')]);
    expect(problems).toEqual([]);
  }));
