// What model files hold besides weights is handed out whole: vocabularies, token tables, filterbanks, networks, long lists.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { filterbankSection, tinyApr1, tinyTokens, writeApr1 } from '../support/apr1_writer.js';
import { smallApril, writeApril } from '../support/april_writer.js';
import { writeApr2 } from '../support/apr2_writer.js';
import { array, smallBw2l, writeBw2l } from '../support/bw2l_writer.js';
import { collectedStream } from '../support/collected_stream.js';
import { builtPackage, susurrus as command } from '../support/built_package.js';
import { ggufFile } from '../support/checkpoint_writers.js';
import { describeWithShared } from '../support/shared_folder.js';
import { errorOf } from '../support/embedded_model.js';
import { tinyTensors, tinyVocabulary, safetensors, writeHubFolder } from '../support/hub_folder.js';
import { startRangeServer } from '../support/range_server.js';
import { tinyShards } from '../support/sharded_model.js';
import { floats, ints, tennisNode, text, writeTennis } from '../support/tennis_writer.js';
import { tinyDims, tinyMetadata, tinyWhisper } from '../support/tiny_whisper.js';

let susurrus: Awaited<ReturnType<typeof builtPackage>>;
const folder = mkdtempSync(join(tmpdir(), 'susurrus-handed-out-'));
beforeAll(async () => {
  susurrus = await builtPackage();
});
afterAll(() => rmSync(folder, { recursive: true }));

const weights = Float32Array.from({ length: tinyDims.n_mels * 201 }, (_, i) => (i % 97) / 64);
const withFilterbank = {
  ...tinyWhisper(),
  metadata: {
    ...tinyMetadata,
    mel_filterbank: Array.from(weights),
    mel_filterbank_shape: [tinyDims.n_mels, 201],
  },
};

describe('the vocabulary', () => {
  test('of APR2 and APR1 comes by token id', async () => {
    for (const bytes of [writeApr2(tinyWhisper()), writeApr1(tinyApr1())]) {
      const file = await susurrus.openModelFile(bytes);
      const vocabulary = (await file.vocabulary())!;
      expect(vocabulary).toHaveLength(tinyMetadata.vocab.length);
      expect(vocabulary[0]).toEqual({ bytes: expect.any(Uint8Array), text: expect.any(String) });
      const last = vocabulary.findIndex(({ text }) => text === '<|endoftext|>');
      expect(last).toBe(tinyMetadata.vocab.indexOf('<|endoftext|>'));
      expect(await file.tokens()).toBeUndefined();
      file.close();
      expect(await errorOf(file.vocabulary())).toMatchObject({ code: 'wrong_state' });
    }
    const apr1 = await susurrus.openModelFile(writeApr1(tinyApr1()));
    expect((await apr1.vocabulary())!.map(({ bytes }) => bytes)).toEqual([...tinyTokens]);
  });

  test('of SafeTensors is that of the tokenizer files beside them', async () => {
    const path = writeHubFolder(join(folder, 'hub'));
    const server = await startRangeServer(
      Object.fromEntries(
        ['model.safetensors', 'config.json', 'vocab.json'].map((name) => [
          name,
          readFileSync(join(path, name)),
        ]),
      ),
    );
    const url = `${server.address}/model.safetensors`;
    for (const source of [path, join(path, 'model.safetensors'), url]) {
      const file = await susurrus.openModelFile(source);
      const texts = (await file.vocabulary())!.map(({ text }) => text);
      expect(texts).toEqual(Object.keys(tinyVocabulary).map((text) => text.replace('Ġ', ' ')));
      file.close();
    }
    await server.close();
    const out = join(folder, 'hub.json');
    command('extract', path, 'vocabulary', out);
    const items = JSON.parse(readFileSync(out, 'utf8')) as unknown[];
    expect(items).toHaveLength(Object.keys(tinyVocabulary).length);
    expect(items[26]).toEqual({ id: 26, text: ' a', bytes: '2061' });
  });

  test('of SafeTensors has the tokens that a conversion writes, tokenizer.json first', async () => {
    const path = writeHubFolder(join(folder, 'tokenizer'), {
      'tokenizer.json': {
        model: { vocab: Object.fromEntries(Object.entries(tinyVocabulary).slice(0, 27)) },
        added_tokens: Object.entries(tinyVocabulary)
          .slice(27)
          .map(([content, id]) => ({ id, content })),
      },
      'vocab.json': { wrong: 0 },
    });
    const converted = join(folder, 'converted.apr');
    await susurrus.convertModel(path, converted, { dtype: 'f32' });
    const [hub, apr] = await Promise.all([path, converted].map((s) => susurrus.openModelFile(s)));
    const vocabulary = await hub!.vocabulary();
    expect(vocabulary).toHaveLength(Object.keys(tinyVocabulary).length);
    expect(vocabulary).toEqual(await apr!.vocabulary());
  });

  test('of SafeTensors with a broken tokenizer file, or none, is an error or absent', async () => {
    const broken = writeHubFolder(join(folder, 'broken'), { 'vocab.json': '{' });
    const file = await susurrus.openModelFile(broken);
    expect(await errorOf(file.vocabulary())).toMatchObject({
      code: 'malformed',
      details: { subject: 'vocab.json' },
    });
    const alone = await susurrus.openModelFile(safetensors(tinyTensors));
    expect(await alone.vocabulary()).toBeUndefined();
  });

  test('of files without one is absent', async () => {
    const metadata = { ...tinyMetadata, vocab: undefined };
    const file = await susurrus.openModelFile(writeApr2({ ...tinyWhisper(), metadata }));
    expect(await file.vocabulary()).toBeUndefined();
    expect(await file.filterbank()).toBeUndefined();
    const out = join(folder, 'none.json');
    const path = join(folder, 'none.apr');
    writeFileSync(path, writeApr2({ ...tinyWhisper(), metadata }));
    expect(await errorOf(susurrus.extract(path, 'vocabulary', out))).toMatchObject({
      code: 'invalid_argument',
      details: { subject: 'what' },
    });
  });
});

