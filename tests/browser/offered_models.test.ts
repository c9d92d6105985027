// The models that the demo page's server offers beside the embedded one.
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { ensureTrainedModel } from '../../scripts/trained_model.mjs';
import { limit } from '../support/limits.js';
import { projectRoot } from '../support/shared_folder.js';
import { describeWithTrained } from '../support/trained_model.js';
import { sampleSegments, segmentTexts, settled, startStage, worked } from './browser_page.js';
import type { Stage } from './browser_page.js';

jest.setTimeout(limit(120_000));

describeWithTrained('the page with a trained Whisper', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startStage([{ name: 'tiny.en', path: await ensureTrainedModel() }]);
  });
  afterAll(async () => {
    await stage.close();
  });

  test('loads it first, transcribes sentences, and changes to the digits', async () => {
    const { page, problems } = await stage.open();
    expect(await page.textContent('#status')).toBe('Ready. tiny.en is loaded.');
    expect(await page.isHidden('#ten_words')).toBe(true);
    expect(await page.$$eval('#models option', (all) => all.map((one) => one.textContent))).toEqual(
      ['tiny.en', 'digits.apr'],
    );
    await worked(page, () => page.click('#sample'));
    expect((await segmentTexts(page)).join(' ').replace(/\s+/g, ' ').trim()).toBe(
      'The ship left the harbor in the morning, by evening the wind had turned and the captain ' +
        'decided to wait for better weather. Nobody on board complained, because the soup was very good.',
    );
    for (const [name, width] of [
      ['wide', 1200],
      ['narrow', 390],
    ] as const) {
      await page.setViewportSize({ width, height: 860 });
      const path = join(projectRoot, `build/screenshots/tiny_en_${name}.png`);
      await page.screenshot({ path, fullPage: true });
    }
    await worked(page, () => page.selectOption('#models', 'digits.apr'));
    await settled(page);
    expect(await page.textContent('#status')).toBe('Ready. digits.apr is loaded.');
    expect(await page.isVisible('#ten_words')).toBe(true);
    await worked(page, () => page.click('#sample'));
    expect(await segmentTexts(page)).toEqual(sampleSegments);
    expect(problems).toEqual([]);
  });
});
