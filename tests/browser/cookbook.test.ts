// docs/cookbook.md: its code, taken from the document as it stands, does what the document says.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { format } from 'prettier';
import { serve } from '../../scripts/serve_demo.mjs';
import type * as Testing from '../../web/page/testing.js';
import { limit } from '../support/limits.js';
import { projectRoot, sharedFolder } from '../support/shared_folder.js';
import { longRecording, sampleSegments, shown } from './browser_page.js';
import { launchBrowser } from './package_page.js';

jest.setTimeout(limit(120_000));

/** A recipe's blocks of code by their language, in order. */
type Recipe = Readonly<Record<string, readonly string[] | undefined>>;

const text = readFileSync(join(projectRoot, 'docs/cookbook.md'), 'utf8');
const recipes = new Map<string, Recipe>(
  text
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const blocks: Record<string, string[]> = {};
      for (const [, kind = '', code = ''] of section.matchAll(/^```(\w+)\n(.*?)^```$/gms)) {
        (blocks[kind] ??= []).push(code);
      }
      return [section.slice(0, section.indexOf('\n')), blocks];
    }),
);
const tried = new Set<string>();

/** The one block of a language, or the one that begins like this. */
function codeOf(title: string, kind: string, beginning = ''): string {
  tried.add(title);
  const found = recipes.get(title)?.[kind]?.filter((code) => code.startsWith(beginning));
  if (found?.length !== 1) throw new Error(`${title}: ${found?.length ?? 0} blocks of ${kind}`);
  return found[0]!;
}

const sample = join(projectRoot, 'web/demo/sample.wav');
const sampleText = sampleSegments.join(' ');
/** Within the package, so that programs find it by its name. */
const folder = join(projectRoot, 'build', `cookbook-${process.pid}`);
/** One that streams: an .april model, where it is there. */
const april = resolve(sharedFolder, 'april-digits/digits.april');
const liveModel = existsSync(april) ? '/models/live.april' : '/models/base.apr';
const imports = Object.fromEntries(
  ['', '/cache', '/captions', '/live', '/react', '/testing'].map((part) => [
    `susurrus${part}`,
    `/dist/${part.slice(1) || 'index'}.mjs`,
  ]),
);

let server: Awaited<ReturnType<typeof serve>>;
let browser: Browser;
let page: Page;
const problems: string[] = [];

beforeAll(async () => {
  mkdirSync(join(folder, 'models'), { recursive: true });
  symlinkSync(join(projectRoot, 'dist'), join(folder, 'dist'));
  symlinkSync(join(projectRoot, 'models/digits.apr'), join(folder, 'models/base.apr'));
  symlinkSync(join(projectRoot, 'models/digits.apr'), join(folder, 'base.apr'));
  symlinkSync(join(projectRoot, 'models/vad.tsm'), join(folder, 'models/vad.tsm'));
  if (existsSync(april)) symlinkSync(april, join(folder, 'models/live.april'));
  symlinkSync(sample, join(folder, 'talk.webm'));
  writeFileSync(join(folder, 'long.wav'), longRecording(100));
  const policy = "script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'";
  server = await serve({ folder, port: 0, headers: { 'Content-Security-Policy': policy } });
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  await server.close();
  rmSync(folder, { recursive: true });
});
afterEach(async () => {
  const open = browser.contexts();
  await Promise.all(open.map((context) => context.close()));
  problems.length = 0;
});

/** Opens a page with this body and module; `before` runs first, in the page. */
async function open(
  body: string,
  script: string,
  before: (entry: typeof Testing) => unknown = () => undefined,
): Promise<void> {
  writeFileSync(
    join(folder, 'page.html'),
    `<!doctype html><title>t</title><link rel="icon" href="data:,">
     <script type="importmap">${JSON.stringify({ imports })}</script>${body}
     <script type="module">await (${String(before)})(await import('susurrus/testing'));
       const script = document.createElement('script');
       Object.assign(script, { type: 'module', src: 'page.js' });
       document.body.append(script);</script>`,
  );
  writeFileSync(join(folder, 'page.js'), script);
  const context = await browser.newContext({ permissions: ['microphone'] });
  context.setDefaultTimeout(limit(60_000));
  page = await context.newPage();
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(message.text());
  });
  await page.goto(`${server.address}page.html`);
}

const openRecipe = (title: string) => open(codeOf(title, 'html'), codeOf(title, 'js'));

/** Waits for the first element to say this. */
const says = (selector: string, pattern: RegExp) =>
  page.locator(selector).filter({ hasText: pattern }).waitFor({ state: 'attached' });

/** Gives the page a file, once its script listens. */
async function choose(path: string): Promise<void> {
  await page.waitForFunction(() => document.querySelector('input')?.onchange);
  await page.setInputFiles('input', path);
}

