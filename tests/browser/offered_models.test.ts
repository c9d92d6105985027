// The models that the demo page's server offers beside the embedded one.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { ensureTrainedModel } from '../../scripts/trained_model.mjs';
import { limit } from '../support/limits.js';
import { projectRoot } from '../support/shared_folder.js';
import { describeWithTrained } from '../support/trained_model.js';
import {
  chooseModel,
  chosenModel,
  digitsBytes,
  drop,
  hold,
  openMenu,
  sampleBytes,
  sampleSegments,
  segmentTexts,
  settled,
  shown,
  startStage,
  statusOf,
  worked,
} from './browser_page.js';
import type { OpenPage, Stage } from './browser_page.js';

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
    await shown(() => page.textContent('#status')).toBe('Ready. tiny.en is loaded.');
    await shown(() => page.isHidden('#ten_words')).toBe(true);
    await openMenu(page);
    const here = page.locator(':is(#models_here, #models_trial) strong');
    await shown(() => here.allTextContents()).toEqual(['tiny.en', 'digits.apr', 'vad.tsm']);
    await shown(() => page.textContent('#models_here')).toMatch(/tiny\.en English · \d+ MB/);
    await page.click('#model_close');
    await worked(page, () => page.click('#sample'));
    await shown(async () => (await segmentTexts(page)).join(' ').replace(/\s+/g, ' ').trim()).toBe(
      'The ship left the harbor in the morning, by evening the wind had turned, and the captain ' +
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
    await page.setViewportSize({ width: 1200, height: 860 });
    await worked(page, () => chooseModel(page, 'digits.apr'));
    await settled(page);
    await shown(() => page.textContent('#status')).toBe('Ready. digits.apr is loaded.');
    await worked(page, () => page.click('#sample'));
    await shown(() => segmentTexts(page)).toEqual(sampleSegments);
    await shown(() => page.isVisible('#ten_words')).toBe(true);
    expect(problems).toEqual([]);
  });
});

describe('the page with two models', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startStage([{ name: 'first', path: join(projectRoot, 'models/digits.apr') }]);
  });
  afterAll(async () => {
    await stage.close();
  });

  const chosen = ({ page }: OpenPage) => chosenModel(page);

  test('stays with the one before, and its sample, when the load of another is stopped', async () => {
    const opened = await stage.open();
    const { page, problems } = opened;
    await hold(page, '**/engine.*.wasm');
    await chooseModel(page, 'digits.apr');
    await statusOf(page).getByText('Loading digits.apr …').waitFor();
    await worked(page, () => page.click('#cancel'));
    await shown(() => chosen(opened)).toBe('first');
    await worked(page, () => page.click('#sample'));
    await shown(() => page.textContent('#transcript_title')).toBe('sentences.wav');
    expect(problems.filter((problem) => !/request failed/.test(problem))).toEqual([]);
  });

  /** Opens the page; the list comes when `arrive` is called, which waits until the page has it. */
  async function openWithoutList(): Promise<OpenPage & { arrive: () => Promise<void> }> {
    const opened = await stage.open();
    const { page } = opened;
    const release = await hold(page, '**/models.json');
    await page.reload();
    const arrive = async () => {
      release();
      await page.locator('#models_trial .model-row').nth(1).waitFor({ state: 'attached' });
    };
    return { ...opened, arrive };
  }

  test('keeps a model that is dropped before the list is there', async () => {
    const opened = await openWithoutList();
    const { page, problems, arrive } = opened;
    const release = await hold(page, '**/engine.*.wasm');
    await statusOf(page).getByText('Loading the first model …').waitFor();
    await drop(page, 'mine.apr', digitsBytes());
    const inPlace = 'Loading mine.apr … It takes the place of the first model.';
    await statusOf(page).getByText(inPlace).waitFor();
    release();
    await settled(page);
    await arrive();
    await shown(() => statusOf(page).textContent()).toBe('Ready. mine.apr is loaded.');
    await shown(() => page.textContent('[data-fact="model"]')).toMatch(/^mine\.apr/);
    await shown(() => chosen(opened)).toBe('');
    expect(page.workers()).toHaveLength(1);
    expect(problems).toEqual([]);
  });

  test('keeps a model that is dropped before, and still loads when, the list comes', async () => {
    const { page, problems, arrive } = await openWithoutList();
    const release = await hold(page, '**/engine.*.wasm');
    await drop(page, 'mine.apr', digitsBytes());
    await statusOf(page).getByText('Loading mine.apr …').waitFor();
    await arrive();
    release();
    await settled(page);
    await shown(() => statusOf(page).textContent()).toBe('Ready. mine.apr is loaded.');
    expect(page.workers()).toHaveLength(1);
    expect(problems).toEqual([]);
  });

  test('keeps a recording that is dropped before the list is there, and transcribes it', async () => {
    const opened = await openWithoutList();
    const { page, problems, arrive } = opened;
    const release = await hold(page, '**/engine.*.wasm');
    await drop(page, 'early.wav', sampleBytes());
    await statusOf(page).getByText('Loading the first model … early.wav waits for it.').waitFor();
    await arrive();
    await statusOf(page).getByText('Loading first … early.wav waits for it.').waitFor();
    release();
    await statusOf(page).getByText('Done: ').waitFor();
    await shown(() => page.textContent('#transcript_title')).toBe('early.wav');
    await shown(() => segmentTexts(page)).toEqual(sampleSegments);
    await shown(() => chosen(opened)).toBe('first');
    expect(problems).toEqual([]);
  });

  test('can be stopped before the list is there, and then waits for a choice', async () => {
    const opened = await openWithoutList();
    const { page, problems, arrive } = opened;
    await drop(page, 'early.wav', sampleBytes());
    await statusOf(page).getByText('early.wav waits for it.').waitFor();
    await page.click('#cancel');
    await settled(page);
    const stopped = 'Stopped. No model is loaded. early.wav was not transcribed.';
    await shown(() => statusOf(page).textContent()).toBe(stopped);
    await arrive();
    await shown(() => statusOf(page).textContent()).toBe(stopped);
    await shown(() => chosen(opened)).toBe('');
    await chooseModel(page, 'first');
    await statusOf(page).getByText('Ready. first is loaded.').waitFor();
    await worked(page, () => drop(page, 'late.wav', sampleBytes()));
    await shown(() => segmentTexts(page)).toEqual(sampleSegments);
    expect(problems).toEqual([]);
  });
});
