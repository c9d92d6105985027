// writeModel(): .april, BW2L and TenniS files made from their parts, read by readers of other authorship and by our own.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type {
  AprilParams,
  WritableApril,
  WritableBw2l,
  WritableBw2lSection,
  WritableTennis,
} from '../../web/src/api/write_types.js';
import { smallApril, writeApril } from '../support/april_writer.js';
import { builtPackage } from '../support/built_package.js';
import { smallBw2l, writeBw2l } from '../support/bw2l_writer.js';
import { describeWithShared, sharedFolder } from '../support/shared_folder.js';
import { readApril, readBw2l, readTennis } from '../support/specification_readers.js';
import { floats, ints, tennisNode, text, writeTennis } from '../support/tennis_writer.js';
import { asBytes, halves, pieces, values, written } from '../support/writable_models.js';

const utf8 = (content: string): Uint8Array => new TextEncoder().encode(content);

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

test('a reserved word of TenniS that is read as a negative number is written', async () => {
  const negative = { ...tennisModel(smallTennis), reservedWord: -123 };
  const file = await written(negative);
  expect(await written({ ...negative, reservedWord: 2 ** 32 - 123 })).toEqual(file);
  const { metadata } = await (await builtPackage()).inspect(file);
  expect(await written({ ...negative, reservedWord: metadata.reserved_word as number })).toEqual(
    file,
  );
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
  const { networks: found = [] } = await (await builtPackage()).inspect(file);
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
