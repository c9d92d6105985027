// writeModel() rejects models that break the format's rules before it writes a byte.
import { beforeAll, expect, test } from '@jest/globals';
import type { WritableModel } from '../../web/src/api/write_types.js';
import { builtPackage } from '../support/built_package.js';
import { collectedStream } from '../support/collected_stream.js';
import { errorOf } from '../support/embedded_model.js';
import {
  apr1,
  apr2,
  april,
  dims,
  networks,
  params,
  tensor,
  zeros,
} from '../support/writable_models.js';

let built: Awaited<ReturnType<typeof builtPackage>>;
beforeAll(async () => {
  built = await builtPackage();
});

const node = (op: string, inputs: number[] = []) => ({ op, name: op, inputs });
const tennis = (...nodes: object[]): WritableModel => ({
  format: 'tennis',
  inputs: [0],
  outputs: [nodes.length - 1],
  nodes,
});
const wrong = (value: object): WritableModel => value as WritableModel;

/** What is wrong, the model, and what the error says: before a byte is written. */
const refusals: readonly (readonly [string, WritableModel, object])[] = [
  ['an unknown format', wrong({ format: 'onnx' }), { subject: 'format' }],
  ['an unknown member', wrong({ ...apr2(tensor()), tensor: [] }), { subject: 'model: tensor' }],
  ['no tensors', wrong({ format: 'apr2', dims }), { subject: 'tensors' }],
  ['no dimensions', wrong({ format: 'apr2', tensors: [] }), { subject: 'architecture' }],
  [
    'dimensions that do not fit',
    { ...apr2(), dims: { ...dims, nAudioHead: 3 } },
    { subject: 'n_audio_state' },
  ],
  ['two architectures', { ...apr2(), metadata: { architecture: {} } }, { subject: 'dims' }],
  [
    'a filterbank of another size',
    { ...apr2(), filterbank: zeros(3) },
    { reason: 'bad_filterbank' },
  ],
  [
    'a filterbank with a negative weight',
    { ...apr2(), filterbank: zeros(16080).fill(-1) },
    { reason: 'bad_filterbank' },
  ],
  ['a token of two halves', { ...apr2(), vocabulary: ['\ud800'] }, { subject: 'vocabulary' }],
  ['equal names', apr2(tensor(), tensor()), { reason: 'duplicate' }],
  ['an unknown dtype', apr2(tensor({ dtype: 'f8' })), { subject: 'weight', got: 'f8' }],
  [
    'rows of no whole blocks',
    apr2(tensor({ dtype: 'q8_0', shape: [2, 31] })),
    { reason: 'bad_shape' },
  ],
  [
    'a shape of nine sizes',
    apr2(tensor({ shape: Array<number>(9).fill(1) })),
    { subject: 'weight' },
  ],
  ['a negative size', apr2(tensor({ shape: [-1] })), { subject: 'weight: shape' }],
  ['an empty name', apr2(tensor({ name: '' })), { reason: 'option' }],
  ['a scale that is not wanted', apr2(tensor({ scale: 1 })), { reason: 'bad_scale' }],
  [
    'types that differ in APR1',
    apr1(tensor(), tensor({ name: 'b', dtype: 'f16' })),
    { subject: 'b' },
  ],
  ['a name of 48 bytes in APR1', apr1(tensor({ name: 'x'.repeat(48) })), { got: '48' }],
  [
    'a vocabulary that is too long for APR1',
    { ...apr1(tensor()), vocabulary: Array<string>(301).fill('a') },
    { reason: 'bad_vocabulary' },
  ],
  [
    'data that are there only once',
    apr1(tensor({ dtype: 'int8', data: [zeros(64)].values() })),
    { subject: 'weight' },
  ],
  [
    'params that no reader takes',
    { ...april, params: { ...params, batch_size: 2 } },
    { subject: 'batch_size' },
  ],
  ['no token', { ...april, tokens: [] }, { subject: 'token_count' }],
  ['a language of nine bytes', { ...april, language: 'en-GB-oed' }, { subject: 'language' }],
  [
    'a part twice',
    { ...april, order: ['encoder', 'encoder', 'joiner', 'params'] },
    { subject: 'order' },
  ],
  [
    'an unknown size',
    { ...april, networks: { ...networks, joiner: { data: [] as Uint8Array[] } } },
    { subject: 'joiner: byteCount' },
  ],
  [
    'a section of the wrong type',
    {
      format: 'bw2l',
      name: '',
      sections: [{ name: 'tokens', type: 'data', data: new Uint8Array(1) }],
    },
    { subject: 'tokens' },
  ],
  [
    'a BW2L dtype',
    {
      format: 'bw2l',
      name: '',
      sections: [{ name: 'x', type: 'array', dtype: 'f32' as 'fp32', length: 1, data: zeros(1) }],
    },
    { got: 'f32' },
  ],
  [
    'a name of 256 bytes',
    { format: 'bw2l', name: 'x'.repeat(256), sections: [] },
    { subject: 'name' },
  ],
  [
    'an argument that is no node',
    tennis(node('<param>'), node('relu', [7])),
    { reason: 'bad_index' },
  ],
  [
    'a cycle',
    tennis(node('<param>'), node('relu', [1])),
    { subject: expect.stringContaining('relu') },
  ],
  [
    'a node without a name',
    tennis({ op: '<param>' }),
    { subject: expect.stringContaining('#name') },
  ],
  [
    'a parameter’s name of 32 bytes',
    tennis({
      ...node('<param>'),
      parameters: [{ name: 'ä'.repeat(16), fields: [{ dtype: 'float32', shape: [], data: [1] }] }],
    }),
    { subject: 'nodes[0].parameters: name', expected: 'a text of less than 32 bytes in UTF-8' },
  ],
  ...[-(2 ** 31) - 1, 2 ** 32, 0.5].map(
    (reservedWord) =>
      [
        `a reserved word of ${reservedWord}`,
        { ...tennis(node('<param>')), reservedWord } as WritableModel,
        { subject: 'reservedWord' },
      ] as [string, WritableModel, object],
  ),
  [
    'a TenniS dtype',
    tennis({
      ...node('<param>'),
      parameters: [{ name: 'p', fields: [{ dtype: 'ptr', shape: [], data: [] }] }],
    }),
    { reason: 'unsupported_dtype' },
  ],
  [
    'a reserved parameter that is not at hand',
    tennis({
      ...node('<param>'),
      parameters: [{ name: '#shape', fields: [{ dtype: 'i32', shape: [1], data: () => [] }] }],
    }),
    { subject: 'nodes[0] #shape' },
  ],
];

test.each(refusals)('%s is refused before a byte is written', async (_, model, details) => {
  const { stream, state, bytes } = collectedStream();
  const error = await errorOf(built.writeModel(stream, model));
  expect(error).toMatchObject({ code: 'invalid_argument', details });
  expect([bytes().length, state.isClosed]).toEqual([0, false]);
});
