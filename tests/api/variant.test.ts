import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { relaxedSimd } from 'wasm-feature-detect';
import type { Variant } from '../../web/src/node.js';
import { chooseVariant } from '../../web/src/engine/variant.js';
import { builtPackage } from '../support/built_package.js';
import { errorOf, sampleAudio, sampleText } from '../support/embedded_model.js';

type Package = Awaited<ReturnType<typeof builtPackage>>;
let susurrus: Package;
beforeAll(async () => {
  susurrus = await builtPackage();
});

const { validate, Instance } = WebAssembly;
afterEach(() => {
  WebAssembly.validate = validate;
  WebAssembly.Instance = Instance;
});

/** A machine whose relaxed dot product of bytes 127 and 255 is this. */
function machine(product: number): void {
  WebAssembly.Instance = function () {
    return { exports: { p: () => product } };
  } as unknown as typeof WebAssembly.Instance;
}

describe('the variant', () => {
  test('says why it was chosen', async () => {
    const hasRelaxed = await relaxedSimd();
    using model = await susurrus.loadModel<'whisper'>('digits');
    expect(['simd', hasRelaxed ? 'relaxed' : 'simd']).toContain(model.info.variant);
    expect(model.info.variantReason).toMatch(/relaxed SIMD/);
  });

  test.each([
    ['relaxed', 'x86 with AVX-VNNI', 4 * 127 * 255],
    ['relaxed', 'ARM', -4 * 127],
    ['simd', 'x86 without AVX-VNNI', 2 * 32767],
    ['simd', 'Node 20, whose product is wrong', 4 * 32767],
  ] as const)('is %s on %s', async (variant, _name, product) => {
    machine(product);
    const choice = await chooseVariant(undefined);
    expect(choice.variant).toBe(variant);
    expect(choice.reason).toMatch(/relaxed SIMD is available/);
    expect(await chooseVariant('relaxed')).toEqual({ variant: 'relaxed', reason: 'asked for' });
  });

  test('is simd where there is no relaxed SIMD, and relaxed cannot be asked for', async () => {
    WebAssembly.Instance = function (module: WebAssembly.Module) {
      if (WebAssembly.Module.exports(module).length === 0) return new Instance(module);
      throw new WebAssembly.CompileError('unknown instruction');
    } as unknown as typeof WebAssembly.Instance;
    expect(await chooseVariant(undefined)).toEqual({
      variant: 'simd',
      reason: 'relaxed SIMD is not available',
    });
    expect(await errorOf(chooseVariant('relaxed'))).toMatchObject({
      code: 'unsupported_environment',
    });
  });

  test('is not chosen where WebAssembly is forbidden: the error names the policy', async () => {
    WebAssembly.Instance = function () {
      throw new WebAssembly.CompileError('violates the Content Security Policy');
    } as unknown as typeof WebAssembly.Instance;
    for (const wanted of [undefined, 'simd', 'relaxed'] as const) {
      expect(await errorOf(chooseVariant(wanted))).toMatchObject({
        code: 'unsupported_environment',
        message: expect.stringContaining("'wasm-unsafe-eval'") as unknown,
      });
    }
  });

  test('can be asked for', async () => {
    using model = await susurrus.loadModel<'whisper'>('digits', { variant: 'simd' });
    expect(model.info).toMatchObject({ variant: 'simd', variantReason: 'asked for' });
    expect((await model.decode(sampleAudio())).text.trim()).toBe(sampleText);
  });

  test('has one of two names', async () => {
    const load = susurrus.loadModel<'whisper'>('digits', { variant: 'scalar' as Variant });
    expect(await errorOf(load)).toMatchObject({
      code: 'invalid_argument',
      details: { reason: 'option', subject: 'variant' },
    });
  });

  test('does not exist without SIMD: the error names the versions that have it', async () => {
    WebAssembly.validate = () => false;
    const error = await errorOf(susurrus.loadModel<'whisper'>('digits'));
    expect(error).toMatchObject({
      code: 'unsupported_environment',
      details: { reason: 'environment' },
    });
    for (const version of ['Chrome 91', 'Firefox 89', 'Safari 16.4', 'Node 16.4']) {
      expect((error as Error).message).toContain(version);
    }
  });
});
