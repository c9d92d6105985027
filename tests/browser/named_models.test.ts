// Models by their names in a page, from a hub on another origin: converted while they arrive, kept, and gone on with.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import type * as BrowserEntry from '../../web/src/index.js';
import type * as CacheEntry from '../../web/src/cache.js';
import { builtPackage } from '../support/built_package.js';
import { modelBytes } from '../support/embedded_model.js';
import { writeHubFolder } from '../support/hub_folder.js';
import { startHub, type HubServer } from '../support/hub_server.js';
import { startModelServer, type ModelServer } from '../support/model_server.js';
import { heard, keptBytes, openKeptPage, withContext, type KeptPage } from './kept_page.js';
import { launchBrowser } from './package_page.js';
import { rounds } from '../support/turns.js';

const root = mkdtempSync(join(tmpdir(), 'susurrus-named-'));
const folder = writeHubFolder(join(root, 'tiny'));
const files: Record<string, Uint8Array> = Object.fromEntries(
  readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]),
);
const weightBytes = files['model.safetensors']?.length ?? 0;
const repository = 'openai/whisper-tiny.en';

let browser: Browser;
let server: ModelServer;
let hub: HubServer;
beforeAll(async () => {
  browser = await launchBrowser();
  server = await startModelServer({});
});
afterAll(async () => {
  await browser.close();
  await server.close();
  rmSync(root, { recursive: true });
});
beforeEach(async () => {
  server.requests.length = 0;
  hub = await startHub({ repository, files });
});
afterEach(() => hub.close());

const onPage = (work: (page: KeptPage) => Promise<void>): Promise<void> =>
  withContext(browser, async (context) => work(await openKeptPage(context, server.address)));
const weightRequests = (): string[] =>
  hub.requests.filter((request) => request.startsWith('/store/model.safetensors'));
const options = (): { hub: string; dtype: 'q8_0'; isSilent: true } => ({
  hub: hub.endpoint,
  dtype: 'q8_0',
  isSilent: true,
});

test('a name is the model that convertModel() makes of its files, and is downloaded once', () =>
  onPage(async (page) => {
    const loaded = await page.load('tiny.en', options());
    expect(loaded).toMatchObject({ warnings: [] });
    expect(loaded.phases).toEqual(expect.arrayContaining(['download', 'convert', 'load']));
    expect(await page.list()).toMatchObject([
      { name: repository, revision: 'main', dtype: 'q8_0', complete: true },
    ]);
    const { convertModel } = await builtPackage();
    const path = join(root, 'expected.apr');
    await convertModel(folder, path, { dtype: 'q8_0', compress: 'none', force: true });
    expect(Buffer.from(await keptBytes(page), 'base64').equals(readFileSync(path))).toBe(true);

    await page.page.reload();
    const count = hub.requests.length;
    for (const name of ['tiny.en', repository, 'tiny.en@main:q8_0']) {
      expect(await page.load(name, { hub: hub.endpoint, isSilent: true })).toMatchObject({
        phases: ['load', 'cache'],
      });
    }
    expect(hub.requests).toHaveLength(count);
    expect(hub.leaks).toEqual([]);
  }));

test('a name that is downloaded without an engine is loaded offline', () =>
  onPage(async ({ page, load, download, list }) => {
    const requests: string[] = [];
    page.on('request', (request) => requests.push(new URL(request.url()).pathname));
    // Twice at once: one of them waits for the other.
    const wanted = () => download('tiny.en', { hub: hub.endpoint });
    const both = await Promise.all([wanted(), wanted()]);
    expect(weightRequests()).toHaveLength(1);
    const first = both.find(({ source }) => source !== undefined) ?? { phases: [] };
    const { alreadyKept, source, tensorCount = 0, warnings, phases, ...kept } = first;
    expect([alreadyKept, source, warnings]).toEqual([false, repository, []]);
    expect(tensorCount).toBeGreaterThan(30);
    expect(phases).toEqual(expect.arrayContaining(['download', 'convert']));
    expect(await list()).toEqual([kept]);
    expect(requests.filter((path) => path.includes('engine'))).toEqual([]);
    await hub.close();
    const offline = { hub: hub.endpoint, cache: 'only', isSilent: true } as const;
    expect(await load('tiny.en', offline)).toMatchObject({
      warnings: [],
      phases: ['load', 'cache'],
    });
    expect(await download('tiny.en:q8_0', { hub: hub.endpoint })).toMatchObject({
      ...{ alreadyKept: true, phases: ['cache'] },
    });
    hub = await startHub({ repository, files });
  }));

