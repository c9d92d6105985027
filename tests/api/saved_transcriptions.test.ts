// Long work that is paused, saved and gone on with: the text of work that was never stopped.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type {
  WhisperModel,
  SavedTranscription,
  TranscribeOptions,
  Transcription,
  Transcript,
} from '../../web/src/node.js';
import { writeApr2 } from '../support/apr2_writer.js';
import { builtPackage } from '../support/built_package.js';
import { errorOf, modelPath, sampleAudio } from '../support/embedded_model.js';
import { limit } from '../support/limits.js';
import { projectRoot } from '../support/shared_folder.js';
import { tinyDims, tinyWhisper } from '../support/tiny_whisper.js';
import { rounds, turns } from '../support/turns.js';
import { loadThroughWorker } from '../support/worker_engine.js';

jest.setTimeout(limit(300_000));

/** Three windows. */
const sample = sampleAudio();
const recording = new Float32Array(7 * sample.length);
for (let i = 0; i < 7; ++i) recording.set(sample, i * sample.length);

/** The recording in pieces of a second; tells how much was taken. */
class Stream {
  taken = 0;
  async *[Symbol.asyncIterator](): AsyncGenerator<Float32Array> {
    while (this.taken < recording.length) {
      yield recording.slice(this.taken, (this.taken += 16000));
      await Promise.resolve();
    }
  }
}

/** As a page keeps it. */
const kept = (saved: SavedTranscription | undefined): SavedTranscription =>
  JSON.parse(JSON.stringify(saved)) as SavedTranscription;

/** Runs until the first new segment, then stops: what was saved, and what was there. */
async function stopEarly(
  transcription: Transcription,
): Promise<[SavedTranscription | undefined, Transcript]> {
  const iterator = transcription[Symbol.asyncIterator]();
  await iterator.next();
  await iterator.return?.();
  await errorOf(transcription);
  return [transcription.save(), transcription.soFar];
}

const loaders = {
  'in this thread': async () =>
    (await builtPackage()).loadModel<'whisper'>(modelPath, { variant: 'simd' }),
  'through a worker': () => loadThroughWorker(modelPath),
};

