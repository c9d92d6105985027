import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Segment } from '../../web/src/api/types.js';
import { toTranscribeOptions } from '../support/golden_options.js';
import {
  byAudio,
  expected,
  tolerances,
  type SegmentGolden,
  type TranscribeGolden,
} from '../support/goldens.js';
import { goldenAudio } from '../support/goldens_audio.js';
import {
  casesOn,
  describeOnEngines,
  goldenModelsOn,
  loadOn,
  type ConformanceModel,
} from '../support/goldens_engines.js';
import { testModel } from '../support/goldens_models.js';

// Times are given to 0.01 s; what remains of a float's error is not ours to compare.
const cents = (seconds: number) => Math.round(seconds * 100);

/** What has to be equal. Without word times the reference has `words` in segments that it cleared, and nowhere else. */
const exactly = (segment: Segment | SegmentGolden, hasWords: boolean) => ({
  id: segment.id,
  seek: segment.seek,
  start: cents(segment.start),
  end: cents(segment.end),
  text: segment.text,
  tokens: [...segment.tokens],
  words: !hasWords
    ? undefined
    : (segment.words ?? []).map(({ word, start, end }) => [word, cents(start), cents(end)]),
});

function expectNear(actual: number, golden: number, tolerance: number): void {
  expect(Math.abs(actual - golden)).toBeLessThan(tolerance);
}

describeOnEngines(['golden'], 'transcribe()', (engine) => {
  describe.each(goldenModelsOn(engine))('%s', (name) => {
    let model: ConformanceModel;
    beforeAll(async () => {
      model = await loadOn(engine, await testModel(name));
    });
    afterAll(() => model.dispose());

    const cases = byAudio(casesOn(engine, expected(name, 'transcribe') as TranscribeGolden[]));

    test.each(cases.map((each) => [each.audio, each.id, each] as const))(
      '%s %s',
      async (audio, _id, golden) => {
        const options = toTranscribeOptions(golden.options);
        const hasWords = options.timestamps === 'word';
        const result = await model.transcribe(goldenAudio(audio), options);
        expect(result.segments.map((each) => exactly(each, hasWords))).toEqual(
          golden.segments.map((each) => exactly(each, hasWords)),
        );
        expect(result.text).toBe(golden.text);
        expect(result.language).toBe(golden.language);
        result.segments.forEach((segment, i) => {
          const like = golden.segments[i]!;
          expectNear(segment.avgLogprob, like.avg_logprob, tolerances.avgLogprob);
          expectNear(segment.noSpeechProb, like.no_speech_prob, tolerances.probability);
          expectNear(segment.compressionRatio, like.compression_ratio, tolerances.compressionRatio);
          expect(segment.tokenProbabilities).toHaveLength(segment.tokens.length);
          // One temperature: nothing can be tried again.
          expect(segment.decision).toBe('kept');
          if (!hasWords) return;
          segment.words!.forEach(({ probability }, j) =>
            expectNear(probability, like.words![j]!.probability, tolerances.probability),
          );
        });
      },
    );
  });
});
