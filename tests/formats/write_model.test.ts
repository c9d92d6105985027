// writeModel(): APR2 and APR1 files made from their parts, read by readers of other authorship and by our own.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { quantise } from '../support/block_quantiser.js';
import { builtPackage } from '../support/built_package.js';
import { readSafetensors } from '../support/checkpoint_readers.js';
import { expectGoldenTokens } from '../support/golden_tokens.js';
import { vocabularyOf } from '../support/goldens_models.js';
import { decodeLz4Stream } from '../support/lz4_blocks.js';
import { describeWithShared, sharedFolder } from '../support/shared_folder.js';
import { readApr1, readApr2 } from '../support/specification_readers.js';
import { asBytes, dims, halves, pieces, values, written } from '../support/writable_models.js';

let built: Awaited<ReturnType<typeof builtPackage>>;
const folder = mkdtempSync(join(tmpdir(), 'susurrus-write-'));
beforeAll(async () => {
  built = await builtPackage();
});
afterAll(() => rmSync(folder, { recursive: true }));

const filterbank = Float32Array.from({ length: 80 * 201 }, (_, i) => Math.fround((i % 97) / 31));
const vocabulary = ['a', ' b', 'ż', Uint8Array.of(0, 255, 173), ''];
const utf8 = (content: string): Uint8Array => new TextEncoder().encode(content);

describe('APR2', () => {
  const tensors = [
    { name: 'floats', dtype: 'f32', shape: [2, 64], data: values },
    { name: 'halves', dtype: 'f16', shape: [128], data: () => Promise.resolve(halves) },
    { name: 'to halves', dtype: 'f16', shape: [4, 32], data: () => [values] },
    {
      name: 'to blocks',
      dtype: 'q8_0',
      shape: [4, 32],
      // Cut anywhere but inside a value.
      async *data() {
        for (let at = 0; at < 128; at += 7) {
          yield await Promise.resolve(values.subarray(at, at + 7));
        }
      },
    },
    { name: 'blob', dtype: 'i16', shape: [3], data: new Blob([Int16Array.of(-1, 2, 3)]) },
    { name: 'wide', dtype: 'i64', shape: [1], data: BigInt64Array.of(-5n) },
    {
      name: 'stream',
      dtype: 'u8',
      shape: [4],
      data: () =>
        new ReadableStream<Uint8Array>({
          start(controller) {
            controller.enqueue(Uint8Array.of(1, 2, 3));
            controller.enqueue(Uint8Array.of(4));
            controller.close();
          },
        }),
    },
    { name: 'empty', dtype: 'f32', shape: [0, 3], data: [] },
  ];
  const expected = [
    asBytes(values),
    asBytes(halves),
    asBytes(halves),
    quantise('q8_0', values),
    asBytes(Int16Array.of(-1, 2, 3)),
    asBytes(BigInt64Array.of(-5n)),
    Uint8Array.of(1, 2, 3, 4),
    new Uint8Array(),
  ];
  const model = { format: 'apr2', dims, vocabulary, filterbank, tensors } as const;

  test('holds what it was given', async () => {
    const metadata = {
      model_card: { name: 'by hand' },
      tokenizer_config: { suppress_tokens: [1] },
    };
    const read = readApr2(await written({ ...model, metadata, alignment: 32 }));
    expect(read.version).toEqual([2, 0]);
    expect(read.tensors.map(({ bytes }) => bytes)).toEqual(expected);
    expect(read.tensors.map(({ name, shape }) => ({ name, shape }))).toEqual(
      tensors.map(({ name, shape }) => ({ name, shape })),
    );
    expect(read.tensors.map(({ dtype }) => dtype)).toEqual([0, 1, 1, 16, 4, 6, 7, 0]);
    expect(read.tensors.every(({ offset }) => offset % 32 === 0)).toBe(true);
    expect(read.metadata).toMatchObject({
      apr_version: '2.0.0',
      model_type: 'whisper',
      architecture: { n_vocab: 300, n_mels: 80, n_text_state: 64 },
      model_card: { name: 'by hand' },
      tokenizer_config: { suppress_tokens: [1], vocab_encoding: 'gpt2-bytes' },
      vocab: ['a', 'Ġb', 'Å¼', 'Āÿ\u0143', ''],
      mel_filterbank_shape: [80, 201],
    });
    expect(Float32Array.from(read.metadata.mel_filterbank as number[])).toEqual(filterbank);
  });

  test('is compressed where that helps', async () => {
    const zeros = { name: 'zeros', dtype: 'f32', shape: [5000], data: new Float32Array(5000) };
    const rereadable = tensors.filter(({ name }) => name !== 'wide');
    const file = await written({ ...model, tensors: [...rereadable, zeros], compress: 'lz4' });
    const read = readApr2(file);
    const last = read.tensors.at(-1);
    expect(read.flags & 1).toBe(1);
    expect(last?.rawSize).toBe(20000);
    expect(decodeLz4Stream(last?.bytes ?? new Uint8Array(), 20000)).toEqual(new Uint8Array(20000));
    expect(read.tensors[0]?.bytes).toEqual(expected[0]);
    expect((await built.verifyModel(file)).valid).toBe(true);
  });
});

