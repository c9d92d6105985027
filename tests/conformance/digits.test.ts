import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sharedJson, tolerances } from '../support/goldens.js';
import { wavSamples } from '../support/goldens_audio.js';
import {
  casesOn,
  describeOnEngines,
  loadOn,
  type ConformanceModel,
} from '../support/goldens_engines.js';
import { testModel } from '../support/goldens_models.js';

interface ModeGolden {
  readonly window?: readonly number[];
  readonly transcribe?: readonly number[];
  readonly avg_logprob?: number;
}
interface Golden {
  readonly notimestamps?: ModeGolden;
  readonly timestamps?: ModeGolden;
  readonly no_speech_prob?: number;
}

const modes = [
  { key: 'notimestamps', timestamps: 'none' },
  { key: 'timestamps', timestamps: 'segment' },
] as const;

/** As the reference was run: at one temperature, with its quirks. */
const asReference = (timestamps: 'none' | 'segment') =>
  ({ language: 'en', timestamps, temperature: 0, compatibility: 'openai' }) as const;

function evaluation(): [string, Golden][] {
  const { recordings } = sharedJson('digits-model/eval/expected.json') as {
    recordings: (Golden & { file: string })[];
  };
  return recordings.map((each) => [`digits-model/eval/${each.file}`, each]);
}

function realRecordings(): [string, Golden][] {
  const all = sharedJson('recordings/expected/digits-model.json') as Record<string, Golden>;
  return Object.entries(all).map(([name, each]) => [`recordings/audio/${name}.wav`, each]);
}

/** One check per mode and entry point that the reference gives tokens for. */
function checks(clips: [string, Golden][], entry: 'window' | 'transcribe') {
  return clips.flatMap(([file, golden]) =>
    modes
      .filter(({ key }) => golden[key]?.[entry] !== undefined)
      .map(({ key, timestamps }) => ({ file, key, timestamps, golden, like: golden[key]! })),
  );
}

const needs = ['digits-model', 'recordings'];

describeOnEngines(needs, 'the digits model on real speech', (engine) => {
  let model: ConformanceModel;
  beforeAll(async () => {
    model = await loadOn(engine, await testModel('digits'));
  });
  afterAll(() => model.dispose());

  const clips = casesOn(engine, [...evaluation(), ...realRecordings()]);

  test.each(checks(clips, 'window'))(
    'decode $file $key',
    async ({ file, timestamps, like, golden }) => {
      const result = await model.decode(clipSamples(file), asReference(timestamps));
      expect([...result.tokens]).toEqual(like.window);
      if (like.avg_logprob !== undefined) {
        expect(Math.abs(result.avgLogprob - like.avg_logprob)).toBeLessThan(tolerances.avgLogprob);
      }
      if (golden.no_speech_prob !== undefined) {
        const off = Math.abs(result.noSpeechProb - golden.no_speech_prob);
        expect(off).toBeLessThan(tolerances.probability);
      }
    },
  );

  const whole = checks(clips, 'transcribe');
  test.each(whole)('transcribe $file $key', async ({ file, timestamps, like }) => {
    const { segments } = await model.transcribe(clipSamples(file), asReference(timestamps));
    expect(segments.flatMap((segment) => [...segment.tokens])).toEqual(like.transcribe);
  });

  describe('the expectations', () => {
    test('cover every clip of at most 30 s, both ways', () => {
      const short = evaluation().filter(([file]) => !file.includes('long-'));
      expect(checks(short, 'window')).toHaveLength(2 * short.length);
      expect(checks(short, 'transcribe')).toHaveLength(2 * short.length);
    });
  });
});

const samplesOf = new Map<string, Float32Array>();
function clipSamples(file: string): Float32Array {
  let samples = samplesOf.get(file);
  if (samples === undefined) {
    samples = wavSamples(file);
    samplesOf.set(file, samples);
  }
  return samples;
}
