// apr.md §10, cases 1 to 30 and the model level, through the public API: code, reason, offset and subject of each.
import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  filterbankSection,
  tinyApr1,
  vocabularySection,
  withCrc,
  writeApr1,
  writeApr1Json,
  type Apr1File,
  type Apr1Tensor,
} from '../support/apr1_writer.js';
import { builtPackage } from '../support/built_package.js';
import { errorOf } from '../support/embedded_model.js';
import { lz4Stream } from '../support/lz4_blocks.js';
import { tinyDims } from '../support/tiny_whisper.js';

type Package = Awaited<ReturnType<typeof builtPackage>>;
let susurrus: Package;
beforeAll(async () => {
  susurrus = await builtPackage();
});

const ascii = (text: string) => new TextEncoder().encode(text);
const floats = (...values: number[]) => new Uint8Array(Float32Array.from(values).buffer);

/** apr.md §11, G1. */
const golden: Apr1File = {
  dims: {
    ...{ n_vocab: 51865, n_audio_ctx: 1500, n_text_ctx: 448, n_mels: 80, n_audio_layer: 4 },
    ...{ n_text_layer: 4, n_audio_head: 6, n_text_head: 6, n_audio_state: 384, n_text_state: 384 },
  },
  tensors: [{ name: 'encoder.conv1.bias', dims: [4], stored: floats(0, 1, -2, 0.5) }],
  vocabulary: vocabularySection(['a', 'b', 'ab'].map(ascii), [[ascii('a'), ascii('b')]]),
  filterbank: filterbankSection(2, Float32Array.of(0, 0.5, 0, 0, 0, 0.25), 3),
};
const goldenBytes = writeApr1(golden);
const [tensor0] = golden.tensors as [Apr1Tensor];
const entry = 52;
const data = 0x94;
const vocabulary = 0xa4;
const filterbank = 0xc0;
const crc = 0xe4;

const file = (change: Partial<Apr1File>) => writeApr1({ ...golden, ...change });
const tensor = (change: Partial<Apr1Tensor>) => file({ tensors: [{ ...tensor0, ...change }] });
const patch = (at: number, ...bytes: number[]) =>
  file({ patch: Object.fromEntries(bytes.map((byte, i) => [at + i, byte])) });
const dims = (change: Partial<Apr1File['dims']>) => file({ dims: { ...golden.dims, ...change } });
const cut = (count: number) => goldenBytes.slice(0, count);
const grown = (count: number) => Uint8Array.from([...goldenBytes, ...new Uint8Array(count)]);

/** Two tensors and nothing else. */
const two = (change: Partial<Apr1Tensor>, besides: Partial<Apr1File> = {}) =>
  writeApr1({
    dims: golden.dims,
    tensors: [
      { name: 'a', dims: [4], stored: floats(1, 2, 3, 4) },
      { name: 'b', dims: [4], stored: floats(5, 6, 7, 8), ...change },
    ],
    ...besides,
  });
const twoData = 52 + 2 * 96;
const scaled = (scale: number) =>
  writeApr1({
    dims: golden.dims,
    quantization: 2,
    tensors: ['a', 'b'].map((name) => ({
      ...{ name, dims: [4], stored: Uint8Array.of(1, 2, 3, 4) },
      scale: name === 'b' ? scale : 1,
    })),
  });
const lz4 = (stored: Uint8Array) =>
  writeApr1({ dims: golden.dims, compressed: 1, tensors: [{ name: 'a', dims: [16], stored }] });
const good = lz4Stream(new Uint8Array(64));
const lz4Data = 52 + 96;
/** A first convolution, whose input channels a filterbank has to fit. */
const conv1 = (channels: number, nMels: number, nFreqs = 201) =>
  writeApr1({
    dims: golden.dims,
    tensors: [
      {
        ...{ name: 'encoder.conv1.weight', dims: [1, channels, 3] },
        stored: new Uint8Array(12 * channels),
      },
    ],
    filterbank: filterbankSection(nMels, new Float32Array(nMels * nFreqs), nFreqs),
  });

