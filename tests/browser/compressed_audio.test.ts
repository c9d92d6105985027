// Compressed audio in a page: decoded by the browser's codecs in a worker, under the strict policy.
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { serve } from '../../scripts/serve_demo.mjs';
import type * as BrowserEntry from '../../web/src/index.js';
import type { Progress, SusurrusError, WhisperModel } from '../../web/src/index.js';
import { builtPackage } from '../support/built_package.js';
import { sampleAudio } from '../support/embedded_model.js';
import { encoded, opusFile, rewrapped, withLameTag } from '../support/encoded_audio.js';
import { limit } from '../support/limits.js';
import { projectRoot } from '../support/shared_folder.js';
import { isFirefox, launchBrowser, testWith } from './package_page.js';
import { rounds } from '../support/turns.js';
import { expectOneBar } from '../support/one_bar.js';

jest.setTimeout(limit(300_000));

const sample = sampleAudio();
const text = ' three one four one five nine two six five';

let browser: Browser;
let server: Awaited<ReturnType<typeof serve>>;
let page: Page;
const problems: string[] = [];
const requests: string[] = [];

beforeAll(async () => {
  server = await serve({ folder: join(projectRoot, 'dist'), port: 0, isolated: false });
  browser = await launchBrowser([
    '--use-fake-device-for-media-stream',
    '--use-fake-ui-for-media-stream',
    '--autoplay-policy=no-user-gesture-required',
  ]);
  // The demo page's worker would ask for all of its files, too.
  const context = await browser.newContext({ serviceWorkers: 'block' });
  page = await context.newPage();
  page.on('pageerror', (error) => problems.push(error.message));
  context.on('request', (request) => requests.push(new URL(request.url()).pathname.slice(1)));
  await page.goto(`${server.address}demo/`);
  await page.evaluate(async (address) => {
    const susurrus = (await import(address)) as typeof BrowserEntry;
    const model = await susurrus.loadModel<'whisper'>(
      new URL('/demo/models/digits.apr', location.href),
      {
        variant: 'simd',
      },
    );
    Object.assign(globalThis, {
      model,
      fileOf: (base64: string) =>
        new Blob([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))]),
      errorOf: async (work: PromiseLike<unknown>) => {
        try {
          await work;
          return undefined;
        } catch (error) {
          const { code, message, details } = error as Record<string, unknown>;
          return { code, message, details };
        }
      },
    });
  }, `${server.address}index.mjs`);
});
afterAll(async () => {
  await browser.close();
  await server.close();
});
afterEach(() => {
  // A page's error is the test's.
  const [problem] = problems.splice(0);
  if (problem !== undefined) throw new Error(problem);
});

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

/** What page functions find among the globals. */
interface PageGlobals {
  model: BrowserModel;
  fileOf: (base64: string) => Blob;
  errorOf: (work: PromiseLike<unknown>) => Promise<Failure | undefined>;
}
type BrowserModel = WhisperModel;
type Failure = Pick<SusurrusError, 'code' | 'message' | 'details'>;

/** Text, duration and phases of a transcription. */
function heard(bytes: Uint8Array) {
  return page.evaluate(async (file) => {
    const { model, fileOf } = globalThis as unknown as PageGlobals;
    const events: Progress[] = [];
    const onProgress = (event: Progress) => void events.push(event);
    const { text, duration } = await model.transcribe(fileOf(file), { onProgress });
    const phases = [...new Set(events.map(({ phase }) => phase))];
    return { text, duration, phases, events };
  }, base64(bytes));
}

const failure = (bytes: Uint8Array) =>
  page.evaluate(async (file) => {
    const { model, fileOf, errorOf } = globalThis as unknown as PageGlobals;
    return errorOf(model.transcribe(fileOf(file)));
  }, base64(bytes));

/** How far the log-mel of a file is from that of what decodeAudioData() makes of it, in units of Whisper's input. */
const distanceFromWholeDecoding = (bytes: Uint8Array) =>
  page.evaluate(async (file) => {
    const { model, fileOf } = globalThis as unknown as PageGlobals;
    const blob = fileOf(file);
    const got = await model.logMel(blob, { mode: 'whole' });
    const context = new OfflineAudioContext(1, 1, 48000);
    const buffer = await context.decodeAudioData(await blob.arrayBuffer());
    const expected = await model.logMel(buffer, { mode: 'whole' });
    const frames = Math.min(got.nFrames, expected.nFrames);
    let sum = 0;
    for (let mel = 0; mel < got.nMels; ++mel) {
      for (let frame = 0; frame < frames; ++frame) {
        const [a, b] = [got, expected].map(
          ({ data, nFrames }) => data[mel * nFrames + frame] ?? Number.NaN,
        );
        sum += Math.abs(Number(a) - Number(b));
      }
    }
    return { frames: got.nFrames - expected.nFrames, mean: sum / frames / got.nMels };
  }, base64(bytes));

/** M4A as iTunes and ffmpeg write it: the encoder's first frame lies before the start. */
const m4aWithPadding = async () =>
  rewrapped(await encoded('aac', 'aac', { samples: sample }), 'm4a', -1024 / 48000);

