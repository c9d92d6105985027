import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { testModel } from '../support/goldens_models.js';
import { limit } from '../support/limits.js';
import { describeWithShared, projectRoot, sharedFolder } from '../support/shared_folder.js';
import {
  beginSuspended,
  digitsBytes,
  drop,
  hold,
  longRecording,
  longSilence,
  openMenu,
  openOptions,
  quieterNoise,
  sampleBytes,
  sampleSegments,
  saved,
  segmentTexts,
  setPace,
  shown,
  speak,
  startStage,
  statusOf,
  withNoise,
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

const screenshots = join(projectRoot, 'build/screenshots');
mkdirSync(screenshots, { recursive: true });

describe('the page', () => {
  test('lives under a strict policy, without cross-origin isolation', async () => {
    const { page, problems } = await stage.open();
    const { headers } = await fetch(stage.address);
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self' " +
        'https://huggingface.co https://*.huggingface.co https://*.hf.co; ' +
        "style-src 'self'; img-src 'self' data:; media-src 'self' blob:; " +
        "manifest-src 'self'",
    );
    // On a host that sends no headers the page says it itself.
    const own = 'meta[http-equiv="Content-Security-Policy"]';
    await shown(() => page.getAttribute(own, 'content')).toBe(
      headers.get('content-security-policy'),
    );
    expect(headers.get('cross-origin-opener-policy')).toBeNull();
    expect(headers.get('cross-origin-embedder-policy')).toBeNull();
    await shown(() => page.evaluate(() => crossOriginIsolated)).toBe(false);
    expect(problems).toEqual([]);
  });

  test('loads its model and shows what runs', async () => {
    const { page, problems } = await stage.open();
    await shown(() => page.textContent('#status')).toBe('Ready. digits.apr is loaded.');
    await shown(() => page.textContent('[data-fact="model"]')).toMatch(/^digits\.apr.*APR2/);
    await shown(() => page.textContent('[data-fact="variant"]')).toMatch(
      /^(relaxed|simd)relaxed SIMD is/,
    );
    await shown(() => page.textContent('[data-fact="memory"]')).toMatch(
      /^\d+ MB.*weights \d+ [kM]B/,
    );
    await shown(() => page.isHidden('#ten_words')).toBe(true);
    expect(page.workers()).toHaveLength(1);
    expect(problems).toEqual([]);
  });

  test.each([
    [1, /^1by the number of processors$/, /^1 thread · (relaxed )?SIMD$/],
    [6, /^5for a long recordingby the number of processors$/, /^5 engines · 1 thread · /],
  ])('says how many engines there are with %d processors, and why', async (count, fact, says) => {
    const { page, problems } = await stage.open();
    await page.addInitScript((processors) => {
      Object.defineProperty(navigator, 'hardwareConcurrency', { value: processors });
    }, count);
    await page.reload();
    await shown(() => page.textContent('[data-fact="engines"]')).toMatch(fact);
    await shown(() => page.textContent('#engine_summary')).toMatch(says);
    expect(problems).toEqual([]);
  });

  test('runs the other binary when asked', async () => {
    const { page, requests, problems } = await stage.open({}, '?variant=simd');
    await shown(() => page.textContent('[data-fact="variant"]')).toMatch(/^simd/);
    expect(requests.some((url) => url.endsWith('/engine.simd.wasm'))).toBe(true);
    expect(requests.some((url) => url.endsWith('/engine.relaxed.wasm'))).toBe(false);
    await worked(page, () => page.click('#sample'));
    await shown(() => segmentTexts(page)).toEqual(sampleSegments);
    expect(problems).toEqual([]);
  });

  test('transcribes a recording that is dropped on it', async () => {
    const { page, problems } = await stage.open();
    await worked(page, () => drop(page, 'my digits.wav', sampleBytes()));
    await shown(() => segmentTexts(page)).toEqual(sampleSegments);
    await shown(() => page.textContent('#transcript_title')).toBe('my digits.wav');
    await shown(() => page.textContent('#transcript_meta')).toBe('9.0 s · English');
    await shown(() => page.isVisible('#ten_words')).toBe(true);
    await shown(() => page.textContent('#ten_words')).toMatch(/ten words only, zero to nine/);
    await shown(() => page.textContent('#status')).toMatch(/^Done: 9\.0 s of sound in /);
    await shown(() => page.textContent('[data-fact="speed"]')).toMatch(/^real-time factor 0\.\d+/);
    await shown(() => page.locator('#segments .times').allTextContents()).toEqual(['0:00']);
    expect(problems).toEqual([]);
  });

  test('plays from the segment that is pressed, marks it, and goes on', async () => {
    const { page, problems } = await stage.open();
    await worked(page, () => page.click('#sample'));
    const second = page.locator('.segment').nth(1);
    await second.press('Enter');
    await page.waitForSelector('.segment[aria-current="true"]');
    const playing = await page.evaluate(() => {
      const media = document.querySelector('video');
      return { address: media?.currentSrc, paused: media?.paused, time: media?.currentTime };
    });
    expect(playing.address).toMatch(/^blob:/);
    expect(playing.paused).toBe(false);
    expect(playing.time).toBeGreaterThan(2);
    await shown(() => second.getAttribute('aria-current')).toBe('true');
    await page.waitForSelector('.segment[aria-current="true"] >> text=two');
    await page.waitForFunction(() => document.querySelector('video')?.ended);
    expect(problems).toEqual([]);
  });

  test('works by keyboard alone', async () => {
    const { page, problems } = await stage.open();
    const focused = () => page.evaluate(() => document.activeElement?.id);
    await page.keyboard.press('Tab');
    await shown(focused).toBe('choose');
    await page.keyboard.press('Tab');
    await shown(focused).toBe('speak_open');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await shown(focused).toBe('live_open');
    await page.keyboard.press('Escape');
    await shown(focused).toBe('speak_open');
    await shown(() => page.isHidden('#speak_choices')).toBe(true);
    await page.keyboard.press('Tab');
    await shown(focused).toBe('sample');
    await worked(page, () => page.keyboard.press('Enter'));
    await shown(() => segmentTexts(page)).toEqual(sampleSegments);

    await page.locator('.segment').first().focus();
    const focusedText = () => page.evaluate(() => document.activeElement?.textContent ?? '');
    await page.keyboard.press('ArrowDown');
    await shown(focusedText).toContain('one five nine');
    await page.keyboard.press('End');
    await shown(focusedText).toContain('two six five');
    await page.keyboard.press('Home');
    await shown(focusedText).toContain('three one four');
    await setPace(page, 0.25);
    await page.keyboard.press('Space');
    await page.waitForFunction(() => document.querySelector('video')?.paused === false);
    // From word to word.
    const time = () => page.evaluate(() => document.querySelector('video')?.currentTime ?? 0);
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowRight');
    await page.waitForSelector('.word.sounding >> text=two');
    const first = await time();
    await page.keyboard.press('ArrowRight');
    await page.waitForSelector('.word.sounding >> text=six');
    await shown(time).toBeGreaterThan(first);
    await shown(() => page.getAttribute('#status', 'aria-live')).toBe('polite');
    expect(problems).toEqual([]);
  });

  test('takes another model that is dropped on it', async () => {
    const { page, problems } = await stage.open();
    await worked(page, () => drop(page, 'mine.apr', digitsBytes()));
    await shown(() => page.textContent('[data-fact="model"]')).toMatch(/^mine\.apr/);
    expect(page.workers()).toHaveLength(1);
    await worked(page, () => page.click('#sample'));
    await shown(() => segmentTexts(page)).toEqual(sampleSegments);
    await shown(() => page.isHidden('#ten_words')).toBe(true);
    expect(problems).toEqual([]);
  });

  test('says what is wrong with a file that is no model, and goes on', async () => {
    const { page, problems } = await stage.open();
    const notModel = Buffer.from('<!doctype html><title>Not found</title>');
    await worked(page, () => drop(page, 'broken.apr', notModel));
    await shown(() => page.isVisible('#error')).toBe(true);
    await shown(() => page.textContent('#error_title')).toBe('broken.apr could not be loaded');
    await shown(() => page.textContent('#error_details')).toMatch(/^codeunknown_format/);
    await shown(async () => (await page.textContent('#error_message'))?.length).toBeGreaterThan(10);
    await shown(() => page.textContent('#status')).toBe('The model from before is still there.');

    const model = readFileSync(join(projectRoot, 'models/digits.apr'));
    const damaged = Uint8Array.from(model);
    damaged[damaged.length - 10_000]! ^= 1;
    await worked(page, () => drop(page, 'damaged.apr', damaged));
    await shown(() => page.textContent('#error_title')).toBe('damaged.apr could not be loaded');
    await shown(() => page.textContent('#error_details')).toMatch(
      /^code(checksum_mismatch|malformed)/,
    );

    await worked(page, () => page.click('#sample'));
    await shown(() => page.isHidden('#error')).toBe(true);
    await shown(() => segmentTexts(page)).toEqual(sampleSegments);
    expect(problems).toEqual([]);
  });

  test('says what is wrong with a file that is no recording', async () => {
    const { page, problems } = await stage.open();
    await drop(page, 'letter.txt', Buffer.from('Dear Sir or Madam, …'));
    await page.waitForSelector('#error:not([hidden])');
    await shown(() => page.textContent('#error_title')).toBe('letter.txt cannot be used');
    await shown(() => page.textContent('#error_message')).toBe(
      'This is a text, not a recording or a model.',
    );
    await shown(() => page.textContent('#error_details')).toMatch(/^codeunknown_format/);
    expect(problems).toEqual([]);
  });

  test('never freezes while it transcribes', async () => {
    const { page, problems } = await stage.open();
    await page.evaluate(() => {
      const turns = { count: 0 };
      Object.assign(window, { turns });
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        if (document.documentElement.dataset.state === 'busy') turns.count += 1;
        port2.postMessage(0);
      };
      port2.postMessage(0);
    });
    await worked(page, () => drop(page, 'long.wav', longRecording(8)));
    await shown(async () => (await segmentTexts(page)).length).toBeGreaterThan(8);
    // The main thread got turn after turn: a frozen one would have had a handful.
    const turns = await page.evaluate(
      () => (window as unknown as { turns: { count: number } }).turns,
    );
    expect(turns.count).toBeGreaterThan(1000);
    expect(problems).toEqual([]);
  });

  test('stops when told to, keeps what it has, and can begin again', async () => {
    const { page, problems } = await stage.open();
    const release = await holdText(page);
    await drop(page, 'long.wav', longRecording(12));
    await page.waitForSelector('.segment');
    await worked(page, () => page.click('#cancel'));
    await release();
    await shown(() => page.textContent('#status')).toBe('Stopped.');
    await shown(() => page.textContent('#transcript_meta')).toMatch(
      /^stopped at \d:\d\d of \d:\d\d$/,
    );
    const kept = (await segmentTexts(page)).length;
    expect(kept).toBeGreaterThan(0);
    expect(kept).toBeLessThan(3 * 12);
    await shown(() => page.isHidden('#cancel')).toBe(true);

    await worked(page, () => page.click('#sample'));
    await shown(() => segmentTexts(page)).toEqual(sampleSegments);
    expect(problems).toEqual([]);
  });

  test('listens to a second recording after the first', async () => {
    const { page, problems } = await stage.open({ processors: 1 });
    const release = await holdText(page);
    await drop(page, 'long.wav', longRecording(12));
    await page.waitForSelector('.segment');
    await drop(page, 'short.wav', sampleBytes());
    await statusOf(page).getByText('short.wav is next.').waitFor();
    await release();
    await statusOf(page).getByText('All 2 recordings are done.').waitFor();
    await shown(() => page.textContent('#transcript_title')).toBe('short.wav');
    await shown(() => segmentTexts(page)).toEqual(sampleSegments);
    expect(problems).toEqual([]);
  });

  /** Keeps engines from starting until what this returns is called. */
  const holdEngines = (page: Page) => hold(page, '**/engine.*.wasm');

  test('keeps a recording that is dropped while a model loads, and listens with that model', async () => {
    const { page, problems } = await stage.open({ processors: 1 });
    const release = await holdEngines(page);
    await drop(page, 'mine.apr', digitsBytes());
    await statusOf(page).getByText('Loading mine.apr …').waitFor();
    await drop(page, 'first.wav', longSilence(1));
    await statusOf(page).getByText('Loading mine.apr … first.wav waits for it.').waitFor();
    await drop(page, 'short.wav', sampleBytes());
    const inPlace = 'Loading mine.apr … 2 recordings wait for it.';
    await statusOf(page).getByText(inPlace).waitFor();
    release();
    await statusOf(page).getByText('All 2 recordings are done.').waitFor();
    await shown(() => page.textContent('[data-fact="model"]')).toMatch(/^mine\.apr/);
    await shown(() => page.textContent('#transcript_title')).toBe('short.wav');
    await shown(() => segmentTexts(page)).toEqual(sampleSegments);
    // The model's, and its voice detector's.
    expect(page.workers()).toHaveLength(2);
    expect(problems).toEqual([]);
  });

  test('takes a model that is dropped while the first one loads, and then the recording', async () => {
    const { page, problems } = await stage.open({ processors: 1 });
    const release = await holdEngines(page);
    await page.reload();
    await statusOf(page).getByText('Loading digits.apr …').waitFor();
    await drop(page, 'early.wav', sampleBytes());
    await statusOf(page).getByText('Loading digits.apr … early.wav waits for it.').waitFor();
    await drop(page, 'mine.apr', digitsBytes());
    const both = 'Loading mine.apr … It takes the place of digits.apr. early.wav waits for it.';
    await statusOf(page).getByText(both).waitFor();
    await drop(page, 'late.wav', sampleBytes());
    const late = 'Loading mine.apr … It takes the place of digits.apr. 2 recordings wait for it.';
    await statusOf(page).getByText(late).waitFor();
    release();
    await statusOf(page).getByText('All 2 recordings are done.').waitFor();
    await shown(() => page.textContent('[data-fact="model"]')).toMatch(/^mine\.apr/);
    await shown(() => page.textContent('#transcript_title')).toBe('late.wav');
    await shown(() => segmentTexts(page)).toEqual(sampleSegments);
    // The model's, and its voice detector's.
    expect(page.workers()).toHaveLength(2);
    expect(problems.filter((problem) => !/request failed/.test(problem))).toEqual([]);
  });

  test('says that a recording was not transcribed when its model does not come', async () => {
    const { page, problems } = await stage.open();
    const release = await holdEngines(page);
    await drop(page, 'broken.apr', Buffer.from('<!doctype html><title>Not found</title>'));
    await statusOf(page).getByText('Loading broken.apr …').waitFor();
    await drop(page, 'short.wav', sampleBytes());
    await statusOf(page).getByText('short.wav waits for it.').waitFor();
    release();
    const lost = 'The model from before is still there. short.wav was not transcribed.';
    await statusOf(page).getByText(lost).waitFor();
    await shown(() => page.textContent('#error_title')).toBe('broken.apr could not be loaded');
    await shown(() => page.isHidden('#transcript')).toBe(true);
    expect(problems).toEqual([]);
  });

  test('plays from the word that is pressed, and marks each word as it sounds', async () => {
    const { page, problems } = await stage.open();
    await worked(page, () => page.click('#sample'));
    const words = page.locator('.segment').nth(1).locator('.word');
    await shown(() => words.allTextContents()).toEqual(['one', 'five', 'nine']);
    await setPace(page, 0.25);
    await words.nth(1).click();
    await page.waitForSelector('.word.sounding >> text=five');
    await page.waitForSelector('.word.sounding >> text=nine');
    // One at a time, or none between two words.
    await page.waitForFunction(() => document.querySelectorAll('.word.sounding').length === 1);
    await setPace(page, 1);
    // It goes on where the segment ends.
    await page.waitForSelector('.segment[aria-current="true"] >> text=two');
    expect(problems).toEqual([]);
  });

  test('listens as it is told to', async () => {
    const { page, problems } = await stage.open();
    await shown(() => page.isHidden('#language')).toBe(true);
    await openOptions(page);
    await page.uncheck('#word_times');
    await page.selectOption('#beam_size', { label: 'careful: fewer mistakes, slower' });
    await page.fill('#initial_prompt', 'one two');
    await page.fill('#hotwords', 'three, , four');
    await worked(page, () => page.click('#sample'));
    await shown(() => segmentTexts(page)).toEqual(sampleSegments);
    await shown(() => page.locator('.word').count()).toBe(0);
    await page.check('#word_times');
    await worked(page, () => page.click('#again'));
    await shown(() => page.textContent('#transcript_title')).toBe('sample.wav');
    await shown(() => page.locator('.word').count()).toBe(9);

    await page.selectOption('#beam_size', 'fast');
    await page.$eval('#beam_size :checked', (choice: HTMLOptionElement) => (choice.value = '99'));
    await worked(page, () => page.click('#again'));
    await shown(() => page.textContent('#error_details')).toMatch(/invalid_argument.*beamSize/);
    expect(problems).toEqual([]);
  });

  test('marks words that it is not sure of, and shows what it left out', async () => {
    const { page, problems } = await stage.open();
    await worked(page, () => page.click('#sample'));
    await shown(() => page.isHidden('#unsure_legend')).toBe(true);
    await shown(() => page.isHidden('#dropped')).toBe(true);

    await worked(page, () => drop(page, 'in noise.wav', withNoise(sampleBytes(), 0.15)));
    await shown(() => page.locator('.segment .unsure').count()).toBeGreaterThan(0);
    await shown(() => page.isVisible('#unsure_legend')).toBe(true);
    await page.screenshot({ path: join(screenshots, 'unsure.png') });

    // The detector leaves out all of it before the model hears it.
    await worked(page, () => drop(page, 'noise.wav', quieterNoise(20)));
    await shown(() => page.isVisible('#nothing_heard')).toBe(true);
    await shown(() => page.isHidden('#dropped')).toBe(true);
    await openOptions(page);
    await page.uncheck('#vad');
    await worked(page, () => page.click('#again'));
    await shown(() => page.isVisible('#nothing_heard')).toBe(true);
    await shown(() => page.textContent('#dropped_title')).toMatch(
      /^(One piece|\d+ pieces) of text left/,
    );
    await page.click('#dropped summary');
    await shown(() => page.locator('#dropped small').first().textContent()).toBe(
      'silence was more probable',
    );
    await page.screenshot({ path: join(screenshots, 'dropped.png') });
    expect(problems).toEqual([]);
  });

  test('says how long it will still take', async () => {
    const { page, problems } = await stage.open();
    await holdText(page, 2);
    await drop(page, 'long.wav', longRecording(12));
    await page.waitForFunction(() =>
      / left$/.test(document.getElementById('remaining')?.textContent ?? ''),
    );
    await worked(page, () => page.click('#cancel'));
    await shown(() => page.textContent('#remaining')).toBe('');
    expect(problems).toEqual([]);
  });

  test('saves the transcript in every format', async () => {
    const { page, problems } = await stage.open({ acceptDownloads: true });
    await worked(page, () => page.click('#sample'));
    const text = await saved(page, 'txt');
    expect(text).toMatchObject({
      name: 'sample.txt',
      content: `${sampleSegments.join('\n')}\n`,
    });
    const json = await saved(page, 'json');
    expect(json.name).toBe('sample.json');
    expect(JSON.parse(json.content)).toMatchObject({
      language: 'en',
      // The command line's field names.
      segments: sampleSegments.map((words, id) => ({
        id,
        text: ` ${words}`,
        no_speech_prob: expect.any(Number),
      })),
    });
    for (const format of ['srt', 'vtt', 'lrc', 'tsv', 'csv']) {
      const { name, content } = await saved(page, format);
      expect(name).toBe(`sample.${format}`);
      expect(content).toContain(sampleSegments[2]);
    }
    const verbose = await saved(page, 'verbose_json');
    expect(verbose.name).toBe('sample.verbose.json');
    expect(JSON.parse(verbose.content)).toMatchObject({ task: 'transcribe', language: 'english' });
    expect(problems).toEqual([]);
  });

  test('records from the microphone', async () => {
    const { page, problems } = await stage.open({ permissions: ['microphone'] });
    await speak(page, '#record');
    await page.waitForFunction(() => (document.querySelector('meter')?.value ?? 0) > 0.01);
    await shown(() => page.getAttribute('#record', 'aria-pressed')).toBe('true');
    await worked(page, () => speak(page, '#record'));
    await shown(() => page.textContent('#transcript_title')).toMatch(/^Recording at /);
    await shown(() => page.textContent('#status')).toMatch(/^Done: /);
    expect(problems).toEqual([]);
  });

  test('records with a context that the browser has suspended, and keeps the screen on meanwhile', async () => {
    const { page, problems } = await stage.open({ permissions: ['microphone'] });
    await page.evaluate(beginSuspended);
    await page.evaluate(() => {
      const told: string[] = [];
      Object.assign(globalThis, { told });
      Object.defineProperty(navigator, 'wakeLock', {
        value: {
          request(kind: string) {
            told.push(kind);
            return Promise.resolve({ release: () => Promise.resolve(void told.push('released')) });
          },
        },
      });
    });
    const told = () =>
      page.evaluate(() => (globalThis as unknown as { told: readonly string[] }).told);
    await speak(page, '#record');
    await page.waitForFunction(() => (document.querySelector('meter')?.value ?? 0) > 0.01);
    await shown(told).toEqual(['screen']);
    await worked(page, () => speak(page, '#record'));
    await shown(async () => (await told()).slice(0, 2)).toEqual(['screen', 'released']);
    await shown(() => page.textContent('#status')).toMatch(/^Done: /);
    expect(problems).toEqual([]);
  });

  test('a microphone that is unplugged ends the recording, which is kept', async () => {
    const { page, problems } = await stage.open({ permissions: ['microphone'] });
    await page.evaluate(() => {
      const { mediaDevices } = navigator;
      const ask = mediaDevices.getUserMedia.bind(mediaDevices);
      mediaDevices.getUserMedia = async (wish) => {
        const stream = await ask(wish);
        Object.assign(globalThis, { track: stream.getAudioTracks()[0] });
        return stream;
      };
    });
    await speak(page, '#record');
    await page.waitForFunction(() => (document.querySelector('meter')?.value ?? 0) > 0.01);
    await worked(page, () =>
      page.evaluate(() => {
        const { track } = globalThis as unknown as { track: MediaStreamTrack };
        track.dispatchEvent(new Event('ended'));
      }),
    );
    await shown(() => page.textContent('#error_title')).toBe('The microphone was disconnected');
    await page.getByText('What was recorded until then is kept.').waitFor();
    await shown(() => page.textContent('#transcript_title')).toMatch(/^Recording at /);
    await shown(() => page.getAttribute('#record', 'aria-pressed')).toBe('false');
    expect(problems).toEqual([]);
  });

  test('says why there is no microphone, and can be asked again', async () => {
    const { page, problems } = await stage.open();
    await page.evaluate(() => {
      const ask = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
      navigator.mediaDevices.getUserMedia = () => {
        navigator.mediaDevices.getUserMedia = ask;
        return Promise.reject(new DOMException('no', 'NotAllowedError'));
      };
    });
    await speak(page, '#record');
    await page.getByText('This page may not use it.').waitFor();
    await shown(() => page.getAttribute('#record', 'aria-pressed')).toBe('false');
    await speak(page, '#record');
    await page.waitForSelector('#record[aria-pressed="true"]');
    await page.waitForFunction(() => (document.querySelector('meter')?.value ?? 0) > 0.01);
    await worked(page, () => speak(page, '#record'));
    expect(problems).toEqual([]);
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`is itself in ${colorScheme} colours`, async () => {
      const { page } = await stage.open({ colorScheme, reducedMotion: 'reduce' });
      await worked(page, () => page.click('#sample'));
      await page.screenshot({ path: join(screenshots, `${colorScheme}.png`) });
      const lightness = await page.evaluate(() => {
        const [red = 0, green = 0, blue = 0] =
          getComputedStyle(document.body).backgroundColor.match(/\d+/g)?.map(Number) ?? [];
        return (red + green + blue) / 3;
      });
      if (colorScheme === 'light') expect(lightness).toBeGreaterThan(200);
      else expect(lightness).toBeLessThan(50);
    });
  }

  test('fits a telephone', async () => {
    const { page } = await stage.open({ viewport: { width: 375, height: 760 } });
    await worked(page, () => page.click('#sample'));
    await page.screenshot({ path: join(screenshots, 'phone.png'), fullPage: true });
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(375);
  });
});

