import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Segment } from '../../web/src/api_types.js';
import {
  casesWithin,
  expected,
  goldenModels,
  tolerances,
  type SegmentGolden,
  type TranscribeGolden,
} from '../support/goldens.js';
import { goldenAudio } from '../support/goldens_audio.js';
import {
  describeOnEngines,
  loadOn,
  type ConformanceModel,
  type EngineName,
} from '../support/goldens_engines.js';
import { testModel } from '../support/goldens_models.js';

// What the JavaScript API offers today, and what the core offers beyond it.
const publicOptions = ['temperature', 'language', 'without_timestamps'];
const coreOptions = ['condition_on_previous_text', 'no_speech_threshold', 'logprob_threshold'];

function casesFor(engine: EngineName, goldens: readonly TranscribeGolden[]): TranscribeGolden[] {
  const known = engine === 'native' ? [...publicOptions, ...coreOptions] : publicOptions;
  // null switches a threshold off, which no engine offers yet.
  return casesWithin(goldens, known).filter(
    ({ options }) => !Object.values(options).includes(null),
  );
}

// Times are multiples of 0.02 s; what remains of a float's error is not ours to compare.
const cents = (seconds: number) => Math.round(seconds * 100);
const exactly = (segment: Segment | SegmentGolden) => ({
  id: segment.id,
  seek: segment.seek,
  start: cents(segment.start),
  end: cents(segment.end),
  text: segment.text,
  tokens: [...segment.tokens],
});

describeOnEngines(['golden'], 'transcribe()', (engine) => {
  describe.each(goldenModels)('%s', (name) => {
    let model: ConformanceModel;
    beforeAll(async () => {
      model = await loadOn(engine, await testModel(name));
    });
    afterAll(() => model.dispose());

    const cases = casesFor(engine, expected(name, 'transcribe') as TranscribeGolden[]);

    test.each(cases.map((each) => [each.audio, each.id, each] as const))(
      '%s %s',
      async (audio, _id, golden) => {
        const { options } = golden;
        const result = await model.transcribe(goldenAudio(audio), {
          language: options.language as string | undefined,
          timestamps: options.without_timestamps !== true,
          conditionOnPreviousText: options.condition_on_previous_text as boolean | undefined,
          noSpeechThreshold: options.no_speech_threshold as number | undefined,
          logprobThreshold: options.logprob_threshold as number | undefined,
        });
        expect(result.segments.map(exactly)).toEqual(golden.segments.map(exactly));
        expect(result.text).toBe(golden.text);
        expect(result.language).toBe(golden.language);
        result.segments.forEach((segment, i) => {
          const like = golden.segments[i]!;
          const off = {
            avgLogprob: Math.abs(segment.avgLogprob - like.avg_logprob),
            noSpeechProb: Math.abs(segment.noSpeechProb - like.no_speech_prob),
            compressionRatio: Math.abs(segment.compressionRatio - like.compression_ratio),
          };
          expect(off.avgLogprob).toBeLessThan(tolerances.avgLogprob);
          expect(off.noSpeechProb).toBeLessThan(tolerances.probability);
          expect(off.compressionRatio).toBeLessThan(tolerances.compressionRatio);
        });
      },
    );
  });
});
