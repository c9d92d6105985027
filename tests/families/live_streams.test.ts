// model.stream() and callers that misbehave: aborts, several at once, readers that leave, models that are disposed of.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { join, resolve } from 'node:path';
import type {
  LiveEvent,
  AnyLiveOptions,
  LiveTranscription,
  Model,
  Progress,
} from '../../web/src/api/types.js';
import { nothing } from '../../scripts/evaluate/modes/nothing_sounds.mjs';
import { joined } from '../../web/src/api/joined.js';
import { builtPackage } from '../support/built_package.js';
import { digitsWithFlags } from '../support/digits_bw2l.js';
import { errorOf } from '../support/embedded_model.js';
import { wavSamples } from '../support/goldens_audio.js';
import { describeWithShared, sharedFolder } from '../support/shared_folder.js';
import { rounds, turns } from '../support/turns.js';

describeWithShared(['april-digits'], 'a stream of samples', () => {
  const samples = wavSamples(join('april-digits/eval', 'short-0.wav'));
  /** So much that no test reaches its end. */
  const long = new Float32Array(20 * samples.length);
  for (let at = 0; at < long.length; at += samples.length) long.set(samples, at);
  let model: Model;
  let expected: readonly LiveEvent[];
  const load = async () =>
    (await builtPackage()).loadModel(resolve(sharedFolder, 'april-digits/digits.april'));
  const finals = (events: readonly LiveEvent[]): string[] =>
    events.flatMap((event) => (event.type === 'final' ? [event.text] : []));
  async function read(live: LiveTranscription): Promise<LiveEvent[]> {
    const events: LiveEvent[] = [];
    for await (const event of live) events.push(event);
    return events;
  }
  async function hear(
    sound: Float32Array | Int16Array,
    options?: AnyLiveOptions,
  ): Promise<LiveEvent[]> {
    const live = model.stream(options);
    const reading = read(live);
    await live.feed(sound);
    await live.close();
    return reading;
  }

  beforeAll(async () => {
    model = await load();
    expected = await hear(samples);
  });
  afterAll(() => model.dispose());

  test('partials keep their id until they are final, and ids rise', () => {
    expect(finals(expected).join('')).toBe(' one six.');
    let id = 0;
    for (const event of expected) {
      expect(event.id).toBe(id);
      if (event.type === 'final') ++id;
    }
  });

  test('several at once hear what each hears alone, and so does a transcription beside them', async () => {
    const [one, other, { text }] = await Promise.all([
      hear(samples),
      hear(samples),
      model.transcribe(samples),
    ]);
    expect(one).toEqual(expected);
    expect(other).toEqual(expected);
    expect(text).toBe(' one six.');
  });

  test('takes integers, and other rates', async () => {
    const integers = Int16Array.from(samples, (value) => Math.round(value * 32768));
    expect(await hear(integers)).toEqual(expected);
    const doubled = Float32Array.from({ length: 2 * samples.length }, (_, i) => samples[i >> 1]!);
    expect(finals(await hear(doubled, { sampleRate: 32000 }))).toEqual(finals(expected));
  });

  test('is a TransformStream', async () => {
    const source = new ReadableStream<Float32Array>({
      start(controller) {
        for (let at = 0; at < samples.length; at += 8000) {
          controller.enqueue(samples.subarray(at, at + 8000));
        }
        controller.close();
      },
    });
    const events: LiveEvent[] = [];
    for await (const event of source.pipeThrough(model.stream())) events.push(event);
    expect(events).toEqual(expected);
  });

  test('copies what it is fed, tells its lag, and begins anew', async () => {
    const live = model.stream();
    const reading = read(live);
    const sound = samples.slice();
    const fed = live.feed(sound);
    sound.fill(0);
    expect(live.lag).toBeCloseTo(samples.length / 16000, 6);
    await fed;
    expect(live.lag).toBe(0);
    await live.reset();
    await live.feed(samples);
    await live.close();
    const events = await reading;
    expect(events.slice(-expected.length)).toEqual(expected);
    expect(await errorOf(live.feed(samples))).toMatchObject({ code: 'wrong_state' });
  });

  test('flush() and reset() keep their places among calls that nobody awaits', async () => {
    const live = model.stream();
    const reading = read(live);
    for (let round = 0; round < 2; ++round) {
      void live.feed(samples);
      void live.flush();
      void live.feed(samples);
      void live.reset();
    }
    void live.feed(samples);
    await live.close();
    const events = await reading;
    const texts = finals(events);
    expect(texts.join('')).toBe(' one six.'.repeat(3));
    const told = events.filter(({ type }) => type !== 'lag');
    expect(told.slice(-expected.length)).toEqual(expected);
  });

  test('an abort with any reason ends it at any step, twenty times, and no other', async () => {
    for (const round of rounds(20)) {
      const reason: unknown = [new Error('enough'), 'enough', 0, null][round % 4];
      const controller = new AbortController();
      const other = model.stream();
      const live = model.stream({ signal: controller.signal });
      const reading = errorOf(read(live));
      const feeding = errorOf(live.feed(long));
      const [partOfOther] = [other.feed(samples.subarray(0, 4000))];
      await turns(round);
      controller.abort(reason);
      const failures = [await reading, await feeding];
      for (const failure of failures) expect(failure).toBe(controller.signal.reason);
      expect(await errorOf(live.flush())).toBe(controller.signal.reason);
      await partOfOther;
      await other.close();
    }
    const aborted = model.stream({ signal: AbortSignal.abort('before') });
    expect(await errorOf(read(aborted))).toBe('before');
    expect(await hear(samples)).toEqual(expected);
  });

  test('one that fails is ended in the engine', async () => {
    const own = await load();
    const heap = async (): Promise<number> => (await own.memory()).heapBytes;
    const fail = async (): Promise<void> => {
      const live = own.stream();
      const reading = errorOf(read(live));
      void live.feed(new Float32Array([NaN]));
      expect(await reading).toMatchObject({ code: 'invalid_argument' });
      await live.close();
    };
    await fail();
    // What the first one made for all stays.
    const before = await heap();
    for (let round = 0; round < 10; ++round) await fail();
    await turns(5);
    expect((await heap()) - before).toBeLessThan(500_000);
    own.dispose();
  });

  test('two that wake a model together hear each its own sound, in one engine', async () => {
    let loads = 0;
    const onProgress = ({ phase, loaded }: Progress): void => {
      if (phase === 'load' && loaded === 0) ++loads;
    };
    const own = await (
      await builtPackage()
    ).loadModel(resolve(sharedFolder, 'april-digits/digits.april'), {
      autoSleep: 0.001,
      onProgress,
    });
    while (!own.asleep) await turns(1);
    const controller = new AbortController();
    const aborted = errorOf(read(own.stream({ signal: controller.signal })));
    const sounds = [samples, samples.subarray(0, samples.length >> 1)];
    const heard = sounds.map(async (sound) => {
      const live = own.stream();
      const reading = read(live);
      void live.feed(sound);
      void live.close();
      return reading;
    });
    controller.abort('enough');
    expect(await aborted).toBe('enough');
    expect(await Promise.all(heard)).toEqual([expected, await hear(sounds[1]!)]);
    expect(loads).toBe(2);
    own.dispose();
  });

  test.each(['dispose', 'asyncDispose'] as const)('Symbol.%s closes it', async (end) => {
    const live = model.stream();
    const reading = read(live);
    void live.feed(samples);
    const ended: unknown = live[Symbol[end]]();
    expect(ended instanceof Promise).toBe(end === 'asyncDispose');
    expect(await errorOf(live.feed(samples))).toMatchObject({ code: 'wrong_state' });
    expect(await reading).toEqual(expected);
    await ended;
  });

  test('a reader that leaves ends it', async () => {
    const live = model.stream();
    const feeding = live.feed(samples).catch((error: unknown) => error);
    for await (const event of live) {
      expect(event.type).toBe('partial');
      break;
    }
    await feeding;
    expect(await errorOf(live.feed(samples))).toMatchObject({ code: 'wrong_state' });
  });

  test('a model that is disposed of ends its streams, twenty times', async () => {
    for (const round of rounds(20)) {
      const own = await load();
      const live = own.stream();
      const reading = errorOf(read(live));
      const feeding = live.feed(samples).catch((error: unknown) => error);
      await turns(round);
      own.dispose();
      expect(await reading).toMatchObject({
        code: expect.stringMatching(/^(aborted|wrong_state)$/),
      });
      await feeding;
      expect(await errorOf(live.close().then(() => live.feed(samples)))).toBeDefined();
    }
  });

  test('with the voice detector nothing is heard in music, and digits where they are said', async () => {
    const music = nothing('music: chords', 20);
    const sound = joined([music, samples, music], Float32Array);
    expect(finals(await hear(sound)).join('').length).toBeGreaterThan(' one six.'.length);
    const events = await hear(sound, { vad: true });
    expect(finals(events).join('')).toBe(' one six.');
    const [first, second] = [expected, events].map((all) =>
      all.flatMap((event) => (event.type === 'final' ? event.words : [])),
    );
    const begin = music.length / 16000;
    second!.forEach((word, i) => {
      expect(Math.abs(word.start - begin - first![i]!.start)).toBeLessThan(0.2);
    });
  });

  test('an abort ends one with the voice detector at any step, and no other', async () => {
    for (const round of [0, 1, 5, 20]) {
      const controller = new AbortController();
      const live = model.stream({ vad: true, signal: controller.signal });
      const reading = errorOf(read(live));
      const feeding = errorOf(live.feed(long));
      await turns(round);
      controller.abort(round);
      expect(await reading).toBe(round);
      expect(await feeding).toBe(round);
    }
    expect(await hear(samples)).toEqual(expected);
  });

  test('wrong options and samples are refused', async () => {
    for (const options of [
      { sampleRate: 0 },
      { frontEnd: 'other' },
      { signal: 1 },
      { rate: 1 },
      { vad: 1 },
    ]) {
      expect(() => model.stream(options as AnyLiveOptions)).toThrow(
        expect.objectContaining({ code: 'invalid_argument' }),
      );
    }
    const live = model.stream();
    expect(await errorOf(live.feed('sound' as never))).toMatchObject({
      code: expect.stringMatching(/^(invalid_argument|source_failed)$/),
    });
    await live.close();
  });
});

describeWithShared(['bw2l-digits'], 'a stream of a BW2L model', () => {
  test('with the voice detector writes nothing in music, and its words where they are said', async () => {
    const { loadModel } = await builtPackage();
    const file = digitsWithFlags({ localnrmlleftctx: '300', localnrmlrightctx: '30' });
    using model = await loadModel(file);
    const samples = wavSamples(join('bw2l-digits/eval', 'long-0.wav'));
    const music = nothing('music: chords', 20);
    const live = model.stream({ vad: true });
    await live.feed(joined([music, samples, music], Float32Array));
    await live.close();
    const words = [];
    for await (const event of live) if (event.type === 'final') words.push(...event.words);
    expect(words.length).toBeGreaterThan(4);
    const [begin, end] = [music.length / 16000, (music.length + samples.length) / 16000];
    for (const { start, end: last } of words) {
      expect(start).toBeGreaterThan(begin - 0.3);
      expect(last).toBeLessThan(end + 0.5);
    }
  });
});
