// Earlier transcripts: kept over a reload, opened, deleted, and never in the way when the browser refuses.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';
import { limit } from '../support/limits.js';
import {
  drop,
  dropAll,
  editSegment,
  keepEarlier,
  longRecording,
  openOptions,
  sampleBytes,
  sampleSegments,
  segmentTexts,
  deleteEverything,
  saved,
  settled,
  shown,
  speak,
  startStage,
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

const names = (page: Page) => page.locator('#history_list strong').allTextContents();
const listed = (page: Page, count: number) =>
  page.waitForFunction(
    (wanted) => document.querySelectorAll('#history_list li').length === wanted,
    count,
  );

/** Waits until what the list says of the transcript begins so: it is written. */
const isKept = (page: Page, beginning: string) =>
  page.locator('.history-beginning', { hasText: beginning }).first().waitFor();

/** All that the browser has kept by now in a store of the transcripts' database. */
const storedIn = <Stored>(page: Page, store: string): Promise<Stored[]> =>
  page.evaluate(
    (name) =>
      new Promise<Stored[]>((done) => {
        const opening = indexedDB.open('susurrus-transcripts');
        opening.onsuccess = () => {
          const database = opening.result;
          const all = database.transaction(name).objectStore(name).getAll();
          all.onsuccess = () => {
            database.close();
            done(all.result as Stored[]);
          };
        };
      }),
    store,
  );

/** Each name with its note. */
async function keptNotes(page: Page): Promise<string[]> {
  const kept = await storedIn<{ content: { name: string; note: string } }>(page, 'contents');
  return kept.map(({ content: { name, note } }) => `${name}: ${note}`);
}

/** Runs in the page: the texts of kept transcripts arrive when the event "read" comes, the last one first. */
function holdReading(): void {
  const held: (() => void)[] = [];
  Object.assign(window, { held });
  addEventListener('read', () => {
    for (const arrive of held.splice(0).reverse()) arrive();
  });
  const descriptor = Object.getOwnPropertyDescriptor(IDBTransaction.prototype, 'oncomplete');
  const get = Reflect.get<IDBObjectStore, 'get'>(IDBObjectStore.prototype, 'get');
  const reading = new WeakSet<IDBTransaction>();
  IDBObjectStore.prototype.get = function (this: IDBObjectStore, key) {
    if (this.name === 'contents') reading.add(this.transaction);
    return get.call(this, key);
  };
  Object.defineProperty(IDBTransaction.prototype, 'oncomplete', {
    set(this: IDBTransaction, listener: () => void) {
      descriptor?.set?.call(this, () => {
        if (reading.has(this)) held.push(listener);
        else listener();
      });
    },
  });
}

/** A page that has transcribed a recording whole and in sequence: its texts are what must come of it in any number of parts. */
async function openWithLong() {
  const opened = await stage.open({ processors: 1 });
  const { page } = opened;
  await openOptions(page);
  await page.uncheck('#vad');
  await worked(page, () => drop(page, 'whole.wav', longRecording(12)));
  return { ...opened, texts: await segmentTexts(page) };
}

/** Names of the recordings with whose transcripts the browser could go on. */
async function unfinishedOnes(page: Page): Promise<string[]> {
  const kept = await storedIn<{ unfinished: { file: { name: string } } }>(page, 'unfinished');
  return kept.map(({ unfinished }) => unfinished.file.name);
}

/** The ids of the transcripts whose recordings the browser keeps, parts included. */
const recordingIds = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    const ids: string[] = [];
    const root = await navigator.storage.getDirectory();
    const all = await root.getDirectoryHandle('susurrus-recordings', { create: true });
    for await (const id of all.keys()) ids.push(id);
    return ids;
  });

const facts = (page: Page) => page.locator('.history-open small').allTextContents();

async function keepRecordings(page: Page): Promise<void> {
  await openOptions(page);
  await page.check('#keep_recordings');
}

/** Runs in the page: what was kept to go on with has another member. */
function changeUnfinished({ name, value }: { name: string; value: unknown }): Promise<void> {
  return new Promise((done) => {
    const opening = indexedDB.open('susurrus-transcripts');
    opening.onsuccess = () => {
      const database = opening.result;
      const writing = database.transaction('unfinished', 'readwrite');
      const store = writing.objectStore('unfinished');
      const all = store.getAll();
      all.onsuccess = () => {
        const [kept] = all.result as { id: string; unfinished: object }[];
        if (kept) store.put({ ...kept, unfinished: { ...kept.unfinished, [name]: value } });
      };
      writing.oncomplete = () => {
        database.close();
        done();
      };
    };
  });
}

