// What stands around a model in a page: captions of a media element, React's hook, fixtures for tests, a stream to pipe through.
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { serve } from '../../scripts/serve_demo.mjs';
import type * as Captions from '../../web/page/captions.js';
import type * as Testing from '../../web/page/testing.js';
import type * as Susurrus from '../../web/src/index.js';
import { limit } from '../support/limits.js';
import { projectRoot } from '../support/shared_folder.js';
import { shown } from './browser_page.js';
import { launchBrowser } from './package_page.js';

jest.setTimeout(limit(120_000));

const sampleText = 'three one four one five nine two six five';
let browser: Browser;
let server: Awaited<ReturnType<typeof serve>>;
let page: Page;
const problems: string[] = [];

beforeAll(async () => {
  browser = await launchBrowser(['--autoplay-policy=no-user-gesture-required']);
  server = await serve({ folder: projectRoot, port: 0 });
});
afterAll(async () => {
  await browser.close();
  await server.close();
});
beforeEach(async () => {
  page = await browser.newPage();
  problems.length = 0;
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  await page.route('**/empty.html', (route) =>
    route.fulfill({
      contentType: 'text/html',
      headers: {
        'Content-Security-Policy':
          "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; media-src 'self'; img-src data:",
      },
      body: '<!doctype html><title>t</title><link rel="icon" href="data:,"><video id="talk" src="/web/demo/sample.wav"></video>',
    }),
  );
  await page.goto(`${server.address}empty.html`);
  await page.evaluate(async () => {
    for (const [name, file] of [
      ['susurrus', 'index'],
      ['captions', 'captions'],
      ['testing', 'testing'],
    ] as const) {
      Object.assign(window, { [name]: (await import(`/dist/${file}.mjs`)) as unknown });
    }
  });
});

/** Waits until the browser has heard that all other workers have ended. */
async function workersLeft(count: number): Promise<void> {
  const deadline = Date.now() + limit(20_000);
  while (page.workers().length > count && Date.now() < deadline) await page.waitForTimeout(50);
  if (page.workers().length !== count)
    throw new Error(`${page.workers().length} workers are left.`);
}

/** Modules that are globals in the page. */
declare const captions: typeof Captions;
declare const testing: typeof Testing;
declare const susurrus: typeof Susurrus;

test('captions of a transcript: shown, replaced where they differ, escaped, taken away', async () => {
  const outcome = await page.evaluate(() => {
    const media = document.querySelector('video')!;
    const segment = (start: number, text: string) => ({ start, end: start + 1, text });
    const shown = (track: TextTrack) =>
      [...track.cues!].map((cue) => [cue.startTime, (cue as VTTCue).text]);
    const first = { language: 'en', segments: [segment(0, ' one'), segment(1, ' a < b & c')] };
    const attached = captions.attachTextTrack(media, first, { label: 'English' });
    const { track } = attached;
    const facts = [track.kind, track.label, track.language, track.mode];
    const before = [...track.cues!];
    const texts = [shown(track)];
    attached.update({ segments: [first.segments[0]!, segment(1, ' two'), segment(2, ' three')] });
    texts.push(shown(track));
    const isFirstKept = track.cues![0] === before[0];
    track.mode = 'disabled';
    attached.update({ segments: [segment(5, ' five')] });
    const modeKept = track.mode;
    track.mode = 'hidden';
    texts.push(shown(track));
    attached.remove();
    attached.remove();
    attached.update(first);
    const count = media.textTracks.length;
    const again = captions.attachTextTrack(media, first, { label: 'English' });
    const isReused = again.track === track && media.textTracks.length === count;
    const refused = [null, {}, { segments: [{}] }].map((bad) => {
      try {
        captions.attachTextTrack(media, bad as never);
        return 'taken';
      } catch (error) {
        return (error as Susurrus.SusurrusError).code;
      }
    });
    return { facts, texts, isFirstKept, modeKept, isReused, refused };
  });
  expect(outcome).toEqual({
    facts: ['captions', 'English', 'en', 'showing'],
    texts: [
      [
        [0, 'one'],
        [1, 'a &lt; b &amp; c'],
      ],
      [
        [0, 'one'],
        [1, 'two'],
        [2, 'three'],
      ],
      [[5, 'five']],
    ],
    isFirstKept: true,
    modeKept: 'disabled',
    isReused: true,
    refused: ['invalid_argument', 'invalid_argument', 'invalid_argument'],
  });
  expect(problems).toEqual([]);
});

