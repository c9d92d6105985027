import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  casesWithin,
  expected,
  goldenModels,
  tolerances,
  type DecodeGolden,
} from '../support/goldens.js';
import { goldenAudio } from '../support/goldens_audio.js';
import { describeOnEngines, loadOn, type ConformanceModel } from '../support/goldens_engines.js';
import { testModel } from '../support/goldens_models.js';

/** The reference takes text or tokens. */
async function promptTokens(model: ConformanceModel, prompt: unknown) {
  if (typeof prompt === 'string') return model.encodeText(` ${prompt.trim()}`);
  return prompt as readonly number[] | undefined;
}

describeOnEngines(['golden'], 'decode()', (engine) => {
  describe.each(goldenModels)('%s', (name) => {
    let model: ConformanceModel;
    beforeAll(async () => {
      model = await loadOn(engine, await testModel(name));
    });
    afterAll(() => model.dispose());

    const goldens = expected(name, 'decode') as DecodeGolden[];
    // Prompts are the core's so far, not yet the package's.
    const known = ['language', 'without_timestamps', ...(engine === 'native' ? ['prompt'] : [])];
    const cases = casesWithin(goldens, known);

    test.each(cases.map((each) => [each.audio, each.id, each] as const))(
      '%s %s',
      async (audio, _id, golden) => {
        const { tokens, text, language, avgLogprob, noSpeechProb } = await model.decode(
          goldenAudio(audio),
          {
            language: golden.options.language as string | undefined,
            timestamps: golden.options.without_timestamps !== true,
            prompt: await promptTokens(model, golden.options.prompt),
          },
        );
        expect({ tokens: [...tokens], text, language }).toEqual({
          tokens: golden.tokens,
          text: golden.text,
          language: golden.language,
        });
        expect(Math.abs(avgLogprob - golden.avg_logprob)).toBeLessThan(tolerances.avgLogprob);
        expect(Math.abs(noSpeechProb - golden.no_speech_prob)).toBeLessThan(tolerances.probability);
      },
    );
  });
});