async function middleOf(page: Page, selector: string): Promise<[x: number, y: number]> {
  const box = await page.locator(selector).first().boundingBox();
  return [(box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2];
}

async function anotherTab(context: BrowserContext, address: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(address);
  await settled(page);
  return page;
}

describe('earlier transcripts', () => {
  test('are there after a reload, with their edits, without their recording', async () => {
    const { page, problems } = await stage.open({ acceptDownloads: true });
    await shown(() => page.isHidden('#history')).toBe(true);
    await worked(page, () => drop(page, 'talk.wav', sampleBytes()));
    await editSegment(page, 0, 'edited by hand');
    await isKept(page, 'edited by hand');
    await page.reload();
    await settled(page);
    await listed(page, 1);
    await shown(() => names(page)).toEqual(['talk.wav']);
    await shown(() => page.isHidden('#transcript')).toBe(true);
    await page.click('.history-open');
    await shown(() => segmentTexts(page)).toEqual(['edited by hand', ...sampleSegments.slice(1)]);
    await shown(() => page.textContent('#transcript_meta')).toBe('9.0 s · English');
    await shown(() => page.isHidden('#player')).toBe(true);
    await shown(() => page.isHidden('#again')).toBe(true);
    expect((await saved(page, 'text')).name).toBe('talk.txt');

    // The recording can be given again to hear it.
    await page.setInputFiles('#added_recording', {
      name: 'talk.wav',
      mimeType: 'audio/wav',
      buffer: sampleBytes(),
    });
    await page.locator('.word >> text=nine').click();
    await page.waitForSelector('.word.sounding');
    await editSegment(page, 1, 'edited again');
    await isKept(page, 'edited by hand edited again');

    // Hebrew runs from right to left wherever it stands.
    await editSegment(page, 0, 'שלום!');
    await isKept(page, 'שלום! edited again');
    for (const place of ['.history-beginning', '.paragraph-text']) {
      const element = page.locator(place).first();
      await shown(() => element.evaluate((one) => getComputedStyle(one).direction)).toBe('rtl');
    }
    expect(problems).toEqual([]);
  });

  test('are kept while they grow, and can be read beside the one that grows', async () => {
    const { page, problems } = await stage.open();
    await worked(page, () => drop(page, 'first.wav', sampleBytes()));
    await listed(page, 1);
    const release = await holdText(page);
    await drop(page, 'long.wav', longRecording(12, 3));
    await listed(page, 2);
    await page.click('.history-open >> text=first.wav');
    await shown(() => segmentTexts(page)).toEqual(sampleSegments);
    await page.waitForSelector('.history-open[aria-current] >> text=first.wav');
    await page.click('.history-open >> text=long.wav');
    await page.waitForSelector('.history-open[aria-current] >> text=long.wav');
    const before = (await segmentTexts(page)).length;
    expect(before).toBeGreaterThan(0);
    await holdText(page, 2);
    await shown(async () => (await segmentTexts(page)).length).toBeGreaterThan(before);
    await worked(page, () => page.click('#cancel'));
    await release();
    await shown(() => keptNotes(page)).toContainEqual(
      expect.stringMatching(/^long\.wav: stopped at \d:\d\d of \d:\d\d$/),
    );
    const paragraphs = page.locator('#segments > .paragraph');
    const grown = await paragraphs.allTextContents();
    expect(grown.length).toBeGreaterThan(1);
    await page.reload();
    await settled(page);
    await listed(page, 2);
    await page.click('.history-open >> text=long.wav');
    // What grew piece by piece reads as what is laid out at once.
    await shown(() => paragraphs.allTextContents()).toEqual(grown);
    await shown(() => page.textContent('#transcript_meta')).toMatch(
      /^stopped at \d:\d\d of \d:\d\d$/,
    );
    expect(problems).toEqual([]);
  });

  test('go on where they were stopped, with their edits, and after a reload with the recording', async () => {
    const { page, problems, texts } = await openWithLong();
    const long = longRecording(12);
    const release = await holdText(page, 1);
    await drop(page, 'long.wav', long);
    await shown(() => page.textContent('#transcript_title')).toBe('long.wav');
    await shown(async () => (await segmentTexts(page)).length).toBeGreaterThan(4);
    await worked(page, () => page.click('#cancel'));
    const before = (await segmentTexts(page)).length;
    await shown(() => page.textContent('#go_on')).toBe('Continue');
    await editSegment(page, 0, 'edited by hand');
    await release();
    await holdText(page, 1);
    await page.click('#go_on');
    await shown(async () => (await segmentTexts(page)).length).toBeGreaterThan(before);
    await shown(() => page.isHidden('#go_on')).toBe(true);
    const edited = ['edited by hand', ...texts.slice(1)];
    const soFar = await segmentTexts(page);
    expect(soFar).toEqual(edited.slice(0, soFar.length));
    await worked(page, () => page.click('#cancel'));
    await shown(() => unfinishedOnes(page)).toEqual(['long.wav']);

    await page.reload();
    await settled(page);
    await page.click('.history-open >> text=long.wav');
    await shown(() => page.textContent('#go_on')).toBe('Choose long.wav to continue');
    const choose = async (name: string, buffer: Uint8Array) => {
      const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.click('#go_on')]);
      await chooser.setFiles({ name, mimeType: 'audio/wav', buffer: Buffer.from(buffer) });
    };
    await choose('other.wav', sampleBytes());
    const another = 'other.wav is not the recording of this transcript. Choose long.wav.';
    await shown(() => page.textContent('#go_on_problem')).toBe(another);
    await shown(() => segmentTexts(page)).toEqual(soFar);
    await worked(page, () => choose('long.wav', long));
    await shown(() => segmentTexts(page)).toEqual(edited);
    await shown(() => page.isHidden('#go_on_problem')).toBe(true);
    await shown(() => page.textContent('#transcript_meta')).toMatch(/ · English$/);
    await shown(() => unfinishedOnes(page)).toEqual([]);
    await shown(() => names(page)).toEqual(['long.wav', 'whole.wav']);
    expect(problems).toEqual([]);
  });

  test('play and go on after a reload where recordings are kept, which are deleted and come back with them', async () => {
    const { page, problems } = await stage.open({ processors: 1 });
    await keepRecordings(page);
    await page.uncheck('#vad');
    const release = await holdText(page, 1);
    await drop(page, 'long.wav', longRecording(12));
    await shown(async () => (await segmentTexts(page)).length).toBeGreaterThan(4);
    await worked(page, () => page.click('#cancel'));
    await release();
    await shown(() => unfinishedOnes(page)).toEqual(['long.wav']);
    await shown(() => facts(page)).toEqual([expect.stringMatching(/ · 3 MB$/)]);
    const kept = await recordingIds(page);
    expect(kept).toHaveLength(1);

    await page.reload();
    await settled(page);
    await shown(() => page.isChecked('#keep_recordings')).toBe(true);
    await page.click('.history-open >> text=long.wav');
    await shown(() => page.isVisible('#player')).toBe(true);
    await page.locator('.word >> text=nine').first().click();
    await page.waitForSelector('.word.sounding');
    await shown(() => page.textContent('#go_on')).toBe('Continue');
    await worked(page, () => page.click('#go_on'));
    await shown(() => page.textContent('#transcript_meta')).toMatch(/ · English$/);
    await shown(() => unfinishedOnes(page)).toEqual([]);
    await editSegment(page, 0, 'edited by hand');
    await isKept(page, 'edited by hand');

    const remove = page.getByRole('button', { name: 'Delete the transcript of long.wav' });
    await remove.press('Enter');
    await shown(async () => (await keptNotes(page)).length).toBe(0);
    // As a page leaves it that goes while it writes: the next one clears it away, and what may come back stays.
    await page.evaluate(async () => {
      const root = await navigator.storage.getDirectory();
      const all = await root.getDirectoryHandle('susurrus-recordings');
      await all.getDirectoryHandle('part', { create: true });
    });
    const other = await anotherTab(page.context(), stage.address);
    await shown(() => recordingIds(page)).toEqual(kept);
    await other.close();
    const undo = page.getByRole('button', { name: 'Undo: bring back the transcript of long.wav' });
    await undo.press('Enter');
    await shown(() => page.textContent('#history_said')).toBe(
      'The transcript of long.wav is back.',
    );
    await shown(() => facts(page)).toEqual([expect.stringMatching(/ · 3 MB$/)]);
    // The time for Undo goes by.
    await page.evaluate(() => {
      const before = window.setTimeout.bind(window);
      Object.assign(window, { setTimeout: (call: () => void) => before(call) });
    });
    await remove.click();
    await page.mouse.move(0, 0);
    await shown(() => recordingIds(page)).toEqual([]);
    await shown(() => page.isHidden('#player')).toBe(true);
    await listed(page, 0);
    expect(problems).toEqual([]);
  });

  test('are kept without their recordings where there is no room for those, and say so', async () => {
    const { page, problems } = await stage.open();
    const other = await anotherTab(page.context(), stage.address);
    await keepRecordings(page);
    const said = (name: string) =>
      `The recording of ${name} could not be kept in this browser, perhaps for lack of room; its transcript is kept.`;
    const note = () => page.textContent('#recording_problem:not([hidden])');
    await page.evaluate(() => {
      Object.assign(navigator.storage, { estimate: () => Promise.resolve({ quota: 9, usage: 5 }) });
    });
    await worked(page, () => drop(page, 'one.wav', sampleBytes()));
    await shown(note).toBe(said('one.wav'));
    await page.evaluate(() => {
      Reflect.deleteProperty(navigator.storage, 'estimate');
      const files = FileSystemFileHandle.prototype;
      const createWritable: unknown = Reflect.get(files, 'createWritable');
      addEventListener('room', () => Object.assign(files, { createWritable }));
      files.createWritable = () => Promise.reject(new DOMException('no', 'QuotaExceededError'));
    });
    await worked(page, () => drop(page, 'two.wav', sampleBytes()));
    await shown(note).toBe(said('two.wav'));
    await shown(() => names(page)).toEqual(['two.wav', 'one.wav']);
    await shown(() => recordingIds(page)).toEqual([]);
    await page.evaluate(() => dispatchEvent(new Event('room')));
    await worked(page, () => drop(page, 'three.wav', sampleBytes()));
    await shown(() => page.isHidden('#recording_problem')).toBe(true);
    for (const tab of [page, other]) {
      await shown(() => facts(tab)).toEqual([
        expect.stringMatching(/ · 9\.0 s · \d+ kB$/),
        expect.stringMatching(/ · 9\.0 s$/),
        expect.stringMatching(/ · 9\.0 s$/),
      ]);
    }
    await other.click('.history-open >> text=three.wav');
    await shown(() => other.isVisible('#player')).toBe(true);
    await page.click('#history_delete_all');
    await page.click('#history_question button[value="delete"]');
    await listed(other, 0);
    await shown(() => recordingIds(page)).toEqual([]);
    await shown(() => other.isHidden('#player')).toBe(true);
    expect(problems).toEqual([]);
  });

  test.each([
    ['model', 'another model', 'long.wav begins again: another model began it.'],
    ['saved', {}, 'long.wav begins again: what was kept of it does not fit any more.'],
  ])('begin again where the kept %s is not of this page, and say so', async (name, value, said) => {
    const { page, problems, texts } = await openWithLong();
    await holdText(page, 2);
    await drop(page, 'long.wav', longRecording(12));
    await shown(() => page.textContent('#transcript_title')).toBe('long.wav');
    await shown(async () => (await segmentTexts(page)).length).toBeGreaterThan(8);
    await worked(page, () => page.click('#cancel'));
    await shown(() => unfinishedOnes(page)).toEqual(['long.wav']);
    await page.reload();
    await settled(page);
    // The page before may have kept it once more as it stopped; from here on nobody does.
    await page.evaluate(changeUnfinished, { name, value });
    const release = await holdText(page, 1);
    await page.click('.history-open >> text=long.wav');
    await shown(async () => (await segmentTexts(page)).length).toBeGreaterThan(8);
    const soFar = await segmentTexts(page);
    await page.setInputFiles('#added_recording', {
      name: 'long.wav',
      mimeType: 'audio/wav',
      buffer: Buffer.from(longRecording(12)),
    });
    await shown(() => page.textContent('#go_on')).toBe('Continue');
    await page.click('#go_on');
    await page.locator('#status').getByText(said).waitFor();
    await worked(page, release);
    await shown(() => segmentTexts(page)).toEqual(texts);
    await shown(() => names(page)).toEqual(['long.wav', 'long.wav', 'whole.wav']);
    // What there was stays as it was.
    await page.locator('.history-open', { hasText: 'long.wav' }).nth(1).click();
    await shown(() => segmentTexts(page)).toEqual(soFar);
    expect(problems).toEqual([]);
  });

  test('are opened once by a double click, the last one wins, and nothing else is edited meanwhile', async () => {
    const { page, problems } = await stage.open();
    for (const name of ['one.wav', 'two.wav', 'three.wav']) {
      await worked(page, () => drop(page, name, sampleBytes()));
    }
    await listed(page, 3);
    await shown(async () => (await keptNotes(page)).length).toBe(3);
    await page.addInitScript(holdReading);
    await page.reload();
    await settled(page);
    await listed(page, 3);
    const release = async (count = 1) => {
      await shown(() => page.evaluate('held.length')).toBeGreaterThanOrEqual(count);
      await page.evaluate(() => dispatchEvent(new Event('read')));
    };
    await page.dblclick('.history-open >> text=one.wav');
    await page.click('.history-open >> text=two.wav');
    await release(2);
    await shown(() => page.textContent('#transcript_title')).toBe('two.wav');
    await shown(() => page.getAttribute('#transcript', 'aria-busy')).toBe(null);

    // What is on the page is not what the person wants to edit any more.
    await page.click('.history-open >> text=three.wav');
    await shown(() => page.getAttribute('#transcript', 'aria-busy')).toBe('true');
    await page.locator('.segment').first().press('F2');
    await page.keyboard.press('e');
    await page.keyboard.type('wrong');
    await page.mouse.click(...(await middleOf(page, '.segment')));
    const fields = await page.locator('.segment-field').count();
    expect(fields).toBe(0);
    await release();
    await shown(() => page.textContent('#transcript_title')).toBe('three.wav');
    await editSegment(page, 0, 'right');
    await isKept(page, 'right');
    await page.click('.history-open >> text=one.wav');
    await release();
    await shown(() => page.textContent('#transcript_title')).toBe('one.wav');
    await editSegment(page, 0, 'edited once');
    await isKept(page, 'edited once');
    await page.click('.history-open >> text=two.wav');
    await release();
    await shown(() => page.textContent('#transcript_title')).toBe('two.wav');
    await shown(() => segmentTexts(page)).toEqual(sampleSegments);
    await page.click('.history-open >> text=one.wav');
    await release();
    await shown(() => page.textContent('#transcript_title')).toBe('one.wav');
    await shown(() => segmentTexts(page)).toEqual(['edited once', ...sampleSegments.slice(1)]);
    expect(problems).toEqual([]);
  });

  test('keep the focus and a press while what the list shows changes', async () => {
    const { page, problems } = await stage.open();
    for (const name of ['one.wav', 'two.wav']) {
      await worked(page, () => drop(page, name, sampleBytes()));
    }
    await listed(page, 2);
    const row = page.locator('.history-open', { hasText: 'one.wav' });
    await row.click();
    await page.waitForSelector('.history-open[aria-current] >> text=one.wav');
    await row.hover();
    await page.mouse.down();
    // As an autosave does, between the press and its end.
    await page.evaluate(() => {
      document
        .querySelector('.segment')
        ?.dispatchEvent(new KeyboardEvent('keydown', { key: 'F2', bubbles: true }));
      const field = document.querySelector<HTMLTextAreaElement>('.segment-field');
      if (field) field.value = field.value.replace(/^\w+/, 'changed meanwhile');
      field?.blur();
    });
    await row.focus();
    await isKept(page, 'changed meanwhile');
    await shown(() => row.evaluate((one) => one === document.activeElement)).toBe(true);
    await page.evaluate(() => {
      document.querySelector('.title-name')!.textContent = '';
    });
    await page.mouse.up();
    await shown(() => page.textContent('#transcript_title')).toBe('one.wav');
    expect(problems).toEqual([]);
  });

  test('stay under the pointer when another one is listed above them', async () => {
    const { page, problems } = await stage.open({ viewport: { width: 1280, height: 400 } });
    for (const name of ['one.wav', 'two.wav']) {
      await worked(page, () => drop(page, name, sampleBytes()));
    }
    await listed(page, 2);
    // Not all browsers keep the place by themselves.
    await page.evaluate(() => {
      document.documentElement.style.setProperty('overflow-anchor', 'none');
    });
    const row = page.locator('.history-open', { hasText: 'one.wav' });
    await row.hover();
    const place = () => row.evaluate((one) => Math.round(one.getBoundingClientRect().top));
    const before = await place();
    // Nothing but the list changes: it comes from another tab.
    const other = await anotherTab(page.context(), stage.address);
    await worked(other, () => drop(other, 'three.wav', sampleBytes()));
    await listed(page, 3);
    await shown(() => names(page)).toEqual(['three.wav', 'two.wav', 'one.wav']);
    await shown(place).toBe(before);
    await shown(() => row.evaluate((one) => one.matches(':hover'))).toBe(true);
    expect(problems).toEqual([]);
  });

  test('have the last words that were written before the page went', async () => {
    const { page, problems } = await stage.open();
    await worked(page, () => drop(page, 'talk.wav', sampleBytes()));
    await isKept(page, sampleSegments[0]!);
    // The storage stops responding, as it does to a page that closes.
    await page.evaluate(() => {
      IDBObjectStore.prototype.get = () => new EventTarget() as IDBRequest;
    });
    await editSegment(page, 0, 'the last words');
    await page.reload();
    await settled(page);
    await isKept(page, 'the last words');
    await listed(page, 1);
    const names = () => page.evaluate(() => Object.keys(localStorage).join());
    await shown(names).not.toContain('unwritten');
    expect(problems).toEqual([]);
  });

  test('are searched, and open where the words are, or at their title', async () => {
    const { page, problems } = await stage.open({ viewport: { width: 800, height: 500 } });
    const filler = Array.from(
      { length: 30 },
      () => 'One says what one says and says no more of it.',
    );
    await keepEarlier(page, {
      'ethics.wav': [...filler, 'Much of political', 'philosophy is about a well.'],
      'water.wav': filler,
      'talk of wells.wav': filler,
    });
    await page.fill('#history_search', 'political philosophy');
    const rows = page.locator('.history-item:visible');
    await shown(() => rows.locator('strong').allTextContents()).toEqual(['ethics.wav']);
    await shown(() => rows.locator('mark').textContent()).toBe('political philosophy');
    await rows.locator('.history-open').click();
    await shown(() => page.textContent('#find_count')).toBe('1 of 1');
    const isSeen = (selector: string) =>
      page.$eval(selector, (one) => {
        const { top, bottom } = one.getBoundingClientRect();
        return top >= 0 && bottom <= innerHeight;
      });
    await shown(() => isSeen('.segment.found')).toBe(true);
    await page.fill('#history_search', 'well');
    await shown(() => rows.locator('strong').allTextContents()).toEqual([
      'talk of wells.wav',
      'ethics.wav',
    ]);
    await page.fill('#history_search', 'zebra');
    await shown(() => rows.count()).toBe(0);
    await shown(() => page.isVisible('#history_not_found')).toBe(true);
    await page.press('#history_search', 'Escape');
    await shown(() => rows.count()).toBe(3);

    await page.click('.history-open >> text="water.wav"');
    await shown(() => page.textContent('#transcript_title')).toBe('water.wav');
    await shown(() => page.evaluate(() => document.activeElement?.id)).toBe('transcript_title');
    await shown(() => isSeen('#transcript_title')).toBe(true);
    expect(problems).toEqual([]);
  });

  test('are deleted, one or all, when a person says so', async () => {
    const { page, problems } = await stage.open();
    for (const name of ['one.wav', 'two.wav', 'three.wav']) {
      await worked(page, () => drop(page, name, sampleBytes()));
    }
    await listed(page, 3);
    const places = () =>
      page.$$eval('.history-item', (all) => all.map((one) => (one as HTMLElement).offsetTop));
    const before = await places();
    await page.getByRole('button', { name: 'Delete the transcript of two.wav' }).press('Enter');
    await shown(() => page.textContent('#history_said')).toBe(
      'The transcript of two.wav was deleted.',
    );
    await shown(async () => (await keptNotes(page)).length).toBe(2);
    expect(await places()).toEqual(before);
    const undo = page.getByRole('button', { name: 'Undo: bring back the transcript of two.wav' });
    await shown(() => undo.evaluate((one) => one === document.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
    await shown(() => page.textContent('#history_said')).toBe('The transcript of two.wav is back.');
    await shown(async () => (await keptNotes(page)).length).toBe(3);
    expect(await places()).toEqual(before);
    const two = page.locator('.history-open', { hasText: 'two.wav' });
    await shown(() => two.evaluate((one) => one === document.activeElement)).toBe(true);
    await two.press('Enter');
    await shown(() => page.textContent('#transcript_title')).toBe('two.wav');
    await shown(() => segmentTexts(page)).toEqual(sampleSegments);
    // It comes back, too, when a person goes on editing it; a second press of the mouse brings nothing back.
    await page.getByRole('button', { name: 'Delete the transcript of two.wav' }).dblclick();
    await undo.waitFor();
    await editSegment(page, 0, 'edited');
    await isKept(page, 'edited');
    await undo.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Delete the transcript of two.wav' }).click();
    await undo.waitFor();
    await page.reload();
    await settled(page);
    await listed(page, 2);
    await shown(() => names(page)).toEqual(['three.wav', 'one.wav']);
    await page.click('#history_delete_all');
    await page.click('#history_question >> text=Keep them');
    await listed(page, 2);
    await page.click('#history_delete_all');
    await page.click('#history_question button[value="delete"]');
    await listed(page, 0);
    await page.reload();
    await settled(page);
    await shown(() => page.isHidden('#history')).toBe(true);
    expect(problems).toEqual([]);
  });

  test('and all else that the page keeps are deleted after one question; what runs is stopped, another tab notices', async () => {
    const { page, problems } = await stage.open();
    await keepRecordings(page);
    await worked(page, () => drop(page, 'kept.wav', sampleBytes()));
    await page.locator('#history_list > li').first().waitFor();
    // As the service worker keeps them, which does not run here.
    await page.evaluate(async () => {
      const cache = await caches.open('susurrus-page-1');
      await cache.put('page.js', new Response(new Uint8Array(2e6)));
      // As the part of a model that somebody dropped.
      const files = await navigator.storage.getDirectory();
      await files.getDirectoryHandle('susurrus-own-models', { create: true });
    });
    const other = await page.context().newPage();
    await other.goto(page.url());
    await settled(other);
    await other.locator('#history_list > li').first().waitFor();
    await page.evaluate(() => localStorage.setItem('elsewhere', 'of another page'));
    await page.click('#engine summary');
    const list = () => page.textContent('#kept_list');
    await shown(list).toMatch(
      /Models: \d+, .*Transcripts: 1Recordings: 1, \d+ kB.*This page itself, .* 2 MB/,
    );
    await page.click('#kept_delete');
    await page.getByRole('button', { name: 'Keep it' }).click();
    await shown(list).toMatch(/Transcripts: 1/);

    await drop(page, 'long.wav', longRecording(12));
    await page.waitForSelector('html[data-state="busy"]', { state: 'attached' });
    await deleteEverything(page);
    await shown(list).toMatch(
      /^Models: noneTranscripts: noneRecordings: noneSettings: none.*offline: none$/,
    );
    await settled(page);
    await other.getByText('In another tab everything that this page keeps was deleted.').waitFor();
    await shown(() => other.locator('#history_list > li').count()).toBe(0);
    const left = await page.evaluate(async () => {
      const files = await navigator.storage.getDirectory();
      const has = (name: string) =>
        files.getDirectoryHandle(name).then(
          () => true,
          () => false,
        );
      return {
        caches: (await caches.keys()).filter((name) => name.startsWith('susurrus-page')),
        settings: Object.keys(localStorage),
        hasModels: await has('susurrus-own-models'),
        hasRecordings: await has('susurrus-recordings'),
      };
    });
    expect(left).toEqual({
      caches: [],
      settings: ['elsewhere'],
      hasModels: false,
      hasRecordings: false,
    });
    await page.reload();
    await settled(page);
    await shown(() => page.locator('#history_list > li').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test.each(['goes on', 'waits for its permission'])(
    'are deleted while a recording %s: it ends, and nothing of it is kept',
    async (how) => {
      const { page, problems } = await stage.open({ permissions: ['microphone'] });
      await keepRecordings(page);
      await page.evaluate((waits) => {
        const { mediaDevices } = navigator;
        const ask = mediaDevices.getUserMedia.bind(mediaDevices);
        const allowed = new Promise((done) => addEventListener('allowed', done, { once: true }));
        mediaDevices.getUserMedia = async (wish) => {
          if (waits) await allowed;
          const stream = await ask(wish);
          Object.assign(window, { stream });
          return stream;
        };
      }, how !== 'goes on');
      await speak(page, '#record');
      const isPressed = () => page.getAttribute('#record', 'aria-pressed');
      if (how === 'goes on') {
        await page.waitForFunction(() => (document.querySelector('meter')?.value ?? 0) > 0.01);
        await shown(isPressed).toBe('true');
      }
      await deleteEverything(page);
      await page.evaluate(() => dispatchEvent(new Event('allowed')));
      await shown(isPressed).toBe('false');
      await page.waitForFunction(() => {
        const { stream } = window as { stream?: MediaStream };
        return stream?.getTracks().every(({ readyState }) => readyState === 'ended');
      });
      await shown(() => page.isHidden('#recording')).toBe(true);
      await shown(() => page.locator('.queue-row').count()).toBe(0);
      await shown(() => page.isHidden('#error')).toBe(true);
      await page.reload();
      await settled(page);
      await shown(() => page.locator('#history_list > li').count()).toBe(0);
      await shown(() => recordingIds(page)).toEqual([]);
      expect(problems).toEqual([]);
    },
  );

  test('have another name where a person gives them one, in files to save and after Undo, too', async () => {
    const { page, problems } = await stage.open({ acceptDownloads: true, processors: 1 });
    await worked(page, () =>
      dropAll(page, [
        ['one.wav', sampleBytes()],
        ['two.wav', sampleBytes()],
      ]),
    );
    await listed(page, 2);
    const title = () => page.textContent('#transcript_title');
    const queued = () => page.locator('.queue-name').allTextContents();
    await page.click('.title-name');
    await page.keyboard.type('Board meeting');
    await page.keyboard.press('Enter');
    await shown(title).toBe('Board meeting');
    const focused = () => page.evaluate(() => document.activeElement?.className);
    await shown(focused).toBe('title-name quiet');
    await shown(() => names(page)).toEqual(['Board meeting', 'one.wav']);
    await shown(queued).toEqual(['one.wav', 'Board meeting']);
    expect((await saved(page, 'text')).name).toBe('Board meeting.txt');
    await page
      .getByRole('button', { name: 'Remove Board meeting from the list', exact: true })
      .waitFor();

    // Neither blanks nor what is given up are a name.
    for (const [name, key] of [
      ['   ', 'Enter'],
      ['', 'Enter'],
      ['given up', 'Escape'],
    ] as const) {
      await page.click('.title-name');
      await page.fill('.title-field', name);
      await page.press('.title-field', key);
      await shown(title).toBe('Board meeting');
    }
    await page.click('#undo');
    await shown(title).toBe('two.wav');
    await shown(queued).toEqual(['one.wav', 'two.wav']);
    await shown(() => names(page)).toEqual(['two.wav', 'one.wav']);
    await shown(() => page.isDisabled('#undo')).toBe(true);
    await page.click('#redo');
    await shown(title).toBe('Board meeting');

    // A name is a line, not longer than the field takes.
    await page.click('.title-name');
    await page.keyboard.insertText('x'.repeat(300));
    await page.click('#transcript_meta');
    await shown(title).toBe('x'.repeat(80));
    await shown(() => names(page)).toEqual(['x'.repeat(80), 'one.wav']);
    expect((await saved(page, 'text')).name).toBe(`${'x'.repeat(60)}.txt`);

    // The list renames what is not shown.
    const rename = page.getByRole('button', { name: 'Rename the transcript of one.wav' });
    await rename.press('Enter');
    await page.keyboard.type('Interview');
    await page.keyboard.press('Enter');
    await shown(() => names(page)).toEqual(['x'.repeat(80), 'Interview']);
    await shown(() =>
      page
        .getByRole('button', { name: 'Rename the transcript of Interview' })
        .evaluate((one) => one === document.activeElement),
    ).toBe(true);
    await shown(queued).toEqual(['Interview', 'x'.repeat(80)]);
    await page.reload();
    await settled(page);
    await page.click('.history-open >> text="Interview"');
    await shown(title).toBe('Interview');
    await shown(() => segmentTexts(page)).toEqual(sampleSegments);
    expect(problems).toEqual([]);
  });

  test('have one name in two tabs, also where one of them goes on writing', async () => {
    const { page, problems } = await stage.open();
    await worked(page, () => drop(page, 'talk.wav', sampleBytes()));
    await listed(page, 1);
    const other = await anotherTab(page.context(), stage.address);
    await listed(other, 1);
    await other.click('.history-rename');
    await other.keyboard.type('Renamed there');
    await other.keyboard.press('Enter');
    for (const tab of [page, other]) {
      await shown(() => names(tab)).toEqual(['Renamed there']);
    }
    await shown(() => page.textContent('#transcript_title')).toBe('Renamed there');
    await editSegment(page, 0, 'edited');
    await isKept(other, 'edited');
    await shown(() => names(other)).toEqual(['Renamed there']);

    const release = await holdText(page);
    await drop(page, 'long.wav', longRecording(12));
    await listed(other, 2);
    await other.getByRole('button', { name: 'Rename the transcript of long.wav' }).click();
    await other.keyboard.type('Named while it grows');
    await other.keyboard.press('Enter');
    await shown(() => names(other)).toEqual(['Named while it grows', 'Renamed there']);
    await release();
    await settled(page);
    for (const tab of [page, other]) {
      await shown(() => names(tab)).toEqual(['Named while it grows', 'Renamed there']);
    }
    await shown(() => page.textContent('#transcript_title')).toBe('Named while it grows');
    expect(problems).toEqual([]);
  });

  test('of two tabs do not destroy each other', async () => {
    const { page, problems } = await stage.open();
    const other = await anotherTab(page.context(), stage.address);
    await Promise.all([
      worked(page, () => drop(page, 'here.wav', sampleBytes())),
      worked(other, () => drop(other, 'there.wav', sampleBytes())),
    ]);
    for (const tab of [page, other]) {
      await listed(tab, 2);
      await shown(async () => (await names(tab)).sort()).toEqual(['here.wav', 'there.wav']);
    }
    // When both tabs edit one transcript, both versions are kept.
    await other.click('.history-open >> text="here.wav"');
    await shown(() => other.textContent('#transcript_title')).toBe('here.wav');
    await editSegment(other, 0, 'changed there');
    await isKept(page, 'changed there');
    await editSegment(page, 0, 'changed here');
    await isKept(other, 'changed here');
    for (const tab of [page, other]) {
      await listed(tab, 3);
      await shown(async () => (await names(tab)).sort()).toEqual([
        'Copy of here.wav',
        'here.wav',
        'there.wav',
      ]);
    }
    expect(problems).toEqual([]);
  });

  test.each([
    ['is full', 'QuotaExceededError', /^There is no room left/],
    ['refuses', 'UnknownError', /^This browser does not keep/],
  ])('are said not to be kept when the storage %s; all else works', async (_, name, message) => {
    const { page, problems } = await stage.open();
    await page.addInitScript((error) => {
      IDBObjectStore.prototype.put = () => {
        throw new DOMException('no', error);
      };
    }, name);
    await page.reload();
    await settled(page);
    await worked(page, () => page.click('#sample'));
    await page.waitForSelector('#history_problem:not([hidden])');
    await shown(() => page.textContent('#history_problem')).toMatch(message);
    await shown(() => page.isHidden('#error')).toBe(true);
    await editSegment(page, 0, 'still a tool');
    await shown(() => segmentTexts(page)).toEqual(['still a tool', ...sampleSegments.slice(1)]);
    expect(problems).toEqual([]);
  });

  test('are said not to be kept where there is no storage at all', async () => {
    const { page, problems } = await stage.open();
    await page.addInitScript(() => {
      IDBFactory.prototype.open = () => {
        throw new DOMException('no', 'SecurityError');
      };
    });
    await page.reload();
    await settled(page);
    await worked(page, () => page.click('#sample'));
    await page.waitForSelector('#history_problem:not([hidden])');
    await shown(() => page.textContent('#history_problem')).toMatch(/^This browser does not keep/);
    await shown(() => segmentTexts(page)).toEqual(sampleSegments);
    expect(problems).toEqual([]);
  });
});
