// .april models: the events that april-asr's callbacks are, one for one.
import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { builtPackage } from '../support/built_package.js';
import { asCallback, hear, inEngineTime } from '../../scripts/reference/april_callbacks.mjs';
import { errorOf, modelPath } from '../support/embedded_model.js';
import { sharedJson } from '../support/goldens.js';
import { wavSamples } from '../support/goldens_audio.js';
import { describeWithShared, sharedFolder } from '../support/shared_folder.js';

/** The front end of the released engine. */
const frontEnd = 'april-asr-0.0.4';

type Heard = Awaited<ReturnType<typeof hear>>;

interface Callback {
  readonly type: number;
  /** When it came, in the stream's time; not in records of the released engine. */
  readonly at_ms?: number;
  readonly tokens: readonly string[];
  readonly time_ms: readonly number[];
  readonly flags: readonly number[];
  readonly logprob: readonly number[];
}
type Fed =
  | readonly ['audio', number, number, number]
  | readonly ['zeros', number, number]
  | readonly ['flush'];

/** Logits within 5e-3. */
function expectCallbacks({ events, flushes }: Heard, like: readonly Callback[]): void {
  const expected = like.map(({ type, tokens, time_ms, flags, logprob }) => ({
    ...{ type, tokens, times: time_ms, flags },
    scores: logprob.map((score): unknown => expect.closeTo(score, 2)),
  }));
  expect(inEngineTime(events.map(asCallback), expected, flushes)).toEqual(expected);
  events.forEach(({ time }, i) => {
    const { at_ms } = like[i]!;
    if (at_ms !== undefined) expect(Math.round(1000 * time)).toBe(at_ms);
  });
}

/** Pieces of 1 to 4,000 samples, of a seed. */
function* piecesOf(samples: Float32Array, seed: number): Generator<Float32Array> {
  for (let at = 0; at < samples.length;) {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 1;
    const count = 1 + (seed % 4000);
    yield samples.subarray(at, at + count);
    at += count;
  }
}

describeWithShared(['april-digits', 'recordings'], 'an .april model that was trained', () => {
  interface Recording {
    readonly file: string;
    readonly from: number;
    readonly samples: number;
    readonly final_text: string;
    readonly events: readonly Callback[];
    readonly 'april-asr-0.0.4'?: { readonly events: readonly Callback[] };
  }
  const { recordings } = sharedJson('april-digits/eval/expected.json') as {
    recordings: Recording[];
  };
  const load = async () =>
    (await builtPackage()).loadModel(resolve(sharedFolder, 'april-digits/digits.april'));
  const samplesOf = ({ file, from, samples }: Recording): Float32Array =>
    wavSamples(join('april-digits/eval', file)).subarray(from, from + samples);

  test('says what it is', async () => {
    const model = await load();
    expect(model.family).toBe('transducer');
    expect(model.info).toMatchObject({
      ...{ format: 'april 1', languages: ['en'], streams: true, threads: 1, dtypes: ['f32'] },
      ...{ workers: 1, workersReason: 'models of this family have one engine' },
    });
    model.dispose();
  });

  test('is rejected where another family is asked for', async () => {
    const { loadModel } = await builtPackage();
    const path = resolve(sharedFolder, 'april-digits/digits.april');
    await expect(loadModel(path, { family: 'whisper' })).rejects.toMatchObject({
      code: 'unsupported_feature',
      details: { subject: 'family', expected: 'whisper', got: 'transducer' },
    });
    const model = await loadModel(path, { family: 'transducer' });
    expect(model.info.family).toBe('transducer');
    model.dispose();
  });

  test('writes down every recording', async () => {
    const model = await load();
    for (const recording of recordings) {
      const { text } = await model.transcribe(samplesOf(recording));
      expect([recording.file, text.trim()]).toEqual([recording.file, recording.final_text]);
    }
    model.dispose();
  });

  test('in q8_0 hears the same, in less memory', async () => {
    const { loadModel } = await builtPackage();
    const path = resolve(sharedFolder, 'april-digits/digits.april');
    const [whole, small] = [await loadModel(path), await loadModel(path, { dtype: 'q8_0' })];
    const bytes = await Promise.all(
      [whole, small].map(async (model) => (await model.memory()).weightBytes),
    );
    expect(bytes[1]!).toBeLessThan(0.5 * bytes[0]!);
    for (const recording of recordings) {
      const { text } = await small.transcribe(samplesOf(recording));
      expect([recording.file, text.trim()]).toEqual([recording.file, recording.final_text]);
    }
    whole.dispose();
    small.dispose();
    const refused = [
      loadModel(resolve(sharedFolder, 'bw2l-digits/digits.b2l'), { dtype: 'q8_0' }),
      loadModel(path, { dtype: 'q4_0' }),
      loadModel(modelPath, { dtype: 'q8_0' }),
    ];
    const codes = await Promise.all(refused.map(async (load) => errorOf(load)));
    expect(codes).toEqual([
      expect.objectContaining({ code: 'unsupported_feature' }),
      expect.objectContaining({ code: 'invalid_argument' }),
      expect.objectContaining({ code: 'invalid_argument' }),
    ]);
  });

  test('events are the callbacks, in whatever pieces the sound comes', async () => {
    const model = await load();
    for (const [i, recording] of recordings.entries()) {
      const samples = samplesOf(recording);
      const heard = await hear(model.stream({ frontEnd: 'standard' }), piecesOf(samples, i + 1));
      expectCallbacks(heard, recording.events);
    }
    model.dispose();
  });

  test('with the front end of the released engine events are its callbacks', async () => {
    const model = await load();
    const cases = recordings.filter((recording) => recording['april-asr-0.0.4']);
    expect(cases).toHaveLength(8);
    for (const recording of cases) {
      const heard = await hear(model.stream({ frontEnd }), [samplesOf(recording)]);
      expectCallbacks(heard, recording[frontEnd]!.events);
    }
    model.dispose();
  });
});

describeWithShared(['april-reference', 'recordings'], '.april models of other shapes', () => {
  interface Record {
    readonly model: string;
    readonly audio: string;
    readonly feeding: readonly Fed[];
    readonly events: readonly Callback[];
  }
  const index = sharedJson('april-reference/index.json') as {
    records: readonly { readonly record: string }[];
  };
  const audioOf = (name: string): Float32Array => {
    for (const folder of ['april-reference', 'recordings/audio', 'recordings']) {
      try {
        return wavSamples(join(folder, name));
      } catch {
        continue;
      }
    }
    throw new Error(`There is no ${name}.`);
  };

  test.each(index.records.map(({ record }) => record))('%s', async (name) => {
    const record = JSON.parse(
      readFileSync(resolve(sharedFolder, 'april-reference', name), 'utf8'),
    ) as Record;
    const model = await (
      await builtPackage()
    ).loadModel(resolve(sharedFolder, 'april-reference', record.model));
    const samples = audioOf(record.audio);
    const steps = record.feeding.map(([what, from = 0, to = 0]) => {
      if (what === 'flush') return what;
      return what === 'audio' ? samples.subarray(from, to) : new Float32Array(from);
    });
    const heard = await hear(model.stream({ frontEnd }), steps);
    model.dispose();
    expectCallbacks(heard, record.events);
  });
});