describe('APR1', () => {
  const named = (dtype: string, scale?: number) => ({
    name: 'encoder.conv1.weight',
    dtype,
    shape: [2, 64],
    data: () => values,
    ...(scale !== undefined && { scale }),
  });
  const model = { format: 'apr1', dims, vocabulary, filterbank } as const;

  test('holds what it was given', async () => {
    const read = readApr1(await written({ ...model, tensors: [named('f16')] }));
    expect(read).toMatchObject({ quantization: 1, compressed: 0 });
    expect(read.dims).toEqual([300, 6, 64, 2, 1, 8, 64, 2, 1, 80]);
    expect(read.tensors).toEqual([
      { name: 'encoder.conv1.weight', shape: [2, 64], bytes: asBytes(halves), scale: undefined },
    ]);
    expect(read.vocabulary).toEqual(
      vocabulary.map((token) => (typeof token === 'string' ? utf8(token) : token)),
    );
    expect(read.filterbank).toEqual(filterbank);
  });

  test('finds the scale of integers, or takes the one that is given', async () => {
    const scale = Math.fround(values.reduce((most, v) => Math.max(most, Math.abs(v)), 0) / 127);
    const found = readApr1(await written({ ...model, tensors: [named('int8')] })).tensors[0];
    expect(found?.scale).toBe(scale);
    const integers = new Int8Array(found?.bytes.slice().buffer ?? new ArrayBuffer());
    integers.forEach((q, i) => {
      expect(Math.abs(q * scale - (values[i] ?? NaN))).toBeLessThanOrEqual(scale * 0.50001);
    });
    const given = { ...named('int8', 0.5), data: Int8Array.from(values) };
    const read = readApr1(await written({ ...model, tensors: [given] })).tensors[0];
    expect([read?.scale, read?.bytes]).toEqual([0.5, asBytes(given.data)]);
    // One pass is enough: the data may be there once.
    const once = { ...named('int8', 0.25), data: [values].values() };
    expect(readApr1(await written({ ...model, tensors: [once] })).tensors[0]?.scale).toBe(0.25);
  });

  test('is compressed as a whole', async () => {
    const read = readApr1(await written({ ...model, tensors: [named('f32')], compress: 'lz4' }));
    expect(read.compressed).toBe(1);
    expect(decodeLz4Stream(read.tensors[0]?.bytes ?? new Uint8Array(), 512)).toEqual(
      asBytes(values),
    );
  });
});

describeWithShared(['golden/models/micro'], 'the golden model, tensor by tensor', () => {
  test.each(['apr2', 'apr1'] as const)('%s gives the golden tokens', async (format) => {
    const source = join(sharedFolder, 'golden/models/micro');
    const converted = join(folder, `${format}-reference.apr`);
    await built.convertModel(source, converted, {
      dtype: 'f32',
      compress: 'none',
      vocabulary: vocabularyOf('micro'),
    });
    const reference = readApr2(new Uint8Array(readFileSync(converted)));
    const weights = readSafetensors(readFileSync(join(source, 'model.safetensors')));
    const tensors = [...weights].map(([name, { type, shape, bytes }]) => ({
      name,
      dtype: type.toLowerCase(),
      shape,
      data: () => pieces(bytes, 100_001),
    }));
    expect(tensors).toHaveLength(89);
    const { vocab, ...metadata } = reference.metadata;
    const { dims } = await built.inspect(converted);
    if (!dims) throw new Error('dims');
    const path = join(folder, `golden.${format}`);
    const tokens = (vocab as string[]).map(byteLevelBytes);
    await built.writeModel(
      path,
      format === 'apr2'
        ? { format, metadata, vocabulary: tokens, tensors }
        : { format, dims, vocabulary: tokens, tensors },
    );
    await expectGoldenTokens('micro', path);
  });
});

/** The bytes that GPT-2's printable writing stands for. */
function byteLevelBytes(token: string): Uint8Array {
  return Uint8Array.from(Array.from(token), (letter) => {
    const code = letter.codePointAt(0) ?? 0;
    if (code < 0x100) return code;
    const place = code - 0x100;
    return place < 33 ? place : place < 67 ? place - 33 + 0x7f : 0xad;
  });
}
