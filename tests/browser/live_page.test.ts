// Live captions on the page, with a fake microphone that speaks digits again and again.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { limit } from '../support/limits.js';
import { describeWithShared, projectRoot, sharedFolder } from '../support/shared_folder.js';
import {
  beginSuspended,
  type Stage,
  deleteEverything,
  drop,
  hold,
  sampleBytes,
  saved,
  shown,
  speak,
  startStage,
} from './browser_page.js';
import { testWith } from './package_page.js';

jest.setTimeout(limit(120_000));

const digits = 'april-digits/digits.april';
const bw2l = 'bw2l-digits/digits.b2l';
const april = { name: 'digits.april', path: resolve(sharedFolder, digits) };
/** What the microphone says. */
const sample = join(projectRoot, 'web/demo/sample.wav');
const fakeMicrophone = [`--use-file-for-fake-audio-capture=${sample}`];
const said = ['three one four.', 'one five nine.', 'two six five.'];

const running = '#live[data-state="listening"]';
const off = '#live[data-state="off"]';
const waiting = '#live[data-state="waiting"]';

async function begin(page: Page): Promise<void> {
  await speak(page, '#live_open');
  await page.click('#live_toggle');
  await page.locator(running).waitFor();
}

async function stop(page: Page): Promise<void> {
  await page.click('#live_toggle');
  await page.locator(off).waitFor();
}

/** Waits until so many texts are there for good, and returns them. */
async function finals(page: Page, count: number): Promise<string[]> {
  const texts = page.locator('#live_list .said');
  await texts.nth(count - 1).waitFor({ state: 'attached' });
  return (await texts.allTextContents()).map((text) => text.trim());
}

/** How many there are now. */
const finalCount = (page: Page): Promise<number> => page.locator('#live_list .said').count();

/** Not innerText, from which Firefox leaves out what is out of sight. */
const transcriptText = async (page: Page): Promise<string> =>
  (await page.locator('#transcript .paragraph-text').allTextContents()).join('\n');