describe('in a page', () => {
  test('a progress bar', async () => {
    await openRecipe('A progress bar');
    await choose(sample);
    await says('output', new RegExp(sampleText));
    await shown(() =>
      page.locator('progress').evaluate((bar) => (bar as HTMLProgressElement).value),
    ).toBe(1);
    expect(problems).toEqual([]);
  });

  test('cancel', async () => {
    await openRecipe('Cancel');
    await choose(join(folder, 'long.wav'));
    await says('p', /three/);
    await page.click('button');
    await says('p', /three.* \(stopped\)$/);
    await page.setInputFiles('input', sample);
    await says('p', new RegExp(`^ ${sampleText}$`));
    expect(problems).toEqual([]);
  });

  test('a microphone', async () => {
    const title = 'A microphone';
    // Words without end: when the page begins to listen depends on the machine.
    await open(codeOf(title, 'html'), codeOf(title, 'js'), async (testing) => {
      const words = (await testing.fixtureAudio()).subarray(0, 48_000);
      const samples = new Float32Array(40 * words.length);
      for (let at = 0; at < samples.length; at += words.length) samples.set(words, at);
      testing.installFakeMicrophone(samples);
    });
    await page.waitForFunction(() => document.querySelector('button')?.onclick);
    const listens = page.waitForRequest(/capture/);
    await page.click('button');
    await listens;
    await says('button', /Stop/);
    await page.waitForTimeout(4000);
    await page.click('button');
    await says('button', /Record/);
    await shown(() => page.locator('p').textContent()).toMatch(/three|one|four/);
    expect(problems).toEqual([]);
  });

  test('live captions', async () => {
    const title = 'Live captions';
    const script = codeOf(title, 'js').replace('/models/base.apr', liveModel);
    await open(codeOf(title, 'html'), script, async (testing) => {
      const words = await testing.fixtureAudio();
      const samples = new Float32Array(20 * words.length);
      for (let at = 0; at < samples.length; at += words.length) samples.set(words, at);
      testing.installFakeMicrophone(samples);
    });
    await page.waitForFunction(() => document.querySelector('button')?.onclick);
    await page.click('button');
    await says('p', /(four|two|nine|five|six).*(four|two|nine|five|six)/);
    await page.click('button');
    await says('button', /Listen/);
    // Refused the next time.
    await page.evaluate(() => {
      Object.defineProperty(navigator.mediaDevices, 'getUserMedia', {
        value: () => Promise.reject(new DOMException('no', 'NotAllowedError')),
      });
    });
    await page.click('button');
    await says('p', /permission was refused/);
    expect(problems).toEqual([]);
  });

  test('keep the model', async () => {
    await openRecipe('Keep the model');
    await says('output', /base\.apr: \d\.\d MB kept/);
    const requests: string[] = [];
    page.context().on('request', (request) => requests.push(new URL(request.url()).pathname));
    await page.reload();
    await says('output', /base\.apr: \d\.\d MB kept/);
    expect(requests).toContain('/page.js');
    expect(requests).not.toContain('/models/base.apr');
    await page.click('button');
    await says('output', /^nothing kept/);
    await page.click('output');
    await says('output', /^nothing kept/);
    expect(problems).toEqual([]);
  });

  test('subtitles on a video', async () => {
    await openRecipe('Subtitles on a video');
    await page.waitForFunction(() => document.querySelector('a')?.hidden === false);
    const [cues, saved] = await page.evaluate(async () => {
      const { cues } = document.querySelector('video')!.textTracks[0]!;
      const texts = [...cues!].map((cue) => (cue as VTTCue).text.replaceAll('\n', ' '));
      return [texts.join(' '), await (await fetch(document.querySelector('a')!.href)).text()];
    });
    expect(cues).toBe(sampleText);
    expect(saved).toMatch(/^WEBVTT\n\n00:0\d\.\d{3} --> 00:0\d\.\d{3}\nthree one four/);
    expect(problems).toEqual([]);
  });

  test('React', async () => {
    // As an application is bundled, but for the package's entry, which has workers beside it.
    const { outputFiles } = await build({
      stdin: { contents: codeOf('React', 'jsx'), loader: 'jsx', resolveDir: projectRoot },
      ...{ bundle: true, write: false, format: 'esm', jsx: 'automatic', external: ['./index.mjs'] },
      define: { 'process.env.NODE_ENV': '"production"' },
    });
    const script = outputFiles[0]!.text.replaceAll('"./index.mjs"', '"susurrus"');
    expect(script).toContain('from "susurrus"');
    await open('', script);
    await page.setInputFiles('input', sample);
    await says('p', new RegExp(sampleText));
    await page.setInputFiles('input', join(folder, 'long.wav'));
    await page.click('button:enabled');
    await page.waitForSelector('button:disabled');
    expect(problems).toEqual([]);
  });

  test('caching headers and shards', async () => {
    const title = 'Caching headers and shards';
    const [, , ...command] = codeOf(title, 'sh').trim().replace('20M', '1M').split(' ');
    execFileSync(process.execPath, [join(projectRoot, 'dist/cli.mjs'), ...command], {
      cwd: folder,
    });
    writeFileSync(join(folder, 'server.mjs'), codeOf(title, 'js', '// server.mjs'));
    const env = { ...process.env, PORT: '0' };
    const host = spawn(process.execPath, ['server.mjs'], { cwd: folder, env });
    try {
      const [port] = (await once(host.stdout, 'data')) as [Buffer];
      const address = `http://localhost:${String(port).trim()}`;
      await open(
        '',
        codeOf(title, 'js', 'import { loadModel }').replace('http://localhost:8000', address),
      );
      await says('body', /1776 tokens/);
      expect(problems).toEqual([]);

      const ask = (headers: Record<string, string>, path = '/models/base/base.apr') =>
        fetch(`${address}${path}`, { headers });
      const whole = await ask({});
      const tag = whole.headers.get('ETag')!;
      const text = await whole.text();
      expect(whole.headers.get('Cache-Control')).toMatch(/immutable/);
      const rest = await ask({ Range: 'bytes=10-', 'If-Range': tag });
      expect([rest.status, await rest.text()]).toEqual([206, text.slice(10)]);
      const changed = await ask({ Range: 'bytes=10-', 'If-Range': '"another"' });
      expect([changed.status, await changed.text()]).toEqual([200, text]);
      expect((await ask({ Range: `bytes=${text.length}-` })).status).toBe(416);
      for (const path of ['/../server.mjs', '/%2e%2e/server.mjs', '/%', '/']) {
        expect((await ask({}, path)).status).toBe(404);
      }
    } finally {
      host.kill();
      await once(host, 'close');
    }
  });
});

