// Several files at once on the demo page: recordings in their order, a model with them, and wrong ones among them.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { encoded, opusFile } from '../support/encoded_audio.js';
import { limit } from '../support/limits.js';
import {
  type Stage,
  digitsBytes,
  drop,
  dropAll,
  hold,
  longRecording,
  longSilence,
  sampleBytes,
  sampleSegments,
  saved,
  segmentTexts,
  settled,
  shown,
  startStage,
  statusOf,
  unzip,
  worked,
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

const wav = sampleBytes();
const webPage = Buffer.from('<!doctype html><title>Not found</title>');

/** "name: state" of each row. */
const rows = (page: Page): Promise<string[]> =>
  page.$$eval('#queue_list > li', (all) =>
    all.map((row) => {
      const text = (selector: string) => row.querySelector(selector)?.textContent ?? '';
      return `${text('.queue-name')}: ${text('.queue-state')}`;
    }),
  );

const rowOf = (page: Page, name: string) =>
  page.locator('#queue_list > li', { has: page.getByRole('button', { name, exact: true }) });

test('several recordings are listened to one after the other, and each can be read', async () => {
  const { page, problems } = await stage.open({ processors: 1 });
  await worked(page, () =>
    dropAll(page, [
      ['a.wav', wav],
      ['silence.wav', longSilence(2)],
      ['c.wav', wav],
    ]),
  );
  await shown(() => statusOf(page).textContent()).toBe('All 3 recordings are done.');
  await shown(() => rows(page)).toEqual(['a.wav: done', 'silence.wav: done', 'c.wav: done']);
  await shown(() => page.textContent('#transcript_title')).toBe('c.wav');
  await rowOf(page, 'silence.wav')
    .getByRole('button', { name: 'silence.wav', exact: true })
    .click();
  await shown(() => page.textContent('#transcript_title')).toBe('silence.wav');
  await shown(() => page.isVisible('#nothing_heard')).toBe(true);
  await rowOf(page, 'a.wav').getByRole('button', { name: 'a.wav', exact: true }).click();
  await shown(() => segmentTexts(page)).toEqual(sampleSegments);
  await shown(() =>
    rowOf(page, 'a.wav')
      .getByRole('button', { name: 'a.wav', exact: true })
      .getAttribute('aria-current'),
  ).toBe('true');
  expect(problems).toEqual([]);
});

test('a recording that is dropped while another is listened to joins the queue, and the page says so', async () => {
  const { page, problems } = await stage.open({ processors: 1 });
  const release = await holdText(page, 2);
  await drop(page, 'long.wav', longRecording(12));
  await page.waitForSelector('.segment');
  await drop(page, 'next.wav', wav);
  await statusOf(page).getByText('Listening to long.wav … next.wav is next.').waitFor();
  await drop(page, 'last.wav', wav);
  await statusOf(page).getByText('Listening to long.wav … 2 more to come.').waitFor();
  await shown(async () => (await rows(page)).slice(1)).toEqual([
    'next.wav: waiting',
    'last.wav: waiting',
  ]);
  await page.waitForFunction(() =>
    / %/.test(document.querySelector('.queue-state')?.textContent ?? ''),
  );
  await release();
  await shown(() => rows(page)).toEqual(['long.wav: done', 'next.wav: done', 'last.wav: done']);
  await settled(page);
  // What was kept of them is in the history, the next ones begin a list of their own.
  await worked(page, () => drop(page, 'alone.wav', wav));
  await shown(() => page.isHidden('#queue')).toBe(true);
  await shown(() => page.textContent('#transcript_title')).toBe('alone.wav');
  // Kept when its text has rested for a moment.
  await page.locator('#history_list > li').nth(3).waitFor();
  expect(problems).toEqual([]);
});

/** a.wav is shown with all its text, and does not end before a second window may pass; the next one has begun when its two did. */
async function openWithQueue(): Promise<Awaited<ReturnType<Stage['open']>>> {
  const opened = await stage.open({ processors: 1 });
  await holdText(opened.page);
  await dropAll(opened.page, [
    ['a.wav', wav],
    ['b.wav', longRecording(12)],
    ['c.wav', wav],
  ]);
  await shown(() => segmentTexts(opened.page)).toEqual(sampleSegments);
  return opened;
}

test('a transcript that is edited stays when the next recording begins, and once it was edited', async () => {
  const { page, problems } = await openWithQueue();
  await page.locator('.segment').first().press('F2');
  await page.fill('.segment-field', 'I am st');
  const release = await holdText(page, 2);
  await statusOf(page).getByText('b.wav has begun. c.wav is next.').waitFor();
  await page.keyboard.type('ill here');
  await shown(() => page.inputValue('.segment-field')).toBe('I am still here');
  await page.keyboard.press('Enter');
  await release();
  await statusOf(page).getByText('All 3 recordings are done.').waitFor();
  await shown(() => page.isHidden('#status_show')).toBe(true);
  await shown(() => page.textContent('#transcript_title')).toBe('a.wav');
  await shown(() => page.textContent('.paragraph-text')).toBe('I am still here');
  // One that the person asks for is shown.
  await worked(page, () => drop(page, 'd.wav', wav));
  await shown(() => page.textContent('#transcript_title')).toBe('d.wav');
  expect(problems).toEqual([]);
});

test.each([
  ['marked', (page: Page) => page.locator('.segment').first().selectText()],
  [
    'heard',
    async (page: Page) => {
      await page.locator('#media').evaluate((media: HTMLMediaElement) => (media.loop = true));
      await page.click('#play');
      await page.waitForSelector('#play.playing');
    },
  ],
])(
  'a transcript that is %s stays when the next recording begins, which is offered',
  async (_, use) => {
    const { page, problems } = await openWithQueue();
    const title = () => page.textContent('#transcript_title');
    await use(page);
    const release = await holdText(page, 2);
    await statusOf(page).getByText('b.wav has begun. c.wav is next.').waitFor();
    await shown(title).toBe('a.wav');
    await page.locator('#status_show').press('Enter');
    await shown(title).toBe('b.wav');
    await statusOf(page).getByText('Listening to b.wav … c.wav is next.').waitFor();
    await shown(() => page.isHidden('#status_show')).toBe(true);
    await shown(() => page.evaluate(() => document.activeElement?.id)).toBe('cancel');
    // From then on what is listened to is shown again.
    await release();
    await statusOf(page).getByText('All 3 recordings are done.').waitFor();
    await shown(title).toBe('c.wav');
    expect(problems).toEqual([]);
  },
);

test('as many as there are engines are listened to beside each other, and the first of them is shown', async () => {
  const { page, problems } = await stage.open({ processors: 2 });
  const release = await holdText(page, 0);
  await dropAll(page, [
    ['a.wav', wav],
    ['b.wav', wav],
    ['c.wav', wav],
  ]);
  const said = 'Listening to a.wav … 2 more to come.';
  await statusOf(page).getByText(said).waitFor();
  const isUnderWay = (name: string) =>
    rowOf(page, name).evaluate((row) => (row as HTMLElement).dataset.state === 'listening');
  await shown(() => Promise.all(['a.wav', 'b.wav', 'c.wav'].map(isUnderWay))).toEqual([
    ...[true, true, false],
  ]);
  await shown(() => page.textContent('#transcript_title')).toBe('a.wav');
  // One of them alone is cancelled, and another has its place.
  await rowOf(page, 'b.wav').getByRole('button', { name: 'Cancel b.wav' }).click();
  await shown(() => isUnderWay('c.wav')).toBe(true);
  await statusOf(page).getByText('Listening to a.wav … c.wav is next.').waitFor();
  await shown(() => rows(page)).toEqual(['a.wav: 0 %', 'b.wav: stopped', 'c.wav: waiting']);
  // The one that is read beside them stays.
  await rowOf(page, 'c.wav').getByRole('button', { name: 'c.wav', exact: true }).click();
  await release();
  await statusOf(page).getByText('2 of 3 recordings are done.').waitFor();
  await shown(() => rows(page)).toEqual(['a.wav: done', 'b.wav: stopped', 'c.wav: done']);
  await shown(() => page.textContent('#transcript_title')).toBe('c.wav');
  await shown(() => segmentTexts(page)).toEqual(sampleSegments);
  await page.locator('#history_list > li').nth(1).waitFor();
  await rowOf(page, 'a.wav').getByRole('button', { name: 'a.wav', exact: true }).click();
  await shown(() => segmentTexts(page)).toEqual(sampleSegments);
  expect(problems).toEqual([]);
});

test('one in the middle that fails says why, and the others go on', async () => {
  const { page, problems } = await stage.open();
  const broken = Buffer.concat([wav.subarray(0, 20), Buffer.alloc(40)]);
  await worked(page, () =>
    dropAll(page, [
      ['a.wav', wav],
      ['broken.wav', broken],
      ['page.mp3', webPage],
      ['c.wav', wav],
    ]),
  );
  await shown(() => rows(page)).toEqual([
    'a.wav: done',
    'broken.wav: not transcribed',
    'c.wav: done',
    'page.mp3: not transcribed',
  ]);
  await shown(() => rowOf(page, 'broken.wav').locator('.queue-problem').textContent()).toMatch(
    /^This browser cannot read this kind of recording\./,
  );
  await shown(() => rowOf(page, 'page.mp3').locator('.queue-problem').textContent()).toMatch(
    /^This is a web page that was saved in place of the file\./,
  );
  await shown(() => statusOf(page).textContent()).toBe('2 of 4 recordings are done.');
  await shown(() => page.isHidden('#error')).toBe(true);
  await rowOf(page, 'page.mp3')
    .getByRole('button', { name: 'Remove page.mp3 from the list' })
    .click();
  await shown(() => rows(page)).toHaveLength(3);
  expect(problems).toEqual([]);
});

test('M11: what cannot be read says why in plain words, and what was in view stays', async () => {
  const sound = await encoded('m4a', 'aac', { samples: new Float32Array(16000), rate: 16000 });
  const alac = Buffer.from(sound);
  alac.write('alac', alac.indexOf('mp4a'), 'latin1');
  // With its description of AAC, Chromium would play it all the same.
  alac.write('free', alac.indexOf('esds'), 'latin1');
  const unreadable: readonly (readonly [string, Uint8Array, RegExp])[] = [
    ['silent.webm', await opusFile('webm', []), /^This video has no sound, /],
    [
      'memo.m4a',
      alac,
      /^This browser cannot read Apple Lossless \(ALAC\)\. Convert it to MP3 or WAV /,
    ],
    [
      'cut.mp4',
      sound.subarray(0, sound.length / 3),
      /^This recording (ends in the middle|is damaged)/,
    ],
  ];
  const { page, problems } = await stage.open();
  const message = () => page.textContent('#error_message');
  for (const [name, bytes, told] of unreadable) {
    await worked(page, () => drop(page, name, bytes));
    await shown(message).toMatch(told);
    await shown(() => page.isHidden('#transcript')).toBe(true);
  }
  await worked(page, () => drop(page, 'good.wav', wav));
  await shown(() => segmentTexts(page)).toEqual(sampleSegments);
  for (const [name, bytes, told] of unreadable) {
    await worked(page, () => drop(page, name, bytes));
    await shown(message).toMatch(told);
    await shown(() => page.textContent('#transcript_title')).toBe('good.wav');
    await shown(() => segmentTexts(page)).toEqual(sampleSegments);
    await shown(() => page.isHidden('#nothing_heard')).toBe(true);
  }
  expect(problems).toEqual([]);
});

test('the one under way is cancelled and kept as far as it came; the next one goes on', async () => {
  const { page, problems } = await stage.open();
  const release = await holdText(page);
  await dropAll(page, [
    ['long.wav', longRecording(12)],
    ['b.wav', wav],
    ['c.wav', wav],
  ]);
  await page.waitForSelector('.segment');
  await rowOf(page, 'c.wav').getByRole('button', { name: 'Cancel c.wav' }).click();
  await rowOf(page, 'long.wav').getByRole('button', { name: 'Cancel long.wav' }).click();
  await release();
  await shown(() => rows(page)).toEqual(['long.wav: stopped', 'b.wav: done', 'c.wav: stopped']);
  await rowOf(page, 'long.wav').getByRole('button', { name: 'long.wav', exact: true }).click();
  await shown(() => page.textContent('#transcript_meta')).toMatch(
    /^stopped at \d:\d\d of \d:\d\d$/,
  );
  await shown(async () => (await segmentTexts(page)).length).toBeGreaterThan(0);
  await shown(() => page.isVisible('#export')).toBe(true);
  await worked(page, () =>
    rowOf(page, 'c.wav').getByRole('button', { name: 'Start c.wav again' }).click(),
  );
  await shown(() => rows(page)).toEqual(['long.wav: stopped', 'b.wav: done', 'c.wav: done']);
  expect(problems).toEqual([]);
});

test('all are stopped at once, or the one under way; Escape stops nothing', async () => {
  const { page, problems } = await stage.open();
  await holdText(page);
  await dropAll(page, [
    ['one.wav', longRecording(12)],
    ['two.wav', longRecording(12)],
    ['three.wav', wav],
  ]);
  await page.waitForSelector('.segment');
  await page.keyboard.press('Escape');
  await shown(() => page.isVisible('#cancel')).toBe(true);
  await shown(async () => (await rows(page))[0]).toMatch(/^one\.wav: \d+ %/);
  await page.click('#cancel');
  await statusOf(page).getByText('Listening to two.wav …').waitFor();
  await worked(page, () => page.click('#queue_stop'));
  await shown(() => rows(page)).toEqual([
    'one.wav: stopped',
    'two.wav: stopped',
    'three.wav: stopped',
  ]);
  await shown(() => page.isHidden('#queue_stop')).toBe(true);
  // A download of the voice detector that was under way is stopped, too.
  expect(problems.filter((problem) => !problem.endsWith('/models/vad.tsm'))).toEqual([]);
});

/** Presses Pause as soon as there is something to pause, which the engine may not have begun. */
const pauseAtOnce = (page: Page, selector: string) =>
  page.evaluate((button) => {
    const observer = new MutationObserver(() => {
      const pause = document.querySelector<HTMLButtonElement>(button);
      if (!pause || pause.hidden) return;
      observer.disconnect();
      pause.click();
    });
    observer.observe(document.body, { subtree: true, attributes: true, childList: true });
  }, selector);

test('one is paused while its file still opens, keeps the screen on no longer, and goes on to its end', async () => {
  const { page, problems } = await stage.open({ processors: 1 });
  await page.evaluate(() => {
    const held = { count: 0 };
    const release = () => Promise.resolve(void (held.count -= 1));
    const request = () => {
      held.count += 1;
      return Promise.resolve({ release });
    };
    Object.defineProperty(navigator, 'wakeLock', { value: { request } });
    Object.assign(window, { held });
  });
  const isAwake = () => page.evaluate('held.count');
  await pauseAtOnce(page, '#pause');
  await drop(page, 'long.wav', longRecording(12));
  await statusOf(page)
    .getByText(/^Paused(\.| at 0:00)/)
    .waitFor();
  await shown(isAwake).toBe(0);
  await shown(() => page.title()).toMatch(/Paused · long\.wav$/);
  // Another page works meanwhile, as long as it takes.
  const other = await page.context().newPage();
  await other.goto(stage.address);
  await settled(other);
  await worked(other, () => drop(other, 'other.wav', longRecording(12)));
  const texts = await segmentTexts(other);
  await other.close();
  await shown(() => page.locator('.segment').count()).toBe(0);
  await worked(page, async () => {
    await page.click('#pause');
    await shown(() => page.evaluate(() => document.activeElement?.id)).toBe('pause');
  });
  await statusOf(page).getByText('Done:').waitFor();
  await shown(() => segmentTexts(page)).toEqual(texts);
  await shown(isAwake).toBe(0);
  await shown(() => page.isHidden('#pause')).toBe(true);
  // The pause counts for no measure of the speed.
  await shown(() => page.isHidden('#speed_promise')).toBe(true);
  expect(problems).toEqual([]);
});

test('one is paused where it is and says where, is stopped there, and is kept over a reload', async () => {
  const { page, problems } = await stage.open({ processors: 1 });
  await holdText(page);
  await drop(page, 'long.wav', longRecording(12));
  await page.waitForSelector('.segment');
  const paused = statusOf(page).getByText(/^Paused at 0:\d\d of 1:4\d\.$/);
  await page.click('#pause');
  await paused.waitFor();
  await page.dblclick('#pause');
  await paused.waitFor();
  await page.locator('#pause', { hasText: 'Continue' }).press('Enter');
  await statusOf(page).getByText('Listening to long.wav …').waitFor();
  await page.click('#pause');
  await paused.waitFor();
  await worked(page, () => page.click('#cancel'));
  await shown(() => page.textContent('#transcript_meta')).toMatch(/^stopped at 0:\d\d of 1:4\d$/);
  await drop(page, 'again.wav', longRecording(12));
  await shown(() => page.textContent('#transcript_title')).toBe('again.wav');
  await page.waitForSelector('.segment');
  await page.click('#pause');
  await paused.waitFor();
  await page.locator('.history-beginning').nth(1).waitFor();
  await page.reload();
  await settled(page);
  await page.click('.history-open >> text=again.wav');
  await shown(() => page.textContent('#transcript_meta')).toMatch(/^stopped at 0:\d\d of 1:4\d$/);
  expect(problems).toEqual([]);
});

test('of those beside each other one is paused while another goes on, or all are', async () => {
  const { page, problems } = await stage.open({ processors: 2 });
  const release = await holdText(page, 0);
  await dropAll(page, [
    ['a.wav', wav],
    ['b.wav', wav],
  ]);
  await rowOf(page, 'b.wav').getByRole('button', { name: 'Pause b.wav' }).click();
  await shown(() => rows(page)).toEqual(['a.wav: 0 %', 'b.wav: paused, 0 %']);
  await statusOf(page).getByText('Listening to a.wav … b.wav is next.').waitFor();
  await page.click('#queue_pause');
  await shown(() => rows(page)).toEqual(['a.wav: paused, 0 %', 'b.wav: paused, 0 %']);
  await statusOf(page)
    .getByText(/^a\.wav is paused.* b\.wav is next\.$/)
    .waitFor();
  await shown(() => page.textContent('#queue_pause')).toBe('Continue all');
  await page.click('#queue_pause');
  await release();
  await statusOf(page).getByText('All 2 recordings are done.').waitFor();
  await shown(() => page.isHidden('#queue_pause')).toBe(true);
  expect(problems).toEqual([]);
});

test('the same file twice is two recordings, saved under two names in one archive', async () => {
  const { page, problems } = await stage.open({ acceptDownloads: true });
  await worked(page, () =>
    dropAll(page, [
      ['same.wav', wav],
      ['same.wav', wav],
    ]),
  );
  await shown(() => rows(page)).toEqual(['same.wav: done', 'same.wav: done']);
  const all = { button: 'queue_save' };
  const { name, bytes } = await saved(page, 'srt', all);
  expect(name).toBe('transcripts.zip');
  const files = unzip(bytes);
  expect(Object.keys(files)).toEqual(['same.srt', 'same (2).srt']);
  // Wherever the subtitles part it.
  for (const text of Object.values(files))
    expect(text.replaceAll(/[^a-z]+/g, ' ')).toContain('three one four');
  // What the transcript's own menu offers, but the printer.
  for (const [format, ending] of [
    ['docx', 'docx'],
    ['verbose_json', 'verbose.json'],
  ] as const) {
    const named = Object.keys(unzip((await saved(page, format, all)).bytes));
    expect(named).toEqual([`same.${ending}`, `same (2).${ending}`]);
  }
  await shown(() => page.locator('#queue_save_menu .save-print').count()).toBe(0);
  expect(problems).toEqual([]);
});

test('names in an archive stay within it', async () => {
  const { page } = await stage.open({ acceptDownloads: true });
  await worked(page, () =>
    dropAll(page, [
      ['..\\..\\up.wav', wav],
      ['CON.wav', wav],
    ]),
  );
  const { bytes } = await saved(page, 'text', { button: 'queue_save' });
  expect(Object.keys(unzip(bytes))).toEqual(['-..-up.txt', '_CON.txt']);
});

test('a model and recordings that are dropped together: the model listens to them', async () => {
  const { page, problems } = await stage.open();
  await worked(page, () =>
    dropAll(page, [
      ['a.wav', wav],
      ['mine.apr', digitsBytes()],
      ['b.wav', wav],
    ]),
  );
  await statusOf(page).getByText('All 2 recordings are done.').waitFor();
  await shown(() => page.textContent('[data-fact="model"]')).toMatch(/^mine\.apr/);
  await shown(() => rows(page)).toEqual(['a.wav: done', 'b.wav: done']);
  expect(problems).toEqual([]);
});

test('what is dropped while a model loads waits for it, and is not given to another one unasked', async () => {
  const { page } = await stage.open();
  const release = await hold(page, '**/engine.*.wasm');
  await drop(page, 'cut.apr', digitsBytes().subarray(0, 1_000_000));
  await statusOf(page).getByText('Loading cut.apr …').waitFor();
  await dropAll(page, [
    ['a.wav', wav],
    ['b.wav', wav],
  ]);
  await statusOf(page).getByText('Loading cut.apr … 2 recordings wait for it.').waitFor();
  await shown(() => rows(page)).toEqual([
    'a.wav: waiting for a model',
    'b.wav: waiting for a model',
  ]);
  release();
  const lost = 'The model from before is still there. 2 recordings were not transcribed.';
  await statusOf(page).getByText(lost).waitFor();
  await shown(() => page.textContent('#error_message')).toBe(
    'This download is incomplete: 1.0 of 2.5 MB are here. Download the file again.',
  );
  await shown(() => rows(page)).toEqual(['a.wav: stopped', 'b.wav: stopped']);
  await worked(page, () =>
    rowOf(page, 'a.wav').getByRole('button', { name: 'Start a.wav again' }).click(),
  );
  await shown(() => rows(page)).toEqual(['b.wav: stopped', 'a.wav: done']);
});

test.each([
  ['a web page', 'a.mp3', webPage, 'This is a web page that was saved in place of the file.'],
  ['an archive', 'a.zip', Buffer.from('PK\x03\x04'.padEnd(60, '\0')), 'This is a zip archive.'],
  ['an empty file', 'a.wav', Buffer.alloc(0), 'This file is empty.'],
  ['a text', 'a.txt', Buffer.from('Dear Sir or Madam, …'), 'This is a text, not a recording'],
  [
    'a pointer',
    'model.safetensors',
    Buffer.from('version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 1\n'),
    'This is a Git LFS pointer',
  ],
])(
  '%s is named in one sentence, with details folded away',
  async (_what, name, bytes, sentence) => {
    const { page, problems } = await stage.open();
    await drop(page, name, bytes);
    await page.waitForSelector('#error:not([hidden])');
    await shown(() => page.textContent('#error_message')).toContain(sentence);
    await shown(() => page.isVisible('#error_details')).toBe(false);
    await page.click('#error_more summary');
    await shown(() => page.textContent('#error_details')).toMatch(
      /^code(unknown_format|truncated_input)/,
    );
    // It can still be used.
    await worked(page, () => page.click('#sample'));
    await shown(() => segmentTexts(page)).toEqual(sampleSegments);
    expect(problems).toEqual([]);
  },
);

test('several wrong files at once have a line each', async () => {
  const { page } = await stage.open();
  await dropAll(page, [
    ['a.html', webPage],
    ['b.txt', Buffer.from('only words')],
  ]);
  await page.waitForSelector('#error:not([hidden])');
  await shown(() => page.textContent('#error_title')).toBe('2 files cannot be used');
  await shown(() => page.textContent('#error_message')).toMatch(
    /^a\.html: .*\nb\.txt: This is a text/,
  );
});

test('M9: another model waits for the recording under way, and those behind it have that model', async () => {
  const { page, problems } = await stage.open({ processors: 1 });
  const release = await holdText(page);
  await dropAll(page, [
    ['long.wav', longRecording(12)],
    ['b.wav', wav],
  ]);
  await page.waitForSelector('.segment');
  await drop(page, 'first.apr', digitsBytes());
  await statusOf(page).getByText('Listening to long.wav … Then first.apr is loaded.').waitFor();
  await shown(async () => (await rows(page))[1]).toBe('b.wav: waiting for a model');
  // The one that is chosen last is the one that comes.
  await drop(page, 'mine.apr', digitsBytes());
  await statusOf(page).getByText('Then mine.apr is loaded.').waitFor();
  await shown(() => page.textContent('#model_name')).toBe('digits.apr');
  await release();
  await statusOf(page).getByText('All 2 recordings are done.').waitFor();
  await shown(() => rows(page)).toEqual(['long.wav: done', 'b.wav: done']);
  await shown(() => page.textContent('#model_name')).toBe('mine.apr');
  expect(problems).toEqual([]);
});

test('M18: a transcript that is deleted while it grows is stopped, as all are with all', async () => {
  const { page, problems } = await stage.open({ processors: 1 });
  await holdText(page);
  await dropAll(page, [
    ['a.wav', longRecording(12)],
    ['b.wav', longRecording(12)],
    ['c.wav', longRecording(12)],
  ]);
  const entries = page.locator('#history_list > li:not(.deleted)');
  await entries.filter({ hasText: 'a.wav' }).locator('.history-delete').click();
  await shown(() => rows(page)).toEqual(['a.wav: stopped', 'b.wav: 0 %', 'c.wav: waiting']);
  await entries.filter({ hasText: 'b.wav' }).locator('.history-delete').waitFor();
  await page.locator('#history_list > li.deleted .history-deleted button').click();
  await page.click('#history_delete_all');
  await page.locator('#history_question .danger').click();
  await shown(async () => (await rows(page))[1]).toBe('b.wav: stopped');
  await shown(() => entries.filter({ hasText: 'b.wav' }).count()).toBe(0);
  await worked(page, () => page.click('#queue_stop'));
  expect(problems).toEqual([]);
});

test('M5: who leaves while there is work is warned, and not before or after it', async () => {
  const { page } = await stage.open({ processors: 1 });
  const isWarned = () =>
    page.evaluate(() => !dispatchEvent(new Event('beforeunload', { cancelable: true })));
  await shown(isWarned).toBe(false);
  await holdText(page);
  await drop(page, 'long.wav', longRecording(12));
  await page.waitForSelector('.segment');
  await shown(isWarned).toBe(true);
  await page.locator('#history_list > li').waitFor();
  // Who leaves all the same finds it as a part.
  await page.reload();
  await settled(page);
  await shown(isWarned).toBe(false);
  await page.click('.history-open');
  const meta = () => page.textContent('#transcript_meta');
  await shown(meta).toMatch(/^stopped at \d:\d\d of \d:\d\d$/);
});

/** What a page does for a person who is elsewhere: `told` has it in its order. The answer to its question is `answer`. */
async function goElsewhere(page: Page, answer: NotificationPermission): Promise<void> {
  await page.evaluate((answer) => {
    const told: string[] = [];
    let permission: NotificationPermission = 'default';
    const Notice = function (_title: string, { body = '' }: NotificationOptions) {
      told.push(body);
    };
    Object.defineProperty(Notice, 'permission', { get: () => permission });
    Object.assign(Notice, {
      requestPermission() {
        told.push('asked');
        permission = answer;
        return Promise.resolve(answer);
      },
    });
    const request = () => {
      told.push('screen on');
      return Promise.resolve({ release: () => Promise.resolve(void told.push('released')) });
    };
    Object.assign(globalThis, { told, Notification: Notice });
    Object.defineProperty(navigator, 'wakeLock', { value: { request } });
    document.hasFocus = () => false;
  }, answer);
}

const toldOf = (page: Page) =>
  page.evaluate(() => (globalThis as unknown as { told: readonly string[] }).told);

test('while it works the tab says how far, the screen stays on, and whoever asked is told of the end', async () => {
  const { page, problems } = await stage.open();
  const own = await page.title();
  await goElsewhere(page, 'granted');
  const release = await holdText(page, 1);
  await drop(page, 'long.wav', longRecording(12));
  await shown(() => page.title()).toMatch(/^\d+ % · long\.wav$/);
  // Nobody is asked but by a click.
  await page.locator('#tell_done').waitFor();
  await page.locator('#tell_done').press('Enter');
  await shown(() => page.isHidden('#tell_done')).toBe(true);
  await shown(() => page.evaluate(() => document.activeElement?.id)).toBe('cancel');
  // The browser lets go of the screen when the page is hidden.
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await shown(() => toldOf(page)).toEqual(['screen on', 'asked', 'screen on', 'released']);
  await release();
  await settled(page);
  await shown(() => page.title()).toBe(own);
  await shown(async () => (await toldOf(page)).slice(4).sort()).toEqual([
    ...['long.wav is done.', 'released'],
  ]);
  // Nor is anybody told of what they stop themselves.
  await holdText(page, 1);
  await drop(page, 'stopped.wav', longRecording(12));
  await page.waitForSelector('.segment');
  await worked(page, () => page.click('#cancel'));
  await shown(async () => (await toldOf(page)).slice(6)).toEqual(['screen on', 'released']);
  expect(problems).toEqual([]);
});

test('whoever does not want to be told of the end is not asked again', async () => {
  const { page } = await stage.open();
  await goElsewhere(page, 'denied');
  const release = await holdText(page, 1);
  await drop(page, 'long.wav', longRecording(12));
  await page.click('#tell_done');
  await shown(() => page.isHidden('#tell_done')).toBe(true);
  await release();
  await settled(page);
  await shown(() => toldOf(page)).toEqual(['screen on', 'asked', 'released']);
});

test('a file that vanishes before its turn says so', async () => {
  const { page } = await stage.open();
  await page.evaluate(() => {
    // As of a file that was deleted: its bytes cannot be read any more.
    const read: () => Promise<ArrayBuffer> = Reflect.get(Blob.prototype, 'arrayBuffer');
    let isGone = false;
    Blob.prototype.arrayBuffer = function (this: Blob) {
      return isGone
        ? Promise.reject(new DOMException('A requested file could not be found.', 'NotFoundError'))
        : read.call(this);
    };
    addEventListener('vanish', () => (isGone = true));
  });
  const release = await holdText(page);
  await drop(page, 'long.wav', longRecording(12));
  await page.waitForSelector('.segment');
  await drop(page, 'gone.wav', wav);
  await statusOf(page).getByText('gone.wav is next.').waitFor();
  await page.evaluate(() => dispatchEvent(new Event('vanish')));
  await release();
  await shown(() => rowOf(page, 'gone.wav').locator('.queue-problem').textContent()).toBe(
    'The file is not there any more, or cannot be read. Choose it again.',
  );
});

test('fits a telephone', async () => {
  const { page } = await stage.open({ viewport: { width: 320, height: 700 } });
  await worked(page, () =>
    dropAll(page, [
      ['a recording with quite a long name that nobody would choose.wav', wav],
      ['b.wav', wav],
      ['page.mp3', webPage],
    ]),
  );
  await shown(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
    320,
  );
});

test('what waited is listed after a reload, until it is chosen again or dismissed, and in one tab', async () => {
  const { page, problems } = await stage.open({ processors: 1 });
  const names = (tab: Page) => tab.textContent('#waited_names');
  await holdText(page);
  await dropAll(page, [
    ['long.wav', longRecording(12)],
    ['a.wav', wav],
    ['removed.wav', wav],
    ['b.wav', wav],
    ['c.wav', wav],
  ]);
  await page.locator('.history-open', { hasText: 'long.wav' }).waitFor();
  await rowOf(page, 'removed.wav').getByRole('button', { name: 'Cancel' }).click();
  const other = await page.context().newPage();
  await other.goto(stage.address);
  await settled(other);
  await shown(() => other.isHidden('#waited')).toBe(true);
  await page.reload();
  await settled(page);
  await shown(() => names(page)).toBe('a.wav, b.wav, c.wav');
  await shown(() => page.textContent('#waited_title')).toMatch(/^3 recordings were waiting/);
  await other.reload();
  await settled(other);
  await shown(() => other.isHidden('#waited')).toBe(true);
  // They are still known after another reload; a file of another size is another one.
  await page.reload();
  await settled(page);
  await shown(() => names(page)).toBe('a.wav, b.wav, c.wav');
  await worked(page, () => drop(page, 'a.wav', longSilence(2)));
  await shown(() => names(page)).toBe('a.wav, b.wav, c.wav');
  const choosing = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose them again' }).click();
  const chooser = await choosing;
  expect(chooser.isMultiple()).toBe(true);
  await worked(page, () =>
    chooser.setFiles(
      ['a.wav', 'b.wav'].map((name) => ({ name, mimeType: 'audio/wav', buffer: wav })),
    ),
  );
  await shown(() => names(page)).toBe('c.wav');
  await page.click('#waited_dismiss');
  await shown(() => page.isHidden('#waited')).toBe(true);
  await page.reload();
  await settled(page);
  await shown(() => page.isHidden('#waited')).toBe(true);
  await shown(() => page.evaluate(() => Object.keys(localStorage).join())).not.toMatch(/waiting/);
  expect(problems).toEqual([]);
});

test('what waits where nothing can be stored is transcribed all the same', async () => {
  const { page, problems } = await stage.open({ processors: 1 });
  await page.addInitScript(() => {
    Storage.prototype.setItem = () => {
      throw new DOMException('no', 'QuotaExceededError');
    };
  });
  await page.reload();
  await settled(page);
  await worked(page, () =>
    dropAll(page, [
      ['a.wav', wav],
      ['b.wav', wav],
    ]),
  );
  await shown(() => rows(page)).toEqual(['a.wav: done', 'b.wav: done']);
  expect(problems).toEqual([]);
});
