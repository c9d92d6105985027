// listen() and what may happen to it: sources that fail, callers that stop, abort and throw, models that go.
import { describe, expect, test } from '@jest/globals';
import { join, resolve } from 'node:path';
import { SusurrusError } from '../../web/src/api/errors.js';
import type { LiveEvent, LiveLag, LiveText, SampleArray } from '../../web/src/api/types.js';
import { listen, listenTo } from '../../web/page/live/listen.js';
import { microphone } from '../../web/page/live/microphone.js';
import { tabAudio } from '../../web/page/live/tab_audio.js';
import type { Listening, ListenOptions, ListenStatus } from '../../web/page/live/types.js';
import { paced } from '../../web/page/testing.js';
import { builtPackage } from '../support/built_package.js';
import { errorOf } from '../support/embedded_model.js';
import { wavSamples } from '../support/goldens_audio.js';
import { describeWithShared, sharedFolder } from '../support/shared_folder.js';
import { turns } from '../support/turns.js';
import { FakeModel, FakeSound } from './fake_live.js';

async function read(listening: AsyncIterable<LiveEvent>): Promise<LiveEvent[]> {
  const events: LiveEvent[] = [];
  for await (const event of listening) events.push(event);
  return events;
}
const texts = (events: readonly LiveEvent[]): string[] =>
  events.flatMap((event) => ('text' in event ? [event.text] : []));

/** Samples with some sound in them. */
const noise = (count: number): Float32Array => Float32Array.from({ length: count }, () => 0.1);
const quiet = (count: number): Float32Array => new Float32Array(count);

/** A source, a model, and what was told about them. */
function start(options: ListenOptions = {}) {
  const [model, sound] = [new FakeModel(), new FakeSound()];
  const states: ListenStatus[] = [];
  const listening = listenTo(model, sound, {
    onState: (status) => void states.push(status),
    ...options,
  });
  return { model, sound, states, listening };
}

async function opened(options: ListenOptions = {}) {
  const started = start(options);
  started.sound.opened(48000);
  await turns(2);
  return { ...started, stream: started.model.streams[0]! };
}

