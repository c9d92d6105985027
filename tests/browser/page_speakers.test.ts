// Who spoke, on the page: asked for, named, merged, put right, kept and saved.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { limit } from '../support/limits.js';
import { projectRoot } from '../support/shared_folder.js';
import {
  drop,
  hold,
  keepEarlier,
  longRecording,
  openOptions,
  sampleBytes,
  sampleSegments,
  segmentTexts,
  saved,
  settled,
  shown,
  speak,
  startStage,
  statusOf,
  worked,
  type Stage,
} from './browser_page.js';
import { holdText } from './held_text.js';

jest.setTimeout(limit(120_000));

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterAll(async () => {
  await stage.close();
});

const names = (page: Page) => page.locator('.speaker-name').allTextContents();
const paragraphs = (page: Page) => page.locator('.paragraph-text').allTextContents();

async function openTalk() {
  const opened = await stage.open({ acceptDownloads: true });
  await keepEarlier(opened.page, {
    'talk.wav': [
      ...([
        ['S1', 'One two.'],
        ['S1', 'Three.'],
        ['S2', 'Four five.'],
      ] as const),
      ...([
        ['S1', 'Six.'],
        ['S3', 'Seven eight.'],
      ] as const),
    ],
  });
  await opened.page.click('.history-open');
  await shown(() => names(opened.page)).toEqual(['S1', 'S2', 'S1', 'S3']);
  return opened;
}

/** By the keyboard, in the field that a press on the name opens. */
async function rename(page: Page, at: number, name: string) {
  await page.locator('.speaker-name').nth(at).click();
  await page.keyboard.type(name);
  await page.keyboard.press('Enter');
}

async function attribute(page: Page, at: number, choice: string) {
  const choices = page.locator('.speaker-choice').nth(at);
  await choices.focus();
  await choices.selectOption({ label: choice });
}

const focused = (page: Page) =>
  page.evaluate(() => document.activeElement?.getAttribute('aria-label'));

