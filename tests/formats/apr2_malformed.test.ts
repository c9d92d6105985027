// apr.md §10 through the public API: each malformed file is rejected with its code and reason, and nothing is broken by it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  flagBits,
  withFooter,
  writeApr2,
  type WrittenFile,
  type WrittenTensor,
} from '../support/apr2_writer.js';
import { builtPackage } from '../support/built_package.js';
import { projectRoot } from '../support/shared_folder.js';
import { tinyDims, tinyMetadata, tinyWhisper } from '../support/tiny_whisper.js';

type Package = Awaited<ReturnType<typeof builtPackage>>;
let susurrus: Package;
beforeAll(async () => {
  susurrus = await builtPackage();
});

const good = tinyWhisper();
const goodBytes = writeApr2(good);
const { length } = goodBytes;
const first = good.tensors[0]!;

const bytesOf = (...values: number[]) => Uint8Array.from(values);
const ascii = (text: string) => new TextEncoder().encode(text);

/** The good file with other fields. */
const file = (change: Partial<WrittenFile>) => writeApr2({ ...good, ...change });
/** … with another first tensor. */
const tensor = (change: Partial<WrittenTensor>) =>
  file({ tensors: [{ ...first, ...change }, ...good.tensors.slice(1)] });
/** … with u32 header fields by offset. */
const header = (fields: Record<number, number>) => file({ header: fields });
/** … with other metadata. */
const metadata = (change: Record<string, unknown>) =>
  file({ metadata: { ...tinyMetadata, ...change } });
const architecture = (change: Record<string, unknown>) =>
  metadata({ architecture: { ...tinyMetadata.architecture, ...change } });
const metadataText = (edit: (text: string) => string) =>
  file({ metadata: edit(JSON.stringify(tinyMetadata)) });
/** … with raw bytes changed and no new checksum. */
function patched(edit: (bytes: Uint8Array, view: DataView) => void): Uint8Array {
  const bytes = goodBytes.slice();
  edit(bytes, new DataView(bytes.buffer));
  return bytes;
}
/** One small tensor whose stored bytes are this LZ4 stream for 64 bytes. */
const lz4 = (stored: Uint8Array, rawSize = 64) =>
  file({
    flags: flagBits.aligned64 | flagBits.compressed,
    tensors: [{ name: 'extra', dtype: 7, dims: [rawSize], stored, rawSize }, ...good.tensors],
  });
const block = (size: number, ...bytes: number[]) =>
  bytesOf(size & 0xff, (size >> 8) & 0xff, (size >> 16) & 0xff, size >>> 24, ...bytes);
/** apr.md §11, G3: 64 zeros. */
const zeros = [0x1f, 0, 1, 0, 0x27, 0x50, 0, 0, 0, 0, 0];

/** A last tensor of one byte, which would be the footer's first. */
const intoFooter = file({
  tensors: [...good.tensors, { name: 'z', dtype: 7, dims: [1], stored: bytesOf(), size: 1 }],
});

type Case = [name: string, code: string, reason: string, bytes: Uint8Array];