test('captions by a profile are those of its WebVTT file, however they come', async () => {
  const outcome = await page.evaluate(() => {
    const media = document.querySelector('video')!;
    const words = Array.from({ length: 40 }, (_, i) => ({
      ...{ word: ` word${i}${i % 7 === 6 ? ',' : ''}`, start: 0.4 * i, end: 0.4 * i + 0.3 },
      probability: 1,
    }));
    const text = words.map(({ word }) => word).join('');
    const timed = { language: 'en', segments: [{ start: 0, end: 16, text, words }] };
    const untimed = { language: 'en', segments: [{ start: 0, end: 16, text }] };
    const part = {
      language: 'en',
      segments: [{ start: 0, end: 8, text, words: words.slice(0, 20) }],
    };
    const shownIn = (track: TextTrack) =>
      [...track.cues!].map((cue) => [cue.startTime, cue.endTime, (cue as VTTCue).text]);
    const writtenOf = (transcript: typeof timed | typeof untimed, profile: 'bbc' | 'netflix') =>
      susurrus
        .format(transcript as never, 'vtt', { profile })
        .split('\n\n')
        .filter((block) => block.includes('-->'))
        .map((block) => {
          const [times, ...lines] = block.trim().split('\n');
          const ends = times!.split(' --> ').map((time) => Number(time.slice(3)));
          return [...ends, lines.join('\n')];
        });
    const pairs = [timed, untimed].map((transcript) => {
      const attached = captions.attachTextTrack(media, transcript, { profile: 'bbc' });
      const other = captions.attachTextTrack(media, transcript, { profile: 'netflix' });
      const both = [shownIn(attached.track), shownIn(other.track)];
      attached.remove();
      other.remove();
      return [both, [writtenOf(transcript, 'bbc'), writtenOf(transcript, 'netflix')]];
    });
    const growing = captions.attachTextTrack(media, part, { profile: 'bbc' });
    const first = growing.track.cues![0];
    growing.update(timed);
    pairs.push([[shownIn(growing.track)], [writtenOf(timed, 'bbc')]]);
    const isFirstKept = growing.track.cues![0] === first;
    const told = [{ profile: 'none' }, { profile: 'bbc', maxLineWidth: 30 }].flatMap((options) => {
      const wrong = options as never;
      return [
        () => captions.attachTextTrack(media, timed, wrong),
        () => susurrus.format(timed as never, 'vtt', wrong),
      ].map((call) => {
        try {
          call();
          return 'taken';
        } catch (error) {
          return (error as Error).message;
        }
      });
    });
    return { pairs, isFirstKept, told };
  });
  for (const [shownCues, written] of outcome.pairs) {
    expect(shownCues).toEqual(written);
    for (const cues of shownCues!) expect(cues.length).toBeGreaterThan(3);
  }
  expect(outcome.isFirstKept).toBe(true);
  const { told } = outcome;
  expect([told[0], told[2]]).toEqual([told[1], told[3]]);
  for (const message of told) expect(message).toContain('profile');
  expect(problems).toEqual([]);
});

test('captions of a transcription under way come with its segments', async () => {
  const texts = await page.evaluate(async () => {
    const model = await testing.loadTestModel();
    const work = model.transcribe(await testing.fixtureAudio());
    const { track } = captions.attachTextTrack(document.querySelector('video')!, work);
    const { text } = await work;
    await new Promise((done) => setTimeout(done));
    model.dispose();
    return [text, [...track.cues!].map((cue) => (cue as VTTCue).text).join(' ')];
  });
  expect(texts.map((text) => text.trim())).toEqual([sampleText, sampleText]);
  expect(problems).toEqual([]);
});

