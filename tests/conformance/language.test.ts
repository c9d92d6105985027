import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expected, tolerances, type LanguageGolden } from '../support/goldens.js';
import { goldenAudio } from '../support/goldens_audio.js';
import { describeOnEngines, loadOn, type ConformanceModel } from '../support/goldens_engines.js';
import { testModel } from '../support/goldens_models.js';

describeOnEngines(['golden'], 'detectLanguage()', (engine) => {
  describe.each(['micro', 'micro-v3-turbo'] as const)('%s', (name) => {
    let model: ConformanceModel;
    beforeAll(async () => {
      model = await loadOn(engine, await testModel(name));
    });
    afterAll(() => model.dispose());

    const goldens = expected(name, 'language') as LanguageGolden[];

    test.each(goldens.map((each) => [each.audio, each] as const))('%s', async (audio, golden) => {
      const detected = await model.detectLanguage(goldenAudio(audio));
      const ranking = Object.entries(golden.probs).sort(([, a], [, b]) => b - a);
      expect(detected.map(({ language }) => language)).toEqual(ranking.map(([code]) => code));
      expect(detected[0]?.language).toBe(golden.language);
      for (const { language, probability } of detected) {
        const off = Math.abs(probability - golden.probs[language]!);
        expect(off).toBeLessThan(tolerances.probability);
      }
    });

    test('among a few languages: the same order and probabilities', async () => {
      const { audio, probs } = goldens[0]!;
      const languages = ['en', 'la', 'ko'];
      const detected = await model.detectLanguage(goldenAudio(audio), { languages });
      expect(detected.map(({ language }) => language)).toEqual(
        [...languages].sort((a, b) => probs[b]! - probs[a]!),
      );
      for (const { language, probability } of detected) {
        expect(Math.abs(probability - probs[language]!)).toBeLessThan(tolerances.probability);
      }
    });
  });

  test('a model of one language has nothing to detect', async () => {
    const model = await loadOn(engine, await testModel('micro-en'));
    expect(await model.detectLanguage(goldenAudio('jfk'))).toEqual([]);
    model.dispose();
  });
});
