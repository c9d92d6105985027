// inspect reads no more than it needs from paths, Blobs and servers that support ranges.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { tinyTokens, vocabularySection, writeApr1 } from '../support/apr1_writer.js';
import { writeApr2 } from '../support/apr2_writer.js';
import { smallApril, writeApril } from '../support/april_writer.js';
import { array, layers, smallBw2l, writeBw2l } from '../support/bw2l_writer.js';
import { builtPackage } from '../support/built_package.js';
import { errorOf, inPieces } from '../support/embedded_model.js';
import { safetensors, tinyConfig, writeHubFolder } from '../support/hub_folder.js';
import { startRangeServer, type RangeServer } from '../support/range_server.js';
import { tinyShards, writeShards } from '../support/sharded_model.js';
import { floats, tennisNode, writeTennis } from '../support/tennis_writer.js';
import { tinyDims, tinyWhisper, whisperShapes } from '../support/tiny_whisper.js';

const wide = { ...tinyDims, n_audio_state: 256, n_text_state: 256 };
const large: Readonly<Record<string, Uint8Array>> = {
  'model.apr': writeApr2(tinyWhisper({ dims: wide })),
  'model.safetensors': safetensors(whisperShapes(wide)),
  'one.apr': writeApr1({
    dims: wide,
    tensors: tinyWhisper({ dims: wide }).tensors.map(({ name, dims, stored }) => ({
      ...{ name, stored },
      dims: dims.map(Number),
    })),
    vocabulary: vocabularySection(tinyTokens),
  }),
  'model.tsm': writeTennis({
    inputs: [],
    outputs: [0],
    nodes: [
      tennisNode(
        '<const>',
        'weights',
        [],
        ['value', { dtype: 10, shape: [300_000], data: new Uint8Array(1_200_000) }],
      ),
    ],
  }),
  'model.bw2l': writeBw2l('wide', [
    ...smallBw2l.filter(({ name }) => name !== 'layers'),
    {
      name: 'layers',
      type: 'layers',
      data: layers([
        { arch: 'V -1 1 NFEAT 0' },
        {
          arch: 'C2 1 2 3 1 1 1',
          arrays: [array('fp32', 6, new Uint8Array(24)), array('fp16', 2, new Uint8Array(4))],
        },
        {
          arch: 'L 80 20000',
          arrays: [
            array('i8', 1_600_000, new Uint8Array(1_600_000)),
            array('i32', 20_000, new Uint8Array(80_000)),
          ],
        },
      ]),
    },
  ]),
};

let susurrus: Awaited<ReturnType<typeof builtPackage>>;
let server: RangeServer;
const folder = mkdtempSync(join(tmpdir(), 'susurrus-parts-'));
beforeAll(async () => {
  susurrus = await builtPackage();
  server = await startRangeServer(large);
  for (const [name, bytes] of Object.entries(large)) writeFileSync(join(folder, name), bytes);
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});
afterEach(() => {
  server.behaviour = {};
  server.requests.length = 0;
  server.sentBytes = 0;
});

describe.each(Object.keys(large))('%s', (name) => {
  const bytes = large[name]!;

  test('is the same from a server, a path, a Blob and memory', async () => {
    const whole = await susurrus.inspect(bytes);
    expect(whole.byteCount).toBe(bytes.length);
    expect(await susurrus.inspect(join(folder, name))).toEqual(whole);
    expect(await susurrus.inspect(new Blob([bytes.slice()]))).toEqual(whole);
    expect(await susurrus.inspect(`${server.address}/${name}`)).toEqual(whole);
    expect(await susurrus.inspect(new Request(`${server.address}/${name}`))).toEqual(whole);
    expect(await susurrus.inspect(await fetch(`${server.address}/${name}`))).toEqual(whole);
  });

  test('is fetched in parts', async () => {
    expect(bytes.length).toBeGreaterThan(1e6);
    await susurrus.inspect(`${server.address}/${name}`);
    expect(server.sentBytes).toBeLessThan(bytes.length / 5);
    expect(server.requests.every((line) => line.startsWith(`GET ${name} bytes=`))).toBe(true);
    expect(server.requests.length).toBeLessThanOrEqual(4);
  });

  test('is read forwards where the server gives no parts, with a warning', async () => {
    const whole = await susurrus.inspect(bytes);
    server.behaviour = { ignoresRanges: true };
    const found = await susurrus.inspect(`${server.address}/${name}`);
    expect(found).toEqual({
      ...whole,
      warnings: [
        ...whole.warnings,
        'the server does not support range requests: the whole file was read',
      ],
    });
    expect(server.requests).toHaveLength(1);
  });

  test('is refused when the end is missing', async () => {
    server.files.set('cut', bytes.slice(0, -100_000));
    expect(await errorOf(susurrus.inspect(`${server.address}/cut`))).toMatchObject({
      code: expect.stringMatching(/^(truncated_input|malformed)$/),
    });
  });
});