describe.each(Object.entries(loaders))('%s', (_name, load) => {
  let model: WhisperModel;
  let whole: Transcript;
  beforeAll(async () => {
    model = await load();
    whole = await model.transcribe(recording);
  });
  afterAll(() => model.dispose());

  test('40a: what is paused computes nothing, and its text stays the same', async () => {
    const source = new Stream();
    const transcription = model.transcribe(source);
    const iterator = transcription[Symbol.asyncIterator]();
    await iterator.next();
    transcription.pause();
    transcription.pause();
    expect(transcription.paused).toBe(true);
    await turns(50);
    const { taken } = source;
    const { length } = transcription.soFar.segments;
    await turns(500);
    expect(source.taken).toBe(taken);
    expect(transcription.soFar.segments).toHaveLength(length);
    transcription.resume();
    transcription.resume();
    expect(transcription.paused).toBe(false);
    const result = await transcription;
    expect(result).toEqual(await model.transcribe(recording));
    expect(transcription.soFar).toBe(result);
  });

  test('a pause at any moment, twenty times, is one', async () => {
    // An encoder context that fits: twenty times a whole window would take seconds.
    const options = { encoderContext: 'auto' } as const;
    const expected = await model.transcribe(sample, options);
    for (const i of rounds(20)) {
      const transcription = model.transcribe(sample, options);
      await turns(i);
      transcription.pause();
      await turns(20);
      transcription.resume();
      expect(await transcription).toEqual(expected);
    }
  });

  test('a pause before its turn holds up only its own transcription, and later ones', async () => {
    const first = model.transcribe(sample);
    const second = model.transcribe(sample);
    const third = model.transcribe(sample);
    second.pause();
    const { text } = await first;
    let isThirdDone = false;
    void third.then(() => (isThirdDone = true));
    await turns(200);
    expect([second.soFar.segments, isThirdDone]).toEqual([[], false]);
    second.resume();
    expect([(await second).text, (await third).text]).toEqual([text, text]);
  });

  test('what is paused can be aborted, also while it waits', async () => {
    for (const waits of [0, 1, 30]) {
      const stop = new AbortController();
      const transcription = model.transcribe(recording, { signal: stop.signal });
      transcription.pause();
      await turns(waits);
      stop.abort(new Error('enough'));
      const error = await errorOf(transcription);
      expect(error).toBe(stop.signal.reason);
      transcription.resume();
    }
    expect((await model.transcribe(sample)).text).not.toBe('');
  });

  test('what came is still there after an abort, an error of the stream and of a callback', async () => {
    const [, aborted] = await stopEarly(model.transcribe(recording));
    expect(aborted.segments).toEqual(whole.segments.slice(0, aborted.segments.length));
    expect(aborted).toMatchObject({
      language: 'en',
      text: aborted.segments.map((s) => s.text).join(''),
    });
    expect(aborted.duration).toBeGreaterThan(0);

    async function* breaking(): AsyncGenerator<Float32Array> {
      yield recording.slice(0, 5 * sample.length);
      await Promise.resolve();
      throw new Error('cable');
    }
    const broken = model.transcribe(breaking());
    expect(await errorOf(broken)).toMatchObject({ code: 'source_failed' });
    expect(broken.soFar.segments.length).toBeGreaterThan(0);

    const thrown = new Error('from the callback');
    const failing = model.transcribe(recording, {
      onProgress: ({ fraction = 0 }) => {
        if (fraction > 0.4) throw thrown;
      },
    });
    expect(await errorOf(failing)).toBe(thrown);
    expect(failing.soFar.segments.length).toBeGreaterThan(0);
  });

  test('there is nothing to save before the work begins', async () => {
    const untouched = model.transcribe(sample);
    expect(untouched.save()).toBeUndefined();
    await untouched;
  });

  const cases: [string, TranscribeOptions, boolean][] = [
    ['a recording', {}, false],
    ['words', { timestamps: 'word' }, false],
    ['a prompt and samples drawn', { initialPrompt: 'one', temperature: 0.4, seed: 3 }, false],
    ["the reference's mode", { compatibility: 'openai' }, false],
    ['a stream', {}, true],
  ];
  test.each(cases)('40a: saved and resumed: %s', async (_what, options, isStream) => {
    const audio = (): Float32Array | Stream => (isStream ? new Stream() : recording);
    const isPlain = !isStream && Object.keys(options).length === 0;
    const expected = isPlain ? whole : await model.transcribe(audio(), options);
    let saved: SavedTranscription | undefined;
    const progress: number[] = [];
    for (let i = 0; i < 2; ++i) {
      const work = saved
        ? model.transcribe(audio(), {
            from: saved,
            onProgress: ({ loaded }) => progress.push(loaded),
          })
        : model.transcribe(audio(), options);
      const [next, soFar] = await stopEarly(work);
      expect(soFar.segments).toEqual(expected.segments.slice(0, soFar.segments.length));
      saved = kept(next);
    }
    expect(saved!.segments.length).toBeGreaterThan(0);
    const other = await load();
    try {
      const resumed = other.transcribe(audio(), { from: saved! });
      const ids: number[] = [];
      for await (const { id } of resumed) ids.push(id);
      expect(ids[0]).toBe(saved!.segments.length);
      expect(await resumed).toEqual(expected);
    } finally {
      other.dispose();
    }
  });
});