describeWithShared([digits, bw2l], 'live captions', () => {
  let stage: Stage;
  let deaf: Stage;
  beforeAll(async () => {
    stage = await startStage([april], fakeMicrophone);
    deaf = await startStage([april], ['--use-fake-ui-for-media-stream=deny']);
  });
  afterAll(async () => {
    await stage.close();
    await deaf.close();
  });

  test('text appears while the microphone speaks, and words that are committed never move or change', async () => {
    const { page, problems } = await stage.open({ reducedMotion: 'reduce' });
    await page.evaluate(watchCommittedWords);
    await begin(page);
    await page.locator('#live_lines .provisional').first().waitFor();
    const texts = await finals(page, 8);
    expect(texts.slice(0, 3)).toEqual(said);
    const seen = await page.evaluate(() => window.committedWords);
    expect(seen?.changes).toEqual([]);
    expect(seen?.count).toBeGreaterThanOrEqual(20);
    // A reader is told of what is final, and of nothing else.
    const announced = await page.locator('#live_announcer p').allTextContents();
    const all = await finals(page, 1);
    expect(announced.every((text) => all.includes(text))).toBe(true);
    expect(announced.length).toBeGreaterThan(0);
    // Pauses of half a second, as between these, end no line.
    const severalSentences = /^[a-z ]+\. [a-z ]+\. [a-z ]+\./;
    await shown(() => page.locator('#live_list p').first().textContent()).toMatch(severalSentences);
    await shown(() =>
      page.locator('.caption-roll p', { hasText: /[a-z]\. [a-z ]+\./ }).count(),
    ).toBeGreaterThan(0);
    // Each text runs in its own direction.
    for (const place of ['#live_announcer', '#live_list', '.caption-roll']) {
      const count = (selector: string) => page.locator(`${place} ${selector}`).count();
      await shown(() => count('p[dir="auto"]')).toBeGreaterThan(0);
      await shown(() => count('p:not([dir="auto"])')).toBe(0);
    }
    await stop(page);
    expect(problems).toEqual([]);
  });

  test('when it is stopped, it is a transcript with times, and its sound can be played', async () => {
    const { page, problems } = await stage.open();
    await begin(page);
    await finals(page, 3);
    await shown(() => page.isVisible('#live_level')).toBe(true);
    await stop(page);
    await shown(() => page.textContent('#transcript_title')).toMatch(
      /^Live captions at \d\d\.\d\d$/,
    );
    await shown(() => transcriptText(page)).toContain('three one four. one five nine.');
    await shown(() => page.textContent('#transcript_meta')).toMatch(/ s, live$/);
    await shown(() => page.locator('#live_list li').count()).toBe(0);
    const subtitles = await saved(page, 'srt', { rules: 'segments' });
    expect(subtitles.content).toMatch(/00:00:0\d,\d\d\d --> 00:00:0\d,\d\d\d\nthree one four\./);
    await shown(() => page.isVisible('#no_recording')).toBe(false);
    await shown(() =>
      page.evaluate(() =>
        Object.keys(localStorage).filter((name) => name.startsWith('susurrus.live.')),
      ),
    ).toEqual([]);
    expect(problems).toEqual([]);
  });

  test('a reload in the middle loses no text that was final', async () => {
    const { page, problems } = await stage.open();
    await begin(page);
    const [first, second] = await finals(page, 2);
    // It is written down while it goes on, not when the page goes alone.
    await page.waitForFunction(
      (text) => Object.values(localStorage).some((one) => String(one).includes(text)),
      second?.split(' ').at(-1) ?? '',
    );
    await page.reload();
    await page.locator('#live_interrupted li').waitFor();
    await shown(() => page.textContent('#live_interrupted .beginning')).toContain(first);
    await page.click('#live_interrupted button.primary');
    await page.locator('#transcript').waitFor();
    await shown(() => transcriptText(page)).toContain(`${first} ${second}`);
    await shown(() => page.isVisible('#live_interrupted')).toBe(false);
    await page.reload();
    await page.waitForSelector('html[data-state="idle"]', { state: 'attached' });
    await shown(() => page.isVisible('#live_interrupted')).toBe(false);
    expect(problems).toEqual([]);
  });

  test('a session that goes on in one tab is not offered in another, and can be deleted once it is over', async () => {
    const { page } = await stage.open();
    await begin(page);
    await finals(page, 1);
    await page.waitForFunction(() =>
      Object.keys(localStorage).some((name) => name.endsWith('.open')),
    );
    const other = await page.context().newPage();
    await other.goto(stage.address);
    await other.waitForSelector('html[data-state="idle"]', {
      state: 'attached',
      timeout: limit(60_000),
    });
    await shown(() => other.isVisible('#live_interrupted')).toBe(false);
    await page.close();
    // The session's lock outlives its page by a moment.
    await other.waitForFunction(async () => {
      const { held = [] } = await navigator.locks.query();
      return held.every(({ name = '' }) => !name.startsWith('susurrus.live.'));
    });
    await other.reload();
    await other.click('#live_interrupted button:not(.primary)');
    await shown(() => other.isVisible('#live_interrupted')).toBe(false);
    await other.reload();
    await other.waitForSelector('html[data-state="idle"]', {
      state: 'attached',
      timeout: limit(60_000),
    });
    await shown(() => other.isVisible('#live_interrupted')).toBe(false);
  });

  test('they end when everything is deleted, and nothing of what was said is kept', async () => {
    const { page, problems } = await stage.open();
    await begin(page);
    await finals(page, 2);
    await deleteEverything(page);
    await page.locator(off).waitFor();
    await shown(() => page.textContent('#kept_list')).toMatch(/Transcripts: none.*Settings: none/);
    await page.reload();
    await page.waitForSelector('html[data-state="idle"]', { state: 'attached' });
    await shown(() => page.isHidden('#live_interrupted')).toBe(true);
    await shown(() => page.locator('#history_list > li').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test('a refused microphone is explained, and the button starts again', async () => {
    const { page } = await deaf.open();
    await speak(page, '#live_open');
    await page.click('#live_toggle');
    await page.getByText('This page may not use the microphone').waitFor();
    await page.locator(off).waitFor();
    await shown(() => page.textContent('#live_toggle')).toContain('Start');
    await shown(() => page.isEnabled('#live_toggle')).toBe(true);
    await shown(() => page.isVisible('#transcript')).toBe(false);
  });

  testWith('microphones')('the microphone can be chosen, and the choice is kept', async () => {
    const { page, problems } = await stage.open({ permissions: ['microphone'] });
    await speak(page, '#live_open');
    const menu = page.locator('#live_microphone');
    await menu.waitFor();
    const ids = await menu.locator('option').evaluateAll((all) => {
      return all.map((option) => (option as HTMLOptionElement).value);
    });
    await shown(() => menu.locator('option').first().textContent()).toBe('the system’s choice');
    expect(ids.length).toBeGreaterThan(2);
    const last = ids.at(-1)!;
    await menu.selectOption(last);
    await page.evaluate(keepMicrophone);
    await page.click('#live_toggle');
    await finals(page, 1);
    await shown(() => menu.isHidden()).toBe(true);
    const used = () => page.evaluate(() => window.microphone?.getSettings().deviceId);
    await shown(used).toBe(last);
    await stop(page);
    // Another id than now: a browser may give it another one on each visit.
    const name = await menu.locator('option').last().textContent();
    const kept = () => page.evaluate(() => localStorage.getItem('susurrus.microphone'));
    await shown(kept).toBe(JSON.stringify([last, name]));
    await page.evaluate((mine) => {
      localStorage.setItem('susurrus.microphone', JSON.stringify(['of an earlier visit', mine]));
    }, name);
    await page.reload();
    await speak(page, '#live_open');
    const chosen = (selector: string) => page.locator(`${selector} option:checked`).textContent();
    await shown(() => chosen('#live_microphone')).toBe(name);
    await page.selectOption('#live_source', 'file');
    await shown(() => menu.isHidden()).toBe(true);
    await page.click('#speak_open');
    await shown(() => chosen('#record_microphone')).toBe(name);
    expect(problems).toEqual([]);
  });

  testWith('microphones')(
    'what is plugged in or out comes to the menus, and a chosen one that is back is used again',
    async () => {
      const { page, problems } = await stage.open({ permissions: ['microphone'] });
      await speak(page, '#live_open');
      const names = () => page.locator('#live_microphone option').allTextContents();
      await shown(async () => (await names()).length).toBeGreaterThan(2);
      const [system, ...own] = await names();
      await page.selectOption('#live_microphone', { label: own.at(-1)! });
      await page.evaluate(() => {
        const { mediaDevices } = navigator;
        const list = mediaDevices.enumerateDevices.bind(mediaDevices);
        const plugged = { kind: 'audioinput', deviceId: 'new', groupId: '', label: 'Headset' };
        let isChanged = false;
        // Without the last one of before, and with another.
        mediaDevices.enumerateDevices = async () => {
          const all = await list();
          const before = all.filter(({ kind }) => kind === 'audioinput').slice(0, -1);
          return isChanged ? [...before, plugged as MediaDeviceInfo] : all;
        };
        window.plug = () => {
          isChanged = !isChanged;
          mediaDevices.dispatchEvent(new Event('devicechange'));
        };
      });
      const chosen = () => page.locator('#live_microphone option:checked').textContent();
      await shown(chosen).toBe(own.at(-1));
      await page.evaluate(() => window.plug?.());
      await shown(names).toEqual([system, ...own.slice(0, -1), 'Headset']);
      await shown(() => page.locator('#record_microphone option').allTextContents()).toEqual([
        ...[system, ...own.slice(0, -1), 'Headset'],
      ]);
      await shown(chosen).toBe(system);
      await page.evaluate(() => window.plug?.());
      await shown(names).toEqual([system, ...own]);
      await shown(chosen).toBe(own.at(-1));
      expect(problems).toEqual([]);
    },
  );

  testWith('microphones')('a recording is made with the microphone that was chosen', async () => {
    const { page, problems } = await stage.open({ permissions: ['microphone'] });
    await page.click('#speak_open');
    const menu = page.locator('#record_microphone');
    await menu.waitFor();
    const last = (await menu.locator('option').last().getAttribute('value'))!;
    await menu.selectOption(last);
    await page.evaluate(keepMicrophone);
    await speak(page, '#record');
    await page.waitForSelector('#record[aria-pressed="true"]');
    await shown(() => page.evaluate(() => window.microphone?.getSettings().deviceId)).toBe(last);
    await page.waitForFunction(() => (document.querySelector('meter')?.value ?? 0) > 0.01);
    await speak(page, '#record');
    await shown(() => page.textContent('#transcript_title')).toMatch(/^Recording at /);
    expect(problems).toEqual([]);
  });

  test('a recording with a chosen microphone that is gone is made with another one, which is said', async () => {
    const { page, problems } = await stage.open();
    await page.evaluate(() => {
      localStorage.setItem('susurrus.microphone', JSON.stringify(['gone', 'Headset']));
    });
    await page.reload();
    await speak(page, '#record');
    await page.waitForSelector('#record[aria-pressed="true"]');
    await shown(() => page.textContent('#recording_note')).toMatch(/^Headset is not connected\./);
    await page.waitForFunction(() => (document.querySelector('meter')?.value ?? 0) > 0.01);
    await speak(page, '#record');
    await shown(() => page.textContent('#transcript_title')).toMatch(/^Recording at /);
    expect(problems).toEqual([]);
  });

  test.each(['microphone', undefined])(
    'a chosen microphone that is gone is said, and another one used (permission: %s)',
    async (permission) => {
      const { page, problems } = await stage.open(permission ? { permissions: [permission] } : {});
      await page.evaluate(() => {
        localStorage.setItem('susurrus.microphone', JSON.stringify(['gone', 'Headset']));
      });
      await page.reload();
      await begin(page);
      await shown(() => page.textContent('#live_sound_note')).toBe(
        'Headset is not connected. The microphone that the system chooses is used.',
      );
      await finals(page, 1);
      await stop(page);
      await shown(() => transcriptText(page)).toContain('three one four.');
      expect(problems).toEqual([]);
    },
  );

  test('a microphone that is unplugged ends it, and what was said is kept', async () => {
    const { page, problems } = await stage.open();
    await page.evaluate(keepMicrophone);
    await begin(page);
    await finals(page, 1);
    await page.evaluate(() => window.microphone?.dispatchEvent(new Event('ended')));
    await page.locator(off).waitFor();
    await shown(() => page.textContent('#live_note')).toBe(
      'The microphone was disconnected. What was said until then is kept.',
    );
    await shown(() => transcriptText(page)).toContain('three one four.');
    expect(problems).toEqual([]);
  });

  test('it says that it listens while nobody speaks, and what is wrong when no sound arrives', async () => {
    const { page, problems } = await stage.open();
    await page.evaluate(() => {
      const context = new AudioContext();
      const [hum, gain] = [new OscillatorNode(context), new GainNode(context, { gain: 1e-4 })];
      const out = context.createMediaStreamDestination();
      hum.connect(gain).connect(out);
      hum.start();
      window.mute = () => void (gain.gain.value = 0);
      navigator.mediaDevices.getUserMedia = () => Promise.resolve(out.stream);
    });
    await begin(page);
    await shown(() => page.isVisible('#live_listening')).toBe(true);
    await shown(() => page.isHidden('#live_note')).toBe(true);
    await page.evaluate(() => window.mute?.());
    await shown(() => page.textContent('#live_note')).toBe(
      'No sound arrives from the microphone. Is it muted?',
    );
    await shown(() => page.isHidden('#live_listening')).toBe(true);
    await stop(page);
    expect(problems).toEqual([]);
  });

  test('where the browser lets no sound run, as Firefox without headphones, it says what helps', async () => {
    const { page } = await stage.open();
    await page.evaluate(beginSuspended);
    await page.evaluate(() => {
      AudioContext.prototype.resume = () => new Promise<void>(() => undefined);
    });
    await speak(page, '#live_open');
    await page.click('#live_toggle');
    await page.locator('#live[data-state="suspended"]').waitFor();
    await shown(() => page.textContent('#live_note')).toMatch(/headphones or loudspeakers/);
    await page.click('#live_toggle');
    await page.locator(off).waitFor();
  });

  test('one session goes on, however often it is started', async () => {
    const { page, problems } = await stage.open();
    await page.evaluate(() => {
      const { mediaDevices } = navigator;
      const ask = mediaDevices.getUserMedia.bind(mediaDevices);
      window.asked = 0;
      mediaDevices.getUserMedia = (wish) => {
        window.asked = (window.asked ?? 0) + 1;
        return ask(wish);
      };
    });
    await speak(page, '#live_open');
    await page.dblclick('#live_toggle');
    await page.locator(running).waitFor();
    await speak(page, '#live_open');
    await finals(page, 1);
    await shown(() => page.evaluate(() => window.asked)).toBe(1);
    await stop(page);
    await begin(page);
    await finals(page, 1);
    await shown(() => page.evaluate(() => window.asked)).toBe(2);
    await stop(page);
    expect(problems).toEqual([]);
  });

  /** Leaves the page before its model is there; it comes when what this returns is called. */
  async function openLoading(): Promise<{ page: Page; problems: string[]; release: () => void }> {
    const { page, problems } = await stage.open();
    const release = await hold(page, '**/engine.*.wasm');
    await page.reload();
    await speak(page, '#live_open');
    return { page, problems, release };
  }

  test('pressed while the model loads, it begins with what was said until then', async () => {
    const { page, problems, release } = await openLoading();
    await page.click('#live_toggle');
    await page.locator(waiting).waitFor();
    await shown(() => page.textContent('#live_note')).toBe(
      'Starts when digits.april is loaded. Speak already: nothing is lost.',
    );
    await shown(() => page.textContent('#live_toggle')).toContain('Cancel');
    await shown(() => page.textContent('#live_time')).toMatch(/^0:0[3-9]|^0:[1-9]|^[1-9]/);
    release();
    await page.locator(running).waitFor();
    await shown(() => page.isHidden('#live_note')).toBe(true);
    expect((await finals(page, 3)).slice(0, 3)).toEqual(said);
    await stop(page);
    await shown(() => transcriptText(page)).toContain('three one four. one five nine.');
    expect(problems).toEqual([]);
  });

  test('a model that cannot write along gets what was said as a recording', async () => {
    const { page, problems, release } = await openLoading();
    await page.click('#live_toggle');
    await page.locator(waiting).waitFor();
    await shown(() => page.textContent('#live_time')).toMatch(/^0:(0[5-9]|[1-5])|^[1-9]/);
    await drop(page, 'digits.b2l', readFileSync(join(sharedFolder, bw2l)));
    await shown(() => page.textContent('#live_note')).toMatch(/^Starts when digits.b2l is loaded/);
    release();
    await page.locator(off).waitFor();
    await shown(() => page.textContent('#live_note')).toBe(
      'digits.b2l cannot write along while someone speaks. Choose another model. What was said is transcribed as a recording.',
    );
    await shown(() => page.textContent('#transcript_title')).toMatch(/^Live captions at .*\.wav$/);
    await shown(() => transcriptText(page)).toContain('three one four');
    await shown(() => page.isVisible('#no_recording')).toBe(false);
    expect(problems).toEqual([]);
  });

  test('a model that fails at once leaves what was said as a recording', async () => {
    const { page, release } = await openLoading();
    await page.evaluate(() => {
      // eslint-disable-next-line @typescript-eslint/unbound-method -- called on a worker below
      const post = Worker.prototype.postMessage;
      Worker.prototype.postMessage = function (message: { name?: string }, ...others: never[]) {
        if (message.name === 'feedLive') throw new DOMException('no', 'DataCloneError');
        post.call(this, message, ...others);
      };
    });
    await page.click('#live_toggle');
    await page.locator(waiting).waitFor();
    await shown(() => page.textContent('#live_time')).toMatch(/^0:(0[5-9]|[1-5])|^[1-9]/);
    release();
    await page.locator(off).waitFor();
    await shown(() => page.textContent('#live_note')).toMatch(/^Listening has failed\./);
    await page.getByText('What was said is transcribed as a recording.').waitFor();
    await shown(() => transcriptText(page)).toContain('three one four');
  });

  test('what waits for ten minutes is kept as a recording, and nothing more waits', async () => {
    const { page, problems } = await openLoading();
    await page.evaluate(() => {
      // Each block lasts half a minute.
      globalThis.AudioWorkletNode = class extends AudioWorkletNode {
        constructor(...given: ConstructorParameters<typeof AudioWorkletNode>) {
          super(...given);
          const { port } = this;
          Object.defineProperty(port, 'onmessage', {
            set: (take: ((event: { data: unknown }) => void) | null) => {
              port.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
                const isSound = data instanceof Float32Array;
                take?.({ data: isSound ? new Float32Array(30 * given[0].sampleRate) : data });
              });
              port.start();
            },
          });
        }
      };
    });
    await page.click('#live_toggle');
    await page.locator(off).waitFor();
    await shown(() => page.textContent('#live_note')).toBe(
      'No model came for 10 minutes, and no more sound can wait for one. What was said is kept as a recording, which waits for a model.',
    );
    await shown(() => page.locator('.queue-row[data-state="waiting"]').count()).toBe(1);
    await shown(() => page.textContent('.queue-row')).toMatch(/^Live captions at /);
    await shown(() => page.textContent('#live_toggle')).toContain('Start');
    expect(problems).toEqual([]);
  });

  test('what waits for the model can be cancelled, and started again', async () => {
    const { page, problems, release } = await openLoading();
    await page.click('#live_toggle');
    await page.locator(waiting).waitFor();
    await page.click('#live_toggle');
    await page.locator(off).waitFor();
    await shown(() => page.textContent('#live_toggle')).toContain('Start');
    await shown(() => page.isHidden('#live_note')).toBe(true);
    await page.click('#live_toggle');
    await page.locator(waiting).waitFor();
    release();
    await page.locator(running).waitFor();
    await finals(page, 1);
    await stop(page);
    await shown(() => page.locator('.queue-row').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test('a recording plays when the model is there', async () => {
    const { page, problems, release } = await openLoading();
    await page.selectOption('#live_source', 'file');
    await page.setInputFiles('#live_file', sample);
    const note = () => page.textContent('#live_note');
    await page.click('#live_toggle');
    await shown(note).toBe('Starts when digits.april is loaded.');
    await page.click('#live_toggle');
    await page.locator(off).waitFor();
    await page.click('#live_toggle');
    await shown(note).toBe('Starts when digits.april is loaded.');
    release();
    await finals(page, 2);
    await page.locator(off).waitFor();
    await shown(() => transcriptText(page)).toContain('three one four. one five nine.');
    expect(problems).toEqual([]);
  });

  test('on a first visit it waits for a choice; what was said is kept if that cannot be loaded', async () => {
    const { page } = await stage.open();
    await page.route('**/models.json', (route) => route.fulfill({ json: [] }));
    await page.evaluate(() => localStorage.clear());
    await page.reload();
    await page.locator('#first_choice').waitFor();
    await speak(page, '#live_open');
    await page.click('#live_toggle');
    await page.locator(waiting).waitFor();
    const note = () => page.textContent('#live_note');
    await shown(note).toBe(
      'Choose a model: it starts when that is loaded. Speak already: nothing is lost.',
    );
    await shown(() => page.textContent('#live_time')).toMatch(/^0:0[3-9]|^0:[1-9]|^[1-9]/);
    const bytes = readFileSync(april.path);
    await drop(page, 'broken.april', bytes.subarray(0, bytes.length / 2));
    await page.locator(off).waitFor();
    await shown(note).toBe(
      'No model was loaded. Choose one, then press Start. What was said is kept as a recording, which waits for a model.',
    );
    await shown(() => page.textContent('#live_toggle')).toContain('Start');
    await drop(page, 'digits.april', bytes);
    await shown(() => transcriptText(page)).toContain('three one four.');
  });

  test('another model goes on where the one before ended', async () => {
    const { page, problems } = await stage.open();
    await begin(page);
    await finals(page, 1);
    await drop(page, 'second.april', readFileSync(april.path));
    await page.getByText('second.april goes on from here.').waitFor();
    const before = await finalCount(page);
    await finals(page, before + 2);
    const times = await page.locator('#live_list li .times').allTextContents();
    expect(times).toEqual([...times].sort());
    await stop(page);
    await shown(() => transcriptText(page)).toContain('three one four.');
    expect(problems).toEqual([]);
  });

  test('what cannot hear live ends it, and the text is kept', async () => {
    const { page, problems } = await stage.open();
    await begin(page);
    await finals(page, 1);
    await drop(page, 'vad.tsm', readFileSync(join(projectRoot, 'models/vad.tsm')));
    await page.locator(off).waitFor();
    await page.locator('#transcript').waitFor();
    await shown(() => transcriptText(page)).toContain('three one four.');
    await shown(() => page.textContent('#live_note')).toContain('There is no model yet');
    await page.click('#live_toggle');
    await shown(() => page.locator(off).count()).toBe(1);
    expect(problems).toEqual([]);
  });

  test('a recording that is dropped meanwhile waits until it is stopped', async () => {
    const { page, problems } = await stage.open();
    await begin(page);
    await finals(page, 1);
    await drop(page, 'later.wav', sampleBytes());
    await page.getByText('The recording will be transcribed when you stop').waitFor();
    await finals(page, 2);
    await stop(page);
    await page.locator('#transcript_title', { hasText: 'later.wav' }).waitFor();
    expect(problems).toEqual([]);
  });

  test('where nothing may be stored it says so and goes on', async () => {
    const { page, problems } = await stage.open();
    await page.evaluate(() => {
      Storage.prototype.setItem = () => {
        throw new DOMException('no', 'QuotaExceededError');
      };
    });
    await begin(page);
    await page.getByText('This browser keeps no copy of the text').waitFor();
    const count = await finalCount(page);
    await finals(page, count + 2);
    await stop(page);
    await shown(() => transcriptText(page)).toContain('three one four.');
    expect(problems).toEqual([]);
  });

  test('a recording is written down while it plays, and ends the session with its end', async () => {
    const { page, problems } = await stage.open();
    await speak(page, '#live_open');
    await page.selectOption('#live_source', 'file');
    await page.click('#live_toggle');
    await shown(() => page.textContent('#live_note')).toBe('Choose a recording first.');
    await page.setInputFiles('#live_file', sample);
    await page.click('#live_toggle');
    await finals(page, 2);
    await page.locator(off).waitFor();
    // A busy machine plays with gaps, which may make other digits of some.
    await shown(() => transcriptText(page)).toMatch(/^([a-z]+ [a-z]+ [a-z ]+\. ?){2}/);
    expect(problems).toEqual([]);
  });

  test('captions are as large as a person wants, the next time too', async () => {
    const { page } = await stage.open();
    const size = () =>
      page.evaluate(() => getComputedStyle(document.querySelector('#live_stage')!).fontSize);
    await speak(page, '#live_open');
    const usual = await size();
    await page.click('#live_larger');
    await shown(async () => parseFloat(await size())).toBeGreaterThan(parseFloat(usual));
    for (let i = 0; i < 10 && (await page.isEnabled('#live_larger')); ++i) {
      await page.click('#live_larger');
    }
    const largest = await size();
    await page.reload();
    await speak(page, '#live_open');
    await shown(size).toBe(largest);
    await shown(() => page.isDisabled('#live_larger')).toBe(true);
  });

  test('captions in a window of their own go on there and come back', async () => {
    const { page, problems } = await stage.open();
    await begin(page);
    await finals(page, 1);
    const opened = page.context().waitForEvent('page');
    await page.click('#live_overlay');
    const overlay = await opened;
    await overlay.locator('.caption-roll .committed').first().waitFor();
    await shown(() => overlay.locator('link[rel="stylesheet"]').count()).toBe(1);
    await overlay.waitForFunction(
      () => parseFloat(getComputedStyle(document.body).marginTop) === 0,
    );
    await shown(() => page.isVisible('#live_away')).toBe(true);
    await shown(() => page.locator('#live_lines').count()).toBe(0);
    const count = await finalCount(page);
    const [text] = (await finals(page, count + 1)).slice(-1);
    await overlay
      .getByText(text ?? '')
      .last()
      .waitFor();
    await page.click('#live_overlay');
    await page.locator('#live_lines').waitFor();
    await stop(page);
    expect(problems).toEqual([]);
  });
});

declare global {
  interface Window {
    /** What watchCommittedWords() has seen. */
    committedWords?: { readonly changes: string[]; count: number };
    asked?: number;
    /** What keepMicrophone() has seen. */
    microphone?: MediaStreamTrack | undefined;
    mute?: () => void;
    plug?: () => void;
  }
}

/** In the page: keeps the track of the microphone that is opened next. */
function keepMicrophone(): void {
  const { mediaDevices } = navigator;
  const ask = mediaDevices.getUserMedia.bind(mediaDevices);
  mediaDevices.getUserMedia = async (wish) => {
    const stream = await ask(wish);
    [window.microphone] = stream.getAudioTracks();
    return stream;
  };
}

/** In the page: notes each committed word whose text, line or neighbours change while it is shown. */
function watchCommittedWords(): void {
  const seen = { changes: [] as string[], count: 0 };
  window.committedWords = seen;
  const words = new Map<
    Element,
    { text: string; left: number; top: number; block: Element | null }
  >();
  const lines = document.querySelector('#live_lines')!;
  new MutationObserver(() => {
    for (const [span, { text, left, top, block }] of words) {
      if (!span.isConnected) {
        // Blocks go as a whole, once they have rolled out of sight.
        if (block?.isConnected || top > 0) seen.changes.push(`"${text}" was taken away`);
        words.delete(span);
        continue;
      }
      const now = span.getBoundingClientRect();
      const from = lines.getBoundingClientRect();
      if (span.textContent !== text) seen.changes.push(`"${text}" became "${span.textContent}"`);
      if (Math.abs(now.left - from.left - left) > 0.5)
        seen.changes.push(`"${text}" moved sideways`);
      if (now.top - from.top > top + 0.5) seen.changes.push(`"${text}" moved down`);
      words.set(span, { text, left, top: now.top - from.top, block });
    }
    for (const span of lines.querySelectorAll('.committed')) {
      if (words.has(span)) continue;
      const place = span.getBoundingClientRect();
      const from = lines.getBoundingClientRect();
      seen.count += 1;
      words.set(span, {
        text: span.textContent,
        left: place.left - from.left,
        top: place.top - from.top,
        block: span.parentElement,
      });
    }
  }).observe(lines, { childList: true, subtree: true, characterData: true, attributes: true });
}
