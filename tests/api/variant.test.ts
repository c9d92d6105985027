import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { relaxedSimd } from 'wasm-feature-detect';
import type { Variant } from '../../web/src/node.js';
import { builtPackage } from '../support/built_package.js';
import { errorOf, sampleAudio, sampleText } from '../support/embedded_model.js';

type Package = Awaited<ReturnType<typeof builtPackage>>;
let susurrus: Package;
beforeAll(async () => {
  susurrus = await builtPackage();
});

const validate = WebAssembly.validate;
afterEach(() => {
  WebAssembly.validate = validate;
});

describe('the variant', () => {
  test('is the fastest that runs here, with the reason', async () => {
    const hasRelaxed = await relaxedSimd();
    using model = await susurrus.loadModel();
    expect(model.info.variant).toBe(hasRelaxed ? 'relaxed' : 'simd');
    expect(model.info.variantReason).toMatch(/relaxed SIMD/);
  });

  test('can be asked for', async () => {
    using model = await susurrus.loadModel(undefined, { variant: 'simd' });
    expect(model.info).toMatchObject({ variant: 'simd', variantReason: 'asked for' });
    expect((await model.decode(sampleAudio())).text.trim()).toBe(sampleText);
  });

  test('has one of two names', async () => {
    const load = susurrus.loadModel(undefined, { variant: 'scalar' as Variant });
    expect(await errorOf(load)).toMatchObject({
      code: 'invalid_argument',
      details: { reason: 'option', subject: 'variant' },
    });
  });

  test('does not exist without SIMD: the error names the versions that have it', async () => {
    WebAssembly.validate = () => false;
    const error = await errorOf(susurrus.loadModel());
    expect(error).toMatchObject({
      code: 'unsupported_environment',
      details: { reason: 'environment' },
    });
    for (const version of ['Chrome 91', 'Firefox 89', 'Safari 16.4', 'Node 16.4']) {
      expect((error as Error).message).toContain(version);
    }
  });
});