test('a browser extension: the files that are run as examples/extension', async () => {
  const fileText = (name: string) =>
    readFileSync(join(projectRoot, 'examples/extension', name), 'utf8');
  const style = { printWidth: 100, singleQuote: true };
  const asWritten = async (name: string, parser: string) =>
    format(fileText(name), { ...style, parser });
  const title = 'A browser extension';
  expect(codeOf(title, 'json')).toBe(await asWritten('manifest.json', 'json'));
  expect(codeOf(title, 'js', '// The background')).toBe(await asWritten('background.js', 'babel'));
  expect(codeOf(title, 'js', '// Answers')).toBe(await asWritten('answer.js', 'babel'));
});

/** What the thread of the recipe for Electron tells. */
interface TranscriberMessage {
  readonly id: string;
  readonly segment?: { readonly text: string };
  readonly isDone?: boolean;
  readonly error?: string;
}

describe('in Node', () => {
  test('Electron: the thread that transcribes', async () => {
    const path = join(folder, 'transcriber.mjs');
    writeFileSync(path, codeOf('Electron', 'js', '// transcriber.mjs'));
    const worker = new Worker(path, { workerData: { model: join(folder, 'base.apr') } });
    const segments: string[] = [];
    const over = new Promise<string[]>((done, failed) => {
      const errors: string[] = [];
      worker.on('error', failed);
      worker.on('message', ({ id, segment, isDone, error }: TranscriberMessage) => {
        expect(['missing', 'sample']).toContain(id);
        if (segment) segments.push(segment.text.trim());
        if (error !== undefined) errors.push(error);
        if (isDone) done(errors);
      });
    });
    worker.postMessage({ id: 'missing', path: join(folder, 'missing.wav') });
    worker.postMessage({ id: 'sample', path: sample });
    expect(await over).toEqual([expect.stringContaining('missing.wav')]);
    expect(segments).toEqual(sampleSegments);
    await worker.terminate();
  });

  test('tests', () => {
    writeFileSync(join(folder, 'minutes.test.mjs'), codeOf('Tests', 'js'));
    const output = execFileSync(
      process.execPath,
      ['--test', '--test-reporter=tap', 'minutes.test.mjs'],
      {
        cwd: folder,
        encoding: 'utf8',
        env: { ...process.env, NODE_TEST_CONTEXT: undefined },
      },
    );
    expect(output).toMatch(/ok 1 - minutes have the text and the length/);
    expect(output).toMatch(/# pass 1\n/);
  });
});

test('every recipe of the document is tried', () => {
  expect(recipes.size).toBe(11);
  expect([...tried].sort()).toEqual([...recipes.keys()].sort());
});
