// Everything that a caller may give as audio (23, 42, 47, 84, 100, 105, 106, 107), and what is rejected.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { AudioInput, AudioStream, WhisperModel, Progress } from '../../web/src/node.js';
import { whyRequestFailed } from '../../web/src/api/failed_request.js';
import { builtPackage } from '../support/built_package.js';
import { errorOf, modelPath, sampleAudio } from '../support/embedded_model.js';
import { aiffFile, encoded, resampled } from '../support/encoded_audio.js';
import { limit } from '../support/limits.js';
import { projectRoot } from '../support/shared_folder.js';
import { loadThroughWorker } from '../support/worker_engine.js';
import { rounds } from '../support/turns.js';
import { expectOneBar } from '../support/one_bar.js';

jest.setTimeout(limit(120_000));

const sample = sampleAudio();
const text = ' three one four one five nine two six five';
const wav = readFileSync(join(projectRoot, 'web/demo/sample.wav'));
const asInt16 = (samples: Float32Array) => Int16Array.from(samples, (value) => value * 32767);
async function* chunks<T>(
  whole: { slice(begin: number, end: number): T; length: number },
  size: number,
) {
  for (let at = 0; at < whole.length; at += size) {
    await Promise.resolve();
    yield whole.slice(at, at + size);
  }
}