const containerCases: Case[] = [
  ['1 an empty file', 'truncated_input', 'truncated', new Uint8Array()],
  ['1 half a header', 'truncated_input', 'truncated', goodBytes.slice(0, 20)],
  ['2 unknown bytes', 'unknown_format', 'not_a_model', new Uint8Array(1000).fill(0x55)],
  [
    '2 a web page',
    'unknown_format',
    'not_a_model',
    ascii('<!doctype html><title>Not found</title>'),
  ],
  ['3 version 0', 'unsupported_version', 'version', file({ versionMajor: 0 })],
  ['3 version 3', 'unsupported_version', 'version', file({ versionMajor: 3 })],
  ['4 an offset that overflows', 'malformed', 'bounds', tensor({ offset: 0xffff_ffff_ffff_ffffn })],
  [
    '4 a size that overflows',
    'malformed',
    'bounds',
    file({
      flags: flagBits.aligned64 | flagBits.compressed,
      tensors: [
        { ...first, size: 0xffff_ffff_ffff_ff00n, rawSize: first.stored.length, offset: 1024 },
        ...good.tensors.slice(1),
      ],
    }),
  ],
  [
    '5 a flipped bit',
    'checksum_mismatch',
    'checksum',
    patched((bytes) => (bytes[length - 100]! ^= 4)),
  ],
  ['31 shorter than its parts', 'truncated_input', 'truncated', goodBytes.slice(0, 57)],
  ['32 cut in the metadata', 'truncated_input', 'truncated', goodBytes.slice(0, 200)],
  ['32 cut in the data', 'truncated_input', 'truncated', goodBytes.slice(0, length >> 1)],
  ['32 cut in the footer', 'truncated_input', 'truncated', goodBytes.slice(0, length - 1)],
  [
    '32 no end mark',
    'truncated_input',
    'truncated',
    patched((bytes) => bytes.fill(0, length - 12, length - 8)),
  ],
  [
    '33 states more',
    'truncated_input',
    'truncated',
    patched((_, view) => view.setUint32(length - 8, length + 1, true)),
  ],
  [
    '33 states less',
    'malformed',
    'trailing_data',
    patched((_, view) => view.setUint32(length - 8, length - 1, true)),
  ],
  ['33 bytes behind', 'malformed', 'trailing_data', Uint8Array.from([...goodBytes, 1, 2, 3])],
  ['34 an unknown flag', 'unsupported_feature', 'unsupported_flag', file({ flags: 0x102 })],
  ['34 the highest flag', 'unsupported_feature', 'unsupported_flag', header({ 8: 0x80000002 })],
  ['37 index inside the header', 'malformed', 'bounds', header({ 20: 16 })],
  ['37 data inside the header', 'malformed', 'bounds', header({ 28: 31 })],
  ['37 metadata past the end', 'malformed', 'bounds', header({ 16: 32 << 20 })],
  ['37 index past the end', 'malformed', 'bounds', header({ 20: 0x7fffffff })],
  ['37 data past the end', 'malformed', 'bounds', header({ 28: 0x7fffffc0 })],
  ['37 metadata inside the header', 'malformed', 'bounds', header({ 12: 8 })],
  ['38 index inside the metadata', 'malformed', 'layout', header({ 20: 100 })],
  ['38 data inside the index', 'malformed', 'layout', header({ 28: 1024 })],
  ['39 no metadata', 'limit_exceeded', 'limit', header({ 16: 0 })],
  ['39 too much metadata', 'limit_exceeded', 'limit', header({ 16: 0x0fffffff })],
  ['40 not JSON', 'malformed', 'bad_metadata', metadataText(() => 'model: whisper')],
  [
    '40 not UTF-8',
    'malformed',
    'bad_metadata',
    file({ metadata: bytesOf(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d) }),
  ],
  ['40 a byte order mark', 'malformed', 'bad_metadata', metadataText((text) => `\uFEFF${text}`)],
  ['40 a NUL behind', 'malformed', 'bad_metadata', metadataText((text) => `${text}\0`)],
  ['40 not an object', 'malformed', 'bad_metadata', metadataText(() => '[]')],
  ['40 trailing text', 'malformed', 'bad_metadata', metadataText((text) => `${text},`)],
  [
    '40 too deep',
    'malformed',
    'bad_metadata',
    metadataText((text) => `${text.slice(0, -1)},"x":${'['.repeat(64)}${']'.repeat(64)}}`),
  ],
  ['41 no version', 'malformed', 'bad_metadata', metadata({ apr_version: undefined })],
  ['41 no model type', 'malformed', 'bad_metadata', metadata({ model_type: undefined })],
  ['41 no architecture', 'malformed', 'bad_metadata', metadata({ architecture: undefined })],
  ['41 a dimension missing', 'malformed', 'bad_metadata', architecture({ n_mels: undefined })],
  ['41 a dimension as text', 'malformed', 'bad_metadata', architecture({ n_mels: '80' })],
  [
    '41 a key twice',
    'malformed',
    'bad_metadata',
    metadataText((text) => text.replace('"n_mels":80', '"n_mels":80,"n_mels":80')),
  ],
  [
    '42 another version inside',
    'unsupported_version',
    'version',
    metadata({ apr_version: '1.0.0' }),
  ],
  ['43 zero', 'malformed', 'bad_metadata', architecture({ n_text_layer: 0 })],
  ['43 negative', 'malformed', 'bad_metadata', architecture({ n_text_layer: -1 })],
  ['43 a fraction', 'malformed', 'bad_metadata', architecture({ n_text_layer: 1.5 })],
  ['43 too large', 'malformed', 'bad_metadata', architecture({ n_text_layer: 2 ** 31 })],
  ['44 heads do not divide', 'malformed', 'bad_metadata', architecture({ n_audio_head: 3 })],
  ['44 states differ', 'malformed', 'bad_metadata', architecture({ n_text_state: 64 })],
  [
    '45 too many tokens',
    'malformed',
    'bad_vocabulary',
    metadata({ vocab: Array<string>(61).fill('a') }),
  ],
  ['45 a token that is no text', 'malformed', 'bad_vocabulary', metadata({ vocab: ['a', 1] })],
  [
    '46 a filterbank without shape',
    'malformed',
    'bad_filterbank',
    metadata({ mel_filterbank: [1, 2] }),
  ],
  [
    '46 a filterbank of another size',
    'malformed',
    'bad_filterbank',
    metadata({ mel_filterbank: [1, 2], mel_filterbank_shape: [80, 201] }),
  ],
  [
    '46 a negative weight',
    'malformed',
    'bad_filterbank',
    metadata({
      mel_filterbank: [-1, ...Array<number>(80 * 201 - 1).fill(0)],
      mel_filterbank_shape: [80, 201],
    }),
  ],
  ['45 a vocabulary that is no list', 'malformed', 'bad_vocabulary', metadata({ vocab: {} })],
  ['47 too small an index', 'malformed', 'bad_index', header({ 24: 4 })],
  ['47 too many tensors', 'malformed', 'bad_index', file({ tensorCount: 0xffffffff })],
  [
    '48 an entry past the index',
    'malformed',
    'bad_index',
    file({ tensorCount: good.tensors.length + 1, indexTail: new Uint8Array(50).fill(1) }),
  ],
  ['49 bytes left in the index', 'malformed', 'bad_index', file({ indexTail: new Uint8Array(3) })],
  ['50 an empty name', 'malformed', 'bad_name', tensor({ name: '' })],
  ['50 a long name', 'malformed', 'bad_name', tensor({ name: 'n'.repeat(1025) })],
  ['50 a name that is not UTF-8', 'malformed', 'bad_name', tensor({ name: bytesOf(0x61, 0xc3) })],
  ['50 a control character', 'malformed', 'bad_name', tensor({ name: 'a\u0007' })],
  ['51 a name twice', 'malformed', 'duplicate', tensor({ name: good.tensors[1]!.name })],
  ['52 an unknown dtype', 'unsupported_feature', 'unsupported_dtype', tensor({ dtype: 9 })],
  ['53 no dimensions', 'malformed', 'bad_shape', tensor({ dims: [] })],
  ['53 nine dimensions', 'malformed', 'bad_shape', tensor({ dims: Array<number>(9).fill(1) })],
  [
    '54 a product that overflows',
    'malformed',
    'bad_shape',
    tensor({ dims: [2n ** 40n, 2n ** 40n] }),
  ],
  [
    '54 more than the file holds',
    'malformed',
    'bad_shape',
    tensor({ dims: [1 << 28], size: 1 << 30 }),
  ],
  ['55 part of a block', 'malformed', 'bad_shape', tensor({ dtype: 16, dims: [2, 33] })],
  ['56 size and shape differ', 'malformed', 'size_mismatch', tensor({ dims: [1, 1, 3] })],
  ['57 raw size and shape differ', 'malformed', 'size_mismatch', tensor({ rawSize: 5 })],
  [
    '58 compressed without the flag',
    'malformed',
    'contradiction',
    tensor({ size: 100, rawSize: first.stored.length }),
  ],
  ['59 a bomb', 'malformed', 'decompress', lz4(block(11, ...zeros), 15 * 256 + 1)],
  ['54 bytes that overflow', 'malformed', 'bad_shape', tensor({ dims: [2n ** 62n] })],
  ['60 a byte into the footer', 'malformed', 'bounds', intoFooter],
  ['60 past the footer', 'malformed', 'bounds', tensor({ offset: length })],
  ['61 an overlap', 'malformed', 'layout', tensor({ offset: 64 })],
  ['63 block size 0', 'malformed', 'decompress', lz4(block(0, ...zeros))],
  ['63 block size too large', 'malformed', 'decompress', lz4(block(65810, ...zeros))],
  ['63 an LZ4 frame', 'malformed', 'decompress', lz4(block(0x184d2204, ...zeros))],
  ['64 a block past the tensor', 'malformed', 'decompress', lz4(block(12, ...zeros))],
  ['64 stray bytes', 'malformed', 'decompress', lz4(bytesOf(...block(11, ...zeros), 0, 0))],
  ['65 literals past the block', 'malformed', 'decompress', lz4(block(3, 0x70, 1, 2))],
  [
    '66 match offset 0',
    'malformed',
    'decompress',
    lz4(block(11, 0x1f, 0, 0, 0, 0x27, 0x50, 0, 0, 0, 0, 0)),
  ],
  [
    '66 a match before the block',
    'malformed',
    'decompress',
    lz4(block(11, 0x1f, 0, 9, 0, 0x27, 0x50, 0, 0, 0, 0, 0)),
  ],
  ['67 a length without end', 'malformed', 'decompress', lz4(block(2, 0xf0, 0xff))],
  ['68 the end after a match', 'malformed', 'decompress', lz4(block(5, 0x1f, 0, 1, 0, 0x2c))],
  ['69 an empty block', 'malformed', 'decompress', lz4(block(1, 0))],
  ['69 too few bytes', 'malformed', 'decompress', lz4(block(3, 0x20, 1, 2))],
];