describe('results stay what they were', () => {
  const files: Record<string, () => Promise<Uint8Array>> = {
    'M4A with an edit list': m4aWithPadding,
    'AAC (ADTS)': () => encoded('aac', 'aac', { samples: sample }),
    'AAC in Matroska': async () => rewrapped(await m4aWithPadding(), 'mkv', 1024 / 48000),
    'MP3 with a LAME tag': async () =>
      withLameTag(await encoded('mp3', 'mp3', { samples: sample }), 576, 1000),
    'MP3 without': () => encoded('mp3', 'mp3', { samples: sample }),
  };
  for (const [name, make] of Object.entries(files)) {
    const run = name.startsWith('MP3') ? test : testWith('aac');
    run(`${name}: the samples of decodeAudioData()`, async () => {
      const file = await make();
      expect(await heard(file)).toMatchObject({ text });
      const { frames, mean } = await distanceFromWholeDecoding(file);
      expect(Math.abs(frames)).toBeLessThanOrEqual(2);
      // A shift of 1024 samples is 0.06 and more; Firefox begins an MP3 without a tag by fewer elsewhere.
      const isShifted = name.includes('Matroska') || (isFirefox && name === 'MP3 without');
      expect(mean).toBeLessThan(isShifted ? 0.05 : 0.003);
    });
  }

  testWith('aac').each([
    ...[8000, 11025, 22050, 96000].map((rate) => [rate, 1] as const),
    ...([2, 6] as const).map((channels) => [48000, channels] as const),
  ])('AAC of %i Hz with %i channels', async (rate, channels) => {
    const result = await heard(await encoded('m4a', 'aac', { samples: sample, rate, channels }));
    expect(result.text).toBe(text);
    expect(result.phases).toEqual(['decode', 'transcribe']);
    expectOneBar(result.events);
    const decoded = result.events.filter(({ phase }) => phase === 'decode');
    expect(decoded.at(-1)!.overall).toBeLessThan(0.1);
    expect(Math.abs(result.duration - sample.length / 16000)).toBeLessThan(0.3);
  });

  test('the page downloads the demuxer once, and nothing else', () => {
    expect(requests).toContain('worker.audio.mjs');
    expect(requests.filter((path) => /worker\.files|crypto|inspect|capture/.test(path))).toEqual(
      [],
    );
  });
});

describe('Opus that the browser encodes (47, 100)', () => {
  /** In the page: the sample in WebM by MediaRecorder's encoder, as base64. */
  const recorded = () =>
    page.evaluate(async () => {
      const wav = await (await fetch('/demo/sample.wav')).arrayBuffer();
      const context = new AudioContext({ sampleRate: 48000 });
      const source = context.createBufferSource();
      source.buffer = await context.decodeAudioData(wav);
      const out = context.createMediaStreamDestination();
      source.connect(out);
      const recorder = new MediaRecorder(out.stream, { mimeType: 'audio/webm;codecs=opus' });
      const parts: Blob[] = [];
      recorder.ondataavailable = ({ data }) => void parts.push(data);
      recorder.start();
      source.start();
      await new Promise((done) => (source.onended = done));
      await new Promise((done) => {
        recorder.onstop = done;
        recorder.stop();
      });
      await context.close();
      const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
      let letters = '';
      for (const byte of bytes) letters += String.fromCharCode(byte);
      return btoa(letters);
    });

  test('is heard in the page and in Node', async () => {
    const file = Buffer.from(await recorded(), 'base64');
    expect((await heard(file)).text).toBe(text);
    const inNode = await (await builtPackage()).loadModel<'whisper'>('digits', { variant: 'simd' });
    expect((await inNode.transcribe(file)).text).toBe(text);
    inNode.dispose();
  });
});

testWith('aac')(
  'a worker of the page’s own has it too, without an audio context (100)',
  async () => {
    await page.route('**/own_worker.mjs', (route) =>
      route.fulfill({
        contentType: 'text/javascript',
        body: `onmessage = async ({ data }) => {
        try {
          const { loadModel } = await import('/index.mjs');
          const model = await loadModel(new URL('/demo/models/digits.apr', location.href));
          postMessage((await model.transcribe(data)).text);
          model.dispose();
        } catch (error) {
          postMessage(String(error));
        }
      };`,
      }),
    );
    const result = await page.evaluate(
      async (bytes) => {
        const { fileOf } = globalThis as unknown as PageGlobals;
        const worker = new Worker('/own_worker.mjs', { type: 'module' });
        const answer = new Promise<string>((done, failed) => {
          worker.onmessage = ({ data }: MessageEvent<string>) => done(data);
          worker.onerror = ({ message }) => failed(new Error(message));
        });
        worker.postMessage(fileOf(bytes));
        return answer.finally(() => worker.terminate());
      },
      base64(await m4aWithPadding()),
    );
    expect(result).toBe(text);
  },
);