const realDigits = 'recordings/audio/digits.wav';
describeWithShared([realDigits], 'a recording of a real voice', () => {
  test('gives the same text on the page as on the command line', async () => {
    const path = join(sharedFolder, realDigits);
    const cli = join(projectRoot, 'dist/cli.mjs');
    const args = [cli, 'transcribe', path, '--format', 'json'];
    const inNode = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as {
      text: string;
      segments: { text: string }[];
    };
    const { page, problems } = await stage.open();
    await worked(page, () => drop(page, 'digits.wav', readFileSync(path)));
    const segments = await segmentTexts(page);
    expect(segments).toEqual(inNode.segments.map((segment) => segment.text.trim()));
    expect(segments.join(' ')).toBe(inNode.text.trim());
    expect(segments.length).toBeGreaterThan(0);
    expect(problems).toEqual([]);
  });
});

const multilingual = 'golden/models/micro';
describeWithShared([multilingual, 'golden/tokenizer'], 'a model of many languages', () => {
  test('can be asked for a language, a choice of languages, and a translation', async () => {
    const viewport = { width: 375, height: 760 };
    const { page, problems, requests } = await stage.open({ viewport });
    const model = readFileSync(await testModel('micro'));
    await worked(page, () => drop(page, 'micro.apr', model));
    await shown(() => page.isVisible('#language')).toBe(true);
    await shown(() =>
      page.evaluate(() => document.documentElement.scrollWidth),
    ).toBeLessThanOrEqual(375);
    await shown(() => page.locator('#language option').allTextContents()).toContain(
      'Haitian Creole',
    );
    await shown(() => page.inputValue('#language')).toBe('auto');

    await page.selectOption('#language', 'de');
    await openOptions(page);
    await page.selectOption('#task', 'translate');
    await worked(page, () => page.click('#sample'));
    await shown(() => page.textContent('#transcript_meta')).toBe(
      '9.0 s · German · translated into English',
    );
    await page.selectOption('#language', 'per-window');
    await page.selectOption('#task', 'transcribe');
    await page.fill('#languages', 'sw, jw');
    await worked(page, () => page.click('#again'));
    await shown(() => page.textContent('#transcript_meta')).toMatch(
      /^9\.0 s · (Swahili|Javanese)$/,
    );

    const dictionaries = () => requests.flatMap((url) => /script_\w+\.mjs/.exec(url) ?? []);
    await page.fill('#languages', 'zh');
    expect(dictionaries()).toEqual([]);
    await page.selectOption('#script', 'simplified');
    await worked(page, () => page.click('#again'));
    await shown(() => page.textContent('#transcript_meta')).toBe('9.0 s · Chinese');
    expect(dictionaries()).toEqual(['script_simplified.mjs']);

    await page.fill('#languages', 'klingon');
    await worked(page, () => page.click('#again'));
    await shown(() => page.textContent('#error_details')).toMatch(/invalid_argument.*languages/);
    expect(problems).toEqual([]);
  });
});

