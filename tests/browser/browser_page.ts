import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@jest/globals';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { serve } from '../../scripts/serve_demo.mjs';
import { limit } from '../support/limits.js';
import { projectRoot } from '../support/shared_folder.js';
import { offerToHoldText } from './held_text.js';
import { chooseDigits, launchBrowser } from './package_page.js';

/** A browser and the demo's server, for one suite. */
export interface Stage {
  readonly address: string;
  /** Opens the page, waits until its model is loaded, and collects what goes wrong on it. */
  open(options?: PageOptions, query?: string): Promise<OpenPage>;
  close(): Promise<void>;
}

export interface PageOptions extends BrowserContextOptions {
  /** As many as the device says it has: where it has several, so many engines share recordings. */
  readonly processors?: number;
  /** Whether nobody has chosen a model yet. Else pages without one of their suite begin with the ten-word model. */
  readonly isFirstVisit?: boolean;
}

export interface OpenPage {
  readonly page: Page;
  /** Errors of the page, failed requests, and requests to anywhere but the server. */
  readonly problems: string[];
  readonly requests: string[];
}

/** Starts Chromium, with `flags` besides its usual ones, and the server on a free port; the page offers `models` in front of its own. */
export async function startStage(
  models: readonly { name: string; path: string; isExample?: boolean }[] = [],
  flags: readonly string[] = [],
): Promise<Stage> {
  if (!existsSync(join(projectRoot, 'dist/demo/main.mjs'))) {
    throw new Error('dist/demo is not built: npm run build');
  }
  const server = await serve({ port: 0, models });
  const browser = await launchBrowser([
    '--autoplay-policy=no-user-gesture-required',
    '--use-fake-device-for-media-stream',
    '--use-fake-ui-for-media-stream',
    ...flags,
  ]);
  /** Each with the test that it was opened in. */
  const opened = new Map<BrowserContext, string | undefined>();
  const end = async (context: BrowserContext): Promise<void> => {
    opened.delete(context);
    // Answers to requests may still be on their way: what answers them would fail with the page.
    await context.unrouteAll({ behavior: 'ignoreErrors' });
    await context.close();
  };
  return {
    address: server.address,
    async open(options = {}, query = '') {
      const { currentTestName } = expect.getState();
      // A page takes processor time, a slowed one without rest, even when the test that opened it is over.
      for (const [context, test] of opened) {
        if (test === undefined || test === currentTestName) continue;
        await end(context);
      }
      const { isFirstVisit = models.some(({ isExample }) => !isExample) } = options;
      const found = await open(browser, server.address, { ...options, isFirstVisit }, query);
      opened.set(found.page.context(), currentTestName);
      return found;
    },
    async close() {
      for (const context of opened.keys()) await end(context);
      await browser.close();
      await server.close();
    },
  };
}