describe('listening', () => {
  test('begins, hears, and ends with what is still inside; close() twice is once', async () => {
    const { model, sound, states, listening } = start({ language: 'en', maxLag: 9 });
    expect([listening.state, listening.time]).toEqual(['starting', 0]);
    await turns(2);
    expect(states).toEqual([]);
    sound.opened(48000);
    await turns(2);
    expect(listening.state).toBe('listening');
    await sound.sink!.hear(noise(4800));
    expect([listening.time, listening.level > 0.5]).toEqual([0.1, true]);
    sound.rest = noise(5);
    const reading = read(listening);
    await Promise.all([listening.close(), listening.close()]);
    await listening.close();
    expect(texts(await reading)).toEqual(['4805']);
    expect(model.streams.map(({ options }) => options)).toEqual([
      { language: 'en', maxLag: 9, sampleRate: 48000 },
    ]);
    expect(states).toEqual([{ state: 'listening' }, { state: 'ended', reason: 'closed' }]);
    expect([listening.level, listening.status]).toEqual([0, states.at(-1)]);
    expect(sound.closings).toBe(1);
    await sound.sink!.hear(noise(10));
    expect(model.streams[0]!.count).toBe(4805);
  });

  test('a source that has another rate in the end gets a stream of that rate', async () => {
    const { model, sound, listening } = start();
    const reading = read(listening);
    await turns(2);
    const early = sound.sink!.hear(noise(441));
    sound.opened(44100);
    await early;
    await listening.close();
    expect(model.streams.map(({ options }) => options.sampleRate)).toEqual([48000, 44100]);
    expect(texts(await reading)).toEqual(['441']);
    expect(model.streams[0]!.isClosed).toBe(true);
    expect(listening.time).toBe(0.01);
  });

  test('a source whose rate changes goes on in a stream of the new one: times and ids go on', async () => {
    const { model, sound, listening } = start();
    const reading = read(listening);
    sound.opened(48000);
    await turns(2);
    await sound.sink!.hear(noise(4800));
    model.streams[0]!.say('before');
    sound.sink!.changeRate(48000);
    sound.sink!.changeRate(44100);
    void sound.sink!.hear(noise(441));
    expect(listening.time).toBeCloseTo(0.11);
    sound.sink!.changeRate(16000);
    await listening.close();
    expect(model.streams.map(({ options }) => options.sampleRate)).toEqual([48000, 44100, 16000]);
    expect(model.streams.map(({ isClosed }) => isClosed)).toEqual([true, true, true]);
    const events = (await reading) as LiveText[];
    expect(texts(events)).toEqual(['before', '4800', '441', '0']);
    expect(events.map(({ id }) => id)).toEqual([0, 1, 2, 3]);
    expect(events.map(({ start }) => Number(start.toFixed(2)))).toEqual([0, 0, 0.1, 0.11]);
  });

  test('a revision of a later stream has the ids and times of the texts that it replaces', async () => {
    const { model, sound, listening } = start({ revise: true });
    const reading = read(listening);
    sound.opened(48000);
    await turns(2);
    await sound.sink!.hear(noise(48000));
    sound.sink!.changeRate(16000);
    model.streams[1]!.say('won');
    model.streams[1]!.revise([0], 'one');
    await listening.close();
    expect(model.streams.map(({ options }) => options.revise)).toEqual([true, true]);
    const span = { start: 1, end: 2 };
    const segments = [{ ...span, text: 'one', words: [{ word: 'one', ...span, probability: 1 }] }];
    expect((await reading).filter(({ type }) => type === 'revised')).toEqual([
      { type: 'revised', id: 2, time: 2, ...span, replaces: [1], segments },
    ]);
  });

  test('onLag tells times and ids as the events do', async () => {
    const lags: LiveLag[] = [];
    const { model, sound, listening } = start({ onLag: (event) => lags.push(event) });
    const reading = read(listening);
    sound.opened(48000);
    await turns(2);
    await sound.sink!.hear(noise(48000));
    sound.sink!.changeRate(8000);
    while (!model.streams[0]!.isClosed) await turns(1);
    await turns(5);
    const lag = { type: 'lag', id: 0, time: 0.5, lag: 3 } as const;
    model.streams[1]!.options.onLag!({ ...lag, skipped: { start: 0.25, end: 0.5 } });
    await listening.close();
    await reading;
    expect(lags).toEqual([{ ...lag, id: 1, time: 1.5, skipped: { start: 1.25, end: 1.5 } }]);
  });

  test('what breaks off keeps its place among sound that waits for the source', async () => {
    const { model, sound, listening } = start();
    await turns(2);
    void sound.sink!.hear(noise(10));
    sound.sink!.interrupt();
    void sound.sink!.hear(noise(20));
    sound.opened(44100);
    await turns(2);
    void sound.sink!.hear(noise(30));
    sound.sink!.interrupt();
    await listening.close();
    const stream = model.streams[1]!;
    expect(stream.fed.map(({ length }) => length)).toEqual([10, 20, 30]);
    expect(stream.flushedAt).toEqual([10, 60]);
  });

  test('close() while permission is asked ends at once, whatever comes of the question', async () => {
    for (const answer of [undefined, 'yes', 'no'] as const) {
      const { model, sound, states, listening } = start();
      const reading = read(listening);
      await turns(2);
      await listening.close();
      if (answer === 'yes') sound.opened(48000);
      if (answer === 'no') sound.refused(new Error('refused'));
      await turns(5);
      expect(texts(await reading)).toEqual(['0']);
      expect([sound.closings, model.streams[0]!.isClosed]).toEqual([1, true]);
      expect(states).toEqual([{ state: 'ended', reason: 'closed' }]);
    }
  });

  test('stop(), its name before 1.0, says what it is called now, and ends nothing', async () => {
    const { sound, listening } = await opened();
    const error = await errorOf(
      Promise.resolve().then(() => (listening as unknown as { stop(): void }).stop()),
    );
    expect(error).toBeInstanceOf(SusurrusError);
    expect(error).toMatchObject({
      code: 'invalid_argument',
      message: 'listening.stop() is listening.close() now.',
      details: { reason: 'option', subject: 'stop', expected: 'listening.close()' },
    });
    expect([listening.state, sound.closings]).toEqual(['listening', 0]);
    await listening.close();
    expect(listening.status).toEqual({ state: 'ended', reason: 'closed' });
  });

  test.each(['dispose', 'asyncDispose'] as const)('Symbol.%s begins its end', async (end) => {
    const { sound, stream, states, listening } = await opened();
    sound.rest = noise(5);
    const reading = read(listening);
    const ended: unknown = listening[Symbol[end]]();
    expect(ended instanceof Promise).toBe(end === 'asyncDispose');
    // Neither a second end nor this one, which nobody awaits, fails; what the stream failed with is the loop's.
    stream.fail(new Error('late'));
    listening[Symbol.dispose]();
    expect(await errorOf(reading)).toMatchObject({ message: 'late' });
    await ended;
    expect([sound.closings, states.at(-1)?.state]).toEqual([1, 'ended']);
  });

  test('close() before anything has begun', async () => {
    const { sound, listening } = start();
    await listening.close();
    expect([listening.state, sound.sink, sound.closings]).toEqual(['ended', undefined, 1]);
    expect(texts(await read(listening))).toEqual(['0']);
  });

  test('a refused permission is thrown by the loop, and nowhere else', async () => {
    const refusal = new Error('no microphone for you');
    const { sound, states, listening } = start();
    sound.refused(refusal);
    expect(await errorOf(read(listening))).toBe(refusal);
    expect(states).toEqual([{ state: 'ended', reason: 'failed', error: refusal }]);
    await listening.close();
    expect(sound.closings).toBe(1);
  });

  test('what a source throws later comes after what was said until then', async () => {
    const { sound, listening } = await opened();
    const got: string[] = [];
    const failure = new Error('cable');
    await sound.sink!.hear(noise(7));
    sound.sink!.fail(failure);
    sound.sink!.fail(new Error('and then another'));
    const reading = (async () => {
      for await (const event of listening) if ('text' in event) got.push(event.text);
    })();
    expect(await errorOf(reading)).toBe(failure);
    expect(got).toEqual(['7']);
  });

  test('an abort with any reason ends it, before, while it starts and later', async () => {
    for (const reason of [new Error('enough'), 'enough', 0, null]) {
      for (const moment of [0, 1, 4]) {
        const stop = new AbortController();
        if (moment === 0) stop.abort(reason);
        const { sound, listening } = start({ signal: stop.signal });
        const reading = errorOf(read(listening));
        if (moment === 4) sound.opened(48000);
        await turns(moment);
        stop.abort(reason);
        expect(await reading).toBe(reason);
        expect(listening.status).toMatchObject({ state: 'ended', reason: 'aborted' });
        expect(sound.closings).toBe(1);
      }
    }
  });

  test('a callback that throws ends it with that error', async () => {
    const thrown = new Error('callback');
    const failing = () => {
      throw thrown;
    };
    for (const options of [{ onState: failing }, { onLevel: failing }]) {
      const { sound, listening } = await opened(options);
      const reading = errorOf(read(listening));
      await sound.sink!.hear(noise(10));
      expect(await reading).toBe(thrown);
      expect(sound.closings).toBe(1);
    }
    // Also one that throws only at the end.
    const { listening } = await opened({
      onState: ({ state }) => {
        if (state === 'ended') throw thrown;
      },
    });
    const reading = errorOf(read(listening));
    await listening.close();
    expect(await reading).toBe(thrown);
    expect(listening.status).toMatchObject({ reason: 'failed', error: thrown });
  });

  test('a model that is disposed of lets the source go', async () => {
    for (const readsFirst of [true, false]) {
      const { sound, stream, listening } = await opened();
      const gone = new Error('disposed');
      const reading = readsFirst ? errorOf(read(listening)) : undefined;
      stream.fail(gone);
      if (!readsFirst) await sound.sink!.hear(noise(3));
      expect(await (reading ?? errorOf(read(listening)))).toBe(gone);
      expect([sound.closings, listening.state]).toEqual([1, 'ended']);
    }
  });

  test('a reader that leaves lets the source go', async () => {
    const { sound, stream, listening } = await opened();
    stream.say('first');
    for await (const event of listening) {
      expect(event).toMatchObject({ text: 'first' });
      break;
    }
    expect([sound.closings, listening.status.reason]).toEqual([1, 'closed']);
  });

  test('a source that ends by itself ends it, and says how', async () => {
    for (const reason of ['source-ended', 'device-lost'] as const) {
      const { sound, listening } = await opened();
      sound.end(reason);
      expect(texts(await read(listening))).toEqual(['0']);
      expect(listening.status).toEqual({ state: 'ended', reason });
    }
  });

  test('says why nothing is heard, and when something is', async () => {
    const { sound, stream, states, listening } = await opened({ nothingHeardAfter: 2 });
    const sink = sound.sink!;
    sink.suspend('needs-click');
    sink.suspend('needs-click');
    expect(listening.level).toBe(0);
    await listening.resume();
    expect(sound.resumes).toBe(1);
    sink.suspend(undefined);
    await sink.hear(quiet(48000));
    await sink.hear(quiet(47999));
    expect(states.at(-1)).toEqual({ state: 'listening' });
    await sink.hear(quiet(1));
    await sink.hear(noise(1));
    sink.restart();
    sink.suspend('muted');
    sink.suspend(undefined);
    sink.interrupt();
    expect(stream.flushes).toBe(1);
    await listening.close();
    const told = states.map(({ state, reason }) => (reason ? `${state}: ${reason}` : state));
    expect(told).toEqual([
      ...['listening', 'suspended: needs-click', 'listening', 'listening: nothing-heard'],
      ...['listening', 'starting', 'suspended: muted', 'listening', 'ended: closed'],
    ]);
  });

  test('a model that is two minutes behind fails, unless maxLag says what to leave out', async () => {
    const { sound, stream, listening } = await opened();
    stream.lag = 121;
    await sound.sink!.hear(noise(10));
    expect(await errorOf(read(listening))).toMatchObject({ code: 'limit_exceeded' });
    const other = await opened({ maxLag: null });
    other.stream.lag = 121;
    await other.sound.sink!.hear(noise(10));
    expect([other.listening.state, other.listening.lag]).toEqual(['listening', 121]);
    await other.listening.close();
  });

  test('levels are told with each block: full scale is 1, silence 0', async () => {
    const levels: number[] = [];
    const { sound, listening } = await opened({ onLevel: (level) => void levels.push(level) });
    await sound.sink!.hear(Float32Array.from({ length: 100 }, (_, i) => (i % 2 ? 1 : -1)));
    await sound.sink!.hear(Int16Array.from({ length: 100 }, () => 3277));
    await sound.sink!.hear(quiet(100));
    expect(levels).toEqual([1, expect.closeTo(2 / 3, 4), 0]);
    await listening.close();
  });

  test('wrong options, sources and models are refused before anything is opened', () => {
    const [model, sound] = [new FakeModel(), new FakeSound()];
    for (const options of [
      { onState: 1 },
      { onLevel: {} },
      { nothingHeardAfter: 0 },
      { wakeLock: 2 },
    ]) {
      expect(() => listenTo(model, sound, options as never)).toThrow(/must be/);
    }
    for (const source of [undefined, null, 'microphone', 5, {}, new Float32Array(9)]) {
      expect(() => listen(model, source as never)).toThrow(/Option source must be microphone\(\)/);
    }
    expect(() => listen(model, paced(noise(9)), null as never)).toThrow(
      'Option options must be an object; it is null.',
    );
    expect(() => listen({} as never, paced(noise(9)))).toThrow(/Option model must be a model/);
    expect(() => microphone({ deviceId: 5 } as never)).toThrow(/deviceId/);
    expect(() => microphone({ device: 'usb' } as never)).toThrow(/deviceId/);
    expect(sound.sink).toBeUndefined();
    const refuses = {
      stream: () => {
        throw new Error('does not stream');
      },
    };
    expect(() => listenTo(refuses as never, sound, {})).toThrow('does not stream');
    expect(sound.closings).toBe(1);
  });

  test('there are no microphones and tabs in Node', () => {
    for (const source of [microphone(), tabAudio()]) {
      expect(() => listen(new FakeModel(), source)).toThrow(
        expect.objectContaining({ code: 'unsupported_environment' }),
      );
    }
  });
});

