// writeModel(): files of every format made from their parts, read by readers of other authorship and by our own.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type {
  AprilParams,
  WritableApril,
  WritableBw2l,
  WritableBw2lSection,
  WritableModel,
  WritableTennis,
} from '../../web/src/api/write_types.js';
import { smallApril, writeApril } from '../support/april_writer.js';
import { quantise } from '../support/block_quantiser.js';
import { builtPackage } from '../support/built_package.js';
import { smallBw2l, writeBw2l } from '../support/bw2l_writer.js';
import { readSafetensors } from '../support/checkpoint_readers.js';
import { collectedStream } from '../support/collected_stream.js';
import { expectGoldenTokens } from '../support/golden_tokens.js';
import { vocabularyOf } from '../support/goldens_models.js';
import { toHalf } from '../support/halves.js';
import { decodeLz4Stream } from '../support/lz4_blocks.js';
import { describeWithShared, sharedFolder } from '../support/shared_folder.js';
import {
  readApr1,
  readApr2,
  readApril,
  readBw2l,
  readTennis,
} from '../support/specification_readers.js';
import { floats, ints, tennisNode, text, writeTennis } from '../support/tennis_writer.js';

let built: Awaited<ReturnType<typeof builtPackage>>;
const folder = mkdtempSync(join(tmpdir(), 'susurrus-write-'));
beforeAll(async () => {
  built = await builtPackage();
});
afterAll(() => rmSync(folder, { recursive: true }));

async function written(model: WritableModel): Promise<Uint8Array> {
  const { stream, state, bytes } = collectedStream();
  const { byteCount } = await built.writeModel(stream, model);
  expect([state.isClosed, byteCount]).toEqual([true, bytes().length]);
  return bytes();
}

const dims = {
  nVocab: 300,
  nAudioCtx: 6,
  nTextCtx: 8,
  nMels: 80,
  nAudioLayer: 1,
  nTextLayer: 1,
  nAudioHead: 2,
  nTextHead: 2,
  nAudioState: 64,
  nTextState: 64,
};
const values = Float32Array.from({ length: 128 }, (_, i) => Math.sin(i) * (i % 7));
const halves = Uint16Array.from(values, toHalf);
const filterbank = Float32Array.from({ length: 80 * 201 }, (_, i) => Math.fround((i % 97) / 31));
const vocabulary = ['a', ' b', 'ż', Uint8Array.of(0, 255, 173), ''];
const utf8 = (content: string): Uint8Array => new TextEncoder().encode(content);
const asBytes = (view: ArrayBufferView): Uint8Array =>
  new Uint8Array(view.buffer, view.byteOffset, view.byteLength);