const without = (name: string) => good.tensors.filter((each) => each.name !== name);
const replaced = (name: string, change: Partial<WrittenTensor>) =>
  file({
    tensors: good.tensors.map((each) => (each.name === name ? { ...each, ...change } : each)),
  });

/** Sound containers that are no model: they can be inspected, but not loaded. */
const modelCases: Case[] = [
  [
    '35 encrypted',
    'decryption_failed',
    'decrypt',
    file({ flags: flagBits.aligned64 | flagBits.encrypted }),
  ],
  [
    '51 twice by alias',
    'malformed',
    'duplicate',
    file({ tensors: [...good.tensors, { ...first, name: `model.${String(first.name)}` }] }),
  ],
  ['62 no tensors', 'malformed', 'no_tensors', file({ tensors: [] })],
  [
    '76 a tensor missing',
    'missing_tensor',
    'model',
    file({ tensors: without('decoder.ln.weight') }),
  ],
  [
    '76 one shard alone',
    'missing_tensor',
    'model',
    file({ flags: flagBits.aligned64 | flagBits.sharded, tensors: good.tensors.slice(0, 3) }),
  ],
  [
    '77 another shape',
    'shape_mismatch',
    'model',
    replaced('encoder.ln_post.bias', { dims: [2, 16] }),
  ],
  ['78 no vocabulary', 'malformed', 'model', metadata({ vocab: undefined })],
  ['79 another number of tokens', 'shape_mismatch', 'model', architecture({ n_vocab: 61 })],
  ['80 integers', 'malformed', 'model', replaced('encoder.conv1.bias', { dtype: 5 })],
  ['81 not Whisper', 'unsupported_feature', 'model', metadata({ model_type: 'moonshine' })],
];