async function open(
  browser: Browser,
  address: string,
  { processors, isFirstVisit, ...options }: PageOptions,
  query: string,
): Promise<OpenPage> {
  const context = await browser.newContext({
    viewport: { width: 1200, height: 860 },
    // One would fetch the page's files in the background, where no test sees them.
    serviceWorkers: 'block',
    ...options,
  });
  if (processors !== undefined) {
    await context.addInitScript((value) => {
      Object.defineProperty(navigator, 'hardwareConcurrency', { value });
    }, processors);
  }
  // Playwright's own limit of 30 s, for whatever is waited for on the page.
  context.setDefaultTimeout(limit(30_000));
  if (!isFirstVisit) await chooseDigits(context);
  await offerToHoldText(context);
  const page = await context.newPage();
  const problems: string[] = [];
  const requests: string[] = [];
  page.on('pageerror', (error) => problems.push(`page error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(`console: ${message.text()}`);
  });
  page.on('requestfailed', (request) => {
    // A media element drops a read of memory when it has heard enough, and a page that is left drops all it waits for.
    const isMedia = request.url().startsWith('blob:') && request.resourceType() === 'media';
    const isLeft = /^(net::ERR_ABORTED|NS_BINDING_ABORTED)$/.test(
      request.failure()?.errorText ?? '',
    );
    if (!isMedia && !isLeft) problems.push(`request failed: ${request.url()}`);
  });
  // The context hears the worker's requests too.
  context.on('request', (request) => {
    requests.push(request.url());
    const { protocol } = new URL(request.url());
    const isOwn = request.url().startsWith(address) || protocol === 'blob:' || protocol === 'data:';
    if (!isOwn) problems.push(`request to elsewhere: ${request.url()}`);
  });
  context.on('response', (response) => {
    if (response.status() >= 400) {
      problems.push(`answer ${response.status()}: ${response.url()}`);
    }
  });
  await page.goto(`${address}${query}`);
  await settled(page);
  return { page, problems, requests };
}

/** Waits until the page does nothing more. */
export async function settled(page: Page): Promise<void> {
  await page.waitForSelector('html[data-state="idle"]', {
    timeout: limit(60_000),
    state: 'attached',
  });
}

/** Drops a file on the page as a person does: dragenter, dragover, drop with a real DataTransfer. */
export const drop = (page: Page, name: string, bytes: Uint8Array): Promise<void> =>
  dropAll(page, [[name, bytes]]);

/** Drops several files at once. */
export async function dropAll(
  page: Page,
  files: readonly (readonly [name: string, bytes: Uint8Array])[],
): Promise<void> {
  await page.evaluate(
    (contents) => {
      const dataTransfer = new DataTransfer();
      for (const { name, base64 } of contents) {
        const content = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
        dataTransfer.items.add(new File([content], name));
      }
      const zone = document.getElementById('drop_zone');
      for (const type of ['dragenter', 'dragover', 'drop']) {
        zone?.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
      }
    },
    files.map(([name, bytes]) => ({ name, base64: Buffer.from(bytes).toString('base64') })),
  );
}

/** Keeps requests of the page and its worker waiting until what this returns is called. */
export async function hold(page: Page, pattern: string): Promise<() => void> {
  let release = (): void => undefined;
  const released = new Promise<void>((done) => (release = done));
  await page.context().route(pattern, async (route) => {
    await released;
    await route.fallback();
  });
  return release;
}

/** Takes a model from the menu. */
export async function chooseModel(page: Page, name: string): Promise<void> {
  await openMenu(page);
  await page.click(`#model_menu [data-model="${name}"]`);
}

/** Opens the menu of models, and waits until it has listed them anew. */
export async function openMenu(page: Page): Promise<void> {
  if (await page.isHidden('#model_menu')) await page.click('#model_button');
  await page.locator('#model_menu[data-listed]').waitFor();
}

/** The name of the model that the menu shows as the one in use; empty when it is none of its own. */
export async function chosenModel(page: Page): Promise<string> {
  const current = page.locator('#model_menu [aria-current="true"]');
  return (await current.count()) === 0 ? '' : ((await current.getAttribute('data-model')) ?? '');
}

/** What can be asked of a transcription is folded away. */
export async function openOptions(page: Page): Promise<void> {
  if (!(await page.isVisible('#vad'))) await page.click('.more-options summary');
}

/** Takes a choice of the menu "Speak"; #record is Stop in its place while it records. */
export async function speak(page: Page, choice: '#live_open' | '#record'): Promise<void> {
  if (await page.isHidden(choice)) await page.click('#speak_open');
  await page.click(choice);
}

/** Deletes all that the page keeps, as a person does, and waits until it says so. */
export async function deleteEverything(page: Page): Promise<void> {
  if (await page.isHidden('#kept_delete')) await page.click('#engine summary');
  await page.click('#kept_delete');
  await page.locator('#kept_question').getByRole('button', { name: 'Delete everything' }).click();
  await shown(() => page.textContent('#kept_said')).toMatch(/^Everything was deleted\./);
}

export const statusOf = (page: Page) => page.locator('#status');

/** Waits for work to begin and to end. */
export async function worked(page: Page, begin: () => Promise<unknown>): Promise<void> {
  await page.evaluate(() => {
    document.documentElement.dataset.state = 'waiting';
  });
  await begin();
  await settled(page);
}

type Matchers<T> = ReturnType<typeof expect<Promise<T>>>['resolves'];

/**
 * Asserts of a page what it shows now or soon: `await shown(() => page.textContent('#status')).toBe('Ready.')` reads until that
 * holds, for a page answers clicks in its own time; what fails at the end is the last assertion, with its difference.
 */
export function shown<T>(read: () => Promise<T>): Matchers<T> {
  // eslint-disable-next-line jest/valid-expect -- the assertion follows
  return polling(read, (value) => expect(value) as unknown as Assertions) as unknown as Matchers<T>;
}

type Assertions = { readonly not: Assertions } & Readonly<
  Record<string, (...wanted: readonly unknown[]) => void>
>;

function polling<T>(read: () => Promise<T>, assertionsOf: (value: T) => Assertions): object {
  const assert = async (name: string, wanted: readonly unknown[]): Promise<void> => {
    const end = Date.now() + limit(15_000);
    for (;;) {
      const assertions = assertionsOf(await read());
      try {
        assertions[name]?.(...wanted);
        return;
      } catch (error) {
        if (Date.now() > end) throw error;
      }
      await sleep(20);
    }
  };
  return new Proxy(
    {},
    {
      get: (_, name) => {
        // An `await` without an assertion must not take the proxy for a promise.
        if (typeof name !== 'string' || name === 'then') return undefined;
        if (name === 'not') return polling(read, (value) => assertionsOf(value).not);
        return (...wanted: readonly unknown[]) => assert(name, wanted);
      },
    },
  );
}

/** How fast the page plays: at full pace a word may be over before it is looked for. */
export const setPace = (page: Page, pace: number): Promise<void> =>
  page.$eval('video', (video, rate) => void (video.playbackRate = rate), pace);

/** The text of each segment on the page. */
export function segmentTexts(page: Page): Promise<string[]> {
  return page.locator('#segments .words').allTextContents();
}

export const digitsBytes = () => readFileSync(join(projectRoot, 'models/digits.apr'));
export const sampleBytes = () => readFileSync(join(projectRoot, 'web/demo/sample.wav'));
export const sampleSegments = ['three one four', 'one five nine', 'two six five'];

/** The sample again and again, with seconds of silence after each: a long recording. */
export function longRecording(times: number, pause = 0): Uint8Array {
  const silence = Buffer.alloc(pause * 32_000);
  return sampleOf((data) =>
    Buffer.concat(Array.from({ length: times }, () => [data, silence]).flat()),
  );
}

export function longSilence(seconds: number): Uint8Array {
  return sampleOf(() => Buffer.alloc(seconds * 32_000));
}

/** Adds noise up to `level` to a WAV file; 1 is full scale. The noise is always the same. */
export function withNoise(wav: Uint8Array, level: number): Uint8Array {
  const noisy = Buffer.from(wav);
  let seed = 1;
  for (let at = 44; at + 1 < noisy.length; at += 2) {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    const sample = noisy.readInt16LE(at) + (seed / 2 ** 31 - 1) * level * 32_767;
    noisy.writeInt16LE(Math.max(-32_768, Math.min(32_767, Math.round(sample))), at);
  }
  return noisy;
}

/** Noise whose last three quarters are ten times quieter: steady noise would be silence. */
export function quieterNoise(seconds: number): Uint8Array {
  return sampleOf(() => {
    const noise = Buffer.from(withNoise(longSilence(seconds), 1).subarray(44));
    for (let at = seconds * 8000; at < noise.length; at += 2) {
      noise.writeInt16LE(Math.round(noise.readInt16LE(at) / 10), at);
    }
    return noise;
  });
}

/** A WAV file like the sample, with samples of its own. */
function sampleOf(change: (data: Buffer) => Buffer): Uint8Array {
  const sample = sampleBytes();
  const header = Buffer.from(sample.subarray(0, 44));
  const data = change(sample.subarray(44));
  header.writeUInt32LE(36 + data.length, 4);
  header.writeUInt32LE(data.length, 40);
  return Buffer.concat([header, data]);
}

/**
 * Transcripts of an earlier visit, by their names: the texts of their segments, with a speaker or without, a second for each word. Reloads
 * the page.
 */
export async function keepEarlier(
  page: Page,
  transcripts: Readonly<
    Record<string, readonly (string | readonly [speaker: string, text: string])[]>
  >,
): Promise<void> {
  const kept = Object.entries(transcripts).map(([name, spoken], at) => {
    let time = 0;
    const said = spoken.map((one) => (typeof one === 'string' ? ([undefined, one] as const) : one));
    const segments = said.map(([speaker, text]) => {
      const who = speaker === undefined ? {} : { speaker };
      const words = text.split(' ').map((word) => {
        const start = time++;
        return { word: ` ${word}`, start, end: time, ...who };
      });
      const times = { start: words[0]!.start, end: time };
      return { ...times, text: ` ${text}`, language: 'en', words, ...who };
    });
    const names = [...new Set(said.flatMap(([speaker]) => speaker ?? []))];
    const people = names.map((each, colour) => ({ name: each, colour }));
    const facts = { id: `id ${at}`, name, created: at };
    const content = { ...facts, segments, rejected: [], people, note: `${time} s`, duration: time };
    const beginning = said.map(([, text]) => text).join(' ');
    const entry = { ...facts, changed: at, beginning: beginning.slice(0, 140), revision: 1 };
    return { entry, content: { id: facts.id, content } };
  });
  await page.evaluate(
    (all) =>
      new Promise<void>((done, failed) => {
        const opening = indexedDB.open('susurrus-transcripts');
        opening.onerror = () => failed(new Error('not opened'));
        opening.onsuccess = () => {
          const writing = opening.result.transaction(['entries', 'contents'], 'readwrite');
          for (const { entry, content } of all) {
            writing.objectStore('entries').put(entry);
            writing.objectStore('contents').put(content);
          }
          writing.oncomplete = () => {
            opening.result.close();
            done();
          };
        };
      }),
    kept,
  );
  await page.reload();
  await settled(page);
}

/** What is saved from the menu of the transcript, or of all of them; `rules` are those of subtitles. */
export async function saved(
  page: Page,
  format: string,
  { rules = '', button = 'save' } = {},
): Promise<{ readonly name: string; readonly bytes: Buffer; readonly content: string }> {
  const entry = await openSaveMenu(page, format, button);
  if (rules !== '') await page.click(`#${button}_menu [data-rules="${rules}"]`);
  const [download] = await Promise.all([page.waitForEvent('download'), entry.click()]);
  const bytes = readFileSync(await download.path());
  // Firefox would call the next one of this name "… (1)".
  await download.delete();
  return { name: download.suggestedFilename(), bytes, content: bytes.toString('utf8') };
}

/** The entry of a format, with the menu open; what is folded away is unfolded. */
export async function openSaveMenu(page: Page, format: string, button = 'save') {
  await page.click(`#${button}`);
  const menu = page.locator(`#${button}_menu`);
  await menu.waitFor();
  const entry = menu.locator(`[data-format="${format}"]`);
  if (!(await entry.isVisible())) await menu.locator('.save-more').click();
  return entry;
}

/** The files of an archive, by its directory at the end. */
export function unzip(archive: Buffer): Record<string, string> {
  const end = archive.lastIndexOf(Buffer.from('PK\x05\x06'));
  const files: Record<string, string> = {};
  let at = archive.readUInt32LE(end + 16);
  for (let i = 0; i < archive.readUInt16LE(end + 10); ++i) {
    const [size, nameLength] = [archive.readUInt32LE(at + 20), archive.readUInt16LE(at + 28)];
    const place = archive.readUInt32LE(at + 42);
    const name = archive.toString('utf8', at + 46, at + 46 + nameLength);
    const begin = place + 30 + archive.readUInt16LE(place + 26) + archive.readUInt16LE(place + 28);
    const data = archive.subarray(begin, begin + size);
    files[name] = (archive.readUInt16LE(place + 8) === 8 ? inflateRawSync(data) : data).toString();
    at += 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  return files;
}

/** Changes a segment as a person does: in the field of its paragraph. */
export async function editSegment(page: Page, at: number, text: string): Promise<void> {
  const before = (await segmentTexts(page))[at] ?? '';
  await page.locator('.segment').nth(at).press('F2');
  const paragraph = await page.inputValue('.segment-field');
  await page.fill('.segment-field', paragraph.replace(before, text));
  await page.press('.segment-field', 'Control+Enter');
}

/** Runs in a page: its audio contexts begin suspended, as where nobody has clicked. */
export function beginSuspended(): void {
  const Own = AudioContext;
  globalThis.AudioContext = class extends Own {
    constructor(options?: AudioContextOptions) {
      super(options);
      void this.suspend();
    }
  };
}
