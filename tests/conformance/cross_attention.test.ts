// What lies under word times: the costs that are warped, the path through them, and the words before they are shortened
// and joined with punctuation. The native engine shows it.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  expected,
  goldenModels,
  tolerances,
  type AlignmentGolden,
  type Samples,
} from '../support/goldens.js';
import { goldenAudio } from '../support/goldens_audio.js';
import { casesOn, describeOnEngines } from '../support/goldens_engines.js';
import { testModel } from '../support/goldens_models.js';
import { Driver } from '../support/goldens_native.js';

interface CrossAttentionGolden extends AlignmentGolden {
  readonly neg_matrix: Samples;
  readonly dtw_text_indices: readonly number[];
  readonly dtw_time_indices: readonly number[];
}
interface Alignment {
  readonly costs: readonly number[];
  readonly path: readonly (readonly [number, number])[];
  readonly words: AlignmentGolden['words'];
}

// Costs are of the size 1; they divide by small deviations, so that errors of the attention grow.
const costTolerance = 1e-3;

const placed = ({ word, tokens, start, end }: AlignmentGolden['words'][number]) => ({
  word,
  tokens,
  start,
  end,
});

describeOnEngines(
  ['golden'],
  'cross-attention',
  () => {
    describe.each(goldenModels)('%s', (name) => {
      const driver = new Driver();
      beforeAll(async () => {
        await driver.ask('load', { path: await testModel(name) });
      });
      afterAll(() => driver.stop());

      const goldens = casesOn('native', expected(name, 'alignment') as CrossAttentionGolden[]);

      test.each(goldens.map((each) => [each.audio, each.text, each] as const))(
        '%s %s',
        async (audio, _text, golden) => {
          const { idx, val } = golden.neg_matrix;
          const alignment = (await driver.ask('align', {
            samples: driver.file(goldenAudio(audio)),
            tokens: golden.text_tokens,
            frames: golden.num_frames,
            cost_indices: idx,
            options: golden.language ? { language: golden.language } : {},
          })) as unknown as Alignment;
          const worst = Math.max(...alignment.costs.map((cost, i) => Math.abs(cost - val[i]!)));
          expect(alignment.costs).toHaveLength(val.length);
          expect(worst).toBeLessThan(costTolerance);
          expect(alignment.path).toEqual(
            golden.dtw_text_indices.map((row, i) => [row, golden.dtw_time_indices[i]]),
          );
          expect(alignment.words.map(placed)).toEqual(golden.words.map(placed));
          alignment.words.forEach(({ probability }, i) => {
            const off = Math.abs(probability - golden.words[i]!.probability);
            expect(off).toBeLessThan(tolerances.probability);
          });
        },
      );
    });
  },
  ['native'],
);
