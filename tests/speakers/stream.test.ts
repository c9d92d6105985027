// Streams that say who speaks: the networks hear what is fed, beside the model.
import { resolve } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import type {
  LiveEvent,
  LiveSpeakers,
  LiveText,
  LiveTranscription,
  RevisedText,
  WhisperLiveOptions,
  WhisperModel,
} from '../../web/src/api/types.js';
import { joined } from '../../web/src/api/joined.js';
import { builtPackage } from '../support/built_package.js';
import { decodedAudio } from '../support/decoded_audio.js';
import { errorOf, modelPath, sampleAudio, sampleText } from '../support/embedded_model.js';
import { describeWithShared, sharedFolder } from '../support/shared_folder.js';
import { describeWithSpeakers, speakersEntry, speakersPath } from '../support/speakers_model.js';

const { loadModel } = await builtPackage({ hasDetector: true });
const { assignSpeakers, findSpeakers } = await speakersEntry();
const meeting = 'speakers/meetings/dev00.flac';
const sample = sampleAudio();
const long = joined([sample, sample], Float32Array);

const models: WhisperModel[] = [];
afterEach(() => models.splice(0).forEach((model) => model.dispose()));
async function newModel(): Promise<WhisperModel> {
  const model = await loadModel<'whisper'>(modelPath);
  models.push(model);
  return model;
}

async function read(live: LiveTranscription): Promise<LiveEvent[]> {
  const events: LiveEvent[] = [];
  for await (const event of live) events.push(event);
  return events;
}

async function feed(live: LiveTranscription, samples: Float32Array): Promise<void> {
  for (let at = 0; at < samples.length; at += 8000) {
    await live.feed(samples.subarray(at, at + 8000));
  }
}

async function hear(
  samples: Float32Array,
  options: WhisperLiveOptions,
  model?: WhisperModel,
): Promise<LiveEvent[]> {
  const live = (model ?? (await newModel())).stream(options);
  const reading = read(live);
  // What fails here fails there, too.
  reading.catch(() => undefined);
  await feed(live, samples);
  await live.close();
  return reading;
}

const speakersOf = (events: readonly LiveEvent[]): LiveSpeakers[] =>
  events.filter((event) => event.type === 'speakers');
/** What each text was in the last event about it. */
function told(events: readonly LiveEvent[]): Map<string, readonly RevisedText[]> {
  const texts = speakersOf(events).flatMap((event) => [...event.texts]);
  return new Map(texts.map(({ ids, segments }) => [ids.join(), segments]));
}