test('token tables of .april and BW2L files have every item', async () => {
  const tokens = ['<blk>', ...Array.from({ length: 499 }, (_, i) => `t${i}`)];
  const networks = [...smallApril.networks];
  const params = [...smallApril.params];
  const april = await susurrus.openModelFile(writeApril({ ...smallApril, params, networks }));
  expect(await april.tokens()).toEqual(smallApril.tokens);
  expect(await april.vocabulary()).toBeUndefined();
  const sections = smallBw2l.map((section) =>
    section.name === 'tokens'
      ? { ...section, data: `${tokens.slice(1, 80).join('\n')}\n` }
      : section.name === 'transitions'
        ? { ...section, data: array('fp32', 79 * 79, new Uint8Array(4 * 79 * 79)) }
        : section,
  );
  const bytes = writeBw2l('small', sections);
  const bw2l = await susurrus.openModelFile(bytes);
  expect(await bw2l.tokens()).toEqual(tokens.slice(1, 80));
  expect((await susurrus.inspect(bytes)).metadata.tokens).toEqual({ length: 79 });
  expect((await susurrus.inspect(bytes, { full: true })).metadata.tokens).toEqual(
    tokens.slice(1, 80),
  );
  const path = join(folder, 'many.b2l');
  writeFileSync(path, bytes);
  // Lists print as lists.
  expect(command('inspect', path, '--full')).toMatch(/^ +"tokens": \["t0","t1",.*"t78"\]$/m);
  command('extract', path, 'tokens', join(folder, 'tokens.json'));
  expect(JSON.parse(readFileSync(join(folder, 'tokens.json'), 'utf8'))).toEqual(
    tokens.slice(1, 80),
  );
});