const view = new DataView(goodBytes.buffer);
const metadataAt = 32;
const index = view.getUint32(20, true);
/** The first tensor's, and where the data begin; in files with an LZ4 tensor in front of the others too. */
const entry = index + 8;
const data = view.getUint32(28, true);
const lz4Data = new DataView(lz4(new Uint8Array(1)).buffer).getUint32(28, true);

/** What each case is about, and at which byte of the file. */
const places = new Map<string, readonly [subject: string, offset: number]>([
  ['1 an empty file', ['file', 0]],
  ['1 half a header', ['file', 20]],
  ['2 unknown bytes', ['file', 0]],
  ['2 a web page', ['file', 0]],
  ['3 version 0', ['version_major', 4]],
  ['3 version 3', ['version_major', 4]],
  ['4 an offset that overflows', ['encoder.conv1.weight', entry]],
  ['5 a flipped bit', ['crc32', length - 16]],
  ['31 shorter than its parts', ['file', 57]],
  ['32 cut in the metadata', ['footer', 200]],
  ['32 cut in the data', ['footer', length >> 1]],
  ['32 cut in the footer', ['footer', length - 1]],
  ['32 no end mark', ['footer', length]],
  ['33 states more', ['file_size', length]],
  ['33 states less', ['file_size', length - 1]],
  ['33 bytes behind', ['file_size', length]],
  ['34 an unknown flag', ['flags', 8]],
  ['37 metadata past the end', ['metadata', 12]],
  ['37 index past the end', ['index', 20]],
  ['37 data past the end', ['data_offset', 28]],
  ['37 metadata inside the header', ['metadata_offset', 12]],
  ['38 index inside the metadata', ['index_offset', 20]],
  ['38 data inside the index', ['data_offset', 28]],
  ['39 no metadata', ['metadata_size', 16]],
  ['39 too much metadata', ['metadata_size', 16]],
  ['40 not JSON', ['metadata', metadataAt]],
  ['40 not UTF-8', ['metadata', metadataAt + 2]],
  ['40 not an object', ['metadata', metadataAt]],
  ['40 trailing text', ['metadata', index]],
  ['40 too deep', ['metadata', index + 67]],
  ['41 no architecture', ['architecture', metadataAt]],
  ['41 a dimension missing', ['n_mels', metadataAt]],
  ['41 a dimension as text', ['n_mels', metadataAt]],
  ['41 a key twice', ['n_mels', metadataAt]],
  ['42 another version inside', ['apr_version', metadataAt]],
  ['43 zero', ['n_text_layer', metadataAt]],
  ['43 negative', ['n_text_layer', metadataAt]],
  ['43 a fraction', ['n_text_layer', metadataAt]],
  ['43 too large', ['n_text_layer', metadataAt]],
  ['44 heads do not divide', ['n_audio_state', metadataAt]],
  ['44 states differ', ['n_text_state', metadataAt]],
  ['45 too many tokens', ['vocab', metadataAt]],
  ['45 a token that is no text', ['vocab', metadataAt]],
  ['46 a filterbank without shape', ['mel_filterbank_shape', metadataAt]],
  ['46 a filterbank of another size', ['mel_filterbank', metadataAt]],
  ['47 too small an index', ['index_size', 24]],
  ['47 too many tensors', ['tensor_count', index]],
  ['48 an entry past the index', ['index entry 50', index + 3680]],
  ['49 bytes left in the index', ['index_size', index + 3680]],
  ['50 an empty name', ['name_len', entry]],
  ['50 a long name', ['name_len', entry]],
  ['50 a name that is not UTF-8', ['name', entry]],
  ['50 a control character', ['name', entry]],
  ['51 a name twice', ['encoder.conv1.bias', index]],
  ['52 an unknown dtype', ['encoder.conv1.weight', entry]],
  ['53 nine dimensions', ['encoder.conv1.weight', entry]],
  ['54 a product that overflows', ['encoder.conv1.weight', entry]],
  ['54 more than the file holds', ['encoder.conv1.weight', entry]],
  ['55 part of a block', ['encoder.conv1.weight', entry]],
  ['56 size and shape differ', ['encoder.conv1.weight', entry]],
  ['57 raw size and shape differ', ['encoder.conv1.weight', entry]],
  ['58 compressed without the flag', ['encoder.conv1.weight', entry]],
  ['59 a bomb', ['extra', entry]],
  ['60 past the footer', ['encoder.conv1.weight', data + length]],
  ['61 an overlap', ['encoder.conv1.bias', data + first.stored.length]],
  ['63 block size 0', ['extra', lz4Data]],
  ['63 block size too large', ['extra', lz4Data]],
  ['63 an LZ4 frame', ['extra', lz4Data]],
  ['64 a block past the tensor', ['extra', lz4Data]],
  ['64 stray bytes', ['extra', lz4Data + 15]],
  ['65 literals past the block', ['extra', lz4Data + 4]],
  ['66 match offset 0', ['extra', lz4Data + 4]],
  ['66 a match before the block', ['extra', lz4Data + 4]],
  ['67 a length without end', ['extra', lz4Data + 4]],
  ['68 the end after a match', ['extra', lz4Data + 4]],
  ['69 an empty block', ['extra', lz4Data + 4]],
  ['69 too few bytes', ['extra', lz4Data + 7]],
  ['4 a size that overflows', ['encoder.conv1.weight', entry]],
  ['34 the highest flag', ['flags', 8]],
  ['37 index inside the header', ['index_offset', 20]],
  ['37 data inside the header', ['data_offset', 28]],
  ['40 a byte order mark', ['metadata', metadataAt]],
  ['40 a NUL behind', ['metadata', index]],
  ['41 no version', ['apr_version', metadataAt]],
  ['41 no model type', ['model_type', metadataAt]],
  ['46 a negative weight', ['mel_filterbank', metadataAt]],
  ['45 a vocabulary that is no list', ['vocab', metadataAt]],
  ['53 no dimensions', ['encoder.conv1.weight', entry]],
  ['54 bytes that overflow', ['encoder.conv1.weight', entry]],
  ['60 a byte into the footer', ['z', intoFooter.length - 16]],
]);

