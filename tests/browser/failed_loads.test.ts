// Loads that fail or are stopped leave no worker behind, on an isolated page too, where each would have threads of its own.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import type * as BrowserEntry from '../../web/src/index.js';
import { isFirefox, launchBrowser, withPackagePage } from './package_page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

interface Watched {
  readonly susurrus: typeof BrowserEntry;
  /** Workers that were made, and how many of them have not been ended. */
  readonly made: () => number;
  readonly alive: () => number;
}

/** Counts workers of the page from here on; what the page holds is under `window.watched`. */
async function watchWorkers(page: Page): Promise<void> {
  await page.evaluate(async () => {
    let made = 0;
    const alive = new Set<Worker>();
    class CountedWorker extends Worker {
      constructor(...args: ConstructorParameters<typeof Worker>) {
        super(...args);
        ++made;
        alive.add(this);
      }
      override terminate(): void {
        alive.delete(this);
        super.terminate();
      }
    }
    globalThis.Worker = CountedWorker;
    const address = '/index.mjs';
    const susurrus = (await import(address)) as typeof BrowserEntry;
    Object.assign(window, { watched: { susurrus, made: () => made, alive: () => alive.size } });
  });
}

const model = '/demo/models/digits.apr';
const absent = '/demo/models/absent.apr';

/** One worker for each load. Firefox may lose one that makes a thread, which another replaces (web/src/model/engine_load.ts). */
const workersOf = (loads: number, isolated: boolean, least = loads): unknown => ({
  asymmetricMatch: (made: number) =>
    made >= least && made <= (isFirefox && isolated ? 2 * loads : loads),
  toString: () => 'Workers',
});

/** Lets `work` load what it likes in a page with watched workers, all of which have to be ended then. */
function leavingNoWorkers(isolated: boolean, work: (page: Page) => Promise<void>): Promise<void> {
  return withPackagePage(browser, isolated, async ({ page }) => {
    // The demo's own engine stays, in workers of other addresses.
    const left = () =>
      page.workers().filter((worker) => !new URL(worker.url()).pathname.startsWith('/demo/'));
    await watchWorkers(page);
    await work(page);
    // A second engine would be started by now: a whole load has gone by.
    const counts = await page.evaluate(async (model) => {
      const { susurrus, made, alive } = (window as unknown as { watched: Watched }).watched;
      const madeBefore = made();
      (await susurrus.loadModel<'whisper'>(model)).dispose();
      return { alive: alive(), madeByLoad: made() - madeBefore };
    }, model);
    expect(counts).toEqual({ alive: 0, madeByLoad: workersOf(1, isolated) });
    // The browser's own count, once it has heard of the ends.
    while (left().length > 0) await left()[0]!.waitForEvent('close');
  });
}

