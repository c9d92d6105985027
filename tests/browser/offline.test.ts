// The demo page without a network, after an update, without a service worker, and what it says it has sent.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';
import { buildOffline } from '../../scripts/build_offline.mjs';
import { serve } from '../../scripts/serve_demo.mjs';
import { limit } from '../support/limits.js';
import { projectRoot } from '../support/shared_folder.js';
import {
  type Stage,
  sampleBytes,
  sampleSegments,
  segmentTexts,
  settled,
  shown,
  startStage,
  worked,
} from './browser_page.js';
import { launchBrowser } from './package_page.js';

jest.setTimeout(limit(120_000));

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterAll(async () => {
  await stage.close();
});

const offlineState = (page: Page, state: string) =>
  page.waitForSelector(`html[data-offline="${state}"]`, { state: 'attached' });

const allowed = { serviceWorkers: 'allow' } as const;

test('works without a network, with the model that it had', async () => {
  const { page } = await stage.open(allowed);
  await offlineState(page, 'ready');
  await shown(() => page.textContent('#offline_state')).toBe('Works offline.');
  await page.context().setOffline(true);
  await page.reload();
  await settled(page);
  await shown(() => page.textContent('#status')).toBe('Ready. digits.apr is loaded.');
  await worked(page, () => page.click('#sample'));
  await shown(() => segmentTexts(page)).toEqual(sampleSegments);
  // With the question mark that a variant is asked for by, too.
  await page.goto(`${stage.address}?variant=simd`);
  await settled(page);
  await shown(() => page.textContent('[data-fact="variant"]')).toMatch(/^simd/);
});

test('keeps no model a second time', async () => {
  const { page } = await stage.open(allowed);
  await offlineState(page, 'ready');
  const kept = await page.evaluate(async () => {
    const names = await caches.keys();
    const lists = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
    return { names, paths: lists.flat().map(({ url }) => new URL(url).pathname) };
  });
  expect(kept.names).toEqual([expect.stringMatching(/^susurrus-page-[0-9a-f]{16}$/)]);
  expect(kept.paths).toContain('/main.mjs');
  expect(kept.paths).toContain('/models/vad.tsm');
  expect(kept.paths.filter((path) => path.endsWith('.apr'))).toEqual([]);
});

test('counts what it has sent, its workers included: nothing', async () => {
  const { page } = await stage.open(allowed);
  await offlineState(page, 'ready');
  await page.reload();
  await settled(page);
  await worked(page, () => page.click('#sample'));
  await shown(() => page.textContent('#sent_title')).toBe('0 bytes sent');
  await page.click('.sent summary');
  await shown(() => page.textContent('#sent_text')).toMatch(/the page or one of its workers/);
  // Nowhere else.
  await shown(() => page.textContent('body')).not.toMatch(/0 bytes sent.*0 bytes sent/s);
  const { host } = new URL(stage.address);
  const [line = '', ...others] = await page.locator('#sent_hosts li').allTextContents();
  expect(others).toEqual([]);
  expect(line).toMatch(new RegExp(`^${host}: \\d+ requests$`));
  // What a script of the page, or of a worker, sends would be counted.
  await page.evaluate(async () => {
    await fetch('elsewhere', { method: 'POST', body: 'twelve bytes' });
  });
  await page.waitForFunction(() =>
    document.getElementById('sent_title')?.textContent.startsWith('12 bytes sent'),
  );
});

test('without a service worker it says so, and counts what the page itself sends', async () => {
  const { page } = await stage.open();
  await offlineState(page, 'none');
  await shown(() => page.textContent('#offline_state')).toBe('Does not work offline here.');
  await shown(() => page.textContent('#sent_title')).toBe('0 bytes sent');
  await shown(() => page.textContent('#sent_text')).toMatch(/the page itself makes/);
  await worked(page, () => page.click('#sample'));
  await shown(() => segmentTexts(page)).toEqual(sampleSegments);
});

