// Transcripts that say who speaks: the networks hear what the model hears.
import { pathToFileURL } from 'node:url';
import { afterEach, expect, test } from '@jest/globals';
import type {
  AnyTranscribeOptions,
  Segment,
  Transcription,
  WhisperModel,
} from '../../web/src/api/types.js';
import { joined } from '../../web/src/api/joined.js';
import { builtPackage } from '../support/built_package.js';
import {
  errorOf,
  modelPath,
  sampleAudio,
  samplePath,
  sampleText,
} from '../support/embedded_model.js';
import { describeWithSpeakers, speakersPath } from '../support/speakers_model.js';

const { loadModel } = await builtPackage({ hasDetector: true });
const sample = sampleAudio();

const models: WhisperModel[] = [];
afterEach(() => models.splice(0).forEach((model) => model.dispose()));
async function newModel(options: object = {}): Promise<WhisperModel> {
  const model = await loadModel(modelPath, { family: 'whisper', ...options });
  models.push(model);
  return model;
}

/** Goes as far as there is something to save, and stops. */
async function untilSaved(work: Transcription): Promise<void> {
  const loop = work[Symbol.asyncIterator]();
  while (!work.save()) await loop.next();
  await loop.return?.();
  await errorOf(work);
}

const inPieces = async function* (samples: Float32Array, size = 50_000) {
  for (let at = 0; at < samples.length; at += size) {
    yield samples.slice(at, at + size);
    await Promise.resolve();
  }
};

