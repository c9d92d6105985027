// The page's transcript as a tool: editing, undo, finding, following, the player with its keys, and saving what is there.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { limit } from '../support/limits.js';
import {
  drop,
  editSegment,
  hold,
  keepEarlier,
  longRecording,
  openSaveMenu,
  sampleBytes,
  sampleSegments,
  saved,
  segmentTexts,
  setPace,
  settled,
  openOptions,
  shown,
  startStage,
  unzip,
  worked,
} from './browser_page.js';
import { holdText } from './held_text.js';
import type { Stage } from './browser_page.js';

jest.setTimeout(limit(120_000));

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterAll(async () => {
  await stage.close();
});

async function openSample() {
  const opened = await stage.open({ acceptDownloads: true });
  await worked(opened.page, () => opened.page.click('#sample'));
  return opened;
}

const secondsOf = (page: Page) =>
  page.locator('#media').evaluate((one: HTMLVideoElement) => one.currentTime);
const isPaused = (page: Page) =>
  page.locator('#media').evaluate((one: HTMLVideoElement) => one.paused);

describe('editing', () => {
  test('changes the text and nothing of the times, and is saved', async () => {
    const { page, problems } = await openSample();
    await editSegment(page, 1, 'one fifty nine');
    await shown(() => segmentTexts(page)).toEqual([
      sampleSegments[0],
      'one fifty nine',
      sampleSegments[2],
    ]);
    // The keyboard is where it was.
    await shown(() => page.evaluate(() => document.activeElement?.textContent)).toBe(
      'one fifty nine',
    );
    const text = await saved(page, 'txt');
    expect(text.content).toBe(`${sampleSegments[0]}\none fifty nine\n${sampleSegments[2]}\n`);
    const { segments } = JSON.parse((await saved(page, 'json')).content) as {
      segments: { words: { word: string; start: number; end: number }[] }[];
    };
    const [one, fifty, nine] = segments[1]?.words ?? [];
    expect([one?.word, fifty?.word, nine?.word]).toEqual([' one', ' fifty', ' nine']);
    expect(fifty?.start).toBeGreaterThanOrEqual(one?.end ?? Infinity);
    expect(fifty?.end).toBeLessThanOrEqual(nine?.start ?? 0);
    // The edited word is heard where the old one was.
    await setPace(page, 0.25);
    await page.locator('.word >> text=fifty').click();
    await page.waitForSelector('.word.sounding >> text=fifty');
    expect(problems).toEqual([]);
  });

  test('is undone and done again, by buttons and by keys', async () => {
    const { page, problems } = await openSample();
    await shown(() => page.isDisabled('#undo')).toBe(true);
    await editSegment(page, 0, 'changed');
    await editSegment(page, 2, 'again');
    await page.click('#undo');
    await shown(() => segmentTexts(page)).toEqual(['changed', ...sampleSegments.slice(1)]);
    await page.keyboard.press('Control+z');
    await shown(() => segmentTexts(page)).toEqual(sampleSegments);
    await shown(() => page.isDisabled('#undo')).toBe(true);
    await page.keyboard.press('Control+y');
    await page.click('#redo');
    await shown(() => segmentTexts(page)).toEqual(['changed', sampleSegments[1], 'again']);
    expect(problems).toEqual([]);
  });

  test('is given up with Escape, and kept when one goes elsewhere', async () => {
    const { page, problems } = await openSample();
    await page.click('#edit');
    await page.locator('.segment').first().click();
    await page.fill('.segment-field', 'never');
    await page.press('.segment-field', 'Escape');
    await shown(() => segmentTexts(page)).toEqual(sampleSegments);
    await page.locator('.segment').first().click();
    await page.fill('.segment-field', ['kept', ...sampleSegments.slice(1)].join(' '));
    await page.click('#transcript_meta');
    await shown(() => segmentTexts(page)).toEqual(['kept', ...sampleSegments.slice(1)]);
    // Not heard while one edits.
    await shown(() => isPaused(page)).toBe(true);
    await page.click('#edit');
    // A double click marks the word in the field.
    await page.locator('.word >> text=six').dblclick();
    await page.keyboard.type('sixty');
    await shown(() => page.inputValue('.segment-field')).toBe(
      ['kept', sampleSegments[1], 'two sixty five'].join(' '),
    );
    expect(problems).toEqual([]);
  });

  test('splits and joins paragraphs as a text program does, one step each', async () => {
    const { page, problems } = await stage.open();
    await keepEarlier(page, { 'talk.wav': ['One two three four.', 'Five six.', 'Seven.'] });
    await page.click('.history-open');
    const paragraphs = () => page.locator('.paragraph-text').allTextContents();
    const whole = 'One two three four. Five six. Seven.';
    await page.locator('.word >> text=three').dblclick();
    await shown(() => page.inputValue('.segment-field')).toBe(whole);
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Enter');
    await shown(paragraphs).toEqual(['One two', 'three four. Five six. Seven.']);
    await shown(() => page.locator('.paragraph .times').allTextContents()).toEqual([
      '0:00',
      '0:02',
    ]);
    // One writes on where one was.
    await page.keyboard.type('And ');
    await page.keyboard.press('Control+Enter');
    await shown(paragraphs).toEqual(['One two', 'And three four. Five six. Seven.']);
    // What is typed then is no command.
    await page.keyboard.type('e e');
    const fields = await page.locator('.segment-field').count();
    expect(fields).toBe(0);

    await page.locator('.paragraph').nth(1).locator('.segment').first().press('F2');
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('. ');
    await page.keyboard.press('Control+Enter');
    await shown(paragraphs).toEqual(['One two . And three four. Five six. Seven.']);
    for (let steps = 4; steps > 0; --steps) await page.click('#undo');
    await shown(paragraphs).toEqual([whole]);
    await shown(() => page.isDisabled('#undo')).toBe(true);
    for (let steps = 4; steps > 0; --steps) await page.click('#redo');
    await shown(paragraphs).toEqual(['One two . And three four. Five six. Seven.']);
    // There is nothing before the first paragraph to join, and nothing to split at its end.
    await page.locator('.segment').first().press('F2');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Control+End');
    await page.keyboard.press('Enter');
    await shown(paragraphs).toEqual(['One two . And three four. Five six. Seven.']);
    await shown(() => page.locator('.segment-field').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test('takes a sentence away, which undo brings back', async () => {
    const { page, problems } = await openSample();
    await editSegment(page, 1, ' ');
    await shown(() => segmentTexts(page)).toEqual([sampleSegments[0], sampleSegments[2]]);
    const subtitles = await saved(page, 'srt', { rules: 'segments' });
    expect(subtitles.content).not.toContain('nine');
    await page.keyboard.press('Control+z');
    await shown(() => segmentTexts(page)).toEqual(sampleSegments);
    expect(problems).toEqual([]);
  });

  test('goes on while the recording is still being transcribed', async () => {
    const { page, problems } = await stage.open();
    const release = await holdText(page);
    await drop(page, 'long.wav', longRecording(12));
    await page.waitForSelector('.segment');
    await page.locator('.segment').first().press('F2');
    const field = await page.inputValue('.segment-field');
    await page.fill('.segment-field', field.replace(sampleSegments[0]!, 'edited meanwhile'));
    const count = await page.locator('.segment').count();
    await holdText(page, 2);
    await shown(() => page.locator('.segment').count()).toBeGreaterThan(count);
    // What came did not take the field away.
    await shown(() => page.evaluate(() => document.activeElement?.className)).toBe('segment-field');
    await page.press('.segment-field', 'Control+Enter');
    await worked(page, release);
    await shown(async () => (await segmentTexts(page))[0]).toBe('edited meanwhile');
    await shown(async () => (await segmentTexts(page)).length).toBeGreaterThan(count);
    await shown(() => page.textContent('#status')).toMatch(/^Done: /);
    expect(problems).toEqual([]);
  });
});

describe('finding', () => {
  test('finds, goes round, replaces one and all, and is undone in one step', async () => {
    const { page, problems } = await openSample();
    await page.keyboard.press('/');
    await page.fill('#find_text', 'FIVE');
    await shown(() => page.textContent('#find_count')).toBe('1 of 2');
    await shown(() => page.textContent('.segment.found')).toBe(sampleSegments[1]);
    await page.press('#find_text', 'Enter');
    await shown(() => page.textContent('.segment.found')).toBe(sampleSegments[2]);
    await page.press('#find_text', 'Enter');
    await shown(() => page.textContent('#find_count')).toBe('1 of 2');
    await page.check('#find_case');
    await shown(() => page.textContent('#find_count')).toBe('Not found');
    await page.uncheck('#find_case');

    await page.fill('#replace_text', 'fifty-five');
    await page.click('#replace');
    await shown(() => segmentTexts(page)).toEqual([
      sampleSegments[0],
      'one fifty-five nine',
      sampleSegments[2],
    ]);
    // It went on to the next one, past what it wrote.
    await shown(() => page.textContent('#find_count')).toBe('2 of 2');
    await page.click('#undo');
    await page.click('#replace_all');
    await shown(() => page.textContent('#find_count')).toBe('2 places replaced');
    await shown(() => segmentTexts(page)).toEqual([
      sampleSegments[0],
      'one fifty-five nine',
      'two six fifty-five',
    ]);
    await page.click('#undo');
    await shown(() => segmentTexts(page)).toEqual(sampleSegments);
    await page.focus('#find_text');
    await page.keyboard.press('Escape');
    await shown(() => page.isHidden('#find_bar')).toBe(true);
    await shown(() => page.evaluate(() => document.activeElement?.textContent)).toBe(
      sampleSegments[2],
    );
    await shown(() => page.locator('.segment.found').count()).toBe(0);
    expect(problems).toEqual([]);
  });
});

describe('finding in a long transcript', () => {
  test('goes over segments, from where the reader is, in sight below the player', async () => {
    const { page, problems } = await stage.open({ viewport: { width: 400, height: 600 } });
    const texts = Array.from({ length: 40 }, () => ['Much of what', 'one says has no end.']).flat();
    await keepEarlier(page, { 'long.wav': texts });
    await page.click('.history-open');
    await page
      .locator('.segment')
      .nth(texts.length - 1)
      .waitFor();
    // Its recording, for the player.
    await page.setInputFiles('#added_recording', {
      name: 'long.wav',
      mimeType: 'audio/wav',
      buffer: sampleBytes(),
    });
    await page.locator('#player').waitFor();
    const boxOf = (selector: string) =>
      page.$eval(selector, (one) => {
        const { top, bottom } = one.getBoundingClientRect();
        return { top, bottom };
      });
    const isInSight = async () => {
      const bar = await boxOf('#find_bar');
      const found = await boxOf('.segment.found');
      const player = await boxOf('#player');
      return bar.top >= player.bottom - 1 && found.top >= bar.bottom && found.bottom <= 600;
    };
    await page.evaluate(() => scrollTo(0, 0));
    await page.keyboard.press('/');
    await page.fill('#find_text', 'what one');
    await shown(() => page.textContent('#find_count')).toBe('1 of 40');
    await shown(() => page.locator('.segment.found').allTextContents()).toEqual(texts.slice(0, 2));
    await shown(isInSight).toBe(true);
    await page.press('#find_text', 'Shift+Enter');
    await shown(() => page.textContent('#find_count')).toBe('40 of 40');
    await shown(isInSight).toBe(true);

    // Opened again, it seeks from there and moves by less than the window.
    await page.press('#find_text', 'Escape');
    const { top } = await boxOf('.paragraph:last-child .segment:last-child');
    await page.keyboard.press('/');
    await shown(() => page.textContent('#find_count')).toMatch(/^[23]\d of 40$/);
    await shown(isInSight).toBe(true);
    const after = await boxOf('.paragraph:last-child .segment:last-child');
    expect(Math.abs(after.top - top)).toBeLessThan(600);

    await page.fill('#replace_text', 'what somebody');
    await page.click('#replace_all');
    await shown(() => page.textContent('#find_count')).toBe('40 places replaced');
    const replaced = async () => (await segmentTexts(page)).slice(-2);
    await shown(replaced).toEqual(['Much of what', 'somebody says has no end.']);
    await page.click('#undo');
    await shown(replaced).toEqual(texts.slice(0, 2));
    await shown(() => page.isDisabled('#undo')).toBe(true);
    expect(problems).toEqual([]);
  });

  test('has elements of its words near the window alone, and loses no mark by it', async () => {
    const { page, problems } = await stage.open({ viewport: { width: 400, height: 500 } });
    await worked(page, () => drop(page, 'long.wav', longRecording(24, 3)));
    const segments = page.locator('.segment');
    const texts = await segmentTexts(page);
    const last = texts.length - 1;
    expect(last).toBeGreaterThan(20);
    const hasWords = (at: number) => async () =>
      (await segments.nth(at).locator('.word').count()) > 0;
    await page.evaluate(() => scrollTo(0, 0));
    await shown(hasWords(3)).toBe(true);
    await shown(hasWords(last)).toBe(false);
    await shown(() => segmentTexts(page)).toEqual(texts);

    const found = () =>
      page.evaluate(() => {
        const ranges = [...(CSS.highlights.get('found') ?? [])].filter((it) => it instanceof Range);
        return ranges.map((range) => range.toString());
      });
    await page.keyboard.press('/');
    await page.fill('#find_text', 'five nine');
    await shown(async () => (await found()).length).toBeGreaterThan(10);
    const all = (await found()).map(() => 'five nine');
    await shown(found).toEqual(all);
    await segments.last().scrollIntoViewIfNeeded();
    await shown(hasWords(last)).toBe(true);
    await shown(hasWords(3)).toBe(false);
    await shown(found).toEqual(all);
    await page.press('#find_text', 'Escape');

    // What is marked keeps its nodes, near or not.
    const marked = () => page.evaluate(() => getSelection()?.toString() ?? '');
    await page.evaluate(() => {
      const parts = [...document.querySelectorAll('.segment')];
      getSelection()?.setBaseAndExtent(parts[1]!.firstChild!, 2, parts.at(-1)!.firstChild!, 0);
    });
    const before = await marked();
    expect(before).toContain(texts[2]);
    await page.evaluate(() => scrollTo(0, 0));
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
    await segments.first().scrollIntoViewIfNeeded();
    await shown(marked).toBe(before);
    await shown(hasWords(last)).toBe(true);
    await page.evaluate(() => getSelection()?.removeAllRanges());
    await shown(hasWords(last)).toBe(false);
    await shown(hasWords(3)).toBe(true);
    expect(problems).toEqual([]);
  });
});

describe('saving', () => {
  test('saves what is there after Cancel, by a name that file systems take', async () => {
    const { page, problems } = await stage.open({ acceptDownloads: true });
    await holdText(page);
    await drop(page, 'Recording at 04:55 PM', longRecording(12));
    await page.waitForSelector('.segment');
    await worked(page, () => page.click('#cancel'));
    await editSegment(page, 0, 'kept and edited');
    for (const format of [
      ...['text', 'timed', 'markdown', 'timed_markdown'],
      ...['txt', 'srt', 'vtt', 'tsv', 'json', 'lrc', 'csv', 'verbose_json'],
    ]) {
      const { name, content } = await saved(page, format);
      expect(name).toMatch(/^Recording at 04-55 PM\.[\w.]+$/);
      expect(content).toMatch(/kept\W[\s\S]*and\W[\s\S]*edited/);
    }
    expect(problems).toEqual([]);
  });

  test('saves what is there after an error', async () => {
    const { page } = await stage.open({ acceptDownloads: true });
    // Workers of the page that can be made to fail.
    await page.addInitScript(() => {
      const workers: Worker[] = [];
      Object.assign(window, { workers });
      const { Worker: Original } = window;
      window.Worker = class extends Original {
        constructor(...given: ConstructorParameters<typeof Original>) {
          super(...given);
          workers.push(this);
        }
      };
    });
    await page.reload();
    await settled(page);
    await holdText(page);
    await drop(page, 'long.wav', longRecording(12));
    await page.waitForSelector('.segment');
    await worked(page, () =>
      page.evaluate(() => {
        for (const worker of (window as unknown as { workers: Worker[] }).workers) {
          worker.dispatchEvent(new ErrorEvent('error', { message: 'out of memory' }));
        }
      }),
    );
    await shown(() => page.textContent('#error_title')).toBe('long.wav could not be transcribed');
    await shown(() => page.textContent('#transcript_meta')).toBe('ended by an error');
    await shown(async () => (await segmentTexts(page)).length).toBeLessThan(3 * 12);
    const text = await saved(page, 'txt');
    expect(text.content).toContain(sampleSegments[0]);
  });
});

describe('the menu to save', () => {
  const talk = {
    'Talk & more.wav': [
      ['Ada', 'One two.'],
      ['Ben <3', '- three_four'],
      ['אבי', 'שלום לכולם.'],
    ],
  } as const;

  async function openTalk() {
    const opened = await stage.open({ acceptDownloads: true });
    await opened.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await keepEarlier(opened.page, talk);
    await opened.page.click('.history-open');
    await opened.page.locator('#save').waitFor();
    return opened;
  }

  test('writes a Word file with names, times and directions, under the page’s own policy', async () => {
    const { page, problems, requests } = await openTalk();
    const parts = () => requests.filter((url) => url.endsWith('/docx.mjs'));
    expect(parts()).toEqual([]);
    const { name, bytes } = await saved(page, 'docx');
    expect(name).toBe('Talk & more.docx');
    const files = unzip(bytes);
    const paragraphs = await page.evaluate((xml) => {
      const word = new DOMParser().parseFromString(xml, 'application/xml');
      return Array.from(word.getElementsByTagName('w:p'), (one) => {
        const isLeft = one.getElementsByTagName('w:bidi').length > 0 ? '< ' : '';
        return `${isLeft}${one.textContent}`;
      });
    }, files['word/document.xml'] ?? '');
    expect(paragraphs[0]).toBe('Talk & more.wav');
    expect(paragraphs[1]).toMatch(/19(69|70).* · \d\.0 s$/);
    expect(paragraphs.slice(2)).toEqual([
      ...['Ada  0:00', 'One two.', 'Ben <3  0:02', '- three_four'],
      ...['< אבי  0:04', '< שלום לכולם.'],
    ]);
    expect(files['docProps/core.xml']).toContain('Talk &amp; more.wav');
    await saved(page, 'docx');
    expect(parts()).toHaveLength(1);
    expect(problems).toEqual([]);
  });

  test('says that Word files need the network, and saves one when it is back', async () => {
    const { page } = await openTalk();
    await page.context().route('**/docx.mjs*', (route) => route.abort());
    await (await openSaveMenu(page, 'docx')).click();
    await shown(() => page.textContent('#save_note')).toMatch(/Try again when you are online/);
    await shown(() => page.isVisible('#save_note')).toBe(true);
    expect((await saved(page, 'text')).content).toContain('Ada: One two.');
    await shown(() => page.isVisible('#save_note')).toBe(false);
    await page.context().unroute('**/docx.mjs*');
    expect((await saved(page, 'docx')).name).toBe('Talk & more.docx');
  });

  test('saves once what is asked for twice', async () => {
    const { page, problems } = await openTalk();
    const downloads: string[] = [];
    page.on('download', (one) => downloads.push(one.suggestedFilename()));
    const release = await hold(page, '**/docx.mjs');
    await (await openSaveMenu(page, 'docx')).click();
    await shown(() => page.textContent('#save')).toBe('Saving …');
    await (await openSaveMenu(page, 'docx')).click();
    release();
    await shown(() => page.textContent('#save')).toMatch(/^\s*Save\s*$/);
    expect((await saved(page, 'text')).name).toBe('Talk & more.txt');
    expect(downloads).toEqual(['Talk & more.docx', 'Talk & more.txt']);
    expect(problems).toEqual([]);
  });

  test('writes text as one reads it, which is what is copied, and Markdown', async () => {
    const { page, problems } = await openTalk();
    const text = 'Ada: One two.\n\nBen <3: - three_four\n\nאבי: שלום לכולם.';
    expect((await saved(page, 'text')).content).toBe(`${text}\n`);
    await page.click('#copy');
    await shown(() => page.evaluate(() => navigator.clipboard.readText())).toBe(text);
    expect((await saved(page, 'timed')).content).toBe(
      '[0:00] Ada: One two.\n\n[0:02] Ben <3: - three_four\n\n[0:04] אבי: שלום לכולם.\n',
    );
    const { name, content } = await saved(page, 'markdown');
    expect(name).toBe('Talk & more.md');
    const [title, , ...said] = content.split('\n\n');
    expect(title).toBe('# Talk \\& more.wav');
    expect(said).toEqual([
      ...['**Ada:** One two.', '**Ben \\<3:** - three\\_four', '**אבי:** שלום לכולם.\n'],
    ]);
    expect((await saved(page, 'timed_markdown')).content).toContain('*0:00* **Ada:** One two.');
    expect(problems).toEqual([]);
  });

  test('is done by keys, and begins with what was chosen last, also after a reload', async () => {
    const { page, problems } = await openTalk();
    const focused = () => page.evaluate(() => document.activeElement?.firstChild?.textContent);
    await page.focus('#save');
    await page.keyboard.press('ArrowDown');
    await shown(focused).toBe('Text');
    await page.keyboard.press('ArrowUp');
    await shown(focused).toBe('Print …');
    await page.keyboard.press('Home');
    await page.keyboard.press('n');
    await shown(focused).toBe('Netflix');
    await page.keyboard.press('Enter');
    await shown(() => page.getAttribute('#save_menu [data-rules="netflix"]', 'aria-checked')).toBe(
      'true',
    );
    await page.keyboard.press('s');
    await shown(focused).toBe('SRT');
    await page.keyboard.press('Escape');
    await shown(() => page.isHidden('#save_menu')).toBe(true);
    await shown(() => page.evaluate(() => document.activeElement?.id)).toBe('save');
    expect((await saved(page, 'srt')).name).toBe('Talk & more.srt');
    await page.reload();
    await settled(page);
    await page.click('.history-open');
    await page.click('#save');
    await shown(focused).toBe('SRT');
    await shown(() => page.getAttribute('#save_menu [data-rules="netflix"]', 'aria-checked')).toBe(
      'true',
    );
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.keyboard.press('Enter'),
    ]);
    expect(download.suggestedFilename()).toBe('Talk & more.srt');
    // It closes where one goes elsewhere.
    await page.click('#save');
    await page.locator('#save_menu').waitFor();
    await page.click('#transcript_meta');
    await shown(() => page.isHidden('#save_menu')).toBe(true);
    expect(problems).toEqual([]);
  });

  test('parts subtitles by the rules that were chosen', async () => {
    const { page, problems } = await stage.open({ acceptDownloads: true });
    const words = Array.from({ length: 12 }, (_, at) => `word${at}`).join(' ');
    await keepEarlier(page, { 'long.wav': [words] });
    await page.click('.history-open');
    const lines = async (rules: string) => {
      const { content } = await saved(page, 'srt', { rules });
      return content.split('\n').filter((line) => line.startsWith('word'));
    };
    expect(await lines('segments')).toEqual([words]);
    for (const line of await lines('netflix')) expect(line.length).toBeLessThanOrEqual(42);
    for (const line of await lines('bbc')) expect(line.length).toBeLessThanOrEqual(37);
    expect(problems).toEqual([]);
  });

  test('prints the transcript alone', async () => {
    const { page, problems } = await openTalk();
    await page.evaluate(() => {
      window.print = () => (document.body.dataset.printed = 'true');
    });
    await page.click('#save');
    await page.click('#save_menu .save-print');
    await shown(() => page.getAttribute('body', 'data-printed')).toBe('true');
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    for (const gone of ['.masthead', '#history', '#export', '#transcript_tools', 'footer']) {
      await shown(() => page.isVisible(gone)).toBe(false);
    }
    const heads = ['#transcript_title', '#segments .speaker-name', '#segments .times'];
    await shown(() =>
      Promise.all(heads.map((there) => page.locator(there).first().isVisible())),
    ).toEqual([true, true, true]);
    const colours = await page
      .locator('.paragraph-text')
      .first()
      .evaluate((one) => {
        const { color } = getComputedStyle(one);
        const card = getComputedStyle(document.querySelector('#transcript')!);
        return [color, card.backgroundColor];
      });
    expect(colours).toEqual(['rgb(0, 0, 0)', 'rgb(255, 255, 255)']);
    expect(problems).toEqual([]);
  });

  test('saves what is there of a transcript that still grows', async () => {
    const { page, problems } = await stage.open({ acceptDownloads: true });
    const release = await holdText(page);
    await drop(page, 'long.wav', longRecording(12));
    await page.waitForSelector('.segment');
    const { bytes } = await saved(page, 'docx');
    expect(unzip(bytes)['word/document.xml']).toContain(sampleSegments[0]);
    await worked(page, () => release());
    expect(problems).toEqual([]);
  });
});

describe('the player', () => {
  test('plays, stops, jumps and changes its speed by keys', async () => {
    const { page, problems } = await openSample();
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.keyboard.press('Space');
    await page.waitForFunction(() => document.querySelector('video')?.paused === false);
    await shown(() => page.getAttribute('#play', 'aria-label')).toBe('Pause');
    await page.keyboard.press('k');
    await page.waitForFunction(() => document.querySelector('video')?.paused);
    await page.locator('#media').evaluate((one: HTMLVideoElement) => (one.currentTime = 1));
    await page.keyboard.press('l');
    await shown(() => secondsOf(page)).toBeCloseTo(6, 1);
    await page.keyboard.press('ArrowLeft');
    await shown(() => secondsOf(page)).toBeCloseTo(1, 1);
    await page.keyboard.press('j');
    await shown(() => secondsOf(page)).toBe(0);
    for (const key of ['>', '>']) await page.keyboard.press(key);
    await shown(() =>
      page.locator('#media').evaluate((one: HTMLVideoElement) => one.playbackRate),
    ).toBe(1.5);
    await page.waitForFunction(
      () => (document.getElementById('speed') as HTMLSelectElement).value === '1.5',
    );
    await page.selectOption('#speed', '0.5');
    await shown(() =>
      page.locator('#media').evaluate((one: HTMLVideoElement) => one.playbackRate),
    ).toBe(0.5);
    // Keys are letters where one writes.
    await page.keyboard.press('/');
    await page.locator('#find_text').pressSequentially('jkl >');
    await shown(() => page.inputValue('#find_text')).toBe('jkl >');
    await shown(() => isPaused(page)).toBe(true);
    expect(problems).toEqual([]);
  });

  test('shows its keys, and gives letters up for whoever wants that', async () => {
    const { page, problems } = await openSample();
    await page.keyboard.press('?');
    await shown(() => page.isVisible('#key_sheet')).toBe(true);
    await shown(() => page.textContent('#key_list')).toContain('5 seconds back');
    await page.uncheck('#letter_keys');
    await page.keyboard.press('Escape');
    await shown(() => page.isVisible('#key_sheet')).toBe(false);
    await page.keyboard.press('?');
    await shown(() => page.isVisible('#key_sheet')).toBe(false);
    // The options of a transcription are remembered, too.
    await openOptions(page);
    await page.fill('#hotwords', 'Embind');
    await page.uncheck('#vad');
    await page.reload();
    await page.waitForSelector('html[data-state="idle"]', { state: 'attached' });
    await shown(() => page.isChecked('#letter_keys')).toBe(false);
    await shown(() => page.inputValue('#hotwords')).toBe('Embind');
    await shown(() => page.isChecked('#vad')).toBe(false);
    expect(problems).toEqual([]);
  });

  test('has a waveform that is its slider', async () => {
    const { page, problems } = await openSample();
    const slider = page.getByRole('slider', { name: 'Position' });
    await page.waitForFunction(() => document.querySelector('video')?.duration);
    await shown(() => slider.getAttribute('aria-valuemax')).toBe('9');
    await slider.press('End');
    await shown(() => slider.getAttribute('aria-valuetext')).toMatch(
      /^[89] seconds of [89] seconds$/,
    );
    await slider.press('Home');
    await slider.press('ArrowRight');
    await shown(() => slider.getAttribute('aria-valuenow')).toBe('5');
    const box = await slider.boundingBox();
    await page.mouse.move(box!.x + box!.width * 0.25, box!.y + 20);
    await page.mouse.down();
    await page.mouse.move(box!.x + box!.width * 0.75, box!.y + 20);
    await page.mouse.up();
    await shown(() => secondsOf(page)).toBeCloseTo(0.75 * 9, 0);
    // Louder where there is speech: bars of the words are taller than those of the pauses.
    const rows = await page.locator('#waveform_picture').evaluate((canvas: HTMLCanvasElement) => {
      const pixels = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data;
      const heights: number[] = [];
      for (let x = 0; x < canvas.width; ++x) {
        let count = 0;
        for (let y = 0; y < canvas.height - 10; ++y) {
          if ((pixels?.[(y * canvas.width + x) * 4 + 3] ?? 0) > 0) count += 1;
        }
        heights.push(count);
      }
      return heights;
    });
    expect(Math.max(...rows)).toBeGreaterThan(30);
    expect(rows.filter((height) => height > 0 && height < 6).length).toBeGreaterThan(20);
    expect(problems).toEqual([]);
  });

  test('scrolls along with what is heard, until the reader scrolls', async () => {
    const { page, problems } = await stage.open({ viewport: { width: 400, height: 500 } });
    await worked(page, () => drop(page, 'long.wav', longRecording(30)));
    const last = page.locator('.segment').last();
    const isSeen = () =>
      page.waitForFunction(() => {
        const box = document.querySelector('.word.sounding')?.getBoundingClientRect();
        return box && box.top >= 0 && box.bottom <= innerHeight;
      });
    await page.evaluate(() => scrollTo(0, 0));
    await last.evaluate((element: HTMLElement) => element.click());
    await isSeen();
    await page.mouse.move(200, 300);
    await page.mouse.wheel(0, -20_000);
    await page.getByRole('button', { name: 'Back to what sounds' }).waitFor();
    await page
      .locator('.segment')
      .first()
      .evaluate((element: HTMLElement) => element.click());
    await page.waitForSelector('.segment.playing >> nth=0');
    await page.click('#follow');
    await isSeen();
    await shown(() => page.isHidden('#follow')).toBe(true);
    expect(problems).toEqual([]);
  });

  test('leaves a word that is pressed under the pointer, low in the window, too', async () => {
    const { page, problems } = await stage.open({
      reducedMotion: 'reduce',
      viewport: { width: 400, height: 500 },
    });
    await worked(page, () => drop(page, 'long.wav', longRecording(8)));
    const low = page.locator('.word').nth(20);
    await low.evaluate((word) => word.scrollIntoView({ block: 'end', behavior: 'instant' }));
    const before = await page.evaluate(() => scrollY);
    // A click on the locator would bring it to the middle in Firefox.
    const middle = async () => {
      const { x, y, width, height } = (await low.boundingBox())!;
      return [x + width / 2, y + height / 2] as const;
    };
    // Else the next line may sound before the page is looked at.
    await setPace(page, 0.1);
    await page.mouse.click(...(await middle()));
    await page.waitForSelector('.word.sounding');
    await shown(() => page.evaluate(() => scrollY)).toBe(before);
    // The button brings it to the middle all the same.
    await page.locator('#media').evaluate((one: HTMLVideoElement) => one.pause());
    await page.mouse.wheel(0, 1);
    await page.click('#follow');
    await shown(() => page.evaluate(() => scrollY)).toBeGreaterThan(before + 50);
    await low.evaluate((word) => word.scrollIntoView({ block: 'end', behavior: 'instant' }));
    await page.mouse.dblclick(...(await middle()));
    const field = page.locator('.segment-field');
    await field.waitFor();
    const marked = await field.evaluate((one: HTMLTextAreaElement) =>
      one.value.slice(one.selectionStart, one.selectionEnd),
    );
    expect(marked).toBe((await low.textContent())?.trim());
    expect(problems).toEqual([]);
  });

  test('stops when another recording comes, and plays that one', async () => {
    const { page, problems } = await openSample();
    await page.locator('.word').first().click();
    await page.waitForFunction(() => document.querySelector('video')?.paused === false);
    const before = await page.locator('#media').evaluate((one: HTMLVideoElement) => one.src);
    await worked(page, () => drop(page, 'second.wav', sampleBytes()));
    await shown(() => isPaused(page)).toBe(true);
    await shown(() => page.locator('#media').evaluate((one: HTMLVideoElement) => one.src)).not.toBe(
      before,
    );
    await shown(() => page.textContent('#transcript_title')).toBe('second.wav');
    await page.locator('.word').first().click();
    await page.waitForSelector('.word.sounding');
    expect(problems).toEqual([]);
  });

  test('says what the browser cannot play; the text stays', async () => {
    const { page } = await openSample();
    await page.evaluate(() => {
      const media = document.querySelector('video');
      if (media) media.src = URL.createObjectURL(new Blob(['no sound at all']));
    });
    const problem = page.getByText('This browser cannot play the recording.');
    await problem.waitFor();
    await shown(() => page.isHidden('#error')).toBe(true);
    await shown(() => segmentTexts(page)).toEqual(sampleSegments);
    await editSegment(page, 0, 'still a tool');
    await shown(async () => (await segmentTexts(page))[0]).toBe('still a tool');
    // Firefox may say so, too, and play all the same; then the time goes on.
    const media = page.locator('#media');
    await media.dispatchEvent('timeupdate');
    await shown(() => problem.isVisible()).toBe(true);
    await media.evaluate((one) => Object.defineProperty(one, 'paused', { value: false }));
    await media.dispatchEvent('timeupdate');
    await shown(() => problem.isHidden()).toBe(true);
  });

  test('shows a video with what is said in it as captions', async () => {
    const { page, problems } = await stage.open();
    await openOptions(page);
    await page.check('#keep_recordings');
    const recorded = await page.evaluate(recordedVideo);
    await worked(page, () => drop(page, 'talk.webm', Buffer.from(recorded, 'base64')));
    await shown(async () => (await segmentTexts(page)).join(' ')).toContain('five');
    await page.waitForSelector('#picture:not([hidden]) video');
    const cues = () =>
      page
        .locator('#media')
        .evaluate((one: HTMLVideoElement) =>
          Array.from(one.textTracks).flatMap((track) =>
            track.mode === 'showing'
              ? Array.from(track.cues ?? [], (cue) => (cue as VTTCue).text)
              : [],
          ),
        );
    const texts = await segmentTexts(page);
    await shown(cues).toEqual(texts);
    await editSegment(page, 0, 'as edited');
    await shown(async () => (await cues())[0]).toBe('as edited');
    // A recorder says not how long it is; the page knows.
    await shown(() => page.textContent('#player_time')).toMatch(/^0:00 \/ 0:0\d$/);
    await worked(page, () => drop(page, 'sound.wav', sampleBytes()));
    await shown(() => page.isHidden('#picture')).toBe(true);
    await shown(cues).toEqual([]);
    // As it is kept, too.
    const facts = page.locator('.history-open', { hasText: 'talk.webm' }).locator('small');
    await shown(() => facts.textContent()).toMatch(/ [kM]B$/);
    await page.reload();
    await settled(page);
    await page.click('.history-open >> text=talk.webm');
    await page.waitForSelector('#picture:not([hidden]) video');
    await shown(cues).toEqual(['as edited', ...texts.slice(1)]);
    expect(problems).toEqual([]);
  });
});

/** Runs in the page: its sample as a video, recorded while it plays. Returns base64. */
async function recordedVideo(): Promise<string> {
  const context = new AudioContext();
  const response = await fetch('sample.wav');
  const source = context.createBufferSource();
  source.buffer = await context.decodeAudioData(await response.arrayBuffer());
  const sound = context.createMediaStreamDestination();
  source.connect(sound);
  const canvas = document.createElement('canvas');
  const picture = canvas.getContext('2d');
  const drawing = setInterval(() => picture?.fillRect(Math.random() * 300, 0, 9, 99), 50);
  const stream = new MediaStream([
    ...canvas.captureStream(20).getTracks(),
    ...sound.stream.getTracks(),
  ]);
  const recorder = new MediaRecorder(stream, { mimeType: 'video/webm;codecs=vp8,opus' });
  const parts: Blob[] = [];
  recorder.ondataavailable = ({ data }) => parts.push(data);
  const stopped = new Promise((done) => (recorder.onstop = done));
  recorder.start();
  source.start();
  await new Promise((done) => (source.onended = done));
  recorder.stop();
  await stopped;
  clearInterval(drawing);
  await context.close();
  const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}
