// logMel() of samples alone: what a Whisper computes, with any filterbank.
import { beforeAll, expect, test } from '@jest/globals';
import { builtPackage } from '../support/built_package.js';
import { errorOf, modelPath, sampleAudio } from '../support/embedded_model.js';

let susurrus: Awaited<ReturnType<typeof builtPackage>>;
const samples = sampleAudio();
beforeAll(async () => {
  susurrus = await builtPackage();
});

const kilohertz = (hertz: number): Float32Array =>
  Float32Array.from({ length: 1600 }, (_, i) => Math.sin((2 * Math.PI * hertz * i) / 16000));

test('is bit for bit what a loaded Whisper computes, with the filterbank of its file or Whisper’s own', async () => {
  using file = await susurrus.openModelFile(modelPath);
  using model = await susurrus.loadModel<'whisper'>(modelPath);
  const filterbank = await file.filterbank();
  for (const mode of ['window', 'whole'] as const) {
    const expected = await model.logMel(samples, { mode });
    const { nMels } = expected;
    expect(await susurrus.logMel(samples, { mode, filterbank, nMels })).toEqual(expected);
  }
  const usual = await susurrus.logMel(samples);
  expect([usual.nMels, usual.nFrames, usual.data.length]).toEqual([80, 3000, 240_000]);
  expect(usual).toEqual(await susurrus.logMel(samples, { filterbank: undefined, nMels: 80 }));
  expect((await susurrus.logMel(samples, { nMels: 128 })).nMels).toBe(128);
});

test('has the bands that the filterbank has', async () => {
  // Two bands of one bin each, of 40 Hz: 1000 Hz and 3000 Hz.
  const values = new Float32Array(2 * 201);
  values[25] = values[201 + 75] = 1;
  const filterbank = { shape: [2, 201], values } as const;
  const { data, nFrames } = await susurrus.logMel(kilohertz(3000), { filterbank });
  expect(nFrames).toBe(3000);
  const [low, high] = [data[5]!, data[nFrames + 5]!];
  expect(high - low).toBeGreaterThan(1.5);
  const other = await susurrus.logMel(kilohertz(1000), { filterbank });
  expect(other.data[5]! - other.data[nFrames + 5]!).toBeGreaterThan(1.5);
});

test('refuses what is none', async () => {
  const values = new Float32Array(80 * 201);
  const cases: readonly (readonly [unknown, object, string])[] = [
    [[0, 1], {}, 'samples'],
    [samples, { nMels: 0 }, 'nMels'],
    [samples, { mode: 'all' }, 'mode'],
    [samples, { filterbank: values }, 'filterbank'],
    [samples, { filterbank: { shape: [80, 200], values } }, 'filterbank'],
    [samples, { filterbank: { shape: [80, 201], values: values.map(() => NaN) } }, 'filterbank'],
    [samples, { filterbank: { shape: [80, 201], values }, nMels: 128 }, 'nMels'],
    [Float32Array.of(0, 32768), {}, 'audio'],
  ];
  for (const [given, options, subject] of cases) {
    const error = await errorOf(susurrus.logMel(given as Float32Array, options));
    expect([subject, error]).toEqual([
      subject,
      expect.objectContaining({
        code: 'invalid_argument',
        details: expect.objectContaining({ subject }),
      }),
    ]);
  }
  const signal = AbortSignal.abort('enough');
  expect(await errorOf(susurrus.logMel(samples, { signal }))).toBe('enough');
});