describeWithSpeakers('transcribe({ speakers })', () => {
  test('segments and words have a speaker, and the text is that of a call without', async () => {
    const model = await newModel();
    const plain = await model.transcribe(sample, { timestamps: 'word' });
    const { text, segments, speakers, ...rest } = await model.transcribe(sample, {
      speakers: true,
    });
    expect(text.trim()).toBe(sampleText);
    expect({ ...rest, text }).toEqual({ ...plain, text: plain.text, segments: undefined });
    expect(speakers).toHaveLength(1);
    expect(speakers![0]).toEqual({ id: 'S1', seconds: expect.any(Number) as unknown });
    expect(segments.map(({ speaker }) => speaker)).toEqual(segments.map(() => 'S1'));
    expect(segments.flatMap(({ words }) => words!.map(({ speaker }) => speaker))).toEqual(
      plain.segments.flatMap(({ words }) => words!.map(() => 'S1')),
    );
  });

  test('files, streams and recordings in sequence', async () => {
    const model = await newModel();
    const expected = await model.transcribe(sample, { speakers: true });
    expect(await model.transcribe(samplePath, { speakers: true })).toEqual(expected);
    const stream = { stream: inPieces(sample), sampleRate: 16000, isRecording: true } as const;
    expect((await model.transcribe(stream, { speakers: {} })).speakers).toEqual(expected.speakers);
    for (const options of [
      { vad: false },
      { conditionOnPreviousText: true },
      { compatibility: 'openai' },
    ] as const) {
      const heard = await model.transcribe(sample, { speakers: true, ...options });
      expect(heard.speakers).toEqual(expected.speakers);
      expect(heard.segments[0]!.speaker).toBe('S1');
    }
  });

  test('options go to the search, and word times are left out where segments are asked for', async () => {
    const model = await newModel();
    const { segments, speakers } = await model.transcribe(sample, {
      speakers: { count: 1, vectors: true, model: pathToFileURL(speakersPath) },
      timestamps: 'segment',
    });
    expect(speakers![0]!.vector).toHaveLength(192);
    expect(segments[0]).not.toHaveProperty('words');
    expect(segments[0]!.speaker).toBe('S1');
  });

  test('nobody speaks in silence', async () => {
    const model = await newModel();
    const { speakers, segments } = await model.transcribe(new Float32Array(48000), {
      speakers: true,
    });
    expect([speakers, segments]).toEqual([[], []]);
  });

  test('two at a time, and false as without the option', async () => {
    const model = await newModel();
    const [one, other, plain] = await Promise.all([
      model.transcribe(sample, { speakers: true }),
      model.transcribe(joined([sample, sample], Float32Array), { speakers: true }),
      model.transcribe(sample, { speakers: false }),
    ]);
    expect([one, other].map(({ speakers }) => speakers!.length)).toEqual([1, 1]);
    expect(plain).not.toHaveProperty('speakers');
  });

  test('refuses what cannot be', async () => {
    const model = await newModel();
    const live = { stream: inPieces(sample), sampleRate: 16000 };
    const wrong: [Float32Array | typeof live, AnyTranscribeOptions, RegExp][] = [
      [live, { speakers: true }, /speakers.*live/],
      [sample, { speakers: 2 as never }, /speakers/],
      [sample, { speakers: { count: 0 } }, /count/],
      [sample, { speakers: { people: 2 } as never }, /people/],
      [sample, { speakers: { model: '' } }, /model/],
      [sample, { speakers: true, timestamps: 'none' }, /timestamps/],
      [sample, { speakers: true, timestamps: 'words' as never }, /timestamps/],
      [sample, null as never, /options/],
    ];
    for (const [audio, options, message] of wrong) {
      expect(await errorOf(model.transcribe(audio, options))).toMatchObject({
        ...{ code: 'invalid_argument', message: expect.stringMatching(message) as unknown },
      });
    }
  });

  test('missing networks end the call before there is text, and nothing else', async () => {
    const model = await newModel();
    const missing = { speakers: { model: `${speakersPath}.missing` } };
    expect(await errorOf(model.transcribe(sample, missing))).toMatchObject({
      code: 'source_failed',
    });
    const wrong = { speakers: { model: modelPath } };
    const segments: Segment[] = [];
    const failing = async () => {
      for await (const segment of model.transcribe(sample, wrong)) segments.push(segment);
    };
    expect(await errorOf(failing())).toMatchObject({ code: 'unsupported_feature' });
    expect(segments).toEqual([]);
    expect((await model.transcribe(sample)).text.trim()).toBe(sampleText);
    expect((await model.transcribe(sample, { speakers: true })).speakers).toHaveLength(1);
  });

  test('an abort, a callback that throws, a loop that is left, and dispose()', async () => {
    const model = await newModel();
    const long = joined([sample, sample, sample, sample], Float32Array);
    for (const reason of [new Error('enough'), null, 'text']) {
      const controller = new AbortController();
      const work = model.transcribe(long, {
        ...{ speakers: true, signal: controller.signal },
        onProgress: ({ phase }) => phase === 'transcribe' && controller.abort(reason),
      });
      expect(await errorOf(work)).toBe(controller.signal.reason);
    }
    const thrown = new Error('mine');
    const throwing = () => {
      throw thrown;
    };
    expect(await errorOf(model.transcribe(long, { speakers: true, onProgress: throwing }))).toBe(
      thrown,
    );
    const left = model.transcribe(long, { speakers: true });
    const seen: Segment[] = [];
    for await (const segment of left) {
      seen.push(segment);
      break;
    }
    expect(seen).toHaveLength(1);
    expect(await errorOf(left)).toBeInstanceOf(Error);
    const ended = errorOf(model.transcribe(long, { speakers: true }));
    model.dispose();
    expect(await ended).toMatchObject({ code: 'aborted' });
  });

  test('what was saved goes on with speakers, and only if it has word times', async () => {
    const model = await newModel();
    const long = joined([sample, sample, sample, sample], Float32Array);
    const options = { speakers: true, vad: false } as const;
    const whole = await model.transcribe(long, options);
    const first = model.transcribe(long, options);
    await untilSaved(first);
    const saved = JSON.parse(JSON.stringify(first.save())) as never;
    expect(await model.transcribe(long, { from: saved, speakers: true })).toEqual(whole);
    const plain = model.transcribe(long, { vad: false });
    await untilSaved(plain);
    const without = plain.save()!;
    expect(await errorOf(model.transcribe(long, { from: without, speakers: true }))).toMatchObject({
      code: 'invalid_argument',
    });
  });

  test('a model that slept tells speakers apart again', async () => {
    const model = await newModel({ autoSleep: 0.01 });
    await model.transcribe(sample, { speakers: true });
    while (!model.asleep) await new Promise((done) => setTimeout(done, 5));
    expect((await model.transcribe(sample, { speakers: true })).speakers).toHaveLength(1);
  });
});