/** In small pieces, its length not told. */
async function* stream(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 997) {
    await Promise.resolve();
    yield bytes.slice(at, at + 997);
  }
}

type PackageError = InstanceType<Package['SusurrusError']>;

async function rejection(work: Promise<unknown>): Promise<PackageError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof susurrus.SusurrusError) return error;
    throw error;
  }
  throw new Error('The file was accepted.');
}

describe('malformed APR2 files', () => {
  test('the file they are made from is accepted', async () => {
    const model = await susurrus.loadModel<'whisper'>(goodBytes);
    expect(model.info.dims.nVocab).toBe(tinyDims.n_vocab);
    model.dispose();
  });

  test.each(containerCases)('%s: %s/%s', async (name, code, reason, bytes) => {
    for (const open of [susurrus.loadModel, susurrus.inspect]) {
      const error = await rejection(open(bytes));
      const { subject, offset } = error.details;
      expect([error.code, error.details.reason]).toEqual([code, reason]);
      expect([subject, offset]).toEqual(places.get(name));
      expect(error.message.length).toBeGreaterThan(10);
    }
  });

  test.each(modelCases)('%s: %s/%s', async (_, code, reason, bytes) => {
    const error = await rejection(susurrus.loadModel(bytes));
    expect([error.code, error.details.reason]).toEqual([code, reason]);
    expect((await susurrus.inspect(bytes)).format).toBe('APR2');
  });

  // Rules that need the length beforehand give way to a neighbouring one.
  const needsLength = /^(37 (metadata|index) past|54 more than)/;
  test('a stream of unknown length is rejected for the same reason', async () => {
    for (const [name, code, reason, bytes] of containerCases) {
      if (needsLength.test(name)) continue;
      const error = await rejection(susurrus.inspect(stream(bytes)));
      expect([name, error.code, error.details.reason]).toEqual([name, code, reason]);
    }
  });

  test('missing tensors are all named', async () => {
    const names = ['decoder.ln.weight', 'encoder.ln_post.bias'];
    const tensors = good.tensors.filter((each) => !names.includes(String(each.name)));
    const error = await rejection(susurrus.loadModel(file({ tensors })));
    for (const name of names) expect(error.details.subject).toContain(name);
  });

  test('a changed byte anywhere is noticed', async () => {
    for (let at = 3; at < length; at += Math.ceil(length / 60)) {
      const bytes = patched((all) => (all[at]! ^= 0x21));
      await expect(susurrus.inspect(bytes)).rejects.toBeInstanceOf(susurrus.SusurrusError);
    }
  });

  test('a footer alone does not make a model', async () => {
    const error = await rejection(susurrus.inspect(withFooter(goodBytes.slice(0, 300))));
    expect(error.code).toBe('malformed');
  });

  test('a transcription after failed loads works', async () => {
    const model = await susurrus.loadModel<'whisper'>(join(projectRoot, 'models/digits.apr'));
    await rejection(susurrus.loadModel(containerCases[7]![3]));
    await rejection(susurrus.loadModel(lz4(block(12, ...zeros))));
    const sample = readFileSync(join(projectRoot, 'web/demo/sample.wav'));
    const { text } = await model.transcribe(new Uint8Array(sample));
    expect(text.trim().split(/\s+/).length).toBeGreaterThan(3);
    model.dispose();
    const again = await susurrus.loadModel<'whisper'>(join(projectRoot, 'models/digits.apr'));
    expect((await again.transcribe(new Uint8Array(sample))).text).toBe(text);
    again.dispose();
  });
});