describe('speakers', () => {
  test('stand above what they say, each in a colour of its own', async () => {
    const { page, problems } = await openTalk();
    await shown(() => paragraphs(page)).toEqual([
      ...['One two. Three.', 'Four five.', 'Six.', 'Seven eight.'],
    ]);
    const colours = await page
      .locator('.speaker-name')
      .evaluateAll((all) => all.map((one) => getComputedStyle(one).color));
    expect(colours[2]).toBe(colours[0]);
    expect(new Set(colours).size).toBe(3);
    expect(problems).toEqual([]);
  });

  test('get a name everywhere, which is undone, saved and kept', async () => {
    const { page, problems } = await openTalk();
    await rename(page, 2, 'Ada');
    await shown(() => names(page)).toEqual(['Ada', 'S2', 'Ada', 'S3']);
    // The keyboard is where it was.
    await shown(() => focused(page)).toBe('Ada: change this name');
    await page.click('#undo');
    await shown(() => names(page)).toEqual(['S1', 'S2', 'S1', 'S3']);
    await page.click('#redo');
    const { segments } = JSON.parse((await saved(page, 'json')).content) as {
      segments: { speaker: string; words: { speaker: string }[] }[];
    };
    expect(segments.map(({ speaker }) => speaker)).toEqual(['Ada', 'Ada', 'S2', 'Ada', 'S3']);
    expect(segments[3]?.words[0]?.speaker).toBe('Ada');
    await page.locator('.history-beginning', { hasText: 'Ada: One two. Three.' }).waitFor();
    await page.reload();
    await settled(page);
    await page.click('.history-open');
    await shown(() => names(page)).toEqual(['Ada', 'S2', 'Ada', 'S3']);
    expect(problems).toEqual([]);
  });

  test('keep their name with Escape, and get it when one goes elsewhere', async () => {
    const { page, problems } = await openTalk();
    await page.locator('.speaker-name').first().click();
    await page.keyboard.type('Never');
    await page.keyboard.press('Escape');
    await shown(() => names(page)).toEqual(['S1', 'S2', 'S1', 'S3']);
    await shown(() => focused(page)).toBe('S1: change this name');
    await page.locator('.speaker-name').nth(1).click();
    await page.keyboard.type('Grace');
    await page.click('#transcript_meta');
    await shown(() => names(page)).toEqual(['S1', 'Grace', 'S1', 'S3']);
    expect(problems).toEqual([]);
  });

  test('become one by the name of another', async () => {
    const { page, problems } = await openTalk();
    await rename(page, 1, 'S1');
    await shown(() => names(page)).toEqual(['S1', 'S3']);
    await shown(() => paragraphs(page)).toEqual([
      ...['One two. Three. Four five. Six.', 'Seven eight.'],
    ]);
    await page.click('#undo');
    await shown(() => names(page)).toEqual(['S1', 'S2', 'S1', 'S3']);
    expect(problems).toEqual([]);
  });

  test('give a paragraph to another one, or to somebody new', async () => {
    const { page, problems } = await openTalk();
    await attribute(page, 3, 'S2');
    await shown(() => names(page)).toEqual(['S1', 'S2', 'S1', 'S2']);
    await shown(() => focused(page)).toBe('S2: change this name');
    await attribute(page, 0, 'Somebody else');
    await shown(() => names(page)).toEqual(['S3', 'S2', 'S1', 'S2']);
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    await shown(() => names(page)).toEqual(['S1', 'S2', 'S1', 'S3']);
    expect(problems).toEqual([]);
  });

  test('are reached by the keyboard from the paragraph, not one after the other', async () => {
    const { page, problems } = await openTalk();
    await page.locator('.segment').nth(2).focus();
    await page.keyboard.press('Shift+Tab');
    await shown(() => focused(page)).toBe('Who says this paragraph, not S2');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Grace');
    await page.keyboard.press('Enter');
    await shown(() => names(page)).toEqual(['S1', 'Grace', 'S1', 'S3']);
    await page.keyboard.press('Shift+Tab');
    await shown(() => page.evaluate(() => document.activeElement?.closest('li'))).toBe(null);
    expect(problems).toEqual([]);
  });

  test('are named once while they go on; later paragraphs are reached and given away all the same', async () => {
    const { page, problems } = await openTalk();
    const shownNames = () =>
      page
        .locator('.speaker-name')
        .evaluateAll((all) => all.map((one) => getComputedStyle(one).clipPath === 'none'));
    // Three. becomes a paragraph of its own.
    await page.locator('.segment').nth(1).press('F2');
    await page.locator('.segment-field').evaluate((field: HTMLTextAreaElement) => {
      const at = field.value.indexOf('Three');
      field.setSelectionRange(at, at);
    });
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await shown(() => names(page)).toEqual(['S1', 'S1', 'S2', 'S1', 'S3']);
    await shown(shownNames).toEqual([true, false, true, true, true]);
    await page.locator('.segment').nth(1).focus();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Shift+Tab');
    await shown(shownNames).toEqual([true, true, true, true, true]);
    await attribute(page, 1, 'S2');
    await shown(() => names(page)).toEqual(['S1', 'S2', 'S1', 'S3']);
    await shown(shownNames).toEqual([true, true, true, true]);
    expect(problems).toEqual([]);
  });

  test('stand in no way of finding and editing, and fit a telephone', async () => {
    const { page, problems } = await openTalk();
    await page.setViewportSize({ width: 360, height: 740 });
    await page.click('#find');
    await page.fill('#find_text', 'four');
    await shown(() => page.textContent('#find_count')).toBe('1 of 1');
    await page.fill('#replace_text', 'Forty');
    await page.click('#replace');
    await shown(() => paragraphs(page)).toContain('Forty five.');
    await rename(page, 1, 'A very long name of somebody who has many, and wants to see them all');
    const { scrollWidth } = await page.evaluate(() => ({
      scrollWidth: document.documentElement.scrollWidth,
    }));
    expect(scrollWidth).toBeLessThanOrEqual(360);
    await page.locator('.segment').nth(2).press('F2');
    await shown(() => page.inputValue('.segment-field')).toBe('Forty five.');
    expect(problems).toEqual([]);
  });
});

/** A page that is to tell speakers apart. */
async function asking() {
  const opened = await stage.open({ acceptDownloads: true });
  await openOptions(opened.page);
  await opened.page.check('#speakers');
  return opened;
}