test('<susurrus-captions> adds captions to its video, tells what goes wrong, and leaves no worker', async () => {
  const texts = await page.evaluate(async () => {
    captions.defineCaptions();
    captions.defineCaptions();
    document.body.insertAdjacentHTML(
      'beforeend',
      '<susurrus-captions for="talk" model="/models/digits.apr"></susurrus-captions>' +
        '<susurrus-captions for="nothing"></susurrus-captions>' +
        '<susurrus-captions for="talk"></susurrus-captions>',
    );
    const [good, bad, without] = document.querySelectorAll('susurrus-captions');
    const heard = (element: EventTarget, type: string) =>
      new Promise<{ text: string; message: string }>((done) =>
        element.addEventListener(
          type,
          (event) => done((event as CustomEvent<{ text: string; message: string }>).detail),
          { once: true },
        ),
      );
    const button = good!.shadowRoot!.querySelector('button')!;
    const before = button.textContent;
    const directions = Array.from(
      good!.shadowRoot!.querySelectorAll('[dir]'),
      ({ localName }) => localName,
    );
    const { value: empty } = good!.shadowRoot!.querySelector('progress')!;
    const shown: [overall: number, value: number][] = [];
    good!.addEventListener('susurrus-progress', (event: Event) => {
      const { overall } = (event as CustomEvent<{ overall: number }>).detail;
      shown.push([overall, good!.shadowRoot!.querySelector('progress')!.value]);
    });
    const over = heard(document, 'susurrus-transcript');
    button.click();
    const during = button.textContent;
    const { text } = await over;
    const host = document.createElement('div');
    host.attachShadow({ mode: 'open' }).append(bad!);
    document.body.append(host);
    const failed = heard(document, 'susurrus-error');
    bad!.shadowRoot!.querySelector('button')!.click();
    const { message } = await failed;
    const refused = heard(without!, 'susurrus-error');
    without!.shadowRoot!.querySelector('button')!.click();
    const { message: lacking } = await refused;
    const track = document.querySelector('video')!.textTracks[0]!;
    return {
      lacking,
      empty,
      shown,
      directions,
      labels: [before, during, button.textContent],
      text: text.trim(),
      lines: [...track.cues!].map((cue) => (cue as VTTCue).text),
      message,
      note: bad!.shadowRoot!.querySelector('[role=status]')!.textContent,
    };
  });
  expect(texts).toMatchObject({
    directions: ['button', 'span'],
    labels: ['Add captions', 'Stop', 'Add captions again'],
    text: sampleText,
    message: 'There is no video or audio with that id.',
    note: 'There is no video or audio with that id.',
    lacking: 'Say which model with the attribute "model".',
  });
  expect(texts.empty).toBe(0);
  expect(texts.shown.length).toBeGreaterThan(2);
  // Firefox keeps fifteen digits.
  for (const [overall, value] of texts.shown) expect(value).toBeCloseTo(overall, 12);
  expect(texts.shown.at(-1)).toEqual([1, 1]);
  expect(texts.lines.join(' ').replaceAll('\n', ' ')).toBe(sampleText);
  await page.evaluate(() => document.querySelector('susurrus-captions')!.remove());
  await workersLeft(0);
  expect(problems).toEqual([]);
});

test('<susurrus-captions profile> has the cues of the profile; a wrong one is an error', async () => {
  const outcome = await page.evaluate(async () => {
    captions.defineCaptions();
    const model = await testing.loadTestModel();
    const media = document.querySelector('video')!;
    const results: unknown[] = [];
    for (const attributes of [
      'profile="bbc"',
      'profile="none"',
      'profile="bbc" max-line-width="9"',
    ]) {
      document.body.insertAdjacentHTML(
        'beforeend',
        `<susurrus-captions for="talk" ${attributes}></susurrus-captions>`,
      );
      const element = document.body.lastElementChild as Captions.CaptionsElement;
      element.model = model;
      let heard: Susurrus.Transcript | undefined;
      let code = '';
      element.addEventListener('susurrus-transcript', (event) => {
        heard = (event as CustomEvent<Susurrus.Transcript>).detail;
      });
      element.addEventListener('susurrus-error', (event) => {
        ({ code } = (event as CustomEvent<Susurrus.SusurrusError>).detail);
      });
      await element.start();
      await new Promise((done) => setTimeout(done));
      const written = heard && susurrus.format(heard, 'vtt', { profile: 'bbc' });
      const cues = heard
        ? Array.from(media.textTracks[0]!.cues!, (cue) => (cue as VTTCue).text)
        : [];
      results.push([
        code,
        cues.length > 0 && cues.every((text) => written!.includes(`\n${text}\n`)),
      ]);
      element.remove();
    }
    model.dispose();
    return results;
  });
  expect(outcome).toEqual([
    ['', true],
    ['invalid_argument', false],
    ['invalid_argument', false],
  ]);
});

test('captions that are begun twice, stopped or taken off the page leave one model at most', async () => {
  const outcome = await page.evaluate(async () => {
    captions.defineCaptions();
    const add = () => {
      const element = document.createElement('susurrus-captions') as HTMLElement & {
        start(): Promise<void>;
        stop(): void;
      };
      element.setAttribute('for', 'talk');
      element.setAttribute('model', '/models/digits.apr');
      document.body.append(element);
      return element;
    };
    const turns = async (count: number) => {
      for (let i = 0; i < count; ++i) await new Promise((done) => setTimeout(done));
    };
    const twice = add();
    const events: string[] = [];
    for (const type of ['transcript', 'error', 'susurrus-transcript', 'susurrus-error']) {
      twice.addEventListener(type, () => events.push(type));
    }
    await Promise.all([twice.start(), twice.start()]);
    const label = () => twice.shadowRoot!.querySelector('button')!.textContent;
    const labels = [label()];
    const again = twice.start();
    twice.stop();
    twice.stop();
    labels.push(label());
    await again;
    for (let i = 0; i < 20; ++i) {
      const element = add();
      const begun = element.start();
      await turns(i);
      element.remove();
      await begun;
    }
    return { events, labels };
  });
  expect(outcome).toEqual({
    events: ['susurrus-transcript'],
    labels: ['Add captions again', 'Add captions'],
  });
  // The model's, and its voice detector's.
  await workersLeft(2);
  expect(problems).toEqual([]);
});