type Case = [
  ...[name: string, code: string, reason: string],
  ...[offset: number, subject: string, bytes: Uint8Array],
];

const headerCases: Case[] = [
  ['1 empty', 'truncated_input', 'truncated', 0, 'file', new Uint8Array()],
  ['2 unknown', 'unknown_format', 'not_a_model', 0, 'file', new Uint8Array(99).fill(0x55)],
  ['3 version 0', 'unsupported_version', 'version', 4, 'version', file({ version: 0 })],
  ['3 version 9', 'unsupported_version', 'version', 4, 'version', file({ version: 9 })],
  ['6 header cut', 'truncated_input', 'truncated', 51, 'header', cut(51)],
  ['7 int4', 'unsupported_feature', 'unsupported', 7, 'quantization', file({ quantization: 3 })],
  ['8 compressed', 'unsupported_feature', 'unsupported', 8, 'compressed', file({ compressed: 2 })],
  ['9 a flag', 'unsupported_feature', 'unsupported_flag', 11, 'flags', file({ flags: 16 })],
  ...[9, 65535].map((tensorCount): Case => {
    const bytes = file({ tensorCount });
    return [
      `10 ${tensorCount} tensors`,
      ...(['truncated_input', 'truncated', bytes.length, 'tensor index', bytes] as const),
    ];
  }),
  ['11 none', 'malformed', 'no_tensors', 9, 'n_tensors', file({ tensorCount: 0 })],
  ['43 dims', 'malformed', 'bad_metadata', 16, 'n_audio_ctx', dims({ n_audio_ctx: 0 })],
  ['44 heads', 'malformed', 'bad_metadata', 20, 'n_audio_state', dims({ n_audio_head: 5 })],
  [
    ...(['81 Moonshine', 'unsupported_feature', 'model', 48, 'n_mels'] as const),
    dims({ n_mels: 0, n_vocab: 32768 }),
  ],
];

const { name } = tensor0 as { name: string };
const indexCases: Case[] = [
  ['4 wraps', 'malformed', 'bounds', entry, name, tensor({ offset: 2n ** 64n - 8n })],
  ['12 no name', 'malformed', 'bad_name', entry, 'name', tensor({ name: '' })],
  [
    ...(['12 no UTF-8', 'malformed', 'bad_name', entry, 'name'] as const),
    tensor({ name: Uint8Array.from([...ascii('n'.repeat(47)), 0xc3]) }),
  ],
  ['13 after a zero', 'malformed', 'bad_name', entry, 'name', tensor({ name: 'a\0b' })],
  ['14 twice', 'malformed', 'duplicate', entry, 'a', two({ name: 'a' })],
  ['15 rank 0', 'malformed', 'bad_shape', entry, name, tensor({ rank: 0 })],
  ['15 rank 5', 'malformed', 'bad_shape', entry, name, tensor({ rank: 5 })],
  ['16 elements', 'malformed', 'bad_shape', entry, name, tensor({ elementCount: 3 })],
  [
    ...(['16 overflows', 'malformed', 'bad_shape', entry, name] as const),
    tensor({ dims: [2 ** 31, 2 ** 31, 4], elementCount: 0 }),
  ],
  ['17 size', 'malformed', 'size_mismatch', entry, name, tensor({ size: 12 })],
  ['18 past the end', 'malformed', 'bounds', twoData + 4096, 'b', two({ offset: 4096 })],
  ['19 overlap', 'malformed', 'layout', twoData + 8, 'b', two({ offset: 8 })],
  [
    ...(['19 gap', 'malformed', 'layout', twoData + 20, 'b'] as const),
    two({ offset: 20 }, { gap: new Uint8Array(4) }),
  ],
  [
    ...(['20 scales cut', 'truncated_input', 'truncated', twoData + 7, 'scale table'] as const),
    scaled(1).slice(0, twoData + 7),
  ],
  ...[NaN, Infinity, 0, -1].map((scale): Case => [
    '21 scale',
    'malformed',
    'bad_scale',
    twoData + 4,
    'b',
    scaled(scale),
  ]),
];