test.each([
  ['refuses', 'Promise.reject(new DOMException("no", "SecurityError"))'],
  ['has none', undefined],
])('a browser that %s service workers, as a private window may', async (_what, answer) => {
  const browser = await launchBrowser();
  try {
    const context = await browser.newContext({ serviceWorkers: 'allow' });
    await context.addInitScript(
      answer === undefined
        ? 'delete Navigator.prototype.serviceWorker;'
        : // A page without an address has none.
          `if (window.ServiceWorkerContainer) ServiceWorkerContainer.prototype.register = () => ${answer};`,
    );
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('pageerror', ({ message }) => errors.push(message));
    await page.goto(stage.address);
    await offlineState(page, 'none');
    await settled(page);
    expect(errors).toEqual([]);
  } finally {
    await browser.close();
  }
});

test('takes what another app shares with it', async () => {
  const { page } = await stage.open(allowed);
  await offlineState(page, 'ready');
  const base64 = Buffer.from(sampleBytes()).toString('base64');
  await page.evaluate((base64) => {
    // What the system does with an installed page.
    const form = document.createElement('form');
    Object.assign(form, { method: 'POST', action: 'share-target', enctype: 'multipart/form-data' });
    const input = document.createElement('input');
    Object.assign(input, { type: 'file', name: 'recordings' });
    const files = new DataTransfer();
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    files.items.add(new File([bytes], 'voice message.wav', { type: 'audio/wav' }));
    input.files = files.files;
    form.append(input);
    document.body.append(form);
    form.submit();
  }, base64);
  await page.getByText('Done: ').waitFor();
  await shown(() => page.textContent('#transcript_title')).toBe('voice message.wav');
  await shown(() => segmentTexts(page)).toEqual(sampleSegments);
  expect(new URL(page.url()).search).toBe('');
  // It is given once.
  await page.reload();
  await settled(page);
  await shown(() => page.isHidden('#transcript')).toBe(true);
  await shown(() => page.evaluate(async () => (await caches.keys()).length)).toBe(1);
});

test('a new version waits until the person wants it, and takes the place of all of the old one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'susurrus-update-'));
  cpSync(join(projectRoot, 'dist/demo'), folder, { recursive: true });
  const server = await serve({ folder, port: 0 });
  const browser = await launchBrowser();
  try {
    const page = await openAllowed(await browser.newContext(allowed), server.address);
    await offlineState(page, 'ready');
    const index = join(folder, 'index.html');
    const newer = readFileSync(index, 'utf8').replace('<title>', '<title>Newer · ');
    // Half of an upload: the files are not those that the new service worker was made for.
    await buildOffline(folder);
    writeFileSync(index, newer);
    const half = readFileSync(join(folder, 'service_worker.js'), 'utf8');
    writeFileSync(join(folder, 'service_worker.js'), `${half}\n`);
    await page.reload();
    await offlineState(page, 'ready');
    await shown(() => page.title()).not.toContain('Newer');

    await buildOffline(folder);
    await page.reload();
    await offlineState(page, 'update');
    await shown(() => page.title()).not.toContain('Newer');
    await shown(() => page.textContent('#offline_state')).toBe(
      'A new version of this page is ready.',
    );
    await page.click('#offline_update');
    await page.waitForFunction(() => document.title.startsWith('Newer'));
    await offlineState(page, 'ready');
    await shown(() => page.evaluate(async () => (await caches.keys()).length)).toBe(1);
  } finally {
    await browser.close();
    await server.close();
    rmSync(folder, { recursive: true });
  }
});

async function openAllowed(context: BrowserContext, address: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(address);
  await settled(page);
  return page;
}

test('can be installed: name, icons of their stated sizes, and what it takes from other apps', async () => {
  const manifest = (await (await fetch(`${stage.address}manifest.webmanifest`)).json()) as {
    name: string;
    icons: { src: string; sizes: string; purpose: string }[];
    share_target: { action: string; method: string };
  };
  expect(manifest).toMatchObject({ name: 'Susurrus', start_url: './', display: 'standalone' });
  expect(manifest.share_target).toMatchObject({ action: './share-target', method: 'POST' });
  expect(manifest.icons.map(({ purpose }) => purpose)).toContain('maskable');
  for (const { src, sizes } of manifest.icons) {
    const png = Buffer.from(await (await fetch(`${stage.address}${src}`)).arrayBuffer());
    expect(`${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`).toBe(sizes);
  }
});
