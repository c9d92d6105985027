// Whatever is under way stops at the step after its signal, rejects with the signal's reason itself, and the model goes on.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { WhisperModel } from '../../web/src/node.js';
import { builtPackage } from '../support/built_package.js';
import { errorOf, modelBytes, sampleAudio, sampleText } from '../support/embedded_model.js';
import { leapClock, turns, turnsUntil } from '../support/turns.js';

let susurrus: Awaited<ReturnType<typeof builtPackage>>;
let model: WhisperModel;
beforeAll(async () => {
  susurrus = await builtPackage();
  model = await susurrus.loadModel<'whisper'>('digits', { variant: 'simd' });
});
afterAll(() => {
  model.dispose();
});

const samples = sampleAudio();
const long = new Float32Array(40 * samples.length);
for (let i = 0; i < 40; ++i) long.set(samples, i * samples.length);
const texts = Array.from({ length: 200 }, (_, i) => `${sampleText} ${'one two '.repeat(i % 9)}`);

/** Each of them has many more steps than are waited for here. */
const calls: Record<string, (signal: AbortSignal) => PromiseLike<unknown>> = {
  'transcribe()': (signal) => model.transcribe(long, { signal }),
  'transcribe(), beam and words': (signal) =>
    model.transcribe(long, { signal, beamSize: 5, timestamps: 'word' }),
  'transcribe(), sampling': (signal) =>
    model.transcribe(long, { signal, temperature: 1, bestOf: 16 }),
  'decode(), words after a beam': (signal) =>
    model.decode(samples, { signal, beamSize: 16, timestamps: 'word' }),
  'score()': (signal) => model.score(samples, texts, { signal }),
  'align()': (signal) => model.align(samples, 'one two three '.repeat(60), { signal }),
};

describe('the signal stops', () => {
  test.each(Object.keys(calls))('%s', async (name) => {
    const right = leapClock(); // so that each step has its turn
    try {
      for (const steps of [0, 1, 2, 5, 10, 20, 40]) {
        const controller = new AbortController();
        const ended = errorOf(calls[name]!(controller.signal));
        await turns(steps);
        const reason = new Error('no longer wanted');
        controller.abort(reason);
        const count = await turnsUntil(ended);
        expect(await ended).toBe(reason);
        expect(count).toBeLessThanOrEqual(2);
      }
    } finally {
      right();
    }
    expect((await model.decode(samples)).text).toBe(sampleText);
  });
});

describe('rejects with the reason itself', () => {
  let server: Server;
  let address = '';
  let folder = '';
  /** Called when a server has been asked, or a source or a destination. */
  let reached: () => void;
  const { XDG_CACHE_HOME } = process.env;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'susurrus-'));
    process.env.XDG_CACHE_HOME = folder;
    // The beginning of a file, and then nothing.
    server = createServer((_, response) => {
      response.writeHead(200, { 'content-length': '1000000', etag: '"one"' });
      response.write('APR2', () => reached());
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    if (XDG_CACHE_HOME === undefined) delete process.env.XDG_CACHE_HOME;
    else process.env.XDG_CACHE_HOME = XDG_CACHE_HOME;
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  });

  /** A stream that gives `first`, and then nothing. */
  const stalled = <Chunk>(first: Chunk): ReadableStream<Chunk> =>
    new ReadableStream({
      start: (controller) => controller.enqueue(first),
      pull() {
        reached();
        return new Promise<void>(() => undefined);
      },
    });
  const head = () => modelBytes().slice(0, 100);

  /** Each waits for what does not come. */
  const stuck: Record<string, (signal: AbortSignal) => PromiseLike<unknown>> = {
    'loadModel()': (signal) => susurrus.loadModel(stalled(head()), { signal }),
    'loadModel(), early': (signal) => susurrus.loadModel(stalled(head()), { signal, early: true }),
    'loadModel() of what is kept': (signal) =>
      susurrus.loadModel(`${address}/slow.apr`, { signal, cache: true }),
    'plan()': (signal) => susurrus.plan(stalled(head()), { signal }),
    'inspect()': (signal) => susurrus.inspect(stalled(head()), { signal }),
    'verifyModel()': (signal) => susurrus.verifyModel(`${address}/slow.apr`, { signal }),
    'openModule()': (signal) => susurrus.openModule(stalled(head()), { signal }),
    'convertModel()': (signal) =>
      susurrus.convertModel(`${address}/slow.apr`, join(folder, 'none.apr'), { signal }),
    'transcribe() of a stream': (signal) => model.transcribe(stalled(samples), { signal }),
    'the loop over its segments': async (signal) => {
      const work = model.transcribe(stalled(samples), { signal });
      await work[Symbol.asyncIterator]().next();
    },
    'decode() of a download': (signal) => model.decode(`${address}/slow.mp3`, { signal }),
    'stream()': async (signal) => {
      const live = model.stream({ signal, vad: false });
      await live.feed(samples.slice(0, 1600));
      reached();
      const events = live[Symbol.asyncIterator]();
      while (!(await events.next()).done);
    },
    'the readable of stream()': async (signal) => {
      const reader = model.stream({ signal, vad: false }).readable.getReader();
      reached();
      while (!(await reader.read()).done);
    },
  };
  const reasons: Record<string, () => [unknown?]> = {
    none: () => [],
    'a TimeoutError': () => [new DOMException('late', 'TimeoutError')],
    // A code that other work takes for a file that may be fetched again.
    'an error of the caller': () => [new susurrus.SusurrusError('malformed', 'mine')],
    'a string': () => ['enough'],
    null: () => [null],
  };
  test.each(Object.keys(stuck))('%s', async (name) => {
    for (const reasonOf of Object.values(reasons)) {
      const controller = new AbortController();
      const { signal } = controller;
      const isReached = new Promise<void>((done) => (reached = done));
      const failure = errorOf(stuck[name]!(signal));
      await isReached;
      controller.abort(...reasonOf());
      expect(await failure).toBe(signal.reason);
    }
    const signal = AbortSignal.abort('before');
    expect(await errorOf(stuck[name]!(signal))).toBe('before');
  });

  test('the stream that convertModel() writes to is aborted with it', async () => {
    for (const reasonOf of Object.values(reasons)) {
      const controller = new AbortController();
      let given: unknown = 'nothing';
      const destination = new WritableStream<Uint8Array>({
        write: () => controller.abort(...reasonOf()),
        abort: (reason) => void (given = reason),
      });
      const { signal } = controller;
      const work = susurrus.convertModel(new Blob([modelBytes()]), destination, { signal });
      expect(await errorOf(work)).toBe(signal.reason);
      expect(given).toBe(signal.reason);
    }
  });
});

test('leaving the loop is no abort of the caller', async () => {
  const work = model.transcribe(long);
  const segments = work[Symbol.asyncIterator]();
  await segments.next();
  await segments.return?.();
  expect(await errorOf(work)).toMatchObject({
    ...{ name: 'SusurrusError', code: 'aborted' },
    details: { reason: 'aborted', subject: 'transcription' },
  });
});

test('an AbortError of the platform is not taken for one of this package', () => {
  expect(new DOMException('enough', 'AbortError')).not.toBeInstanceOf(susurrus.SusurrusError);
});
