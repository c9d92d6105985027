// Threads in a page: where it is cross-origin isolated, and only there.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import type * as BrowserEntry from '../../web/src/index.js';
import type { LoadOptions } from '../../web/src/index.js';
import { projectRoot } from '../support/shared_folder.js';
import { sampleSegments } from './browser_page.js';
import { launchBrowser, withPackagePage } from './package_page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

/** Models loaded one after the other in one page, under the strict policy. */
const transcribeWith = (
  isolated: boolean,
  loads: readonly Pick<LoadOptions, 'variant' | 'threads'>[],
) =>
  withPackagePage(browser, isolated, async ({ page, problems, requests }) => {
    requests.length = 0;
    const outcomes = await page.evaluate(async (loads) => {
      const address = '/index.mjs';
      const { loadModel } = (await import(address)) as typeof BrowserEntry;
      const outcomes = [];
      for (const options of loads) {
        const model = await loadModel<'whisper'>('/demo/models/digits.apr', options);
        const sound = await (await fetch('/demo/sample.wav')).blob();
        const { text } = await model.transcribe(sound, { vad: false });
        const mel = await model.logMel(await (await fetch('/demo/sample.wav')).blob());
        const encoded = await model.encode(mel);
        const digest = await crypto.subtle.digest('SHA-256', encoded as Float32Array<ArrayBuffer>);
        outcomes.push({
          text: text.trim(),
          threads: model.info.threads,
          threadsReason: model.info.threadsReason,
          bits: Array.from(new Uint8Array(digest)).join(' '),
        });
        model.dispose();
      }
      return { outcomes, processors: navigator.hardwareConcurrency };
    }, loads);
    return { ...outcomes, problems, requests };
  });

const text = sampleSegments.join(' ');

describe('a page that is cross-origin isolated', () => {
  test('has as many threads as processors, or as it asks for, and the bits of one', async () => {
    const { outcomes, processors, problems, requests } = await transcribeWith(true, [
      { variant: 'relaxed' },
      { threads: 3, variant: 'relaxed' },
      { threads: 1, variant: 'relaxed' },
      { threads: 2, variant: 'simd' },
      { threads: 1, variant: 'simd' },
    ]);
    expect(problems).toEqual([]);
    expect(outcomes.map(({ threads }) => threads)).toEqual([Math.min(8, processors), 3, 1, 2, 1]);
    for (const outcome of outcomes) expect(outcome.text).toBe(text);
    const [auto, three, one, simdTwo, simdOne] = outcomes.map(({ bits }) => bits);
    expect([auto, three]).toEqual([one, one]);
    expect(simdTwo).toBe(simdOne);
    expect(requests).toContain('worker.threads.mjs');
    expect(requests).toContain('engine.relaxed-threads.wasm');
    expect(requests).toContain('engine.simd-threads.wasm');
  });
});

describe('a page that is not', () => {
  test('has one thread whatever it asks for, says why, and downloads nothing for more', async () => {
    const { outcomes, problems, requests } = await transcribeWith(false, [
      { variant: 'relaxed' },
      { threads: 4 },
    ]);
    expect(problems).toEqual([]);
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({
        ...{ text, threads: 1, threadsReason: 'the page is not cross-origin isolated' },
      });
    }
    expect(requests).toContain('engine.relaxed.wasm');
    expect(requests.filter((path) => path.includes('thread'))).toEqual([]);
  });

  test('has several engines, each in a worker, no more of them than chunks, the same text, and needs no timer', async () => {
    const { heard, problems, requests } = await withPackagePage(
      browser,
      false,
      async (package_) => {
        package_.requests.length = 0;
        // The package has it beside dist, which is the server's root.
        const path = join(projectRoot, 'models/vad.tsm');
        await package_.page.route('**/models/vad.tsm', (route) => route.fulfill({ path }));
        const heard = await package_.page.evaluate(async () => {
          const address = '/index.mjs';
          const { loadModel } = (await import(address)) as typeof BrowserEntry;
          const model = await loadModel<'whisper'>('/demo/models/digits.apr');
          const wav = await (await fetch('/demo/sample.wav')).arrayBuffer();
          const once = new Int16Array(wav, 44);
          const sound = new Int16Array(8 * once.length);
          for (let i = 0; i < 8; ++i) sound.set(once, i * once.length);
          const first = await model.transcribe(sound, { workers: 2 });
          // A page in the background has its timers late, or not at all.
          const late = {
            setTimeout: () => 0,
            setInterval: () => 0,
            requestAnimationFrame: () => 0,
          };
          const kept = { setTimeout, setInterval, requestAnimationFrame };
          Object.assign(globalThis, late);
          const second = await model.transcribe(sound, { workers: 3 });
          Object.assign(globalThis, kept);
          const { warnings } = model.info;
          model.dispose();
          return { first, second, warnings };
        });
        const { problems, requests } = package_;
        return { heard, problems, requests: [...requests] };
      },
    );
    expect(problems).toEqual([]);
    expect(heard.warnings).toEqual([]);
    expect(heard.first.text.trim().startsWith(text)).toBe(true);
    expect(heard.second).toEqual(heard.first);
    // One for each of the two chunks.
    expect(requests.filter((path) => path === 'worker.mjs')).toHaveLength(2);
  });
});