test('a download without an engine that is stopped goes on, and wants room', () =>
  onPage(async ({ page, download, list }) => {
    server.files.set('m.apr', { bytes: modelBytes(), tag: '"1"' });
    server.faults.stallsAfter = 700_000;
    const stopped = await download('/m.apr', { stopAfter: 500_000 });
    delete server.faults.stallsAfter;
    expect(stopped).toMatchObject({ isStopped: true });
    while ((await list()).length === 0) await page.waitForTimeout(20);
    expect(await list()).toMatchObject([{ complete: false }]);
    expect(await download('/m.apr')).toMatchObject({
      ...{ complete: true, alreadyKept: false, source: `${server.address}/m.apr` },
    });
    const ranges = server.requests.filter((request) => request.startsWith('GET /m.apr'));
    expect(ranges).toEqual(['GET /m.apr', expect.stringMatching(/ bytes=[1-9]\d+- if "1"$/)]);
    server.preludes.set(
      'worker.cache.mjs',
      'navigator.storage.estimate = async () => ({ quota: 1000, usage: 0 });',
    );
    server.files.set('n.apr', { bytes: modelBytes(), tag: '"1"' });
    expect(await download('/n.apr')).toMatchObject({
      ...{ code: 'wrong_state', message: expect.stringMatching(/has room for 1 MB/) },
    });
    expect(await list()).toHaveLength(1);
  }).finally(() => server.preludes.clear()));

test('48: a download of weights that breaks off goes on, in this load and after the tab was closed', () =>
  withContext(browser, async (context) => {
    hub.faults.cuts = [1000];
    hub.faults.pauses = 1e6;
    const first = await openKeptPage(context, server.address);
    const broken = first.load('tiny.en', options()).catch(() => 'closed');
    // Pieces of an eighth, then nothing for ever.
    while ((await first.list()).every(({ byteCount }) => byteCount < weightBytes / 8)) {
      await first.page.waitForTimeout(20);
    }
    await first.page.close();
    expect(await broken).toBe('closed');
    hub.faults.pauses = 0;
    const second = await openKeptPage(context, server.address);
    expect(await second.load('tiny.en', options())).toMatchObject({ warnings: [] });
    const starts = weightRequests().map((request) =>
      Number(/ bytes=(\d+)-$/.exec(request)?.[1] ?? 0),
    );
    expect(starts.at(-1)).toBeGreaterThanOrEqual(weightBytes / 8);
    // What was downloaded to be converted is gone.
    const [model] = await second.list();
    expect(model?.byteCount).toBe(model?.totalBytes);
    expect(model?.byteCount).toBeLessThan(weightBytes);
  }));

test('weights that are not what the hub has are refused, and nothing is kept of them', () =>
  onPage(async ({ load, list }) => {
    hub.faults.corrupts = true;
    expect(await load('tiny.en', options())).toMatchObject({ code: 'checksum_mismatch' });
    expect((await list()).filter(({ complete }) => complete)).toEqual([]);
    hub.faults.corrupts = false;
    expect(await load('tiny.en', options())).toMatchObject({ warnings: [] });
  }));

test('52: without room for the weights they are converted in memory', () => {
  server.preludes.set(
    'worker.hub.mjs',
    'navigator.storage.estimate = async () => ({ quota: 1000, usage: 0 });',
  );
  return onPage(async ({ load }) => {
    const loaded = await load('tiny.en', options());
    expect(loaded.code).toBeUndefined();
  }).finally(() => server.preludes.clear());
});