describe('APR2', () => {
  const tensors = [
    { name: 'floats', dtype: 'f32', shape: [2, 64], data: values },
    { name: 'halves', dtype: 'f16', shape: [128], data: () => Promise.resolve(halves) },
    { name: 'to halves', dtype: 'f16', shape: [4, 32], data: () => [values] },
    {
      name: 'to blocks',
      dtype: 'q5_1',
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
    quantise('q5_1', values),
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
    expect(read.tensors.map(({ dtype }) => dtype)).toEqual([0, 1, 1, 20, 4, 6, 7, 0]);
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
    expect((await built.verifyModel(file)).isSound).toBe(true);
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

const paramNames = [
  ...['batch_size', 'segment_size', 'segment_step', 'mel_features', 'samplerate'],
  ...['frame_shift_ms', 'frame_length_ms', 'round_pow2', 'mel_low', 'mel_high'],
  ...['snip_edges', 'token_count', 'blank_token_id'],
];

/** What a file holds, as writeModel() takes it; data are asked for in pieces of odd sizes. */
function aprilModel(file: Uint8Array): WritableApril {
  const { numbers, networks, ...rest } = readApril(file);
  const [encoder, decoder, joiner] = networks.map((bytes) => ({
    byteCount: bytes.length,
    data: pieces(bytes, 77777),
  }));
  const params = Object.fromEntries(
    paramNames.map((name, i) => [name, numbers[i]]).filter(([name]) => name !== 'token_count'),
  ) as unknown as AprilParams;
  if (!encoder || !decoder || !joiner) throw new Error('three networks');
  return { format: 'april', ...rest, params, networks: { encoder, decoder, joiner } };
}

function* pieces(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

function bw2lModel(file: Uint8Array): WritableBw2l {
  const { name, sections } = readBw2l(file);
  return {
    format: 'bw2l',
    name,
    sections: sections.map((section): WritableBw2lSection => {
      const { name, type, description } = section;
      const head = { name, description };
      if ('entries' in section) return { ...head, type: 'keyval', entries: section.entries };
      if ('array' in section) {
        const { bytes, ...array } = section.array;
        return {
          ...head,
          type: 'array',
          ...(array as { dtype: 'fp32'; length: number }),
          data: bytes,
        };
      }
      if ('layers' in section) {
        const layers = section.layers.map(({ arrays, ...layer }) => ({
          ...layer,
          arrays: arrays.map(({ dtype, length, bytes }) => ({
            dtype: dtype as 'fp32',
            length,
            data: () => pieces(bytes, 9999),
          })),
        }));
        return { ...head, type: 'layers', layers };
      }
      return type === 'utf8'
        ? { ...head, type, text: section.bytes }
        : { ...head, type, data: section.bytes };
    }),
  };
}

const tennisModel = (file: Uint8Array): WritableTennis => ({
  format: 'tennis',
  ...readTennis(file),
});

const smallTennis = writeTennis({
  reservedWord: 0xcafebabe,
  userBytes: utf8('made by hand'),
  inputs: [0],
  outputs: [3],
  nodes: [
    tennisNode('<param>', 'image', [], ['#shape', ints([2], -1, 4)]),
    tennisNode('<const>', 'weight', [], ['value', floats([2, 1], 0.5, -1), ints([], 3)]),
    tennisNode('inner_prod', 'product', [0, 1], ['format', text('any')], ['none']),
    tennisNode('relu', 'größe', [2]),
  ],
});

describe('a file that another program wrote comes back byte for byte from its parts', () => {
  test.each([
    ['.april', aprilModel, writeApril(smallApril)],
    ['BW2L', bw2lModel, writeBw2l('small', smallBw2l)],
    ['TenniS', tennisModel, smallTennis],
  ] as const)('%s', async (_, modelOf, file) => {
    expect(await written(modelOf(file))).toEqual(file);
  });

  describeWithShared(['april-digits', 'bw2l-digits'], 'trained models', () => {
    test.each([
      ['april-digits/digits.april', aprilModel],
      ['bw2l-digits/digits.b2l', bw2lModel],
      ['bw2l-digits/digits-i8.b2l', bw2lModel],
    ] as const)('%s', async (name, modelOf) => {
      const file = new Uint8Array(readFileSync(join(sharedFolder, name)));
      expect(Buffer.compare(await written(modelOf(file)), file)).toBe(0);
    });
  });
});

test('an .april file has its parts in the order asked for', async () => {
  const model = aprilModel(writeApril(smallApril));
  const file = await written({ ...model, order: ['params', 'joiner', 'encoder', 'decoder'] });
  const { networks, tokens } = readApril(file);
  expect(networks).toEqual(smallApril.networks);
  expect(tokens).toEqual(smallApril.tokens.map(utf8));
  const { networks: found = [] } = await built.inspect(file);
  const [encoder, decoder, joiner] = found.map(({ offset }) => offset);
  expect([joiner, encoder, decoder].toSorted((a = 0, b = 0) => a - b)).toEqual([
    joiner,
    encoder,
    decoder,
  ]);
});

test('values become the floats of BW2L and TenniS', async () => {
  const model = bw2lModel(writeBw2l('small', smallBw2l));
  const array = { name: 'more', type: 'array', dtype: 'fp16', length: 128, data: values } as const;
  const read = readBw2l(await written({ ...model, sections: [...model.sections, array] }));
  expect(read.sections.at(-1)).toMatchObject({ array: { dtype: 'fp16', bytes: asBytes(halves) } });
  const graph = readTennis(
    await written({
      format: 'tennis',
      inputs: [],
      outputs: [0],
      nodes: [
        {
          op: '<const>',
          name: 'weight',
          parameters: [
            { name: 'value', fields: [{ dtype: 'f16', shape: [128], data: () => values }] },
          ],
        },
      ],
    }),
  );
  expect(graph.nodes[0]?.parameters.map(({ name }) => name)).toEqual(['#op', '#name', 'value']);
  expect(graph.nodes[0]?.parameters[2]?.fields[0]?.data).toEqual(asBytes(halves));
});

test('integers of 64 bits are kept exactly', async () => {
  const model = bw2lModel(writeBw2l('small', smallBw2l));
  const sections = model.sections.map((section) =>
    'layers' in section
      ? {
          ...section,
          layers: section.layers.map((layer) => ({ ...layer, offset: -(2n ** 63n) + 1n })),
        }
      : section,
  );
  const read = readBw2l(await written({ ...model, sections }));
  const layers = read.sections.find((section) => 'layers' in section);
  expect(layers && 'layers' in layers && layers.layers[0]?.offset).toBe(-(2n ** 63n) + 1n);
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
