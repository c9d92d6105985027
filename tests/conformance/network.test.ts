import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  expected,
  l2,
  largestError,
  tolerances,
  type EncoderGolden,
  type LogitsGolden,
} from '../support/goldens.js';
import { goldenAudio } from '../support/goldens_audio.js';
import {
  describeOnEngines,
  goldenModelsOn,
  loadOn,
  type ConformanceModel,
} from '../support/goldens_engines.js';
import { testModel } from '../support/goldens_models.js';

type EncoderGoldens = Record<string, { ln_post: EncoderGolden }>;

describeOnEngines(['golden'], 'encoder and logits', (engine) => {
  describe.each(goldenModelsOn(engine))('%s', (name) => {
    let model: ConformanceModel;
    beforeAll(async () => {
      model = await loadOn(engine, await testModel(name));
    });
    afterAll(() => model.dispose());

    const encoders = expected(name, 'encoder') as EncoderGoldens;
    const logits = expected(name, 'logits') as LogitsGolden[];

    test.each(Object.keys(encoders))('%s', async (audio) => {
      const golden = encoders[audio]!.ln_post;
      const output = await model.encode(await model.logMel(goldenAudio(audio), 'window'));
      expect(output).toHaveLength(golden.shape[0] * golden.shape[1]);
      expect(largestError(output, golden)).toBeLessThanOrEqual(tolerances.encoder);
      expect(Math.abs(l2(output) / golden.l2 - 1)).toBeLessThanOrEqual(
        tolerances.encoderRelativeL2,
      );

      const ofAudio = logits.filter((each) => each.audio === audio);
      for (const { fixed_idx, cases } of ofAudio) {
        for (const { tokens, last } of Object.values(cases)) {
          const values = await model.logits(tokens);
          const top = { idx: last.top20_ids, val: last.top20_logits };
          const fixed = { idx: fixed_idx, val: last.fixed_logits };
          expect(largestError(values, top)).toBeLessThanOrEqual(tolerances.logits);
          expect(largestError(values, fixed)).toBeLessThanOrEqual(tolerances.logits);
        }
      }
    });

    test('logits of every audio were compared', () => {
      const audios = Object.keys(encoders);
      expect(logits.every(({ audio }) => audios.includes(audio))).toBe(true);
    });
  });
});
