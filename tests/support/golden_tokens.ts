import { expect } from '@jest/globals';
import { builtPackage } from './built_package.js';
import { toDecodeOptions } from './golden_options.js';
import { byAudio, expected, type DecodeGolden, type GoldenModel } from './goldens.js';
import { goldenAudio } from './goldens_audio.js';

/** Two recordings are enough to see every weight at work. */
const mostCases = 2;

/** What a model file makes of the recordings, by whichever weights. */
export async function decodedTokens(model: GoldenModel, path: string): Promise<number[][]> {
  const { loadModel } = await builtPackage();
  using loaded = await loadModel<'whisper'>(path);
  const found: number[][] = [];
  for (const { audio, options } of casesOf(model)) {
    found.push([...(await loaded.decode(goldenAudio(audio), toDecodeOptions(options))).tokens]);
  }
  return found;
}

const casesOf = (model: GoldenModel): DecodeGolden[] => {
  const goldens = byAudio(expected(model, 'decode') as DecodeGolden[]).slice(0, mostCases);
  expect(goldens).toHaveLength(mostCases);
  return goldens;
};

/** A converted golden model decodes to the reference's tokens. */
export async function expectGoldenTokens(model: GoldenModel, path: string): Promise<void> {
  const { loadModel } = await builtPackage();
  using loaded = await loadModel<'whisper'>(path);
  for (const { audio, options, tokens, text, id } of casesOf(model)) {
    const found = await loaded.decode(goldenAudio(audio), toDecodeOptions(options));
    expect([id, [...found.tokens], found.text]).toEqual([id, tokens, text]);
  }
}
