// An early start with every kind of file: it gives what a model gives that was loaded first, or is loaded first.
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { LoadOptions, ModelSource } from '../../web/src/api/types.js';
import { tinyApr1, writeApr1 } from '../support/apr1_writer.js';
import { writeApr2 } from '../support/apr2_writer.js';
import { builtPackage } from '../support/built_package.js';
import { inPieces } from '../support/embedded_model.js';
import { fingerprint } from '../support/model_fingerprint.js';
import { signers, writeSealed } from '../support/sealed_writer.js';
import { asFiles, tinyShards } from '../support/sharded_model.js';
import { tinyWhisper } from '../support/tiny_whisper.js';

type Package = Awaited<ReturnType<typeof builtPackage>>;
let susurrus: Package;
beforeAll(async () => {
  susurrus = await builtPackage();
});

const samples = Float32Array.from({ length: 6400 }, (_, i) => Math.sin(i / 3) / 4);

/** What is heard with the model, begun at once, and whatever depends on its weights; and what it says of itself. */
async function heard(source: ModelSource, options: LoadOptions) {
  const model = await susurrus.loadModel<'whisper'>(source, { variant: 'simd', ...options });
  const window = await model.decode(samples).catch((error: unknown) => String(error));
  await model.loaded;
  const { info } = model;
  return { info, window, numbers: await fingerprint(Promise.resolve(model)) };
}

const key = Uint8Array.from({ length: 32 }, (_, i) => i + 1);
const [signer] = signers;
const plain = tinyWhisper();
const backwards = { ...plain, tensors: [...plain.tensors].reverse() };
const seals = { encryption: { key, pieceSize: 4096 }, digests: { pieceSize: 4096 }, signer };
const pieces = (bytes: Uint8Array) => (): ModelSource => inPieces(bytes, 777);

const files: readonly (readonly [string, () => ModelSource, LoadOptions?])[] = [
  ['APR2', pieces(writeApr2(plain))],
  ['APR2 with LZ4', pieces(writeApr2(tinyWhisper({ compress: true })))],
  ['APR2 whose decoder comes first', pieces(writeApr2(backwards))],
  [
    'APR2, encrypted and signed',
    pieces(writeSealed(plain, seals).bytes),
    { key, publicKeys: [signer.publicKey] },
  ],
  ['APR2 in shards', () => asFiles(tinyShards())],
  ['APR1', pieces(writeApr1(tinyApr1()))],
];

describe('an early start of', () => {
  test.each(files)('%s', async (_, source, options = {}) => {
    const whole = await heard(source(), options);
    expect(whole.numbers.length).toBeGreaterThan(100);
    expect(await heard(source(), { ...options, early: true })).toEqual(whole);
  });
});