describe('the filterbank', () => {
  test('of APR2 comes with its shape, as .npy too', async () => {
    const path = join(folder, 'filterbank.apr');
    writeFileSync(path, writeApr2(withFilterbank));
    const file = await susurrus.openModelFile(path);
    expect(await file.filterbank()).toEqual({ shape: [tinyDims.n_mels, 201], values: weights });
    file.close();
    const out = join(folder, 'filterbank.npy');
    const { byteCount } = await susurrus.extract(path, 'filterbank', out);
    const npy = readFileSync(out);
    expect(npy.length).toBe(byteCount);
    expect(npy.toString('latin1', 0, 128)).toContain(`'shape': (${tinyDims.n_mels}, 201)`);
    expect(npy.subarray(npy.length - 4 * weights.length)).toEqual(Buffer.from(weights.buffer));
    expect(command('inspect', path, '--full')).toMatch(/"mel_filterbank": \[0,0\.015625,/);
  });

  test('of APR1 shows its shape', async () => {
    const bytes = writeApr1({
      ...tinyApr1(),
      filterbank: filterbankSection(tinyDims.n_mels, weights),
    });
    const { metadata } = await susurrus.inspect(bytes);
    expect(metadata).toMatchObject({
      mel_filterbank: { length: weights.length },
      mel_filterbank_shape: [tinyDims.n_mels, 201],
    });
  });
});

test('vocabulary lists of headers are filled in by full', async () => {
  const { metadata } = await susurrus.inspect(writeApr1(tinyApr1()), { full: true });
  expect(metadata.vocab).toEqual(tinyTokens.map((token) => new TextDecoder().decode(token)));
});

test('long values of TenniS parameters are shown by full, but not those of constants', async () => {
  const many = Array.from({ length: 40 }, (_, i) => i);
  const bytes = writeTennis({
    inputs: [],
    outputs: [1],
    nodes: [
      tennisNode('<const>', 'c', [], ['value', ints([40], ...many)]),
      tennisNode('x', 'y', [0], ['axes', ints([40], ...many)], ['words', text('w'.repeat(1100))]),
    ],
  });
  const path = join(folder, 'long.tsm');
  writeFileSync(path, bytes);
  const values = async (source: string | Uint8Array, full: boolean) =>
    (await susurrus.inspect(source, { full })).graph!.nodes.map(({ parameters }) =>
      parameters.map(({ fields }) => fields[0]!.value),
    );
  for (const source of [bytes, path]) {
    expect(await values(source, false)).toEqual([[undefined], [undefined, undefined]]);
    expect(await values(source, true)).toEqual([[undefined], [many, 'w'.repeat(1100)]]);
  }
  expect(command('inspect', path)).toContain('axes=i32[40]  words=char8[1100]');
  expect(command('inspect', path, '--full')).toContain(`axes=${many.join(',')}  words=www`);
});

describeWithShared(['golden/models'], 'GGUF', () => {
  test('arrays of keys are shown by full', async () => {
    const bytes = ggufFile('micro-en', { type: 'f16', names: 'hub' });
    const path = join(folder, 'model.gguf');
    writeFileSync(path, bytes);
    for (const source of [bytes, path]) {
      const key = 'tokenizer.ggml.tokens';
      const { length } = (await (await susurrus.openModelFile(source)).vocabulary())!;
      expect((await susurrus.inspect(source)).metadata[key]).toEqual({ length });
      const tokens = (await susurrus.inspect(source, { full: true })).metadata[key] as string[];
      expect([tokens.length, tokens[0], tokens[220]]).toEqual([length, '!', 'Ġ']);
    }
  });
});

test('a network goes into a stream', async () => {
  const pieces: Uint8Array[] = [];
  const stream = new WritableStream<Uint8Array>({ write: (bytes) => void pieces.push(bytes) });
  const source = new Blob([writeApril(smallApril).slice()]);
  const { byteCount, network } = await susurrus.extract(source, 'network:decoder', stream);
  expect(new Uint8Array(Buffer.concat(pieces))).toEqual(smallApril.networks[1]);
  expect([byteCount, network?.size]).toEqual(Array(2).fill(smallApril.networks[1]!.length));
});

test.each(['spm', 'Vocabulary', 'layer:1', 'tensor', 'toString:1', '', undefined, 5])(
  'extract(%p) is refused with what there is, and the stream is left alone',
  async (what) => {
    const { stream, bytes } = collectedStream();
    const source = writeApr2(tinyWhisper());
    expect(await errorOf(susurrus.extract(source, what as 'tokens', stream))).toMatchObject({
      code: 'invalid_argument',
      details: {
        subject: 'what',
        expected:
          "'vocabulary', 'tokens', 'filterbank', 'section:NAME', 'network:NAME' or 'tensor:NAME'",
      },
    });
    expect([bytes().length, stream.locked]).toEqual([0, false]);
  },
);

test.each(['vocabulary', 'section:spm', 'network:encoder', 'tensor:x'] as const)(
  'extract(%p) of a stream, or of nothing, fails and aborts the destination',
  async (what) => {
    for (const source of [new Blob([writeApr2(tinyWhisper()).slice()]).stream(), new Blob([])]) {
      let reason: unknown;
      const stream = new WritableStream<Uint8Array>({
        abort(why) {
          reason = why;
        },
      });
      const error = await susurrus.extract(source, what, stream).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(susurrus.SusurrusError);
      expect(reason).toBe(error);
    }
  },
);

describe('sections', () => {
  const spm = { name: 'spm', type: 'data', data: Uint8Array.of(0, 10, 255) };
  const bytes = writeBw2l('small', [spm, ...smallBw2l, { ...spm, data: Uint8Array.of(9, 32) }]);

  test('of BW2L and APR1 come as they are stored, of several of one name the last', async () => {
    const path = join(folder, 'sections.b2l');
    writeFileSync(path, bytes);
    for (const source of [path, bytes, new Blob([bytes.slice()])]) {
      using file = await susurrus.openModelFile(source, { tensors: false });
      expect(await file.section('spm')).toEqual(Uint8Array.of(9, 32));
      const arch = new TextDecoder().decode(await file.section('arch'));
      expect(arch).toBe('V -1 1 NFEAT 0\nC2 1 2 3 1 1 1\nL 80 2\n');
      expect(await errorOf(file.section('spam'))).toMatchObject({
        code: 'invalid_argument',
        details: { subject: 'name', expected: expect.stringMatching(/^one of spm, flags, config/) },
      });
    }
    const apr1 = writeApr1(tinyApr1());
    const file = await susurrus.openModelFile(apr1);
    expect(await file.section('header')).toEqual(apr1.slice(0, 52));
    file.close();
    expect(await errorOf(file.section('header'))).toMatchObject({ code: 'wrong_state' });
    using apr2 = await susurrus.openModelFile(writeApr2(tinyWhisper()));
    expect(await errorOf(apr2.section('spm'))).toMatchObject({
      code: 'invalid_argument',
      details: { expected: 'the name of a section, and APR2 has none' },
    });
  });

  test('are written to a file and into a stream', async () => {
    const path = join(folder, 'extracted.b2l');
    writeFileSync(path, bytes);
    const out = join(folder, 'spm.bin');
    command('extract', path, 'section:spm', out);
    expect([...readFileSync(out)]).toEqual([9, 32]);
    const { stream, bytes: collected } = collectedStream();
    expect(await susurrus.extract(bytes, 'section:notes', stream)).toEqual({ byteCount: 22 });
    expect(new TextDecoder().decode(collected())).toBe('unknown types are kept');
    expect(await errorOf(susurrus.extract(bytes, 'section:', out))).toMatchObject({
      code: 'invalid_argument',
    });
    expect([...readFileSync(out)]).toEqual([9, 32]);
  });
});

describe('metadata alone', () => {
  /** Metadata of half a mebibyte, and an index of two thousand tensors. */
  const whole = {
    ...withFilterbank,
    metadata: { ...withFilterbank.metadata, notes: 'x'.repeat(300_000) },
    tensors: [
      ...tinyWhisper().tensors,
      ...Array.from({ length: 4000 }, (_, i) => ({
        name: `${'n'.repeat(200)}.${i}`,
        dtype: 0,
        dims: [16],
        stored: new Uint8Array(64),
      })),
    ],
  };

  test('leaves index and tensors where they are', async () => {
    const bytes = writeApr2(whole);
    const server = await startRangeServer({ 'model.apr': bytes });
    const file = await susurrus.openModelFile(`${server.address}/model.apr`, { tensors: false });
    expect(file).toMatchObject({ format: 'APR2', dims: { nVocab: tinyDims.n_vocab }, tensors: [] });
    expect(file.metadata.notes).toHaveLength(300_000);
    expect((await file.filterbank())!.values).toEqual(weights);
    expect(await errorOf(file.tensor('decoder.ln.bias'))).toMatchObject({ code: 'wrong_state' });
    const alone = server.sentBytes;
    file.close();
    server.sentBytes = 0;
    (await susurrus.openModelFile(`${server.address}/model.apr`)).close();
    await server.close();
    // The index is longer than a part that is read beyond the metadata.
    expect(server.sentBytes - alone).toBeGreaterThan(400_000);
  });

  test('of a manifest is read from the first shard', async () => {
    const shards = tinyShards(3);
    const files = Object.fromEntries(shards.files);
    files['model.apr'] = new TextEncoder().encode(JSON.stringify(shards.manifest));
    const server = await startRangeServer(files);
    const file = await susurrus.openModelFile(`${server.address}/model.apr`, { tensors: false });
    expect(await file.vocabulary()).toHaveLength(tinyMetadata.vocab.length);
    await server.close();
    const asked = new Set(server.requests.map((line) => line.split(' ')[1]));
    expect([...asked]).toEqual(['model.apr', [...shards.files.keys()][0]]);
  });
});

describe('prefetch', () => {
  const tensors = Array.from({ length: 24 }, (_, i) => ({
    name: `t${String(i).padStart(2, '0')}`,
    dtype: 0,
    // Every third one is large, so that what lies behind it is far from what lies before it.
    dims: [i % 3 === 2 ? 40_000 : 16],
    stored: new Uint8Array(
      Float32Array.from({ length: i % 3 === 2 ? 40_000 : 16 }, () => i).buffer,
    ),
  }));
  const bytes = writeApr2({ ...tinyWhisper(), tensors });

  test('joins neighbours and overlaps at most four requests', async () => {
    const server = await startRangeServer({ 'model.apr': bytes });
    const file = await susurrus.openModelFile(`${server.address}/model.apr`);
    server.requests.length = 0;
    server.mostAtOnce = 0;
    const held = server.holdAnswers();
    const small = tensors.filter((_, i) => i % 3 !== 2).map(({ name }) => name);
    const fetching = file.prefetch([...small].reverse());
    await held.until(4);
    // A fifth one would have come by now: each of the four is held.
    await new Promise((done) => setTimeout(done, 200));
    expect(server.requests).toHaveLength(4);
    held.release();
    await fetching;
    // Eight pairs of neighbours; the first may have come with the description.
    expect(server.requests.length).toBeLessThanOrEqual(8);
    expect(server.requests.length).toBeGreaterThanOrEqual(7);
    expect(server.mostAtOnce).toBe(4);
    const before = server.requests.length;
    for (const name of small) {
      const i = Number(name.slice(1));
      expect((await file.tensor(name)).values).toEqual(new Float32Array(16).fill(i));
    }
    expect(server.requests).toHaveLength(before);
    file.close();
    await server.close();
  });

  test('of all is one request', async () => {
    const server = await startRangeServer({ 'model.apr': bytes });
    const file = await susurrus.openModelFile(`${server.address}/model.apr`);
    server.requests.length = 0;
    await file.prefetch(tensors.map(({ name }) => name));
    expect(server.requests).toHaveLength(1);
    expect((await file.tensor('t23')).values).toEqual(new Float32Array(40_000).fill(23));
    file.close();
    await server.close();
  });
});

test('TenniS constants of one name are had by their nodes', async () => {
  const bytes = writeTennis({
    inputs: [],
    outputs: [0],
    nodes: [
      tennisNode('<const>', '', [], ['value', floats([2], 1, 2)]),
      tennisNode('<const>', '', [], ['value', floats([3], 3, 4, 5), floats([1], 6)]),
      tennisNode('<const>', '', [], ['value', floats([1], 7)]),
    ],
  });
  const file = await susurrus.openModelFile(bytes);
  expect((await file.tensor('')).values).toEqual(Float32Array.of(7));
  expect((await file.tensor('#0')).values).toEqual(Float32Array.of(1, 2));
  expect((await file.tensor('#1')).values).toEqual(Float32Array.of(3, 4, 5));
  expect((await file.tensor('#1[1]')).values).toEqual(Float32Array.of(6));
  expect(file.tensors.map(({ node }) => node)).toEqual([0, 1, 1, 2]);
  for (const name of ['#3', '#1[2]', '#', '#0[1]']) {
    expect(await errorOf(file.tensor(name))).toMatchObject({ code: 'invalid_argument' });
  }
  const path = join(folder, 'equal.tsm');
  writeFileSync(path, bytes);
  command('extract', path, '#1', join(folder, 'one.npy'));
  expect(readFileSync(join(folder, 'one.npy'), 'latin1')).toContain("'shape': (3,)");
});

test('integers beyond 2^53 are exact, and the reserved word has a sign', async () => {
  const i64 = (value: bigint) => ({
    dtype: 7,
    shape: [],
    data: new Uint8Array(BigInt64Array.of(value).buffer),
  });
  const module = writeTennis({
    reservedWord: -123,
    inputs: [0],
    outputs: [0],
    nodes: [
      tennisNode(
        '<param>',
        'x',
        [],
        ['a', i64(9007199254740993n)],
        ['b', i64(-9007199254740993n)],
        ['c', i64(9007199254740991n)],
      ),
    ],
  });
  const { graph, metadata } = await susurrus.inspect(module);
  expect(metadata.reserved_word).toBe(-123);
  expect(graph!.nodes[0]!.parameters.map(({ fields }) => fields[0]!.value)).toEqual([
    '9007199254740993',
    '-9007199254740993',
    9007199254740991,
  ]);
  // JavaScript writes no such numbers.
  const text = JSON.stringify({ ...tinyMetadata, text: '1', large: '@', list: '@', float: '#' })
    .replaceAll('"@"', '9007199254740993')
    .replace('"#"', '0.12345678901234567890')
    .replace('"1"', '"9007199254740993 \\" 9007199254740993"');
  const path = join(folder, 'large.apr');
  writeFileSync(path, writeApr2({ ...tinyWhisper(), metadata: text }));
  const shown = JSON.parse(command('inspect', path, '--json')) as { metadata: object };
  expect(shown.metadata).toMatchObject({
    text: '9007199254740993 " 9007199254740993',
    large: '9007199254740993',
    float: 0.12345678901234568,
  });
});
