import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { byAudio, expected, tolerances, type AlignmentGolden } from '../support/goldens.js';
import { goldenAudio } from '../support/goldens_audio.js';
import {
  casesOn,
  describeOnEngines,
  goldenModelsOn,
  loadOn,
  type ConformanceModel,
} from '../support/goldens_engines.js';
import { testModel } from '../support/goldens_models.js';

// Times are multiples of 0.02 s; what remains of a float's error is not ours to compare.
const exactly = ({ word, start, end }: { word: string; start: number; end: number }) => ({
  word,
  start: Math.round(start * 100),
  end: Math.round(end * 100),
});

describeOnEngines(['golden'], 'align()', (engine) => {
  describe.each(goldenModelsOn(engine))('%s', (name) => {
    let model: ConformanceModel;
    beforeAll(async () => {
      model = await loadOn(engine, await testModel(name));
    });
    afterAll(() => model.dispose());

    const goldens = byAudio(casesOn(engine, expected(name, 'alignment') as AlignmentGolden[]));

    test.each(goldens.map((each) => [each.audio, each.text, each] as const))(
      '%s %s',
      async (audio, text, golden) => {
        expect(await model.encodeText(text)).toEqual(golden.text_tokens);
        const samples = goldenAudio(audio);
        expect(Math.floor(samples.length / 160)).toBe(golden.num_frames);
        // The goldens are of the alignment alone: no punctuation is joined.
        const words = await model.align(samples, text, {
          ...(golden.language && { language: golden.language }),
          compatibility: 'openai',
          prependPunctuations: '',
          appendPunctuations: '',
        });
        expect(words.map(exactly)).toEqual(golden.words.map(exactly));
        words.forEach(({ probability }, i) => {
          const off = Math.abs(probability - golden.words[i]!.probability);
          expect(off).toBeLessThan(tolerances.probability);
        });
      },
    );
  });
});