describe('what was saved', () => {
  let model: WhisperModel;
  let saved: SavedTranscription;
  beforeAll(async () => {
    model = await (await builtPackage()).loadModel<'whisper'>(modelPath, { variant: 'simd' });
    const transcription = model.transcribe(recording);
    await transcription;
    saved = kept(transcription.save());
  });
  afterAll(() => model.dispose());

  const word = { word: 'one', start: 0, probability: 1 };
  const withSegment = (change: object) => (given: Record<string, unknown>) => {
    const [first, ...rest] = given.segments as object[];
    return { ...given, segments: [{ ...first, ...change }, ...rest] };
  };
  const bad: [string, (saved: Record<string, unknown>) => unknown, string][] = [
    ['null', () => null, 'from'],
    ['a text', () => 'saved', 'from'],
    ['another version', (given) => ({ ...given, version: 2 }), 'from'],
    ['no dimensions', (given) => ({ ...given, dims: undefined }), 'from.dims'],
    ['no segments', (given) => ({ ...given, segments: {} }), 'from.segments'],
    ['an empty segment', (given) => ({ ...given, rejected: [{}] }), 'from.rejected[0].id'],
    ['a time as text', withSegment({ start: 'NaN' }), 'from.segments[0].start'],
    ['a time that is none', withSegment({ start: NaN }), 'from.segments[0].start'],
    ['no end', withSegment({ end: undefined }), 'from.segments[0].end'],
    ['a fraction of a token', withSegment({ tokens: [1.5] }), 'from.segments[0].tokens'],
    ['a word without its end', withSegment({ words: [word] }), 'from.segments[0].words'],
    ['a duration before 0', (given) => ({ ...given, duration: -1 }), 'from.duration'],
    ['a length as text', (given) => ({ ...given, fileSeconds: '9' }), 'from.fileSeconds'],
    ['no state', (given) => ({ ...given, state: null }), 'from.state'],
    ['an empty state', (given) => ({ ...given, state: {} }), 'seek'],
    ['a bad option', (given) => ({ ...given, settings: { temperature: 9 } }), 'temperature'],
    ['tokens of another model', withSegment({ tokens: [9e6] }), 'tokens'],
  ];
  test.each(bad)('is refused: %s', async (_what, change, subject) => {
    const given = change({ ...saved }) as SavedTranscription;
    const error = await errorOf(model.transcribe(recording, { from: given }));
    expect(error).toMatchObject({ code: 'invalid_argument', details: { subject } });
  });

  test('belongs to its recording, and to a model with its dimensions', async () => {
    for (const audio of [sample, new Stream()]) {
      expect(await errorOf(model.transcribe(audio, { from: saved }))).toMatchObject({
        code: 'invalid_argument',
        details: { subject: 'audio' },
      });
    }
    const tiny = await (await builtPackage()).loadModel<'whisper'>(writeApr2(tinyWhisper()));
    try {
      expect(tiny.info.dims.nAudioState).toBe(tinyDims.n_audio_state);
      expect(await errorOf(tiny.transcribe(recording, { from: saved }))).toMatchObject({
        code: 'invalid_argument',
        details: { reason: 'option' },
      });
    } finally {
      tiny.dispose();
    }
  });

  test.each([true, false])('of a file belongs to one of its length; in chunks: %s', async (vad) => {
    const file = (name: string): Blob => new Blob([readFileSync(join(projectRoot, name))]);
    const [own, other] = ['web/demo/sample.wav', 'web/demo/sentences.wav'].map(file) as [
      Blob,
      Blob,
    ];
    const work = model.transcribe(own, { vad });
    await work;
    const given = kept(work.save());
    expect(given).toMatchObject({ fileSeconds: expect.closeTo(sample.length / 16000, 2) });
    expect(given.chunks !== undefined).toBe(vad);
    const error = await errorOf(model.transcribe(other, { from: given }));
    expect(error).toMatchObject({ code: 'invalid_argument', details: { subject: 'audio' } });
    expect((await model.transcribe(own, { from: given })).segments).toEqual(given.segments);
    // Where another reader knows no length, or the samples are there, it may be the same one.
    expect((await model.transcribe(sample, { from: given })).segments).toEqual(given.segments);
  });

  test('is continued by transcribe(), as the name before 1.0 says', () => {
    const old = model as unknown as { resume(...args: unknown[]): unknown };
    expect(() => old.resume(saved, recording)).toThrow(
      'model.resume() is model.transcribe(audio, { from: saved }) now.',
    );
  });

  test('has its options: others are refused beside it', async () => {
    const options = { from: saved, language: 'en' };
    expect(await errorOf(model.transcribe(recording, options))).toMatchObject({
      code: 'invalid_argument',
      details: { subject: 'language' },
    });
  });

  test('of work that is done gives it again', async () => {
    const again = await model.transcribe(recording, { from: saved });
    expect(again.segments).toEqual((await model.transcribe(recording)).segments);
  });
});
