import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { serve } from '../../scripts/serve_demo.mjs';
import type * as BrowserEntry from '../../web/src/index.js';
import {
  fullSizeFolder,
  fullSizeModel,
  fullSizeNeeds,
  fullSizeOptions,
  fullSizes,
  lecture,
  tellFigures,
} from '../support/full_size_models.js';
import { limit } from '../support/limits.js';
import { describeWithShared, projectRoot } from '../support/shared_folder.js';
import { launchBrowser } from './package_page.js';

jest.setTimeout(limit(600_000));

describeWithShared(fullSizeNeeds, 'a Whisper of full size, in Chromium', () => {
  // What is built, with models and a lecture beside it.
  const site = join(fullSizeFolder, `site-${process.pid}`);
  let browser: Browser;
  let server: Awaited<ReturnType<typeof serve>>;

  beforeAll(async () => {
    mkdirSync(site, { recursive: true });
    symlinkSync(join(projectRoot, 'dist'), join(site, 'dist'));
    symlinkSync(lecture, join(site, 'lecture.wav'));
    server = await serve({ folder: site, port: 0 });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
    rmSync(site, { recursive: true });
  });

  for (const [size, dtype] of fullSizes) {
    test(`${size} in ${dtype} loads and transcribes a minute to its end`, async () => {
      const name = `${size}-${dtype}.apr`;
      symlinkSync(fullSizeModel(size, dtype), join(site, name));
      const page = await browser.newPage({ serviceWorkers: 'block' });
      const problems: string[] = [];
      page.on('pageerror', (error) => problems.push(error.message));
      await page.goto(`${server.address}dist/demo/`);
      const outcome = await page.evaluate(
        async ({ name, options }) => {
          const address = '/dist/index.mjs';
          const { loadModel } = (await import(address)) as typeof BrowserEntry;
          const began = performance.now();
          const model = await loadModel<'whisper'>(`/${name}`);
          const loaded = performance.now();
          const fresh = await model.memory();
          const sound = await (await fetch('/lecture.wav')).blob();
          const begun = performance.now();
          const { duration, segments } = await model.transcribe(sound, options);
          const done = performance.now();
          const after = await model.memory();
          await model.transcribe(sound.slice(0, 44 + 5 * 32000), options);
          const again = await model.memory();
          model.dispose();
          return {
            ...{
              duration,
              fresh,
              after,
              again,
              windows: segments.map((segment) => segment.seek),
            },
            loadSeconds: (loaded - began) / 1000,
            workSeconds: (done - begun) / 1000,
          };
        },
        { name, options: fullSizeOptions },
      );
      const { fresh, after, again } = outcome;
      expect(outcome.duration).toBeCloseTo(60, 0);
      expect(new Set(outcome.windows).size).toBeGreaterThan(1);
      expect(fresh.weightBytes).toBeGreaterThan(30e6);
      const planned = fresh.weightBytes + fresh.kvCacheBytes + fresh.activationBytes;
      expect(fresh.heapPeakBytes).toBeLessThanOrEqual(planned + 4 * 2 ** 20);
      expect(after.heapBytes - fresh.heapBytes).toBeLessThanOrEqual(64 * 1024);
      expect(again.heapPeakBytes).toBe(after.heapPeakBytes);
      expect(again.wasmBytes).toBe(after.wasmBytes);
      expect(problems).toEqual([]);
      tellFigures('Chromium', `${size} ${dtype}`, {
        ...{ loadSeconds: outcome.loadSeconds, workSeconds: outcome.workSeconds },
        ...{ audioSeconds: outcome.duration, wasmBytes: again.wasmBytes },
      });
      await page.close();
    });
  }
});
