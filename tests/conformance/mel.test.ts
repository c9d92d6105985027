import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { largestError, sharedJson, tolerances, type MelGolden } from '../support/goldens.js';
import { goldenAudio, wavSamples } from '../support/goldens_audio.js';
import { describeOnEngines, loadOn, type ConformanceModel } from '../support/goldens_engines.js';
import { testModel, type TestModel } from '../support/goldens_models.js';

const sets: { file: string; samples: (name: string) => Float32Array }[] = [
  { file: 'golden/mel/stats.json', samples: goldenAudio },
  {
    file: 'recordings/expected/mel.json',
    samples: (name) => wavSamples(`recordings/audio/${name}.wav`),
  },
];
const models: { name: TestModel; nMels: string }[] = [
  { name: 'micro', nMels: '80' },
  { name: 'micro-v3-turbo', nMels: '128' },
];

// The two files describe the two modes in different words.
const isWhole = (golden: MelGolden) => golden.mode === 'whole' || golden.mode.includes('padding=');

describeOnEngines(['golden', 'recordings'], 'log-mel', (engine) => {
  describe.each(models)('$nMels bins', ({ name, nMels }) => {
    let model: ConformanceModel;
    beforeAll(async () => {
      model = await loadOn(engine, await testModel(name));
    });
    afterAll(() => model.dispose());

    for (const { file, samples } of sets) {
      const goldens = Object.entries(sharedJson(file) as Record<string, MelGolden>);
      const ours = goldens.filter(([key]) => key.startsWith(`${nMels}/`));
      test.each(ours)(`${file} %s`, async (key, golden) => {
        const mode = isWhole(golden) ? 'whole' : 'window';
        const mel = await model.logMel(samples(key.slice(nMels.length + 1)), mode);
        expect(mel).toHaveLength(golden.shape[0] * golden.shape[1]);
        expect(largestError(mel, golden)).toBeLessThanOrEqual(tolerances.mel);
      });
    }
  });
});