describeWithSpeakers('stream({ speakers })', () => {
  test('says whose each final text is, and ends with what a recording gives', async () => {
    const model = await newModel();
    const plain = await hear(long, {}, model);
    const events = await hear(long, { speakers: true }, model);
    const texts = (all: readonly LiveEvent[]) =>
      all.flatMap((event) => (event.type === 'final' ? [event.text] : []));
    expect(texts(events)).toEqual(texts(plain));
    const last = events.at(-1) as LiveSpeakers;
    expect(last.type).toBe('speakers');
    const { speakers, duration } = await findSpeakers(long);
    expect(last.until).toBeCloseTo(duration, 6);
    expect(last.speakers.map(({ seconds }) => seconds)).toEqual(
      speakers.map(({ seconds }) => expect.closeTo(seconds, 1) as unknown),
    );
    const whose = told(events);
    for (const event of events) {
      if (event.type !== 'final' || event.text.trim() === '') continue;
      const segments = whose.get(String(event.id))!;
      expect(segments.map(({ text }) => text).join('')).toBe(event.text);
      for (const { speaker, words } of segments) {
        expect(speaker).toBe('S1');
        expect(words.map((word) => word.speaker)).toEqual(words.map(() => 'S1'));
      }
    }
  });

  test('the first are told while the stream goes on', async () => {
    const model = await newModel();
    const live = model.stream({ speakers: { count: 1, vectors: true } });
    let first: LiveSpeakers | undefined;
    // Reads on: to leave the loop would end the stream under a call that feeds it.
    const reading = (async () => {
      for await (const event of live) if (event.type === 'speakers') first ??= event;
    })();
    reading.catch(() => undefined);
    await feed(live, long);
    // However slow the machine is: silence keeps coming until they are there.
    for (let i = 0; i < 600 && !first; ++i) {
      await live.feed(new Float32Array(1600));
      await new Promise((done) => setTimeout(done, 50));
    }
    expect(first!.texts[0]!.segments[0]!.speaker).toBe('S1');
    expect(first!.speakers[0]!.vector).toHaveLength(192);
    await live.close();
    await reading;
  });

  test('of texts that are revised, of sound at another rate, and after reset()', async () => {
    const model = await newModel();
    const revised = await hear(long, { speakers: true, revise: true }, model);
    const ids = [...told(revised).keys()];
    for (const event of revised) {
      if (event.type === 'revised' && event.segments.length > 0) {
        expect(ids).toContain(event.replaces.join());
      }
    }
    const halved = sample.filter((_, i) => i % 2 === 0);
    const live = model.stream({ speakers: true, sampleRate: 8000 });
    const reading = read(live);
    await feed(live, halved);
    await live.reset();
    await feed(live, halved);
    await live.close();
    const last = speakersOf(await reading).at(-1)!;
    expect(last.until).toBeCloseTo(sample.length / 16000, 1);
  });

  test('nobody speaks in silence, and false as without the option', async () => {
    const model = await newModel();
    const silent = speakersOf(await hear(new Float32Array(48000), { speakers: true }, model));
    expect(silent).toMatchObject([{ until: 3, texts: [], speakers: [] }]);
    expect(speakersOf(await hear(sample, { speakers: false }, model))).toEqual([]);
  });

  test('refuses what cannot be', async () => {
    const model = await newModel();
    expect(() => model.stream({ speakers: 2 as never })).toThrow(/speakers/);
    expect(() => model.stream({ speakers: null as never })).toThrow(/speakers/);
    for (const [speakers, name] of [
      [{ count: 0 }, 'count'],
      [{ people: 2 }, 'people'],
      [{ min: 3, max: 2 }, 'min'],
    ] as const) {
      expect(await errorOf(hear(sample, { speakers: speakers as object }, model))).toMatchObject({
        ...{ code: 'invalid_argument', message: expect.stringContaining(name) as unknown },
      });
    }
  });

  test('missing networks end the stream, and nothing else', async () => {
    const model = await newModel();
    const live = model.stream({ speakers: { model: `${speakersPath}.missing` } });
    const reading = errorOf(read(live));
    const error = await errorOf(live.feed(sample).then(() => live.close()));
    expect(error).toMatchObject({ code: 'source_failed' });
    expect(await reading).toBe(error);
    const transcript = await model.transcribe(sample, { speakers: true });
    expect([transcript.text.trim(), transcript.speakers!.length]).toEqual([sampleText, 1]);
  });

  test('close() while the networks load waits for what they say', async () => {
    const model = await newModel();
    const live = model.stream({ speakers: true });
    const reading = read(live);
    void live.feed(sample);
    await live.close();
    await live.close();
    expect(speakersOf(await reading).at(-1)!.speakers).toHaveLength(1);
  });

  test('an abort, a callback that throws, a loop that is left, and dispose()', async () => {
    const model = await newModel();
    for (const reason of [new Error('enough'), null, 'text']) {
      const controller = new AbortController();
      const live = model.stream({ speakers: true, signal: controller.signal });
      const reading = errorOf(read(live));
      await live.feed(sample);
      const closing = errorOf(live.close());
      controller.abort(reason);
      expect(await reading).toBe(controller.signal.reason);
      expect(await closing).toBe(controller.signal.reason);
    }
    const thrown = new Error('mine');
    const throwing = model.stream({
      ...{ speakers: true, maxLag: 1 },
      onLag: () => {
        throw thrown;
      },
    });
    expect(await errorOf(throwing.feed(long))).toBe(thrown);
    const left = model.stream({ speakers: true });
    void left.feed(long).catch(() => undefined);
    expect(await left[Symbol.asyncIterator]().next()).toMatchObject({ done: false });
    await left.readable.cancel();
    const twice = await Promise.all([
      hear(sample, { speakers: true }, model),
      hear(sample, { speakers: true }, model),
    ]);
    expect(twice.map((events) => speakersOf(events).at(-1)!.speakers.length)).toEqual([1, 1]);
    const disposed = model.stream({ speakers: true });
    const ended = errorOf(disposed.feed(long).then(() => disposed.close()));
    model.dispose();
    expect(await ended).toMatchObject({ code: 'aborted' });
  });

  describeWithShared([meeting], 'of several people', () => {
    test('at the end, whose words are is as in the recording', async () => {
      const { samples } = await decodedAudio(resolve(sharedFolder, meeting));
      const events = await hear(samples, { speakers: true, vad: false, step: 5 });
      const finals = events.filter((event) => event.type === 'final' && event.text.trim() !== '');
      const segments = finals.map((event): RevisedText => {
        const { start, end, text, words } = event as LiveText;
        return { start, end, text, words };
      });
      const found = await findSpeakers(samples);
      const expected = assignSpeakers({ segments }, found).segments.map(({ speaker }) => speaker!);
      const whose = told(events);
      const own = finals.flatMap(({ id }) => whose.get(String(id))!.map((each) => each.speaker!));
      expect(new Set(expected).size).toBe(2);
      // Their numbers depend on who was found first.
      const names = new Map(expected.map((id, i) => [id, own[i]]));
      expect(new Set(names.values()).size).toBe(2);
      expect(own).toEqual(expected.map((id) => names.get(id)));
      const { speakers } = speakersOf(events).at(-1)!;
      expect(speakers.map(({ seconds }) => seconds)).toEqual(
        found.speakers.map(({ seconds }) => expect.closeTo(seconds, 2) as unknown),
      );
    });
  });

  describeWithShared(['april-digits'], 'of a model of another family', () => {
    test('as of a Whisper', async () => {
      const model = await loadModel(resolve(sharedFolder, 'april-digits/digits.april'));
      const live = model.stream({ speakers: { max: 1 } });
      const reading = read(live);
      await feed(live, sample);
      await live.close();
      model.dispose();
      const events = await reading;
      const whose = told(events);
      const finals = events.filter((event) => event.type === 'final');
      expect(finals.length).toBeGreaterThan(0);
      expect(finals.map(({ id }) => whose.get(String(id))![0]!.speaker)).toEqual(
        finals.map(() => 'S1'),
      );
    });
  });
});
