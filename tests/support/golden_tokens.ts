import { expect } from '@jest/globals';
import { builtPackage } from './built_package.js';
import { toDecodeOptions } from './golden_options.js';
import { byAudio, expected, type DecodeGolden, type GoldenModel } from './goldens.js';
import { goldenAudio } from './goldens_audio.js';

/** Two recordings are enough to see every weight at work. */
const mostCases = 2;

/** A converted golden model decodes to the reference's tokens. */
export async function expectGoldenTokens(model: GoldenModel, path: string): Promise<void> {
  const { loadModel } = await builtPackage();
  using loaded = await loadModel(path);
  const goldens = byAudio(expected(model, 'decode') as DecodeGolden[]).slice(0, mostCases);
  expect(goldens).toHaveLength(mostCases);
  for (const { audio, options, tokens, text, id } of goldens) {
    const found = await loaded.decode(goldenAudio(audio), toDecodeOptions(options));
    expect([id, [...found.tokens], found.text]).toEqual([id, tokens, text]);
  }
}
