// The page with models of other families: what is fetched, what is offered, what is heard.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { limit } from '../support/limits.js';
import { describeWithShared, projectRoot, sharedFolder } from '../support/shared_folder.js';
import {
  chooseModel,
  drop,
  longSilence,
  openOptions,
  segmentTexts,
  settled,
  shown,
  startStage,
  worked,
} from './browser_page.js';
import type { Stage } from './browser_page.js';

jest.setTimeout(limit(120_000));

const april = resolve(sharedFolder, 'april-digits/digits.april');
const bw2l = resolve(sharedFolder, 'bw2l-digits/digits.b2l');

describeWithShared(['april-digits', 'bw2l-digits'], 'the page with other families', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startStage([
      { name: 'digits.april', path: april, isExample: true },
      { name: 'digits.b2l', path: bw2l, isExample: true },
    ]);
  });
  afterAll(async () => {
    await stage.close();
  });

  test('offers them, fetches their module with the first one, and writes down what they hear', async () => {
    const { page, problems } = await stage.open();
    const fetched: string[] = [];
    page.on('request', (request) => fetched.push(new URL(request.url()).pathname));
    await settled(page);
    await openOptions(page);
    await page.uncheck('#vad');
    await worked(page, () => page.click('#sample'));
    const ofNetworks = (): string[] => fetched.filter((path) => /networks|vad/.test(path));
    expect(ofNetworks()).toEqual([]);

    for (const name of ['digits.april', 'digits.b2l']) {
      await worked(page, () => chooseModel(page, name));
      await settled(page);
      await shown(() => page.textContent('#status')).toBe(`Ready. ${name} is loaded.`);
      await shown(() => page.isHidden('#beam_size')).toBe(true);
      await worked(page, () => page.click('#sample'));
      await shown(async () => (await segmentTexts(page)).join(' ')).toMatch(
        /four|two|nine|eight|seven/,
      );
      const path = join(projectRoot, `build/screenshots/${name}.png`);
      await page.screenshot({ path, fullPage: true });
    }
    expect(ofNetworks().filter((path) => path.endsWith('.mjs'))).not.toEqual([]);
    expect(ofNetworks().filter((path) => path.endsWith('.wasm')).length).toBeGreaterThan(0);
    expect(ofNetworks().filter((path) => path.endsWith('vad.tsm'))).toEqual([]);
    expect(problems).toEqual([]);
  });

  test('leaves out silence unless told not to: the detector is fetched then', async () => {
    const { page, requests, problems } = await stage.open();
    await worked(page, () => page.click('#sample'));
    const texts = await segmentTexts(page);
    expect(requests.filter((url) => /vad\.tsm$|networks\.\w+\.wasm$/.test(url))).toHaveLength(2);
    await openOptions(page);
    await page.uncheck('#vad');
    await worked(page, () => page.click('#again'));
    await shown(() => segmentTexts(page)).toEqual(texts);
    await page.check('#vad');
    await worked(page, () => drop(page, 'silence.wav', longSilence(10)));
    await shown(() => page.isVisible('#nothing_heard')).toBe(true);
    expect(problems).toEqual([]);
  });

  test('takes one that is dropped, by its first bytes', async () => {
    const { page, problems } = await stage.open();
    await settled(page);
    await worked(page, () => drop(page, 'a model', readFileSync(april)));
    await settled(page);
    await shown(() => page.textContent('#status')).toBe('Ready. a model is loaded.');
    expect(problems).toEqual([]);
  });
});