describe.each([
  ['cross-origin isolated', true],
  ['that is not isolated', false],
])('on a page %s', (_kind, isolated) => {
  const onPage = (work: (page: Page) => Promise<void>) => leavingNoWorkers(isolated, work);

  test('twenty loads of what is not there, one after the other and at once', () =>
    onPage(async (page) => {
      const outcome = await page.evaluate(async (absent) => {
        const { susurrus, made, alive } = (window as unknown as { watched: Watched }).watched;
        const codeOf = (load: Promise<unknown>): Promise<unknown> =>
          load.then(
            () => 'loaded',
            (error: unknown) =>
              error instanceof susurrus.SusurrusError ? error.code : String(error),
          );
        const codes: unknown[] = [];
        for (let i = 0; i < 10; ++i) codes.push(await codeOf(susurrus.loadModel(absent)));
        const loads = Array.from({ length: 10 }, () => codeOf(susurrus.loadModel(absent)));
        codes.push(...(await Promise.all(loads)));
        return { codes, made: made(), alive: alive() };
      }, absent);
      const codes = Array.from({ length: 20 }, () => 'source_failed');
      expect(outcome).toEqual({ codes, made: workersOf(20, isolated), alive: 0 });
    }));

  test('twenty loads that are aborted, at once, as it starts, and while bytes arrive', () =>
    onPage(async (page) => {
      const outcome = await page.evaluate(async (model) => {
        const { susurrus, made, alive } = (window as unknown as { watched: Watched }).watched;
        const codes: string[] = [];
        for (let i = 0; i < 20; ++i) {
          const controller = new AbortController();
          const load = susurrus.loadModel(model, {
            signal: controller.signal,
            onProgress: ({ loaded }) => {
              if (i % 3 === 1 || loaded > 0) controller.abort();
            },
          });
          if (i % 3 === 0) controller.abort();
          await load.then(
            () => codes.push('loaded'),
            (error: unknown) =>
              codes.push(error === controller.signal.reason ? 'the reason' : String(error)),
          );
        }
        return { codes, made: made(), alive: alive() };
      }, model);
      const codes = Array.from({ length: 20 }, () => 'the reason');
      expect(outcome).toEqual({ codes, made: workersOf(20, isolated, 0), alive: 0 });
    }));

  test('loads that fail after the engine has started', () =>
    onPage(async (page) => {
      const outcome = await page.evaluate(async (model) => {
        const { susurrus, made, alive } = (window as unknown as { watched: Watched }).watched;
        const bytes = new Uint8Array(await (await fetch(model)).arrayBuffer());
        const damaged = bytes.slice();
        const at = damaged.length - 10_000;
        damaged[at] = (damaged[at] ?? 0) ^ 1;
        const loads: Record<string, () => Promise<unknown>> = {
          damaged: () => susurrus.loadModel<'whisper'>(damaged),
          cut: () => susurrus.loadModel<'whisper'>(bytes.subarray(0, bytes.length - 1000)),
          page: () =>
            susurrus.loadModel<'whisper'>(new TextEncoder().encode('<!doctype html>'.repeat(9))),
          callback: () =>
            susurrus.loadModel<'whisper'>(bytes, {
              onProgress: ({ loaded }) => {
                if (loaded > 0) throw new Error('my page');
              },
            }),
        };
        const outcomes: [string, string][] = [];
        for (const [name, load] of Object.entries(loads)) {
          const outcome = await load().then(
            () => 'loaded',
            (error: unknown) =>
              error instanceof susurrus.SusurrusError ? error.code : String(error),
          );
          outcomes.push([name, outcome]);
        }
        return { outcomes, made: made(), alive: alive() };
      }, model);
      expect(outcome).toEqual({
        outcomes: [
          ['damaged', 'checksum_mismatch'],
          ['cut', 'truncated_input'],
          ['page', 'unknown_format'],
          ['callback', 'Error: my page'],
        ],
        made: workersOf(4, isolated),
        alive: 0,
      });
    }));

  test('a model that is disposed of, at work too, while another loads', () =>
    onPage(async (page) => {
      const outcome = await page.evaluate(async (model) => {
        const { susurrus, made, alive } = (window as unknown as { watched: Watched }).watched;
        const sound = await (await fetch('/demo/sample.wav')).blob();
        const first = await susurrus.loadModel<'whisper'>(model);
        async function* endless() {
          for (;;) {
            yield new Float32Array(16_000);
            await new Promise((done) => setTimeout(done));
          }
        }
        const work = first.transcribe(endless(), { vad: false }).then(
          () => 'done',
          (error: unknown) => (error as { code: string }).code,
        );
        const loading = susurrus.loadModel(model, { onProgress: () => first.dispose() });
        const second = await loading;
        const { text } = await second.transcribe(sound, { vad: false });
        second.dispose();
        return { work: await work, text: text.trim(), made: made(), alive: alive() };
      }, model);
      expect(outcome).toEqual({
        work: 'aborted',
        text: 'three one four one five nine two six five',
        made: workersOf(2, isolated),
        alive: 0,
      });
    }));

  test('a callback that throws stops its call alone', () =>
    onPage(async (page) => {
      const outcome = await page.evaluate(async (address) => {
        const { susurrus } = (window as unknown as { watched: Watched }).watched;
        const uncaught: string[] = [];
        addEventListener('error', (event) => uncaught.push(event.message));
        addEventListener('unhandledrejection', (event) => uncaught.push(String(event.reason)));
        const model = await susurrus.loadModel<'whisper'>(address);
        const sound = await (await fetch('/demo/sample.wav')).blob();
        const mine = new Error('my page');
        let same = 0;
        for (let i = 0; i < 20; ++i) {
          const onProgress = (): never => {
            throw mine;
          };
          await model.transcribe(sound, { onProgress }).then(undefined, (error: unknown) => {
            if (error === mine) ++same;
          });
        }
        const refused = await model.tokenizer.encode(undefined as unknown as string).then(
          () => 'encoded',
          (error: unknown) => (error as { code: string }).code,
        );
        const { text } = await model.transcribe(sound);
        model.dispose();
        return { same, refused, text: text.trim(), uncaught };
      }, model);
      expect(outcome).toEqual({
        same: 20,
        refused: 'invalid_argument',
        text: 'three one four one five nine two six five',
        uncaught: [],
      });
    }));
});
