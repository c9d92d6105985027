// The menu of models: what the hub's take, their download, that they are kept and chosen again on the next visit.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { BrowserContext, Page, Route } from 'playwright-core';
import { builtPackage } from '../support/built_package.js';
import { writeHubFolder } from '../support/hub_folder.js';
import { startHub, type HubServer } from '../support/hub_server.js';
import { limit } from '../support/limits.js';
import { projectRoot } from '../support/shared_folder.js';
import {
  chooseModel,
  chosenModel,
  deleteEverything,
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
import type { Stage } from './browser_page.js';

jest.setTimeout(limit(120_000));

let stage: Stage;
let hub: HubServer;
const root = mkdtempSync(join(tmpdir(), 'susurrus-menu-'));
beforeAll(async () => {
  const folder = writeHubFolder(join(root, 'tiny'));
  const file = join(root, 'ggml-tiny.en-q8_0.bin');
  const { convertModel } = await builtPackage();
  await convertModel(folder, file, { format: 'ggml', dtype: 'q8_0' });
  const files = { [basename(file)]: readFileSync(file) };
  hub = await startHub({ repository: 'ggerganov/whisper.cpp', files });
  stage = await startStage([{ name: 'mine', path: join(projectRoot, 'models/digits.apr') }]);
});
afterAll(async () => {
  await stage.close();
  await hub.close();
  rmSync(root, { recursive: true });
});

/** Lets a server here answer for the hub. */
const answerForHub = async (context: BrowserContext): Promise<void> => {
  await context.route('https://huggingface.co/**', async (route) => {
    const { pathname, search } = new URL(route.request().url());
    const response = await route.fetch({ url: `${hub.endpoint}${pathname}${search}` });
    await route.fulfill({ response });
  });
};

const notReached = 'The server that has it cannot be reached, or the connection broke off.';

/** Requests to the hub are what this is about. */
const unexpected = (problems: readonly string[]): string[] =>
  problems.filter((problem) => !problem.startsWith('request to elsewhere: https://huggingface.co'));

test('a model of the hub is downloaded when asked for, kept, chosen again, and removed', async () => {
  const { page, problems } = await stage.open();
  await answerForHub(page.context());
  await openMenu(page);
  await shown(() => page.textContent('#models_hub')).toMatch(
    /tiny\.en English · 44 MB to download/,
  );
  expect(hub.requests).toEqual([]);

  await chooseModel(page, 'tiny.en');
  await page.getByText(/It needs .* of memory at most\. /).waitFor();
  await shown(() => page.textContent('.model-offer')).toMatch(
    /^Downloads about 44 MB once, and keeps it here\./,
  );
  expect(hub.requests.some((request) => request.startsWith('/store/ggml-tiny.en-q8_0.bin'))).toBe(
    false,
  );
  await page.getByRole('button', { name: 'Download and use' }).click();
  await statusOf(page).getByText('Ready. tiny.en is loaded.').waitFor();
  expect(hub.requests.some((request) => request.startsWith('/store/ggml-tiny.en-q8_0.bin'))).toBe(
    true,
  );
  await settled(page);

  const asked = hub.requests.length;
  await page.reload();
  await statusOf(page).getByText('Ready. tiny.en is loaded.').waitFor();
  expect(hub.requests).toHaveLength(asked);
  await openMenu(page);
  await shown(() => chosenModel(page)).toBe('tiny.en');
  await shown(() => page.textContent('#models_here')).toContain('tiny.en');

  await page.getByRole('button', { name: 'Remove tiny.en from this device' }).click();
  await page.getByText('tiny.en was removed from this device.').waitFor();
  await page.locator('#models_here', { hasNotText: 'tiny.en' }).waitFor({ state: 'attached' });
  await page.keyboard.press('Escape');
  await page.reload();
  await statusOf(page).getByText('Ready. mine is loaded.').waitFor();
  expect(unexpected(problems)).toEqual([]);
});

test('a model of the hub comes to the models here in a menu that was opened while it came', async () => {
  const { page, problems } = await stage.open();
  await answerForHub(page.context());
  const release = await hold(page, 'https://huggingface.co/**/resolve/**');
  await chooseModel(page, 'tiny.en');
  await page.getByText(/It needs .* of memory at most\. /).waitFor();
  await page.getByRole('button', { name: 'Download and use' }).click();
  await openMenu(page);
  await shown(() => page.textContent('#models_here')).not.toContain('tiny.en');
  release();
  await shown(() => page.textContent('#models_here')).toContain('tiny.en');
  await shown(() => page.textContent('#models_hub')).not.toContain('tiny.en');
  expect(unexpected(problems)).toEqual([]);
});

test('the choice of a model beside the page is remembered', async () => {
  const { page, problems } = await stage.open();
  await shown(() => page.textContent('#model_name')).toBe('mine');
  await worked(page, () => chooseModel(page, 'digits.apr'));
  await page.reload();
  await statusOf(page).getByText('Ready. digits.apr is loaded.').waitFor();
  await shown(() => page.textContent('#model_name')).toBe('digits.apr');
  expect(problems).toEqual([]);
});

test('a hub that cannot be reached is said, can be tried again, and the model in use stays', async () => {
  const { page } = await stage.open();
  const context = page.context();
  await answerForHub(context);
  const refuse = (route: Route): Promise<void> => route.abort();
  await context.route('https://huggingface.co/**', refuse);
  await chooseModel(page, 'tiny.en');
  await page.getByText('Hugging Face cannot be reached just now.').waitFor();
  const download = page.getByRole('button', { name: 'Download and use' });
  await shown(() => download.isDisabled()).toBe(true);
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Use a file instead' }).click();
  expect((await chooser).isMultiple()).toBe(true);

  await chooseModel(page, 'tiny.en');
  await page.getByText('Hugging Face cannot be reached just now.').waitFor();
  await context.unroute('https://huggingface.co/**', refuse);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText(/It needs .* of memory at most\. /).waitFor();
  await shown(() => page.isHidden('text="Try again"')).toBe(true);
  await context.route('https://huggingface.co/**', refuse);
  await worked(page, () => download.click());
  await shown(() => page.textContent('#error_title')).toBe('tiny.en could not be loaded');
  await shown(() => page.textContent('#status')).toBe('The model from before is still there.');
  await shown(() => page.textContent('#model_name')).toBe('mine');
  // Once it was asked for, the menu with its own button is closed.
  await shown(() => page.textContent('#error_message')).toBe(notReached);
  await context.unroute('https://huggingface.co/**', refuse);
  await worked(page, () => page.getByRole('button', { name: 'Try again' }).click());
  await shown(() => page.textContent('#status')).toBe('Ready. tiny.en is loaded.');
  await shown(() => page.isHidden('#error')).toBe(true);
});

test('a model whose download goes on while everything is deleted comes no more, and nothing of it stays', async () => {
  const { page, problems } = await stage.open();
  await answerForHub(page.context());
  // The list of its files comes, and none of them.
  await hold(page, 'https://huggingface.co/**/resolve/**');
  await chooseModel(page, 'tiny.en');
  await page.getByText(/It needs .* of memory at most\. /).waitFor();
  const asked = page.waitForRequest(/resolve/);
  await page.getByRole('button', { name: 'Download and use' }).click();
  await asked;
  await deleteEverything(page);
  await shown(() => page.textContent('#status')).toBe(
    'Stopped. The model from before is still there.',
  );
  await shown(() => page.textContent('#kept_list')).toMatch(/^Models: none.*Settings: none/);
  const left = await page.evaluate(async () => {
    const files: string[] = [];
    const root = await navigator.storage.getDirectory();
    const folder = await root.getDirectoryHandle('susurrus', { create: true });
    for await (const name of folder.keys()) files.push(name);
    return [files, Object.keys(localStorage)];
  });
  expect(left).toEqual([[], []]);
  await page.reload();
  await statusOf(page).getByText('Ready. mine is loaded.').waitFor();
  expect(unexpected(problems)).toEqual([]);
});

test('a model that is being kept while everything is deleted is not there on the next visit', async () => {
  const { page, problems } = await stage.open();
  await page.evaluate(() => {
    const estimate = navigator.storage.estimate.bind(navigator.storage);
    const released = new Promise((done) => addEventListener('release', done, { once: true }));
    // It is asked before anything is written.
    navigator.storage.estimate = async () => {
      document.documentElement.dataset.keeping = '';
      await released;
      return estimate();
    };
  });
  await drop(page, 'brought.apr', digitsBytes());
  await page.locator('html[data-keeping]').waitFor({ state: 'attached' });
  const deleted = deleteEverything(page);
  await page.locator('#kept_question').waitFor({ state: 'hidden' });
  await page.evaluate(() => dispatchEvent(new Event('release')));
  await deleted;
  await shown(() => page.textContent('#kept_list')).toMatch(/^Models: none.*Settings: none/);
  await page.reload();
  await statusOf(page).getByText('Ready. mine is loaded.').waitFor();
  expect(problems).toEqual([]);
});

test('Escape closes the menu, and the focus is where it was', async () => {
  const { page, problems } = await stage.open();
  await page.focus('#model_button');
  await page.keyboard.press('Enter');
  await page.locator('#model_menu[data-listed]').waitFor();
  await page.keyboard.press('Escape');
  await shown(() => page.isHidden('#model_menu')).toBe(true);
  await shown(() => page.evaluate(() => document.activeElement?.id)).toBe('model_button');
  expect(problems).toEqual([]);
});

describe('a model that was dropped', () => {
  test('is kept, chosen again on the next visit, and removed', async () => {
    const { page, problems } = await stage.open();
    await worked(page, () => drop(page, 'My model. 1%.apr', digitsBytes()));
    await shown(() => page.evaluate(() => localStorage.getItem('susurrus.model'))).toBe(
      'own:My model. 1%.apr',
    );
    await page.reload();
    await statusOf(page).getByText('Ready. My model. 1%.apr is loaded.').waitFor();
    await openMenu(page);
    await shown(() => chosenModel(page)).toBe('My model. 1%.apr');
    await shown(() => page.textContent('#models_here')).toMatch(/My model\. 1%\.apr \d+ MB/);
    await page.getByRole('button', { name: 'Remove My model. 1%.apr from this device' }).click();
    await page.getByText('My model. 1%.apr was removed from this device.').waitFor();
    await page.locator('#models_here', { hasNotText: 'My model' }).waitFor({ state: 'attached' });
    await page.reload();
    await statusOf(page).getByText('Ready. mine is loaded.').waitFor();
    expect(problems).toEqual([]);
  });

  test('twice under one name is kept once', async () => {
    const { page } = await stage.open();
    for (let i = 0; i < 2; ++i) {
      await worked(page, () => drop(page, 'again.apr', digitsBytes()));
      await shown(() => page.evaluate(() => localStorage.getItem('susurrus.model'))).toBe(
        'own:again.apr',
      );
    }
    await openMenu(page);
    await shown(() => page.locator('#models_here strong').allTextContents()).toEqual([
      'mine',
      'again.apr',
    ]);
  });

  test('comes to the list of an open menu once it is kept', async () => {
    const { page } = await stage.open();
    await page.evaluate(() => {
      const handles = FileSystemFileHandle.prototype as {
        createWritable: (this: FileSystemFileHandle) => Promise<FileSystemWritableFileStream>;
      };
      const { createWritable } = handles;
      const held = new Promise<void>((done) => Object.assign(window, { write: done }));
      handles.createWritable = async function () {
        await held;
        return createWritable.call(this);
      };
    });
    await worked(page, () => drop(page, 'slow.apr', digitsBytes()));
    await openMenu(page);
    const listed = () => page.locator('#models_here strong').allTextContents();
    await shown(listed).toEqual(['mine']);
    await page.evaluate(() => (window as unknown as { write: () => void }).write());
    await shown(listed).toEqual(['mine', 'slow.apr']);
  });

  test.each([
    ['has no room', 'navigator.storage.estimate = async () => ({ quota: 2e6, usage: 1e6 });'],
    [
      'runs out of room in the middle',
      `FileSystemFileHandle.prototype.createWritable = async () => new WritableStream({
         write: () => { throw new DOMException('full', 'QuotaExceededError'); } });`,
    ],
    [
      'has no file system',
      'navigator.storage.getDirectory = () => Promise.reject(new DOMException());',
    ],
  ])('in a browser that %s is used all the same, which is said once', async (_what, lack) => {
    const { page, problems } = await stage.open();
    await page.addInitScript(lack);
    await page.reload();
    await settled(page);
    await worked(page, () => drop(page, 'one.apr', digitsBytes()));
    await shown(() => page.textContent('#status')).toBe('Ready. one.apr is loaded.');
    await shown(() => page.textContent('#error_title')).toBe(
      'one.apr is not kept for the next visit',
    );
    await page.click('#error_close');
    await worked(page, () => drop(page, 'other.apr', digitsBytes()));
    await worked(page, () => drop(page, 'speech.wav', sampleBytes()));
    await shown(() => segmentTexts(page)).toEqual(sampleSegments);
    await shown(() => page.isHidden('#error')).toBe(true);
    await openMenu(page);
    await shown(() => page.locator('#models_here strong').allTextContents()).toEqual(['mine']);
    expect(problems).toEqual([]);
  });

  test('on a first visit ends the choice, and what waits is heard', async () => {
    const { page } = await stage.open({ isFirstVisit: true });
    await page.route('**/models.json', (route) => route.fulfill({ json: [] }));
    await page.reload();
    await shown(() => page.isVisible('#first_choice')).toBe(true);
    await drop(page, 'lecture.wav', sampleBytes());
    await drop(page, 'mine.apr', digitsBytes());
    await shown(() => segmentTexts(page)).toEqual(sampleSegments);
    await shown(() => page.isHidden('#first_choice')).toBe(true);
  });
});

describe('the first visit of a published page', () => {
  let published: Stage;
  beforeAll(async () => {
    published = await startStage();
  });
  afterAll(() => published.close());

  const choice = (page: Page, name: string) => page.locator(`#first_list [data-model="${name}"]`);
  const rememberedBy = (page: Page) => page.evaluate(() => localStorage.getItem('susurrus.model'));
  const waits = (page: Page) => page.locator('.queue-row[data-state="waiting"]').count();

  test('begins with a choice of quality; a recording waits for it, and the next visit asks nothing', async () => {
    const { page, problems } = await published.open({ isFirstVisit: true });
    await answerForHub(page.context());
    const asked = hub.requests.length;
    await shown(() => page.textContent('#status')).toBe('Choose a model to begin.');
    const time = expect.stringMatching(/^An hour in about (a minute|\d+ (min|h))$/);
    await shown(async () => (await page.locator('#first_list').innerText()).split('\n')).toEqual([
      ...[
        'Fast',
        'tiny.en · English',
        '44 MB',
        time,
        'Better',
        'base · 99 languages',
        '82 MB',
        time,
      ],
      ...['Best', 'small · 99 languages', '264 MB', time],
    ]);
    await drop(page, 'lecture.wav', sampleBytes());
    await shown(() => page.textContent('#status')).toBe(
      'lecture.wav waits for a model. Choose a model to begin.',
    );
    await shown(() => page.textContent('#first_about')).toBe('lecture.wav waits for a model.');
    expect(hub.requests).toHaveLength(asked);
    await shown(() => segmentTexts(page)).toEqual([]);
    await choice(page, 'tiny.en').click();
    // Untrained: it hears anything, or nothing.
    await page.getByText(/^Done: 9\.0 s of sound in /).waitFor();
    await shown(() => page.isHidden('#first_choice')).toBe(true);
    await shown(() => page.textContent('#transcript_title')).toBe('lecture.wav');
    await settled(page);
    await page.reload();
    await statusOf(page).getByText('Ready. tiny.en is loaded.').waitFor();
    await shown(() => page.isHidden('#first_choice')).toBe(true);
    expect(unexpected(problems)).toEqual([]);
  });

  test('says how fast a model was here, and which may be too large', async () => {
    const { page } = await published.open({ isFirstVisit: true });
    await page.addInitScript(() => {
      localStorage.setItem('susurrus.speed', JSON.stringify({ base: 15 }));
      Object.defineProperty(navigator, 'deviceMemory', { value: 1 });
    });
    await page.reload();
    await shown(() => choice(page, 'base').textContent()).toContain('An hour in about 4 min');
    await shown(() => choice(page, 'base').textContent()).not.toContain('too large');
    await shown(() => choice(page, 'small').textContent()).toContain('may be too large');
    // It is asked for once more.
    await choice(page, 'small').click();
    await page.getByText('Downloads about 264 MB once, and keeps it here.').waitFor();
    await shown(() => page.textContent('#status')).toBe('Choose a model to begin.');
  });

  test('the sample alone is heard by the ten-word model, until that is chosen', async () => {
    const { page, problems } = await published.open({ isFirstVisit: true });
    await drop(page, 'lecture.wav', sampleBytes());
    await shown(() => waits(page)).toBe(1);
    await page.click('#sample');
    await shown(() => segmentTexts(page)).toEqual(sampleSegments);
    await shown(() => page.textContent('#transcript_title')).toBe('sample.wav');
    await shown(() => page.isVisible('#ten_words')).toBe(true);
    await settled(page);
    await shown(() => waits(page)).toBe(1);
    await shown(() => page.isVisible('#first_choice')).toBe(true);
    await shown(() => rememberedBy(page)).toBeNull();
    await page.click('#first_trial');
    await shown(() => page.locator('.queue-row[data-state="done"]').count()).toBe(2);
    await shown(() => page.isHidden('#first_choice')).toBe(true);
    expect(problems).toEqual([]);
  });

  test('a hub that is away is said, recordings keep waiting, and can be tried again', async () => {
    const { page } = await published.open({ isFirstVisit: true });
    const context = page.context();
    await answerForHub(context);
    const refuse = (route: Route): Promise<void> => route.abort();
    await context.route('https://huggingface.co/**', refuse);
    await drop(page, 'lecture.wav', sampleBytes());
    await choice(page, 'tiny.en').click();
    await shown(() => page.textContent('#error_title')).toBe('tiny.en could not be loaded');
    await page.getByText('Hugging Face cannot be reached just now.').waitFor();
    await shown(() => page.textContent('#error_message')).toBe(notReached);
    // The offer below has one.
    await shown(() => page.isHidden('#error_retry')).toBe(true);
    await shown(() => page.textContent('#status')).toBe(
      'lecture.wav waits for a model. Choose a model to begin.',
    );
    await shown(() => waits(page)).toBe(1);
    await context.unroute('https://huggingface.co/**', refuse);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('button', { name: 'Download and use' }).click();
    await page.getByText(/^Done: 9\.0 s of sound in /).waitFor();
  });

  test('the choice can be changed while it downloads', async () => {
    const { page } = await published.open({ isFirstVisit: true });
    await answerForHub(page.context());
    const release = await hold(page, 'https://huggingface.co/**');
    await drop(page, 'lecture.wav', sampleBytes());
    await choice(page, 'base').click();
    await shown(() => choice(page, 'base').getAttribute('aria-pressed')).toBe('true');
    await shown(() => page.textContent('#status')).toBe(
      'Downloading base … lecture.wav waits for it.',
    );
    await page.click('#first_trial');
    await shown(() => segmentTexts(page)).toEqual(sampleSegments);
    await shown(() => page.textContent('#model_name')).toBe('digits.apr');
    release();
    await settled(page);
    await shown(() => page.textContent('#model_name')).toBe('digits.apr');
  });

  test('a choice is remembered while it downloads, and asked for again once it is stopped', async () => {
    const { page } = await published.open({ isFirstVisit: true });
    const context = page.context();
    await answerForHub(context);
    const release = await hold(page, 'https://huggingface.co/**');
    await choice(page, 'tiny.en').click();
    await shown(() => page.textContent('#status')).toBe('Downloading tiny.en …');
    await shown(() => rememberedBy(page)).toBe('hub:tiny.en');
    await page.click('#cancel');
    await shown(() => page.textContent('#status')).toBe('Stopped. Choose a model to begin.');
    await shown(() => rememberedBy(page)).toBeNull();
    release();
    await page.reload();
    await settled(page);
    await shown(() => page.isVisible('#first_choice')).toBe(true);
  });
});