const sectionCases: Case[] = [
  [
    ...(['5 a bit', 'checksum_mismatch', 'checksum', crc, 'crc32'] as const),
    Uint8Array.from(goldenBytes, (byte, at) => (at === data + 1 ? byte ^ 1 : byte)),
  ],
  ['18 data cut', 'truncated_input', 'truncated', data + 9, 'tensors', cut(data + 9)],
  ['22 cut', 'malformed', 'bounds', vocabulary, 'vocabulary', cut(vocabulary + 20)],
  [
    ...(['22 past the end', 'malformed', 'bounds', vocabulary, 'vocabulary'] as const),
    patch(vocabulary, 255, 255, 255, 255),
  ],
  [
    ...(['23 a token', 'malformed', 'bad_vocabulary', vocabulary + 12, 'vocabulary'] as const),
    patch(vocabulary + 12, 255, 255),
  ],
  [
    ...(['23 tokens', 'malformed', 'bad_vocabulary', vocabulary + 12, 'vocabulary'] as const),
    patch(vocabulary + 4, 255, 255, 255, 255),
  ],
  [
    ...(['23 a merge', 'malformed', 'bad_vocabulary', vocabulary + 25, 'merges'] as const),
    patch(vocabulary + 25, 9),
  ],
  [
    ...(['24 left over', 'malformed', 'bad_vocabulary', filterbank, 'vocabulary'] as const),
    file({
      vocabulary: Uint8Array.from([...golden.vocabulary!.with(0, 26), 0, 0]),
    }),
  ],
  [
    ...(['25 more than n_vocab', 'malformed', 'bad_vocabulary', vocabulary + 12] as const),
    ...(['vocabulary', dims({ n_vocab: 2 })] as const),
  ],
  ['26 size', 'malformed', 'bad_filterbank', filterbank, 'filterbank', patch(filterbank, 31)],
  ...(
    [
      [80, 80, 200],
      [80, 128, 201],
      [64, 64, 201],
    ] as const
  ).map(([channels, nMels, nFreqs]): Case => [
    ...(['27 sides', 'malformed', 'bad_filterbank', 52 + 96 + 12 * channels] as const),
    ...(['filterbank', conv1(channels, nMels, nFreqs)] as const),
  ]),
  ...[NaN, Infinity, -0.5].map((weight): Case => [
    ...(['28 weights', 'malformed', 'bad_filterbank', filterbank + 16, 'filterbank'] as const),
    file({ filterbank: filterbankSection(2, Float32Array.of(0, weight, 0, 0, 0, 0), 3) }),
  ]),
  ['29 no checksum', 'truncated_input', 'truncated', crc + 2, 'crc32', cut(crc + 2)],
  ['29 behind', 'malformed', 'trailing_data', crc + 4, 'file', grown(1)],
  ['29 97 behind', 'malformed', 'trailing_data', crc + 4, 'file', grown(97)],
  ['30 size 0', 'malformed', 'decompress', lz4Data, 'a', lz4(good.with(0, 0))],
  ['30 too long', 'malformed', 'decompress', lz4Data, 'a', lz4(good.with(0, good[0]! + 1))],
];

/** 8 bytes, {}, 8 bytes, then the list. */
const list = 18;
const item = { name: 'w', dtype: 'F32', shape: [4], offset: 0, size: 16 };
const json = (index: unknown = [item], count = 1) =>
  writeApr1Json({}, [{ name: 'w', dims: [4], stored: floats(1, 2, 3, 4) }], { index, count });
