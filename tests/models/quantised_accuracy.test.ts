// Bounds on what q8_0 costs; `npm run evaluate:accuracy` measures all formats at full size.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { follow, wander } from '../../scripts/evaluate/accuracy/hearing.mjs';
import { relativeError } from '../../scripts/evaluate/accuracy/measures.mjs';
import { RawModel } from '../../scripts/evaluate/accuracy/raw_engine.mjs';
import { writeStoredValues } from '../../scripts/evaluate/accuracy/stored_values.mjs';
import { summarise } from '../../scripts/evaluate/accuracy/summary.mjs';
import { writeRandomModel } from '../../scripts/random_model.mjs';
import { hasSettledRelaxedSimd } from '../../scripts/toolchain/node_flags.mjs';
import { builtPackage } from '../support/built_package.js';
import { sampleAudio } from '../support/embedded_model.js';
import { describeWithShared, projectRoot, sharedFolder } from '../support/shared_folder.js';

const dist = join(projectRoot, 'dist');
const variants = hasSettledRelaxedSimd() ? (['simd', 'relaxed'] as const) : (['simd'] as const);

const folder = mkdtempSync(join(tmpdir(), 'susurrus-accuracy-'));
afterAll(() => rmSync(folder, { recursive: true }));
const path = (name: string) => join(folder, name);

/** The model of a folder in f32, in q8_0, and in f32 with q8_0's values. */
async function writeModels(source: string, name: string) {
  const { convertModel, inspect } = await builtPackage();
  const files = {
    f32: path(`${name}-f32.apr`),
    q8_0: path(`${name}-q8_0.apr`),
    same: path(`${name}-same.apr`),
  };
  await convertModel(source, files.f32, { dtype: 'f32', compress: 'none' });
  await convertModel(source, files.q8_0, { dtype: 'q8_0', compress: 'none' });
  const { tensors } = await inspect(files.q8_0);
  writeStoredValues(files.q8_0, tensors, source, path(`${name}-values`));
  await convertModel(path(`${name}-values`), files.same, { dtype: 'f32', compress: 'none' });
  return files;
}

describe.each([
  ['plain', false],
  ['with outlier channels', true],
])('random weights, %s', (name, outliers) => {
  let files: Awaited<ReturnType<typeof writeModels>>;

  beforeAll(async () => {
    const ranks = Array.from(
      { length: 256 },
      (_, byte) => `${Buffer.from([byte]).toString('base64')} ${byte}\n`,
    );
    writeFileSync(path('ranks'), ranks.join(''));
    writeRandomModel('micro', path('ranks'), path(name), { outliers });
    files = await writeModels(path(name), name);
  });

  test.each(variants)('q8_0 computes what its values give, on %s', async (variant) => {
    const load = (file: string) => RawModel.load(dist, file, variant);
    const windows = [sampleAudio()];
    const same = await load(files.same);
    const { startOfTranscript, endOfText } = same.facts.special;
    const prompt = [startOfTranscript];
    const { heard, histories } = wander(same, windows, prompt, endOfText, 32);
    const quantised = follow(await load(files.q8_0), windows, prompt, histories);
    const exact = follow(await load(files.f32), windows, prompt, histories);
    const width = same.facts.dims.nAudioState;
    const kernels = summarise(quantised, heard, width);
    const rounding = summarise(heard, exact, width);
    // Integers may cost what the weights' rounding costs, twice at the most.
    expect(rounding.encoder).toBeGreaterThan(0);
    expect(kernels.encoder).toBeLessThan(2 * rounding.encoder);
    expect(kernels.logits).toBeLessThan(2 * rounding.logits);
  });
});

describeWithShared(['digits-model/model', 'digits-model/eval'], 'the digits model in q8_0', () => {
  let files: Awaited<ReturnType<typeof writeModels>>;
  beforeAll(async () => {
    files = await writeModels(join(sharedFolder, 'digits-model/model'), 'digits');
  });

  test.each(variants)('hears what f32 weights hear, on %s', async (variant) => {
    const { loadModel } = await builtPackage();
    const hear = async (file: string) => {
      using model = await loadModel<'whisper'>(file, { variant });
      const texts: string[] = [];
      for (const name of ['short-0', 'short-1', 'short-2', 'medium-0']) {
        const sound = readFileSync(join(sharedFolder, `digits-model/eval/${name}.wav`));
        texts.push((await model.transcribe(sound)).text);
      }
      return { texts, states: await model.encode(await model.logMel(sampleAudio())) };
    };
    const exact = await hear(files.f32);
    const quantised = await hear(files.q8_0);
    expect(quantised.texts).toEqual(exact.texts);
    expect(relativeError(quantised.states, exact.states)).toBeLessThan(0.02);
  });
});
