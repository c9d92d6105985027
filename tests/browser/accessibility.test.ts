// The demo page in each of its states: axe-core finds nothing, in light and in dark, and nothing is wider than a small phone.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { states as pictured } from '../../scripts/screenshots/states.mjs';
import { limit } from '../support/limits.js';
import {
  drop,
  keepEarlier,
  longRecording,
  openMenu,
  openOptions,
  openSaveMenu,
  sampleBytes,
  shown,
  speak,
  startStage,
  worked,
} from './browser_page.js';
import { holdText } from './held_text.js';
import type { Stage } from './browser_page.js';

jest.setTimeout(limit(180_000));

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Axe {
  run(): Promise<{
    readonly passes: readonly unknown[];
    readonly violations: readonly { readonly id: string; readonly nodes: readonly Node[] }[];
  }>;
}

interface Node {
  readonly html: string;
  readonly failureSummary?: string;
}

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterAll(async () => {
  await stage.close();
});

/** What axe-core has to say, and how many of its rules passed. */
async function look(page: Page): Promise<{ readonly passed: number; readonly found: string[] }> {
  // The page's policy lets no script in; evaluate() is not subject to it.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe);
  return page.evaluate(async () => {
    const { axe } = window as unknown as { axe: Axe };
    const { passes, violations } = await axe.run();
    return {
      passed: passes.length,
      found: violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary ?? ''}`),
      ),
    };
  });
}

const firstVisit = 'on a first visit';

const states: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
  'with nothing to read': () => Promise.resolve(),
  [firstVisit]: (page) => page.locator('#first_choice').waitFor(),
  'with its options open': openOptions,
  'with the menu of models': openMenu,
  'with a transcript': (page) => worked(page, () => page.click('#sample')),
  'with the menu to save': async (page) => {
    await worked(page, () => page.click('#sample'));
    await openSaveMenu(page, 'csv');
  },
  'while one finds and edits, all unfolded': async (page) => {
    await worked(page, () => page.click('#sample'));
    await page.click('#find');
    await page.fill('#find_text', 'e');
    await page.locator('.segment').first().dblclick();
    await page.locator('.segment-field').waitFor();
    await page.click('#engine_title');
    await page.click('#sent_title');
  },
  'with who spoke': (page) => pictured.speakers(page),
  'with two recordings': async (page) => {
    await holdText(page);
    await drop(page, 'long.wav', longRecording(12));
    await drop(page, 'short.wav', sampleBytes());
    await page.waitForSelector('.segment');
  },
  'after it was stopped': async (page) => {
    await holdText(page);
    await drop(page, 'long.wav', longRecording(12));
    await page.waitForSelector('.segment');
    await worked(page, () => page.click('#cancel'));
  },
  'with an error': async (page) => {
    await drop(page, 'broken.apr', Buffer.from('<!doctype html><title>Not found</title>'));
    await page.waitForSelector('#error:not([hidden])');
  },
  'with what can be spoken into': (page) => pictured.speak(page),
  'with live captions': async (page) => {
    await speak(page, '#live_open');
    await page.click('#live_toggle');
    await page.locator('#live_level').waitFor();
  },
  'while it records': async (page) => {
    await speak(page, '#record');
    await page.waitForFunction(() => (document.querySelector('meter')?.value ?? 0) > 0.01);
  },
};

test.each([
  ['with a mouse', 1280, 'Drop a recording'],
  ['on a telephone', 360, 'Choose or speak'],
])(
  '%s the place where things come in has one name, above a transcript, too',
  async (_how, width, name) => {
    const { page } = await stage.open({ viewport: { width, height: 720 } });
    const place = page.getByRole('region', { name, exact: true });
    await shown(() => place.count()).toBe(1);
    await worked(page, () => page.click('#sample'));
    await shown(() => place.count()).toBe(1);
  },
);

test('the button for models is called Model, above a transcript, too', async () => {
  const { page } = await stage.open();
  const button = page.getByRole('button', { name: /^Model digits\.apr/ });
  await shown(() => button.count()).toBe(1);
  await worked(page, () => page.click('#sample'));
  await shown(() => button.count()).toBe(1);
});

test('in forced colours the word that sounds, what is pressed and the dot of a record button are seen', async () => {
  const { page } = await stage.open();
  await page.emulateMedia({ forcedColors: 'active' });
  const style = (selector: string, name: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((one, property) => getComputedStyle(one).getPropertyValue(property), name);
  for (const button of ['#record', '#live_toggle']) {
    const ink = await style(button, 'color');
    await shown(() => style(`${button} .record-dot`, 'background-color')).toBe(ink);
    await shown(() => style(button, 'background-color')).not.toBe(ink);
  }
  await worked(page, () => page.click('#sample'));
  await page.locator('#media').evaluate((one: HTMLVideoElement) => (one.currentTime = 1));
  await page.locator('.word.sounding').waitFor();
  await shown(() => style('.word.sounding', 'outline-style')).toBe('solid');
  await shown(() => style('.word:not(.sounding)', 'outline-style')).toBe('none');
  await shown(() => style('#edit', 'outline-style')).toBe('none');
  await page.click('#edit');
  await shown(() => style('#edit[aria-pressed="true"]', 'outline-style')).toBe('solid');
});

describe.each(Object.entries(states))('the page %s', (name, bring) => {
  test('passes axe-core in light and dark, and fits 320 pixels', async () => {
    const { page, problems } = await stage.open({
      permissions: ['microphone'],
      reducedMotion: 'reduce',
      viewport: { width: 320, height: 640 },
      isFirstVisit: name === firstVisit,
    });
    await bring(page);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      const { passed, found } = await look(page);
      expect(found).toEqual([]);
      expect(passed).toBeGreaterThan(10);
    }
    await shown(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
    expect(problems).toEqual([]);
  });
});

test('a transcript fits a window that becomes narrow', async () => {
  const { page } = await stage.open({ viewport: { width: 1280, height: 900 } });
  const said = 'Two of them could not find the button, and the third one did not dare to press it.';
  const turns = Array.from({ length: 60 }, (_, at) => [`S${1 + (at % 2)}`, said] as const);
  await keepEarlier(page, { 'talk.wav': turns });
  await page.click('.history-open');
  await page.locator('.paragraph').nth(59).waitFor();
  await page.setViewportSize({ width: 320, height: 640 });
  const widest = () =>
    page.evaluate(() => {
      const all = [...document.querySelectorAll('.paragraph')];
      return Math.max(...all.map((each) => each.getBoundingClientRect().right));
    });
  await shown(widest).toBeLessThan(320);
});

test('axe-core finds what is wrong', async () => {
  const { page } = await stage.open();
  await page.evaluate(() => {
    document.body.append(document.createElement('button'));
  });
  const { found } = await look(page);
  expect(found.join()).toMatch(/^button-name: /);
});
