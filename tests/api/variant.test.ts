import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { relaxedSimd } from 'wasm-feature-detect';
import type { Variant } from '../../web/src/node.js';
import { chooseVariant } from '../../web/src/engine/variant.js';
import { NetworksHost } from '../../web/src/networks/networks_host.js';
import { node } from '../../web/src/node_platform.js';
import { openInProcess } from '../../web/src/worker/in_process.js';
import { openSpeakerNetworks } from '../../web/tools/speakers/speaker_networks.js';
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

/** A machine without relaxed SIMD. */
function oldMachine(): void {
  WebAssembly.Instance = function (module: WebAssembly.Module) {
    if (WebAssembly.Module.exports(module).length === 0) return new Instance(module);
    throw new WebAssembly.CompileError('unknown instruction');
  } as unknown as typeof WebAssembly.Instance;
}

/** A machine whose page forbids WebAssembly. */
function strictMachine(): void {
  WebAssembly.Instance = function () {
    throw new WebAssembly.CompileError('violates the Content Security Policy');
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
    oldMachine();
    expect(await chooseVariant(undefined)).toEqual({
      variant: 'simd',
      reason: 'relaxed SIMD is not available',
    });
    expect(await errorOf(chooseVariant('relaxed'))).toMatchObject({
      code: 'unsupported_environment',
    });
  });

  test('is not chosen where WebAssembly is forbidden: the error names the policy', async () => {
    strictMachine();
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

describe('the speaker networks', () => {
  /** The binary that they would run, and why loading ended: no binary is opened, since this machine may lack relaxed SIMD. */
  async function opened(wanted?: Variant): Promise<[Variant | undefined, unknown]> {
    let variant: Variant | undefined;
    const host = new NetworksHost((chosen) => {
      variant = chosen;
      return Promise.reject(new Error('opened'));
    });
    const platform = { ...node, openDetector: () => openInProcess(host) };
    const error = await errorOf(
      openSpeakerNetworks(platform as never, { model: new Uint8Array(8), variant: wanted }),
    );
    return [variant, error];
  }

  test.each([
    ['relaxed', 'x86 with AVX-VNNI', () => machine(4 * 127 * 255)],
    ['relaxed', 'ARM', () => machine(-4 * 127)],
    ['simd', 'x86 without AVX-VNNI', () => machine(2 * 32767)],
    ['simd', 'Node 20, whose product is wrong', () => machine(4 * 32767)],
    ['simd', 'a machine without relaxed SIMD', oldMachine],
  ] as const)('are %s on %s, as a model is', async (variant, _name, pretend) => {
    pretend();
    expect(await opened()).toMatchObject([variant, { code: 'internal_error' }]);
    expect((await chooseVariant(undefined)).variant).toBe(variant);
  });

  test('can be asked for', async () => {
    machine(4 * 127 * 255);
    expect((await opened('simd'))[0]).toBe('simd');
    machine(2 * 32767);
    expect((await opened('relaxed'))[0]).toBe('relaxed');
  });

  test('are not opened where relaxed SIMD is asked for in vain, nor where WebAssembly is forbidden', async () => {
    oldMachine();
    const unsupported = [undefined, { code: 'unsupported_environment' }];
    expect(await opened('relaxed')).toMatchObject(unsupported);
    strictMachine();
    expect(await opened()).toMatchObject(unsupported);
  });
});