let model: WhisperModel;
let folder: string;
let server: Server;
let address: string;
let mp3: Uint8Array;
beforeAll(async () => {
  model = await (await builtPackage()).loadModel<'whisper'>('digits', { variant: 'simd' });
  mp3 = await encoded('mp3', 'mp3', { samples: sample, rate: 44100 });
  folder = mkdtempSync(join(tmpdir(), 'inputs-'));
  writeFileSync(join(folder, 'sample.wav'), wav);
  server = createServer((request, response) => {
    if (request.url === '/missing.wav')
      response.writeHead(404, { 'Content-Type': 'text/html' }).end();
    else if (request.url === '/page.wav')
      response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end('<p>Log in');
    else if (request.url === '/cut.wav') {
      response.writeHead(200, { 'Content-Length': wav.length });
      response.write(wav.subarray(0, 1000), () => response.destroy());
    } else response.writeHead(200, { 'Content-Length': wav.length }).end(wav);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/sample.wav`;
});
afterAll(() => {
  model.dispose();
  server.close();
  rmSync(folder, { recursive: true });
});

const heard = async (audio: AudioInput | AudioStream): Promise<string> =>
  (await model.transcribe(audio)).text;

describe('recordings', () => {
  const inputs: Record<string, () => AudioInput | Promise<AudioInput>> = {
    'an Int16Array': () => asInt16(sample),
    'PCM of 16 bits': () => ({ samples: asInt16(sample), sampleRate: 16000 }),
    'a channel each, of 16 bits': () => ({
      samples: [asInt16(sample), asInt16(sample)],
      sampleRate: 16000,
    }),
    'a path': () => join(folder, 'sample.wav'),
    'a file URL': () => pathToFileURL(join(folder, 'sample.wav')),
    'a URL': () => new URL(address),
    'a URL as text': () => address,
    'a Response': () => fetch(address),
    'a Response of bytes': () => new Response(mp3.slice()),
    'a body': async () => (await fetch(address)).body as ReadableStream<Uint8Array>,
    'a stream of bytes': () => new Blob([mp3.slice()]).stream() as ReadableStream<Uint8Array>,
    'an iterable of bytes': () => chunks(Uint8Array.from(wav), 1000),
    'a Buffer': () => Buffer.from(mp3),
    'an ArrayBuffer': () => mp3.slice().buffer,
    AIFF: () => new Blob([aiffFile(sample, 16000).slice()]),
    'a media element with a source': () => ({ currentSrc: address, src: '', srcObject: null }),
  };
  test.each(Object.entries(inputs))('%s', async (_, input) => {
    expect(await heard(await input())).toBe(text);
  });

  test('the same through a worker, and what the caller gave is the caller’s still', async () => {
    const distant = await loadThroughWorker(modelPath);
    const pcm = sample.slice();
    const bytes = new Uint8Array(wav);
    for (const audio of [pcm, { samples: pcm, sampleRate: 16000 }, bytes, mp3, asInt16(sample)]) {
      expect((await distant.transcribe(audio)).text).toBe(text);
    }
    expect([pcm.length, bytes.length]).toEqual([sample.length, wav.length]);
    distant.dispose();
  });

  test('every call takes them', async () => {
    const path = join(folder, 'sample.wav');
    const whole = await model.decode(sample);
    expect(await model.decode(path)).toEqual(whole);
    expect(await model.decode(asInt16(sample))).toMatchObject({ text: whole.text });
    const { nFrames } = await model.logMel(path, { mode: 'whole' });
    expect(nFrames).toBe((await model.logMel(sample, { mode: 'whole' })).nFrames);
    expect(await model.align(new URL(address), text)).toHaveLength(9);
  });
});

describe('streams of samples', () => {
  test.each([8000, 11025, 16000, 22050, 44100, 48000, 96000])('of %i Hz', async (sampleRate) => {
    const frames = resampled({ samples: sample, rate: sampleRate });
    const stream = chunks(frames, 4001);
    expect(await heard({ stream, sampleRate })).toBe(text);
  });

  test('of several channels, in pieces that end within a frame', async () => {
    const frames = resampled({ samples: sample, rate: 48000, channels: 6 });
    expect(await heard({ stream: chunks(frames, 4001), sampleRate: 48000, channels: 6 })).toBe(
      text,
    );
  });

  test('of 16 bits', async () => {
    expect(await heard(chunks(asInt16(sample), 5000))).toBe(text);
    const stream = chunks(asInt16(resampled({ samples: sample, rate: 48000 })), 5000);
    expect(await heard({ stream, sampleRate: 48000 })).toBe(text);
  });

  test('that fail or hang are left, twenty times', async () => {
    for (const i of rounds(20)) {
      let isReturned = false;
      const stop = new AbortController();
      const hanging: AsyncIterable<Float32Array> = {
        [Symbol.asyncIterator]: () => ({
          next: () => {
            setImmediate(() => stop.abort());
            return new Promise(() => undefined);
          },
          return: () => {
            isReturned = true;
            return Promise.resolve({ done: true, value: undefined });
          },
        }),
      };
      const audio = i % 2 === 0 ? hanging : { stream: hanging, sampleRate: 48000 };
      const error = await errorOf(model.transcribe(audio, { signal: stop.signal }));
      expect(error).toBe(stop.signal.reason);
      expect(isReturned).toBe(true);
    }
    const failing = (async function* () {
      yield await Promise.resolve(new Float32Array(100));
      throw new Error('unplugged');
    })();
    const error = await errorOf(model.transcribe({ stream: failing, sampleRate: 48000 }));
    expect(error).toMatchObject({ code: 'source_failed', details: { got: 'Error: unplugged' } });
  });

  test('only transcribe() takes them', async () => {
    const error = await errorOf(model.decode(chunks(sample, 1000) as never));
    expect(error).toMatchObject({ code: 'invalid_argument', details: { subject: 'audio' } });
  });
});

test('progress of downloading, decoding and transcribing is told apart (42)', async () => {
  const events: Progress[] = [];
  await model.transcribe(
    new Response(mp3.slice(), { headers: { 'Content-Length': String(mp3.length) } }),
    {
      onProgress: (event) => events.push(event),
    },
  );
  const download = events.filter(({ phase }) => phase === 'download');
  expect(download.at(-1)).toMatchObject({ loaded: mp3.length, total: mp3.length, fraction: 1 });
  expect(new Set(events.map(({ phase }) => phase))).toEqual(new Set(['download', 'transcribe']));
  expectOneBar(events);
  expect(download.at(-1)!.overall).toBeLessThan(0.1);
});

describe('what is refused', () => {
  test.each([
    ['missing.wav', 'HTTP 404'],
    ['cut.wav', ''],
    ['page.wav', 'a web page (HTTP 200, text/html; charset=utf-8); check the address'],
  ])('%s', async (name, got) => {
    const error = await errorOf(model.transcribe(new URL(name, address)));
    expect(error).toMatchObject({ code: 'source_failed' });
    expect((error as Error).message).toContain(got);
    expect((error as Error).message).toContain(name);
  });

  test('an address where nobody answers, with why as far as it is told', async () => {
    const unused = createServer();
    await new Promise<void>((done) => unused.listen(0, '127.0.0.1', done));
    const nobody = `http://127.0.0.1:${(unused.address() as AddressInfo).port}/a.wav`;
    await new Promise((done) => unused.close(done));
    for (const call of [model.transcribe(nobody), (await builtPackage()).loadModel(nobody)]) {
      expect(String(await errorOf(call))).toMatch(/the request failed \(.*ECONNREFUSED/);
    }
    Object.assign(globalThis, { location: new URL('https://page.test/') });
    try {
      const why = whyRequestFailed(new TypeError('Failed to fetch'));
      for (const cause of [/nobody answers/, /Access-Control-Allow-Origin/, /connect-src/]) {
        expect(why).toMatch(cause);
      }
    } finally {
      Reflect.deleteProperty(globalThis, 'location');
    }
  });

  test('a Response that was read, an element without a source, a MediaStream', async () => {
    const read = await fetch(address);
    await read.arrayBuffer();
    const element = { currentSrc: '', src: '', srcObject: null };
    for (const audio of [read, element, { getAudioTracks: () => [] }]) {
      expect(await errorOf(model.transcribe(audio))).toMatchObject({ code: 'invalid_argument' });
    }
  });

  test.each([
    ['hello', 'a text'],
    ['{"error":"not found"}', 'a text'],
    ['Grüße aus Köln', 'a text'],
    ['\ufeff\n<!DOCTYPE html><title>Log in</title>', 'a web page'],
    ['<html lang="en">', 'a web page'],
  ])('a text is called one: %p', async (written, got) => {
    const details = { reason: 'bad_audio', subject: 'audio', got };
    const utf16 = Buffer.from(`\ufeff${written}${' 🙂'.repeat(300)}`, 'utf16le');
    const audios = [new Blob([written]), Buffer.from(written), utf16, Buffer.from(utf16).swap16()];
    for (const audio of audios) {
      expect(await errorOf(model.transcribe(audio))).toMatchObject({
        ...{ code: 'unsupported_feature', message: `This is ${got}, no audio file.`, details },
      });
    }
  });

  test.each([
    new Uint8Array(600).fill(1),
    new Uint8Array(),
    // UTF-16's mark before half of a pair, and before a control character.
    Uint8Array.of(0xff, 0xfe, 0x41, 0x00, 0x00, 0xd8, 0x41, 0x00),
    Uint8Array.of(0xfe, 0xff, 0x00, 0x41, 0x00, 0x02),
  ])('what is no text is not called one', async (audio) => {
    const message = expect.stringMatching(/^This is no audio file that is known here\./) as unknown;
    expect(await errorOf(model.transcribe(audio))).toMatchObject({
      ...{ code: 'unsupported_feature', message },
    });
  });

  test('a track of a picture, and any track where there is no page', async () => {
    const track = { kind: 'video', readyState: 'live', enabled: true };
    expect(await errorOf(model.transcribe(track))).toMatchObject({
      code: 'invalid_argument',
      message: 'Option audio must be a track of the kind "audio"; it is "video".',
    });
    expect(await errorOf(model.transcribe({ ...track, kind: 'audio' }))).toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('something that Node has'),
    });
  });

  test.each([7, null, {}, [], { samples: [1], sampleRate: 16000 }, new Float64Array(3)])(
    '%p',
    async (audio) => {
      const error = await errorOf(model.transcribe(audio as never));
      expect(error).toMatchObject({ code: 'invalid_argument' });
    },
  );

  const spoilt = (value: number, index: number, length = 32000) => {
    const samples = new Float32Array(length);
    samples[index] = value;
    return samples;
  };
  test.each([
    [Number.NaN, 16000, 'NaN at sample 16000 (1.000 s)'],
    [Infinity, 0, 'Infinity at sample 0 (0.000 s)'],
    [-1e30, 31999, 'at sample 31999 (2.000 s)'],
    [1001, 8000, '1001 at sample 8000 (0.500 s)'],
  ])('a sample of %d: where it is', async (value, index, shown) => {
    const samples = spoilt(value, index);
    const calls = [
      () => model.transcribe(samples),
      () => model.transcribe(chunks(samples, 999)),
      () => model.decode(samples),
      () => model.detectLanguage(samples),
      () => model.logMel(samples, { mode: 'whole' }),
    ];
    for (const call of calls) {
      const error = await errorOf(call());
      expect(error).toMatchObject({
        code: 'invalid_argument',
        details: {
          reason: 'bad_audio',
          subject: 'audio',
          got: expect.stringContaining(shown) as unknown,
        },
      });
    }
    expect((await model.transcribe(sample)).text).toBe(text);
  });

  test('the place counts in samples of the source', async () => {
    const stereo = { samples: spoilt(Number.NaN, 48001, 96000), sampleRate: 48000, channels: 2 };
    const error = await errorOf(model.transcribe(stereo));
    expect((error as Error).message).toContain('NaN at sample 48001 (0.500 s)');
    expect(await heard(Float32Array.from(sample, (value) => value * 900))).not.toBe('');
  });
});