test('50: where the file system is refused, the Cache API holds weights and models', () => {
  const noOpfs =
    "StorageManager.prototype.getDirectory = () => Promise.reject(new DOMException('no', 'SecurityError'));";
  server.preludes.set('worker.hub.mjs', noOpfs);
  return withContext(browser, async (context) => {
    const { load } = await openKeptPage(context, server.address, noOpfs);
    expect(await load('tiny.en', options())).toMatchObject({ warnings: [] });
    expect(await load('tiny.en', { ...options(), cache: 'only' })).toMatchObject({ warnings: [] });
  }).finally(() => server.preludes.clear());
});

test('two tabs that want one name download it once', () =>
  withContext(browser, async (context) => {
    const pages = [
      await openKeptPage(context, server.address),
      await openKeptPage(context, server.address),
    ];
    for (let i = 0; i < rounds(20).length; ++i) {
      const before = weightRequests().length;
      const drains = pages.map(({ drain }) => drain({ name: 'tiny.en', hub: hub.endpoint }));
      expect(await Promise.all(drains)).toEqual([[], []]);
      expect(weightRequests()).toHaveLength(before + 1);
      const deleted = await pages[0]?.page.evaluate(async () => {
        const entry = '/cache.mjs';
        const { deleteModel } = (await import(entry)) as typeof CacheEntry;
        return (await deleteModel('tiny.en')).length;
      });
      expect(deleted).toBe(1);
    }
  }));

test("one's own server: a relative folder, and a model file", () =>
  onPage(async ({ load }) => {
    for (const [name, bytes] of Object.entries(files)) {
      server.files.set(`own/${repository}/${name}`, { bytes, tag: '"1"' });
    }
    server.files.set('own/whisper-tiny.en.q8_0.apr', { bytes: modelBytes(), tag: '"1"' });
    const converted = await load('tiny.en', { hub: '/own/{model}/', isSilent: true });
    expect(converted).toMatchObject({ warnings: [] });
    expect(await load('tiny.en:q8_0', { hub: 'own/{name}.{dtype}.apr' })).toMatchObject(heard);
    const count = server.requests.length;
    await load('tiny.en:q8_0', { hub: 'own/{name}.{dtype}.apr', isSilent: true });
    expect(server.requests).toHaveLength(count);
  }));

test('a model file that the hub has ready is taken as it is, with the token', () =>
  onPage(async ({ load }) => {
    await hub.close();
    hub = await startHub({ repository, files: { 'model-q8_0.apr': modelBytes() }, token: 'mine' });
    const refused = await load('tiny.en', options());
    expect(refused).toMatchObject({ code: 'source_failed' });
    expect(refused.message).toMatch(/the option token/);
    expect(await load('tiny.en', { hub: hub.endpoint, token: 'mine' })).toMatchObject(heard);
  }));

test('names, options and null are checked before anything is fetched', () =>
  onPage(async ({ page }) => {
    const outcome = await page.evaluate(async () => {
      const entry = '/index.mjs';
      const { loadModel } = (await import(entry)) as typeof BrowserEntry;
      const outcomeOf = (work: Promise<{ dispose(): void }>): Promise<string> =>
        work.then(
          (model) => {
            model.dispose();
            return 'loaded';
          },
          (error: unknown) => {
            const { code, message } = error as { code: string; message: string };
            return `${code} ${/Did you mean '(.*)'/.exec(message)?.[1] ?? ''}`.trim();
          },
        );
      return [
        await outcomeOf(loadModel(null as never)),
        await outcomeOf(loadModel('bsae')),
        await outcomeOf(loadModel('/models/digits.apr', { dtype: 'q8_0' })),
        await outcomeOf(loadModel('models/digits.apr')),
        await outcomeOf(loadModel('digits')),
      ];
    });
    expect(outcome).toEqual([
      'invalid_argument',
      'invalid_argument base',
      'invalid_argument',
      'loaded',
      'loaded',
    ]);
    expect(hub.requests).toEqual([]);
  }));