test('a file is left in the middle of decoding, twenty times (40)', async () => {
  const file = await opusFile('webm', [{ seconds: 150 }]);
  const moments = rounds(20);
  const outcome = await page.evaluate(
    async ([bytes, tried]) => {
      const { model, fileOf } = globalThis as unknown as PageGlobals;
      const blob = fileOf(bytes);
      const outcomes: boolean[] = [];
      let isDecoding = 0;
      for (const i of tried) {
        const stop = new AbortController();
        const onProgress = ({ phase, loaded }: Progress) => {
          if (phase === 'decode' && loaded > i) {
            isDecoding += stop.signal.aborted ? 0 : 1;
            stop.abort();
          }
        };
        const options = { signal: stop.signal, onProgress, normalization: 'recording' } as const;
        const error: unknown = await model.transcribe(blob, options).catch((why: unknown) => why);
        outcomes.push(error === stop.signal.reason);
      }
      return { isTheReason: outcomes.every(Boolean), isDecoding };
    },
    [base64(file), moments] as const,
  );
  expect(outcome).toEqual({ isTheReason: true, isDecoding: moments.length });
  const after = await encoded('mp3', 'mp3', { samples: sample });
  expect((await heard(after)).text).toBe(text);
});

describe('broken files', () => {
  testWith('aac')('cut off, and damaged: one error with its time', async () => {
    const file = await m4aWithPadding();
    const cut = await failure(file.subarray(0, file.length * 0.6));
    expect(cut).toMatchObject({ code: 'truncated_input', details: { reason: 'bad_audio' } });
    expect(cut?.message).toMatch(/ at [3-6]\.\d{3} s/);
    const damaged = file.slice();
    damaged.fill(0xff, file.length * 0.6, file.length * 0.7);
    const broken = await failure(damaged);
    expect(broken).toMatchObject({ code: 'malformed', details: { reason: 'bad_audio' } });
    expect(broken?.message).toMatch(/ at [3-6]\.\d{3} s/);
  });

  test('video without sound, and no audio at all', async () => {
    expect(await failure(await opusFile('webm', []))).toMatchObject({
      code: 'unsupported_feature',
      message: expect.stringContaining('no audio track') as unknown,
    });
    expect(await failure(Buffer.from([1, 2, 3]))).toMatchObject({
      ...{ code: 'source_failed', message: expect.stringContaining('can decode') as unknown },
      details: { subject: 'audio' },
    });
    expect(await failure(Buffer.from('hello'))).toMatchObject({
      ...{ code: 'source_failed', message: 'audio: this is a text, no audio file' },
      details: { reason: 'source', subject: 'audio', got: 'a text' },
    });
  });

  test('a recording that only fits in slices is refused where it would be decoded whole (23)', async () => {
    // The browser knows no such codec, and its container says how long it is.
    const refused = (byte: number) =>
      page.evaluate(async (filling) => {
        const { model, errorOf } = globalThis as unknown as PageGlobals;
        return errorOf(model.transcribe(new Blob([new Uint8Array(20_000_000).fill(filling)])));
      }, byte);
    const details = { subject: 'audio' };
    expect(await refused(7)).toMatchObject({ code: 'limit_exceeded', details });
    // A text is none, however long it is.
    expect(await refused(32)).toMatchObject({ details: { ...details, got: 'a text' } });
  });
});

describe('media of the page', () => {
  test('an element, by its source', async () => {
    const result = await page.evaluate(async () => {
      const { model } = globalThis as unknown as PageGlobals;
      const element = document.createElement('audio');
      element.src = '/demo/sample.wav';
      return (await model.transcribe(element)).text;
    });
    expect(result).toBe(text);
  });

  test('a MediaStream until it ends, at the device’s own rate (84, 98, 105)', async () => {
    const result = await page.evaluate(async () => {
      const { model } = globalThis as unknown as PageGlobals;
      const wav = await (await fetch('/demo/sample.wav')).arrayBuffer();
      const context = new AudioContext();
      const source = context.createBufferSource();
      source.buffer = await context.decodeAudioData(wav);
      const out = context.createMediaStreamDestination();
      source.connect(out);
      const work = model.transcribe(out.stream);
      // The first block must find its listener.
      await new Promise((done) => setTimeout(done, 1000));
      source.start();
      await new Promise((done) => (source.onended = done));
      for (const track of out.stream.getTracks()) track.stop();
      const { text, duration } = await work;
      await context.close();
      return { text, duration };
    });
    expect(result.text).toBe(text);
    expect(result.duration).toBeGreaterThan(sample.length / 16000 - 0.5);
  });

  test('a microphone is let go when the signal says so', async () => {
    const result = await page.evaluate(async () => {
      const { model } = globalThis as unknown as PageGlobals;
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
      const stop = new AbortController();
      const work = model
        .transcribe(stream, { signal: stop.signal })
        .catch((error: unknown) => error);
      setTimeout(() => stop.abort(), 500);
      const error: unknown = await work;
      for (const track of stream.getTracks()) track.stop();
      return error === stop.signal.reason;
    });
    expect(result).toBe(true);
  });
});