test('a fake microphone is heard by a page that asks for the real one', async () => {
  const facts = await page.evaluate(async () => {
    const samples = await testing.fixtureAudio();
    const restore = testing.installFakeMicrophone(samples.subarray(0, 16000));
    const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    const context = new AudioContext();
    const ear = new AnalyserNode(context, { fftSize: 2048 });
    context.createMediaStreamSource(stream).connect(ear);
    const wave = new Float32Array(2048);
    let loudest = 0;
    while (loudest < 0.02) {
      await new Promise((done) => requestAnimationFrame(done));
      ear.getFloatTimeDomainData(wave);
      loudest = Math.max(loudest, ...wave.map(Math.abs));
    }
    for (const track of stream.getTracks()) track.stop();
    await context.close();
    restore();
    return [stream instanceof MediaStream, Object.hasOwn(navigator.mediaDevices, 'getUserMedia')];
  });
  expect(facts).toEqual([true, false]);
  expect(problems).toEqual([]);
});

/** A component on React, bundled as an application would be, but for the package's entry. */
async function reactApp(): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `
        import { createElement as h, StrictMode, useState } from 'react';
        import { createRoot } from 'react-dom/client';
        import { useTranscriber } from './dist/react.mjs';
        function App({ preload }) {
          const t = useTranscriber('/models/digits.apr', { preload, load: { threads: 1 } });
          window.transcriber = t;
          (window.seen ??= []).push(t.status);
          return h('p', { id: 'out' }, t.status + ': ' + t.segments.map((s) => s.text).join('').trim());
        }
        const root = createRoot(document.body.appendChild(document.createElement('div')));
        window.show = (props) => root.render(h(StrictMode, null, h(App, props)));
        window.hide = () => root.unmount();
      `,
      resolveDir: projectRoot,
    },
    bundle: true,
    write: false,
    format: 'esm',
    define: { 'process.env.NODE_ENV': '"development"' },
    plugins: [
      {
        name: 'entry',
        setup: (building) =>
          building.onResolve({ filter: /^\.\/index\.mjs$/ }, () => ({
            path: '/dist/index.mjs',
            external: true,
          })),
      },
    ],
  });
  return outputFiles[0]!.text;
}

test('useTranscriber: loads, transcribes, stops, reports errors, and frees the model, in strict mode', async () => {
  const script = await reactApp();
  await page.route('**/react_app.js', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: script }),
  );
  await page.evaluate((address) => import(address), '/react_app.js');
  const call = (body: string) => page.evaluate(`(async () => { ${body} })()`);
  const out = (text: string) =>
    page.waitForSelector(`#out:text-is("${text}")`, { timeout: limit(60_000) });

  await call('show({ preload: true })');
  await out('ready:');
  await call(`const { fixtureAudio } = testing; window.audio = await fixtureAudio();
    window.result = transcriber.transcribe(audio); await result;`);
  await out(`ready: ${sampleText}`);
  expect(await call('return (await window.result).text.trim()')).toBe(sampleText);
  await shown(() => page.evaluate('[...new Set(seen)]')).toEqual([
    'idle',
    'loading',
    'ready',
    'transcribing',
  ]);

  // Another one takes its place; stopping is no error.
  const second = await call(`const long = new Float32Array(audio.length * 20);
    for (let i = 0; i < 20; ++i) long.set(audio, i * audio.length);
    const first = transcriber.transcribe(long);
    const next = transcriber.transcribe(audio);
    const given = [await first, (await next).text.trim()];
    const third = transcriber.transcribe(long);
    transcriber.pause();
    transcriber.stop();
    return [...given, await third, String(transcriber.error)]`);
  expect(second).toEqual([undefined, sampleText, undefined, 'undefined']);

  expect(
    await call(`const none = await transcriber.transcribe('nothing', { beams: 1 });
      await new Promise((done) => setTimeout(done, 50));
      return [none, transcriber.status, transcriber.error.code]`),
  ).toEqual([undefined, 'ready', 'invalid_argument']);

  await call('hide()');
  await workersLeft(0);
  expect(problems).toEqual([]);
});

test('in Node the fixture and the test model are the same', async () => {
  const address = join(projectRoot, 'dist/testing.node.mjs');
  const { fixtureAudio, fixtureText, loadTestModel } = (await import(address)) as typeof Testing;
  const model = await loadTestModel();
  expect((await model.transcribe(await fixtureAudio())).text.trim()).toBe(fixtureText);
  model.dispose();
});