const talks = ['recordings/audio/lecture.wav', 'recordings/audio/jfk.wav'] as const;
describeWithShared([...talks], 'a model that knows English alone', () => {
  test('says so where it is unsure of what it hears, and offers one for other languages', async () => {
    const { page, problems } = await stage.open();
    const [unsure, sure] = talks.map((path) => readFileSync(join(sharedFolder, path)));
    const isNoted = () => page.isVisible('#perhaps_foreign');
    // Beside the page it is known for its ten words, which says more.
    await worked(page, () => drop(page, 'lecture.wav', unsure!));
    await shown(() => page.isVisible('#ten_words')).toBe(true);
    await shown(isNoted).toBe(false);
    await worked(page, () => drop(page, 'mine.apr', digitsBytes()));
    await worked(page, () => drop(page, 'sure.wav', sure!));
    await shown(() => page.textContent('#transcript_title')).toBe('sure.wav');
    await shown(isNoted).toBe(false);
    await worked(page, () => drop(page, 'unsure.wav', unsure!));
    await shown(() => page.textContent('#perhaps_foreign_text')).toBe(
      'This may not be English, and mine.apr knows English alone.',
    );
    await page.getByRole('button', { name: 'Choose a model that knows other languages' }).click();
    const marked = page.locator('#model_menu .recommended');
    await shown(() => marked.getAttribute('data-model')).toBe('base');
    await shown(() => marked.textContent()).toContain('For other languages than English');
    await shown(() => marked.evaluate((it) => it === document.activeElement)).toBe(true);
    await page.keyboard.press('Escape');
    await openMenu(page);
    await shown(() => marked.count()).toBe(0);
    await page.keyboard.press('Escape');

    await page.locator('.history-open', { hasText: /^sure/ }).click();
    await shown(() => page.textContent('#transcript_title')).toBe('sure.wav');
    await shown(isNoted).toBe(false);
    await page.reload();
    await page.locator('.history-open', { hasText: 'unsure.wav' }).click();
    await shown(isNoted).toBe(true);
    expect(problems).toEqual([]);
  });
});
