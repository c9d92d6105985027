// BW2L models: texts and times of words as the reference has them.
import { expect, test } from '@jest/globals';
import { join, resolve } from 'node:path';
import { builtPackage } from '../support/built_package.js';
import { sharedJson } from '../support/goldens.js';
import { wavSamples } from '../support/goldens_audio.js';
import { describeWithShared, sharedFolder } from '../support/shared_folder.js';

interface Heard {
  /** Absent where two tokens come too close for a verdict. */
  readonly text?: string;
  readonly words?: readonly {
    readonly word: string;
    readonly start: number;
    readonly end: number;
  }[];
}
interface Recording {
  readonly file: string;
  readonly 'digits.b2l': Heard;
  readonly 'digits-i8.b2l': Heard;
}

const needs = ['bw2l-digits', 'recordings'];

describeWithShared(needs, 'BW2L models that were trained', () => {
  const { recordings } = sharedJson('bw2l-digits/eval/expected.json') as {
    recordings: Recording[];
  };

  test.each([
    ['digits.b2l', ['f32']],
    ['digits-i8.b2l', ['i8', 'f32']],
  ] as const)('%s writes down every recording', async (file, dtypes) => {
    const model = await (
      await builtPackage()
    ).loadModel(resolve(sharedFolder, 'bw2l-digits', file));
    expect(model.info).toMatchObject({
      ...{ family: 'acoustic', format: 'BW2L 1', streams: false, languages: [], dtypes },
      ...{ workers: 1, workersReason: 'models of this family have one engine' },
    });
    for (const recording of recordings) {
      const { text, words } = recording[file];
      if (text === undefined || words === undefined) continue;
      const samples = wavSamples(join('bw2l-digits/eval', recording.file));
      const heard = await model.transcribe(samples, { timestamps: 'word', workers: 2 });
      expect([recording.file, heard.text.trim()]).toEqual([recording.file, text]);
      const found = heard.segments.flatMap((segment) => segment.words ?? []);
      expect(found.map(({ word }) => word.trim())).toEqual(words.map(({ word }) => word));
      found.forEach(({ start, end, probability }, i) => {
        expect(start).toBeCloseTo(words[i]!.start, 3);
        expect(end).toBeCloseTo(words[i]!.end, 3);
        expect(probability).toBeGreaterThan(0);
        expect(probability).toBeLessThanOrEqual(1);
      });
    }
    model.dispose();
  });

  test('int8 matrices take a quarter of the memory of floats', async () => {
    const weights: number[] = [];
    for (const file of ['digits.b2l', 'digits-i8.b2l']) {
      const model = await (
        await builtPackage()
      ).loadModel(resolve(sharedFolder, 'bw2l-digits', file));
      weights.push((await model.memory()).weightBytes);
      model.dispose();
    }
    const [floats, integers] = weights as [number, number];
    expect(floats).toBeGreaterThan(4.5e6);
    // 34 bytes for 32 weights, rows of whole blocks. Kernels, the weight norm's matrix and biases are floats in both.
    expect(integers / floats).toBeGreaterThan(0.25);
    expect(integers / floats).toBeLessThan(0.29);
  });

  test('one that hears whole recordings has no stream', async () => {
    const model = await (
      await builtPackage()
    ).loadModel(resolve(sharedFolder, 'bw2l-digits/digits.b2l'));
    expect(() => model.stream()).toThrow(
      expect.objectContaining({
        code: 'unsupported_feature',
        details: {
          reason: 'model',
          subject: 'stream',
          expected: expect.any(String),
          got: 'acoustic',
        },
      }),
    );
    model.dispose();
  });
});
