// Under the policies that pages have, and where something is missing: it works, or one SusurrusError says what to change.
import { copyFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import * as esbuild from 'esbuild';
import type { Browser, Frame, Page } from 'playwright-core';
import type * as FilesEntry from '../../web/src/files.js';
import type * as BrowserEntry from '../../web/src/index.js';
import type { LoadOptions } from '../../web/src/index.js';
import { serve } from '../../scripts/serve_demo.mjs';
import { limit } from '../support/limits.js';
import { projectRoot } from '../support/shared_folder.js';
import { sampleSegments } from './browser_page.js';
import { launchBrowser } from './package_page.js';

jest.setTimeout(limit(60_000));

const text = sampleSegments.join(' ');
const inCallingThread = 'the engine runs in the thread that calls it';
const manyThreads = Math.min(8, availableParallelism());
const folder = mkdtempSync(join(tmpdir(), 'susurrus-policies-'));
let browser: Browser;
beforeAll(async () => {
  symlinkSync(join(projectRoot, 'dist'), join(folder, 'dist'));
  symlinkSync(join(projectRoot, 'models'), join(folder, 'models'));
  copyFileSync(join(projectRoot, 'web/demo/sample.wav'), join(folder, 'sample.wav'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>blank</title>');
  writeFileSync(
    join(folder, 'sandboxed.html'),
    '<!doctype html><iframe src="./" sandbox="allow-scripts"></iframe>',
  );
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});

interface Place {
  readonly policy?: string;
  readonly isolated?: boolean;
  readonly path?: string;
}

/** A blank page under a policy, on a server whose root has the package's dist. */
async function onPage<T>(place: Place, work: (page: Page, address: string) => Promise<T>) {
  const { policy, isolated = false, path = '' } = place;
  const server = await serve({
    ...{ folder, port: 0, isolated },
    headers: {
      'Access-Control-Allow-Origin': '*',
      'Content-Security-Policy': policy ?? "script-src 'self' 'wasm-unsafe-eval'",
    },
  });
  const page = await browser.newPage();
  try {
    await page.goto(server.address + path);
    return await work(page, server.address);
  } finally {
    await page.close();
    await server.close();
  }
}

interface Outcome {
  readonly text?: string;
  readonly info?: BrowserEntry.ModelInfo;
  readonly error?: { readonly shown: string; readonly code: string; readonly isOurs: boolean };
}

/** What is heard with the entry of dist/ that is named, or how it fails. */
const listen = (
  place: Page | Frame,
  entry = 'index.mjs',
  options: LoadOptions = {},
): Promise<Outcome> =>
  place.evaluate(
    async ({ entry, options }) => {
      const root = new URL('/', location.href);
      const susurrus = (await import(new URL(`dist/${entry}`, root).href)) as typeof BrowserEntry;
      try {
        const model = await susurrus.loadModel<'whisper'>('digits', options);
        const sound = await (await fetch(new URL('sample.wav', root))).blob();
        const { text } = await model.transcribe(sound);
        model.dispose();
        return { text: text.trim(), info: model.info };
      } catch (error) {
        const isOurs = error instanceof susurrus.SusurrusError;
        return { error: { shown: String(error), code: (error as { code: string }).code, isOurs } };
      }
    },
    { entry, options: options as Record<string, string> },
  );

const failure = (shown: RegExp, code = 'unsupported_environment') => ({
  error: { shown: expect.stringMatching(shown) as unknown, code, isOurs: true },
});

describe('Trusted Types', () => {
  const enforced =
    "script-src 'self' 'wasm-unsafe-eval'; require-trusted-types-for 'script'; trusted-types";

  test.each([
    ['one thread', false, 1],
    ['several threads, in nested workers', true, manyThreads],
  ])('let the policy susurrus through: %s', (_name, isolated, threads) =>
    onPage({ policy: `${enforced} susurrus`, isolated }, async (page) => {
      const outcome = await listen(page);
      expect(outcome).toMatchObject({ text, info: { threads } });
    }),
  );

  test('without it are named, and what to add', () =>
    onPage({ policy: `${enforced} other` }, async (page) => {
      expect(await listen(page)).toEqual(
        failure(/worker\.mjs did not start.*requires Trusted Types.*trusted-types susurrus/),
      );
    }));

  test('without it are satisfied by a default policy of the page', () =>
    onPage({ policy: `${enforced} default` }, async (page) => {
      await page.evaluate(() => {
        const { trustedTypes } = globalThis as unknown as {
          trustedTypes: { createPolicy(name: string, rules: object): void };
        };
        trustedTypes.createPolicy('default', { createScriptURL: (url: string) => url });
      });
      expect(await listen(page)).toMatchObject({ text });
    }));
});

describe('a Content-Security-Policy', () => {
  test("without 'wasm-unsafe-eval' is named, and what to add", () =>
    onPage({ policy: "script-src 'self'" }, async (page) => {
      for (const variant of [undefined, 'simd', 'relaxed'] as const) {
        expect(await listen(page, 'index.mjs', variant ? { variant } : {})).toEqual(
          failure(/forbids WebAssembly: add 'wasm-unsafe-eval' to its script-src/),
        );
      }
    }));

  test('that forbids workers is named, with the directive', () =>
    onPage({ policy: "script-src 'self' 'wasm-unsafe-eval'; worker-src 'none'" }, async (page) => {
      expect(await listen(page)).toEqual(
        failure(/dist\/worker\.mjs did not start.*forbids it: worker-src must allow 'self'/),
      );
    }));

  test('that forbids workers lets susurrus/in-thread hear chunks with its one engine', () =>
    onPage({ policy: "script-src 'self' 'wasm-unsafe-eval'; worker-src 'none'" }, async (page) => {
      const outcome = await page.evaluate(async () => {
        const address = '/dist/in_thread.mjs';
        const { loadModel } = (await import(address)) as typeof BrowserEntry;
        const model = await loadModel<'whisper'>('/models/digits.apr');
        const once = new Int16Array(await (await fetch('/sample.wav')).arrayBuffer(), 44);
        const sound = new Int16Array(7 * once.length);
        for (let i = 0; i < 7; ++i) sound.set(once, i * once.length);
        const { workers, workersReason, warnings } = model.info;
        const auto = await model.transcribe(sound);
        const two = await model.transcribe(sound, { workers: 2 });
        const later = model.info.warnings;
        model.dispose();
        return { auto, two, workers, workersReason, warnings, later };
      });
      expect(outcome).toMatchObject({
        ...{ workers: 1, workersReason: inCallingThread, warnings: [] },
        auto: { chunkCount: 2, text: expect.stringContaining(text) as unknown },
        later: [expect.stringMatching(/^Fewer engines than the option workers.*one at a time/)],
      });
      expect(outcome.two).toEqual(outcome.auto);
    }));
});

describe('files that are elsewhere', () => {
  test('are named with their URL where they are not', () =>
    onPage({}, async (page, address) => {
      const assets = { base: '/nowhere' };
      expect(await listen(page, 'index.mjs', { assets })).toEqual(
        failure(
          new RegExp(
            `The worker ${address}nowhere/worker.mjs did not start.*be sent as text/javascript`,
          ),
        ),
      );
    }));

  test('are found by assets.base, from a bundle that has no import.meta.url', async () => {
    await esbuild.build({
      stdin: {
        contents:
          "export * from './dist/index.mjs'; export { inspect } from './dist/model_files.mjs'",
        resolveDir: projectRoot,
      },
      ...{ bundle: true, format: 'iife', globalName: 'susurrus', logLevel: 'error' },
      outfile: join(folder, 'iife.js'),
      logOverride: { 'empty-import-meta': 'silent' },
    });
    await onPage({}, async (page) => {
      await page.addScriptTag({ url: '/iife.js' });
      const outcome = await page.evaluate(async () => {
        const { susurrus } = globalThis as unknown as {
          susurrus: typeof BrowserEntry & typeof FilesEntry;
        };
        const refusal = await susurrus.loadModel<'whisper'>('/models/digits.apr').then(
          () => 'loaded',
          (error: unknown) =>
            error instanceof susurrus.SusurrusError ? error.message : 'another error',
        );
        susurrus.setAssets({ base: '/dist' });
        const model = await susurrus.loadModel<'whisper'>('digits');
        const sound = await (await fetch('/sample.wav')).blob();
        const { text } = await model.transcribe(sound);
        // Further engines are there, too.
        const once = new Int16Array(await sound.arrayBuffer(), 44);
        const long = new Int16Array(7 * once.length);
        for (let i = 0; i < 7; ++i) long.set(once, i * once.length);
        const one = await model.transcribe(long, { workers: 1 });
        const two = await model.transcribe(long, { workers: 2 });
        const isSame = JSON.stringify(two) === JSON.stringify(one);
        const { chunkCount } = two;
        const { warnings } = model.info;
        const { format } = await susurrus.inspect('/models/digits.apr');
        return { refusal, text: text.trim(), format, isSame, chunkCount, warnings };
      });
      expect(outcome.refusal).toMatch(/does not know where worker\.mjs is.*assets\.base/);
      expect(outcome).toMatchObject({ text, format: 'APR2' });
      expect(outcome).toMatchObject({ isSame: true, chunkCount: 2, warnings: [] });
      expect(page.workers().length).toBeGreaterThanOrEqual(3);
    });
  });
});

describe('complaint 89: a module worker of the page’s own', () => {
  test('transcribes, with threads in workers of workers of it', async () => {
    writeFileSync(
      join(folder, 'own_worker.mjs'),
      `import { loadModel } from './dist/index.mjs';
       const model = await loadModel('digits');
       const { text } = await model.transcribe(await (await fetch('/sample.wav')).blob());
       postMessage({ text: text.trim(), info: model.info });`,
    );
    await onPage({ isolated: true }, async (page) => {
      const outcome = await page.evaluate(
        () =>
          new Promise((done, failed) => {
            const worker = new Worker('/own_worker.mjs', { type: 'module' });
            worker.onmessage = ({ data }) => done(data);
            worker.onerror = ({ message }) => failed(new Error(message));
          }),
      );
      expect(outcome).toMatchObject({ text, info: { threads: manyThreads } });
    });
  });
});

describe('a sandboxed frame, whose origin is like no other', () => {
  // To its worker the server is not 'self'.
  const server = 'http://127.0.0.1:*';
  const policy = `script-src ${server} 'wasm-unsafe-eval'; worker-src data: ${server}`;
  test('transcribes where the files may be read from anywhere', () =>
    onPage({ policy, path: 'sandboxed.html' }, async (page) => {
      const frame = page.frames()[1]!;
      const from = await frame.evaluate(() => origin);
      expect(from).toBe('null');
      expect(await listen(frame)).toMatchObject({ text });
    }));
});

describe('complaint 95: a place without workers', () => {
  test('runs engines in its own thread', () =>
    onPage({}, async (page) => {
      const outcome = await page.evaluate(() => Reflect.deleteProperty(globalThis, 'Worker'));
      expect(outcome).toBe(true);
      const reasons = { threadsReason: inCallingThread, workersReason: inCallingThread };
      for (const entry of ['index.mjs', 'in_thread.mjs']) {
        const info = { threads: 1, workers: 1, ...reasons };
        expect(await listen(page, entry)).toMatchObject({ text, info });
      }
    }));

  test('that may load nothing later is told what to import', () =>
    onPage({}, async (page) => {
      await page.route('**/in_thread_hosts.mjs*', (route) => route.abort());
      await page.evaluate(() => Reflect.deleteProperty(globalThis, 'Worker'));
      expect(await listen(page)).toEqual(failure(/no workers here.*'susurrus\/in-thread'/));
    }));

  test('inspects and verifies files from its one file', () =>
    onPage({}, async (page) => {
      const requests: string[] = [];
      page.on('request', (request) => requests.push(new URL(request.url()).pathname));
      const outcome = await page.evaluate(async () => {
        const address = '/dist/in_thread.mjs';
        const susurrus = (await import(address)) as typeof FilesEntry;
        const { format } = await susurrus.inspect('/models/digits.apr');
        const { checks } = await susurrus.verifyModel('/models/digits.apr');
        return { format, isChecked: checks.length > 0 };
      });
      expect(outcome).toEqual({ format: 'APR2', isChecked: true });
      expect(requests.filter((path) => path.endsWith('.mjs'))).toEqual(['/dist/in_thread.mjs']);
    }));
});

describe('an engine that the page has compiled', () => {
  const loadCompiled = (page: Page, file: string, threads?: number): Promise<Outcome> =>
    page.evaluate(
      async ({ file, threads }) => {
        const address = '/dist/index.mjs';
        const susurrus = (await import(address)) as typeof BrowserEntry;
        try {
          const module = await WebAssembly.compileStreaming(fetch(`/dist/${file}`));
          const options = threads === undefined ? {} : { threads };
          const model = await susurrus.loadModel<'whisper'>('digits', { module, ...options });
          const { text } = await model.transcribe(await (await fetch('/sample.wav')).blob());
          model.dispose();
          return { text: text.trim(), info: model.info };
        } catch (error) {
          const isOurs = error instanceof susurrus.SusurrusError;
          return {
            error: { shown: String(error), code: (error as { code: string }).code, isOurs },
          };
        }
      },
      { file, threads },
    );

  test('is used instead of the package’s own', () =>
    onPage({ isolated: true }, async (page) => {
      const requests: string[] = [];
      page.context().on('request', (request) => requests.push(request.url()));
      expect(await loadCompiled(page, 'engine.simd.wasm')).toMatchObject({
        text,
        info: { variant: 'simd', variantReason: 'compiled by the caller', threads: 1 },
      });
      expect(await loadCompiled(page, 'engine.relaxed-threads.wasm', 2)).toMatchObject({
        text,
        info: { variant: 'relaxed', variantReason: 'compiled by the caller', threads: 2 },
      });
      expect(requests.filter((url) => /engine[^/]*\.wasm$/.test(url))).toHaveLength(2);
    }));

  test('with threads is refused where memory cannot be shared, and another module anywhere', () =>
    onPage({}, async (page) => {
      expect(await loadCompiled(page, 'engine.simd-threads.wasm')).toEqual(
        failure(/module must be an engine for one thread here/, 'invalid_argument'),
      );
      expect(await loadCompiled(page, 'files.wasm')).toEqual(
        failure(/module must be an engine of this version/, 'invalid_argument'),
      );
    }));
});