test('networks of .april files are passed over', async () => {
  const bytes = writeApril(smallApril);
  server.files.set('small.april', bytes);
  expect(await susurrus.inspect(`${server.address}/small.april`)).toEqual(
    await susurrus.inspect(bytes),
  );
});

test('the shards of a manifest are looked at beside it', async () => {
  const model = tinyShards(3, { whole: tinyWhisper({ dims: wide }) });
  const path = writeShards(folder, model);
  for (const name of readdirSync(dirname(path))) {
    server.files.set(`deep/${name}`, readFileSync(join(dirname(path), name)));
  }
  const local = await susurrus.inspect(path);
  expect(local.shards).toHaveLength(3);
  expect(await susurrus.inspect(`${server.address}/deep/${basename(path)}?x=1`)).toEqual(local);
  expect(server.sentBytes).toBeLessThan(local.byteCount / 3);
  const [shard = ''] = model.files.keys();
  server.files.delete(`deep/${shard}`);
  expect(await errorOf(susurrus.inspect(`${server.address}/deep/${basename(path)}`))).toMatchObject(
    { code: 'source_failed', details: { reason: 'manifest', subject: shard } },
  );
});

describe('a hub folder', () => {
  const dims = { nVocab: 58, nAudioState: 32, nTextLayer: 1 };

  test('tells dimensions and memory', async () => {
    const path = writeHubFolder(join(folder, 'hub'));
    const facts = await susurrus.inspect(path);
    expect(facts).toMatchObject({
      ...{ format: 'SafeTensors', flags: [], dims },
      metadata: { format: 'pt', config: { model_type: 'whisper' } },
      memory: { weights: facts.tensors.reduce((sum, { size }) => sum + size, 0) },
    });
    expect(facts.memory?.total).toBe((facts.memory?.weights ?? 0) + (facts.memory?.state ?? 0));
    expect(await susurrus.inspect(join(path, 'model.safetensors'))).toEqual(facts);
    const files = readdirSync(path).map((name) => new File([readFileSync(join(path, name))], name));
    expect(await susurrus.inspect(files)).toEqual(facts);
  });

  test('may have its weights in several files', async () => {
    const shapes = whisperShapes(tinyDims);
    const [first, second] = [shapes.slice(0, 10), shapes.slice(10)];
    const map = Object.fromEntries([
      ...first.map(([name]) => [name, 'model-00001-of-00002.safetensors'] as const),
      ...second.map(([name]) => [name, 'model-00002-of-00002.safetensors'] as const),
    ]);
    const path = writeHubFolder(join(folder, 'parts'), {
      'model.safetensors': undefined,
      'model.safetensors.index.json': { metadata: {}, weight_map: map },
      'model-00001-of-00002.safetensors': safetensors(first),
      'model-00002-of-00002.safetensors': safetensors(second),
    });
    const facts = await susurrus.inspect(path);
    expect(facts.tensors).toHaveLength(shapes.length);
    expect(facts.shards?.map(({ file }) => file)).toEqual([
      'model-00001-of-00002.safetensors',
      'model-00002-of-00002.safetensors',
    ]);
    for (const { name, shard } of facts.tensors) {
      expect(facts.shards?.[shard ?? -1]?.file).toBe(map[name]);
    }
    expect(facts).toMatchObject({ dims });
    expect(await susurrus.inspect(join(path, 'model.safetensors.index.json'))).toEqual(facts);
    rmSync(join(path, 'model-00002-of-00002.safetensors'));
    expect(await errorOf(susurrus.inspect(path))).toMatchObject({ code: 'source_failed' });
  });

  test('of another kind of model has no dimensions', async () => {
    const path = writeHubFolder(join(folder, 'other'), {
      'config.json': { ...tinyConfig, model_type: 'bert' },
    });
    const facts = await susurrus.inspect(path);
    expect(facts).not.toHaveProperty('dims');
    expect(facts).not.toHaveProperty('memory');
    expect(facts.metadata).toMatchObject({ config: { model_type: 'bert' } });
  });
});

test('memory is what the engine takes', async () => {
  const { memory } = await susurrus.inspect(join(folder, 'model.apr'));
  using model = await susurrus.loadModel<'whisper'>(join(folder, 'model.apr'));
  const taken = await model.memory();
  expect(memory?.state).toBe(taken.kvCacheBytes + taken.activationBytes);
  expect((memory?.weights ?? 0) / taken.weightBytes).toBeCloseTo(1, 1);
});

describe('a server', () => {
  const url = (): string => `${server.address}/model.apr`;

  test('may hide how long the file is', async () => {
    server.behaviour = { hidesContentRange: true };
    const found = await susurrus.inspect(url());
    expect(found).toEqual(await susurrus.inspect(large['model.apr']!));
    expect(server.requests).toContain('HEAD model.apr');
  });

  test('must not change the file meanwhile', async () => {
    server.behaviour = { changesTags: true };
    expect(await errorOf(susurrus.inspect(url()))).toMatchObject({
      code: 'source_failed',
      message: expect.stringContaining('changed while it was read'),
    });
  });

  test('may cut the connection', async () => {
    server.behaviour = { cutsBodies: true };
    expect(await errorOf(susurrus.inspect(url()))).toMatchObject({ code: 'source_failed' });
  });

  test('may have no such file, or an empty one', async () => {
    expect(await errorOf(susurrus.inspect(`${server.address}/none`))).toMatchObject({
      code: 'source_failed',
      details: { got: expect.stringContaining('HTTP 404') },
    });
    server.files.set('empty', new Uint8Array());
    expect(await errorOf(susurrus.inspect(`${server.address}/empty`))).toMatchObject({
      code: 'truncated_input',
    });
  });
});