describe('samples of an iterable', () => {
  test('are taken as they are heard, one piece at a time', async () => {
    const model = new FakeModel();
    const given: number[] = [];
    async function* pieces(): AsyncGenerator<SampleArray> {
      for (let i = 0; i < 3; ++i) {
        given.push(i);
        yield noise(10);
        await turns(1);
      }
    }
    const listening = listen(model, pieces());
    const [stream] = model.streams;
    let release = (): void => undefined;
    stream!.hold = new Promise((done) => (release = done));
    const reading = read(listening);
    await turns(20);
    expect(given).toEqual([0]);
    release();
    expect(texts(await reading)).toEqual(['30']);
    expect(given).toEqual([0, 1, 2]);
    expect(listening.status).toEqual({ state: 'ended', reason: 'source-ended' });
  });

  test('of several channels are mixed, of another rate are told to be', async () => {
    const model = new FakeModel();
    const stream = new ReadableStream<SampleArray>({
      start(controller) {
        controller.enqueue(Float32Array.from([1, 0, 0.5, -0.5]));
        controller.enqueue(Int16Array.from([16384, 0]));
        controller.close();
      },
    });
    await read(listen(model, { stream, sampleRate: 8000, channels: 2 }));
    expect(model.streams[0]!.options).toEqual({ sampleRate: 8000 });
    expect(model.streams[0]!.fed.map((piece) => [...piece])).toEqual([[0.5, 0], [0.25]]);
    for (const channels of [0, 1.5, '2']) {
      const source = { stream, sampleRate: 8000, channels } as never;
      expect(() => listen(model, source)).toThrow(/channels/);
    }
  });

  test('that fail, or are none, fail it; a source that waits is left', async () => {
    const broken = new ReadableStream<SampleArray>({
      pull: (controller) => controller.error(new Error('cable')),
    });
    expect(await errorOf(read(listen(new FakeModel(), broken)))).toMatchObject({
      ...{ code: 'source_failed', cause: new Error('cable') },
    });
    const strings = new ReadableStream({
      start: (controller) => controller.enqueue('sound'),
    });
    expect(await errorOf(read(listen(new FakeModel(), strings as never)))).toMatchObject({
      code: 'source_failed',
    });
    // Locked by another reader.
    const locked = new ReadableStream<SampleArray>();
    locked.getReader();
    expect(await errorOf(read(listen(new FakeModel(), locked)))).toMatchObject({
      code: 'source_failed',
    });
    let isCancelled = false;
    const endless = new ReadableStream<SampleArray>({ cancel: () => void (isCancelled = true) });
    const listening = listen(new FakeModel(), endless);
    await turns(5);
    await listening.close();
    expect([listening.state, isCancelled]).toEqual(['ended', true]);
  });

  test('paced() gives all of them, not faster than they are', async () => {
    const samples = Float32Array.from({ length: 4100 }, (_, i) => i);
    const got: number[] = [];
    const lengths: number[] = [];
    const begun = performance.now();
    for await (const piece of paced(samples, 8000, 2)) {
      got.push(...piece);
      lengths.push(piece.length);
    }
    // Timers may be a millisecond early.
    expect(performance.now() - begun).toBeGreaterThan((1000 * 4100) / 8000 / 2 - 5);
    expect(got).toEqual([...samples]);
    expect(lengths).toEqual([800, 800, 800, 800, 800, 100]);
  });
});

describeWithShared(['april-digits'], 'with a model', () => {
  const samples = wavSamples(join('april-digits/eval', 'short-0.wav'));

  test('the events are those of model.stream(); two at once do not disturb each other', async () => {
    const { loadModel } = await builtPackage();
    const model = await loadModel<'whisper'>(resolve(sharedFolder, 'april-digits/digits.april'));
    const live = model.stream();
    const expected = read(live);
    await live.feed(samples);
    await live.close();
    const hear = (): Listening => listen(model, paced(samples, 16000, 20));
    const [one, other] = await Promise.all([read(hear()), read(hear())]);
    expect(texts(one).at(-1)).toBe(' one six.');
    expect(one).toEqual(await expected);
    expect(other).toEqual(one);
    const cut = hear();
    const reading = errorOf(read(cut));
    await turns(3);
    model.dispose();
    expect(await reading).toMatchObject({
      code: expect.stringMatching(/^(aborted|wrong_state)$/) as unknown,
    });
    expect(cut.state).toBe('ended');
  });
});
