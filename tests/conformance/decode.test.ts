import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { DecodeOptions } from '../../web/src/api/types.js';
import { toDecodeOptions } from '../support/golden_options.js';
import {
  byAudio,
  expected,
  sharedJson,
  tolerances,
  type DecodeGolden,
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
import { shortContextModel } from '../support/short_context_model.js';

function testCases(
  load: () => Promise<ConformanceModel>,
  cases: readonly DecodeGolden[],
  besides: DecodeOptions = {},
): void {
  let model: ConformanceModel;
  beforeAll(async () => {
    model = await load();
  });
  afterAll(() => model.dispose());

  test.each(byAudio(cases).map((each) => [each.audio, each.id, each] as const))(
    '%s %s',
    async (audio, _id, golden) => {
      const options = { ...toDecodeOptions(golden.options), ...besides };
      const result = await model.decode(goldenAudio(audio), options);
      expect({ ...result, tokens: [...result.tokens] }).toMatchObject({
        tokens: golden.tokens,
        text: golden.text,
        language: golden.language,
        temperature: 0,
      });
      const { avgLogprob, noSpeechProb, compressionRatio } = result;
      expect(Math.abs(avgLogprob - golden.avg_logprob)).toBeLessThan(tolerances.avgLogprob);
      expect(Math.abs(noSpeechProb - golden.no_speech_prob)).toBeLessThan(tolerances.probability);
      expect(Math.abs(compressionRatio - golden.compression_ratio)).toBeLessThan(
        tolerances.compressionRatio,
      );
      expect(result.tokenProbabilities).toHaveLength(golden.tokens.length);
    },
  );
}

describeOnEngines(['golden'], 'decode()', (engine) => {
  describe.each(goldenModelsOn(engine))('%s', (name) => {
    const load = async () => loadOn(engine, await testModel(name));
    testCases(load, casesOn(engine, expected(name, 'decode') as DecodeGolden[]));
  });

  describe('micro with 10 s of audio context', () => {
    const recordings = sharedJson('golden/expected/micro/short_ctx500.json') as {
      decode: DecodeGolden[];
    }[];
    const cases = casesOn(
      engine,
      recordings.flatMap(({ decode }) => decode),
    );
    describe('in the file', () => {
      testCases(async () => loadOn(engine, await shortContextModel()), cases);
    });
    describe('as an option', () => {
      // The reference's first second is 17 steps of 30 s / n_audio_ctx here, which are 0.34 s in steps of 0.02 s.
      testCases(async () => loadOn(engine, await testModel('micro')), cases, {
        encoderContext: 500,
        maxInitialTimestamp: 0.34,
      });
    });
  });
});