describe('what is verified', () => {
  const damaged = large['model.apr']!.slice();
  damaged[damaged.length - 1000]! ^= 1;

  test('is what is read whole', async () => {
    for (const source of [damaged, inPieces(damaged, 100_000), new Response(damaged)]) {
      expect(await errorOf(susurrus.inspect(source))).toMatchObject({ code: 'checksum_mismatch' });
    }
  });

  test('is not what is read in parts, for which there is verifyModel', async () => {
    const path = join(folder, 'damaged.apr');
    writeFileSync(path, damaged);
    expect((await susurrus.inspect(path)).format).toBe('APR2');
    const { valid, checks } = await susurrus.verifyModel(path);
    expect(valid).toBe(false);
    expect(checks).toContainEqual(
      expect.objectContaining({ name: 'checksum', outcome: 'failed', offset: damaged.length - 16 }),
    );
  });

  test('tells progress also of a file whose first byte is a brace', async () => {
    // The lowest byte of SafeTensors' length: 123 more than a multiple of 256.
    const bytes = large['model.safetensors']!;
    const length = Number(new DataView(bytes.buffer).getBigUint64(0, true));
    const padded = length + ((256 + 0x7b - (length % 256)) % 256);
    const file = new Uint8Array(bytes.length + padded - length).fill(0x20);
    file.set(bytes.subarray(0, 8 + length));
    file.set(bytes.subarray(8 + length), 8 + padded);
    new DataView(file.buffer).setBigUint64(0, BigInt(padded), true);
    const loaded: number[] = [];
    await susurrus.verifyModel(file, { onProgress: (event) => void loaded.push(event.loaded) });
    expect(loaded.at(-1)).toBe(file.length);
    const others: number[] = [];
    await susurrus.verifyModel(bytes, { onProgress: (event) => void others.push(event.loaded) });
    expect(loaded).toHaveLength(others.length);
  });

  test('has a checksum and seals only where the format has some', async () => {
    for (const [name, bytes] of Object.entries(large)) {
      const { valid, checks } = await susurrus.verifyModel(bytes);
      expect([name, valid]).toEqual([name, true]);
      for (const seal of ['piece digests', 'signature']) {
        expect(checks).toContainEqual(expect.objectContaining({ name: seal, outcome: 'absent' }));
      }
      expect(checks).toContainEqual(
        expect.objectContaining({
          name: 'checksum',
          outcome: name.endsWith('.apr') ? 'passed' : 'absent',
        }),
      );
    }
  });
});

test('a pipe is read forwards', async () => {
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const writing = writeFile(pipe, large['model.apr']!);
  const found = await susurrus.inspect(pipe);
  await writing;
  expect(found).toEqual(await susurrus.inspect(large['model.apr']!));
});

test('formats that do not mark their end need a length', async () => {
  const bytes = large['model.safetensors']!;
  expect(await errorOf(susurrus.inspect(inPieces(bytes, 1000)))).toMatchObject({
    code: 'layout_not_streamable',
    details: { expected: 'a source whose length is known' },
  });
});

describe('stats', () => {
  const values = [1.5, -2, Number.NaN, 4, Number.POSITIVE_INFINITY];
  const file = writeTennis({
    inputs: [],
    outputs: [0],
    nodes: [tennisNode('<const>', 'c', [], ['value', floats([5], ...values)])],
  });

  test('count what tensors hold', async () => {
    const [tensor] = (await susurrus.inspect(file, { stats: true })).tensors;
    expect(tensor?.statistics).toEqual({ min: -2, max: 4, mean: 3.5 / 3, nan: 1, infinite: 1 });
    const { tensors } = await susurrus.inspect(join(folder, 'model.apr'), { stats: true });
    const opened = await susurrus.openModelFile(join(folder, 'model.apr'));
    for (const { name, statistics } of tensors) {
      const { values: found } = await opened.tensor(name);
      expect(statistics).toMatchObject({
        ...{
          min: found.reduce((a, b) => Math.min(a, b)),
          max: found.reduce((a, b) => Math.max(a, b)),
        },
        ...{ nan: 0, infinite: 0 },
      });
      expect(statistics?.mean).toBeCloseTo(found.reduce((a, b) => a + b, 0) / found.length, 5);
    }
    opened.close();
  });

  test('need a source that is read in parts', async () => {
    expect(await errorOf(susurrus.inspect(inPieces(file, 10), { stats: true }))).toMatchObject({
      code: 'invalid_argument',
      details: { subject: 'stats' },
    });
  });
});