describe('telling speakers apart', () => {
  test('is asked for, with a number, and remembered', async () => {
    const { page, problems } = await stage.open();
    await openOptions(page);
    await shown(() => page.isChecked('#speakers')).toBe(false);
    await shown(() => page.isVisible('#people')).toBe(false);
    await page.check('#speakers');
    await page.selectOption('#people', '3');
    await page.reload();
    await settled(page);
    await openOptions(page);
    await shown(() => page.isChecked('#speakers')).toBe(true);
    await shown(() => page.inputValue('#people')).toBe('3');
    expect(problems).toEqual([]);
  });

  test.each([
    ['is missing', 404, 'text/plain'],
    ['is something else', 200, 'application/octet-stream'],
  ])(
    'says so where its file %s, and the text comes all the same',
    async (_, status, contentType) => {
      const { page } = await asking();
      await page
        .context()
        .route('**/speakers.apr', (route) =>
          route.fulfill({ status, contentType, body: 'nothing of the kind' }),
        );
      // Twice: what failed is tried again.
      for (const name of ['first.wav', 'second.wav']) {
        await worked(page, () => drop(page, name, sampleBytes()));
        await shown(() => segmentTexts(page)).toEqual(sampleSegments);
        await shown(() => page.textContent('#error_title')).toBe(
          'The speakers were not told apart',
        );
        await shown(() => page.isVisible('#error')).toBe(true);
        await shown(() => page.textContent('#transcript_meta')).toMatch(/speakers not told apart$/);
        await shown(() => names(page)).toEqual([]);
      }
    },
  );

  test('is stopped while its file is on its way', async () => {
    const { page } = await asking();
    const release = await hold(page, '**/speakers.apr');
    await page.click('#sample');
    await shown(() => statusOf(page).textContent()).toMatch(/^Fetching .*9 MB/);
    await page.click('#cancel');
    await settled(page);
    await shown(() => statusOf(page).textContent()).toBe('Stopped.');
    await shown(() => page.isVisible('#error')).toBe(false);
    release();
  });
});

const isThere = existsSync(join(projectRoot, 'dist/demo/models/speakers.apr'));
const without = isThere ? '' : ' (skipped: needs models/speakers.apr)';

(isThere ? describe : describe.skip)(`real speakers${without}`, () => {
  test('are told apart without a network too, once they were with one', async () => {
    const { page } = await stage.open({ serviceWorkers: 'allow' });
    await page.waitForSelector('html[data-offline="ready"]', { state: 'attached' });
    await openOptions(page);
    await page.check('#speakers');
    await worked(page, () => page.click('#sample'));
    await shown(() => names(page)).toContain('S1');
    await page.context().setOffline(true);
    await page.reload();
    await settled(page);
    await worked(page, () => page.click('#sample'));
    await shown(() => names(page)).toContain('S1');
  });

  test('of live captions are told, and fetched before they begin', async () => {
    const { page, problems, requests } = await stage.open();
    const asked = () => requests.filter((url) => url.endsWith('/models/speakers.apr')).length;
    await openOptions(page);
    await page.check('#speakers');
    await speak(page, '#live_open');
    await page.selectOption('#live_source', 'file');
    await page.setInputFiles('#live_file', join(projectRoot, 'web/demo/sample.wav'));
    // Stopped while they come, nothing begins, and they are not fetched twice.
    const release = await hold(page, '**/speakers.apr');
    await page.click('#live_toggle');
    await shown(() => page.textContent('#live_note')).toContain('tells speakers apart');
    await page.click('#live_toggle');
    await shown(() => page.textContent('#live_note')).not.toContain('tells speakers apart');
    await shown(() => page.textContent('#live_toggle')).toContain('Start');
    release();
    await page.click('#live_toggle');
    await shown(() => names(page)).toContain('S1');
    expect(asked()).toBe(1);
    expect(problems).toEqual([]);
  });

  test('come while one writes, and one writes on', async () => {
    const { page, problems } = await asking();
    const release = await holdText(page);
    await drop(page, 'long.wav', longRecording(12));
    await page.waitForSelector('.segment');
    await page.locator('.segment').first().dblclick();
    await page.locator('.segment-field').press('Home');
    await page.keyboard.type('Well, ');
    await release();
    // Two minutes of sound, which the networks hear through.
    await page
      .locator('.speaker-name')
      .first()
      .waitFor({ timeout: limit(100_000) });
    await shown(() => names(page)).toContain('S1');
    await settled(page);
    await page.keyboard.type('then ');
    await shown(() => page.inputValue('.segment-field')).toMatch(/^Well, then /);
    await page.keyboard.press('Control+Enter');
    await shown(async () => (await paragraphs(page))[0]).toMatch(/^Well, then /);
    expect(problems).toEqual([]);
  });

  test('are told apart, and nothing of the voices is kept', async () => {
    const { page, problems, requests } = await asking();
    await worked(page, () => page.click('#sample'));
    await shown(() => names(page)).toContain('S1');
    await worked(page, () => page.click('#again'));
    expect(requests.filter((url) => url.endsWith('/models/speakers.apr'))).toHaveLength(1);
    await shown(() => page.locator('#segments').textContent()).toMatch(/three.*five/s);
    const json = (await saved(page, 'json')).content;
    expect(json).toContain('"speaker": "S1"');
    expect(json).not.toContain('vector');
    expect(problems).toEqual([]);
  });
});