const jsonCases: Case[] = [
  ['a count', 'malformed', 'bad_index', list, 'tensor index', json([item], 2)],
  ['no list', 'unsupported_feature', 'model', 0, 'file', json({})],
  [
    ...(['a dtype', 'unsupported_feature', 'unsupported_dtype', list, 'w'] as const),
    json([{ ...item, dtype: 'I8' }]),
  ],
  ['a shape', 'malformed', 'bad_shape', list, 'w', json([{ ...item, shape: [] }])],
  ['a size', 'malformed', 'size_mismatch', list, 'w', json([{ ...item, size: 12 }])],
  [
    ...(['past the end', 'malformed', 'bounds'] as const),
    list + JSON.stringify([{ ...item, offset: 999 }]).length + 999,
    ...(['w', json([{ ...item, offset: 999 }])] as const),
  ],
  [
    ...(['cut', 'truncated_input', 'truncated', json().length - 7, 'tensors'] as const),
    json().slice(0, -7),
  ],
  [
    ...(['a trueno cache', 'unsupported_feature', 'model', 0, 'file'] as const),
    withCrc(Uint8Array.from([...ascii('APR1'), 16, 0, 0, 0, ...ascii('{"kernels": [] }')])),
  ],
];

async function* stream(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size)
    yield await Promise.resolve(bytes.slice(at, at + size));
}

describe('malformed APR1', () => {
  test('what the cases are made from is sound', async () => {
    const sound = [goldenBytes, two({}), scaled(1), lz4(good), json(), conv1(80, 80)];
    for (const bytes of sound) expect((await susurrus.inspect(bytes)).format).toMatch(/^APR1/);
  });

  test.each([...headerCases, ...indexCases, ...sectionCases, ...jsonCases])(
    '%s: %s/%s at %d about %s',
    async (_, code, reason, offset, subject, bytes) => {
      const answers = [
        await errorOf(susurrus.inspect(bytes)),
        await errorOf(susurrus.inspect(stream(bytes, 1))),
        await errorOf(susurrus.inspect(stream(bytes, 50))),
        await errorOf(susurrus.inspect(new Response(Uint8Array.from(bytes)))),
      ];
      for (const error of answers) {
        expect(error).toMatchObject({ code, details: { reason, offset, subject } });
      }
    },
  );

  test('an early file without a tensor count says what it is', async () => {
    const error = await errorOf(susurrus.loadModel(file({ tensorCount: 0 })));
    expect(String(error)).toContain('convert it again');
  });
});

describe('APR1 that is no whole Whisper', () => {
  const sound = tinyApr1();
  const renamed = (from: string, to: string) =>
    sound.tensors.map((each) => (each.name === from ? { ...each, name: to } : each));
  const tokens = 'decoder.token_embedding.weight';
  const modelCases: [string, string, string, string, Uint8Array][] = [
    [
      ...(['76 a tensor missing', 'missing_tensor', 'model', 'encoder.conv2.bias'] as const),
      writeApr1({ ...sound, tensors: renamed('encoder.conv2.bias', 'x') }),
    ],
    [
      ...(['77 a shape', 'shape_mismatch', 'model', 'encoder.positional_embedding'] as const),
      writeApr1({ ...sound, dims: { ...tinyDims, n_audio_ctx: 21 } }),
    ],
    [
      ...(['78 no vocabulary', 'malformed', 'model', 'n_vocab'] as const),
      writeApr1({ ...sound, vocabulary: undefined }),
    ],
    [
      ...(['79 rows', 'shape_mismatch', 'model', tokens] as const),
      writeApr1({ ...sound, dims: { ...tinyDims, n_vocab: 59 } }),
    ],
    [
      ...(['51 two names', 'malformed', 'duplicate', 'model.encoder.conv1.bias'] as const),
      writeApr1({
        ...sound,
        tensors: [
          ...sound.tensors,
          { name: 'model.encoder.conv1.bias', dims: [32], stored: new Uint8Array(128) },
        ],
      }),
    ],
    // Whatever model it is: this layout is not run.
    ['81 another model', 'unsupported_feature', 'unsupported', 'file', json()],
  ];

  test.each(modelCases)('%s: %s/%s about %s', async (_, code, reason, subject, bytes) => {
    (await susurrus.loadModel<'whisper'>(writeApr1(sound))).dispose();
    await susurrus.inspect(bytes);
    const error = await errorOf(susurrus.loadModel(bytes));
    expect(error).toMatchObject({ code, details: { reason, subject } });
  });
});
