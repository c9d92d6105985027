// Blocks of 4 and 5 bits: better than ggml's plain rounding, the same blocks that a native build writes, and attention's matrices
// one type wider than 4 bits.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { apr2Tensors } from '../support/apr2_tensors.js';
import { quantise, type BlockType } from '../support/block_quantiser.js';
import { builtPackage } from '../support/built_package.js';
import { errorOf } from '../support/embedded_model.js';
import { fromHalf } from '../support/halves.js';
import { safetensors, tinyTensors, writeHubFolder } from '../support/hub_folder.js';

const root = mkdtempSync(join(tmpdir(), 'susurrus-fitted-'));
afterAll(() => {
  rmSync(root, { recursive: true });
});

const name = 'encoder.blocks.0.mlp.0.weight';

/** Bell-shaped, from the generator that tests/cpp/convert/quantize_test.cc has. */
function values(count: number): Float32Array {
  let state = 1;
  const uniform = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) / 2 ** 24 - 0.5;
  };
  const sum = (total: number) => Math.fround(total + uniform());
  return Float32Array.from({ length: count }, () => sum(sum(sum(sum(0)))) / 16);
}

/** The folder's weights with one tensor replaced. */
function weightsWith(tensor: Float32Array): Uint8Array {
  const file = safetensors(tinyTensors);
  const headerBytes = Number(new DataView(file.buffer).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(file.subarray(8, 8 + headerBytes))) as Record<
    string,
    { data_offsets: [number, number] }
  >;
  file.set(new Uint8Array(tensor.buffer), 8 + headerBytes + header[name]!.data_offsets[0]);
  return file;
}

function fnv1a(bytes: Uint8Array): string {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}

/** What the native test expects of the same values. */
const hashes = { q4_0: '3a764238', q4_1: '987557b2', q5_0: 'a74aed2f', q5_1: 'b131036a' } as const;

test.each(Object.entries(hashes) as [BlockType & keyof typeof hashes, string][])(
  '%s',
  async (dtype, hash) => {
    const { convertModel, openModelFile } = await builtPackage();
    const expected = values(128 * 32);
    const folder = writeHubFolder(mkdtempSync(join(root, 'hub-')), {
      'model.safetensors': weightsWith(expected),
    });
    const path = join(folder, 'model.apr');
    const { tensors } = await convertModel(folder, path, { dtype, compress: 'none' });
    const [type, bytes] = (await apr2Tensors(path)).get(name)!;
    expect([type, fnv1a(bytes)]).toEqual([dtype, hash]);

    const squares = (list: Float32Array) => list.reduce((sum, value) => sum + value * value, 0);
    const plain = dequantised(dtype, quantise(dtype, expected));
    const plainError = Math.sqrt(
      squares(plain.map((v, i) => v - expected[i]!)) / squares(expected),
    );
    using file = await openModelFile(path);
    const { values: decoded } = await file.tensor(name);
    const error = Math.sqrt(squares(decoded.map((v, i) => v - expected[i]!)) / squares(expected));
    expect(error).toBeLessThan(0.97 * plainError);
    const stated = tensors.find((tensor) => tensor.name === name)!.relativeError;
    expect(stated).toBeCloseTo(error, 6);
  },
);

test.each([
  ['q4_0', 'q5_0'],
  ['q4_1', 'q5_1'],
  ['q5_0', 'q8_0'],
  ['q5_1', 'q8_0'],
] as const)(
  '%s: attention is %s, unless ggml is written or it is stored so',
  async (dtype, wider) => {
    const { convertModel } = await builtPackage();
    const folder = writeHubFolder(mkdtempSync(join(root, 'hub-')));
    const at = (file: string) => join(folder, file);
    const typesOf = async (file: string) => {
      const tensors = await apr2Tensors(at(file));
      return ['attn.query', 'cross_attn.out', 'mlp.0'].map(
        (part) => tensors.get(`decoder.blocks.0.${part}.weight`)![0],
      );
    };
    const options = { dtype, compress: 'none' } as const;
    await convertModel(folder, at('mixed.apr'), options);
    expect(await typesOf('mixed.apr')).toEqual([wider, wider, dtype]);
    await convertModel(at('mixed.apr'), at('again.apr'), options);
    expect(await apr2Tensors(at('again.apr'))).toEqual(await apr2Tensors(at('mixed.apr')));

    const error = await errorOf(convertModel(at('mixed.apr'), at('no.bin'), { format: 'ggml' }));
    expect(error).toMatchObject({
      code: 'invalid_argument',
      details: { expected: 'a dtype, since ggml has one for all matrices' },
    });
    await convertModel(folder, at('plain.bin'), { dtype, format: 'ggml' });
    await convertModel(at('plain.bin'), at('plain.apr'), options);
    expect(await typesOf('plain.apr')).toEqual([dtype, dtype, dtype]);
  },
);

/** Values of ggml's blocks. */
function dequantised(type: BlockType, blocks: Uint8Array): Float32Array {
  const view = new DataView(blocks.buffer, blocks.byteOffset);
  const hasMinimum = type.endsWith('_1');
  const isWide = type.startsWith('q5');
  const nibbles = 2 + (hasMinimum ? 2 : 0) + (isWide ? 4 : 0);
  const size = nibbles + 16;
  const offset = hasMinimum ? 0 : isWide ? 16 : 8;
  return Float32Array.from({ length: (blocks.length / size) * 32 }, (_, at) => {
    const begin = Math.floor(at / 32) * size;
    const i = at % 32;
    const low = (blocks[begin + nibbles + (i % 16)]! >> (i < 16 ? 0 : 4)) & 15;
    const bits = isWide ? view.getUint32(begin + nibbles - 4, true) : 0;
    const q = low + (((bits >>> i) & 1) << 4) - offset;
    const m = hasMinimum ? fromHalf(view.getUint16(begin + 2, true)) : 0;
    return q * fromHalf(view.getUint16(begin, true)) + m;
  });
}
