// Models in shards through the public API: from a folder, from URLs, from a list of files; and what is wrong with others.
import { mkdtempSync, rmSync, unlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ModelSource, Progress } from '../../web/src/node.js';
import { writeApr2 } from '../support/apr2_writer.js';
import { builtPackage } from '../support/built_package.js';
import { errorOf } from '../support/embedded_model.js';
import { filesModule } from '../support/files_module.js';
import {
  asFiles,
  manifestBytes,
  rebuilt,
  shardName,
  tinyShards,
  writeShards,
  type ShardedModel,
} from '../support/sharded_model.js';
import { tinyDims, tinyMetadata, tinyShapes, tinyWhisper } from '../support/tiny_whisper.js';
import { expectOneBar } from '../support/one_bar.js';

type Package = Awaited<ReturnType<typeof builtPackage>>;
let susurrus: Package;
let server: Server;
let address: string;
const root = mkdtempSync(join(tmpdir(), 'susurrus-shards-'));
const model = tinyShards();
const asked: string[] = [];

beforeAll(async () => {
  susurrus = await builtPackage();
  server = createServer((request, response) => {
    const path = decodeURIComponent((request.url ?? '').split('?')[0] ?? '');
    asked.push(request.url ?? '');
    if (path === '/moved/model.apr') {
      response.writeHead(302, { Location: '/elsewhere/1234' }).end();
      return;
    }
    const name = path.split('/').at(-1) ?? '';
    const bytes =
      name === 'model.apr' || name === '1234' ? manifestBytes(model) : model.files.get(name);
    if (!bytes) response.writeHead(404).end('no');
    else response.writeHead(200, { 'Content-Length': bytes.length }).end(bytes);
  });
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(root, { recursive: true });
});

/** Depends on every weight. */
async function fingerprint(source: ModelSource): Promise<number[]> {
  const loaded = await susurrus.loadModel<'whisper'>(source, { variant: 'simd' });
  try {
    const nFrames = 2 * tinyDims.n_audio_ctx;
    const data = Float32Array.from({ length: tinyDims.n_mels * nFrames }, (_, i) => Math.sin(i));
    const states = await loaded.encode({ data, nMels: tinyDims.n_mels, nFrames });
    return [...states, ...(await loaded.logits([29, 30, 32, 36]))];
  } finally {
    loaded.dispose();
  }
}

describe('shards are loaded from', () => {
  let like: number[];
  beforeAll(async () => {
    like = await fingerprint(writeApr2(tinyWhisper()));
  });

  const sources: Record<string, () => ModelSource> = {
    'a folder, by the path of the manifest': () => writeShards(root, model),
    'a file URL': () => pathToFileURL(writeShards(root, model)),
    'addresses beside the manifest’s': () => `${address}/models/model.apr`,
    'a URL object with a query': () => new URL(`${address}/models/model.apr?token=1`),
    'a Request': () => new Request(`${address}/a/b/model.apr`, { headers: { 'X-Key': 'k' } }),
    'where the manifest was asked for, not where it was found': () => `${address}/moved/model.apr`,
    'a list of files': () => asFiles(model),
    'a list in another order': () => asFiles(model).reverse(),
    'a list of one file that is whole': () => [
      new File([writeApr2(tinyWhisper()).slice()], 'x.apr'),
    ],
  };
  test.each(Object.keys(sources))('%s', async (name) => {
    expect(await fingerprint(sources[name]!())).toEqual(like);
  });

  test('one shard, or as many as tensors', async () => {
    for (const count of [1, tinyShapes.length]) {
      expect(await fingerprint(asFiles(tinyShards(count)))).toEqual(like);
    }
  });

  test('compressed shards', async () => {
    const whole = tinyWhisper({ compress: true });
    expect(await fingerprint(asFiles(tinyShards(2, { whole })))).toEqual(like);
  });

  test('a Response, beside its address', async () => {
    expect(await fingerprint(await fetch(`${address}/models/model.apr`))).toEqual(like);
  });
});

test('nothing outside the manifest’s folder is asked for', async () => {
  asked.length = 0;
  const loaded = await susurrus.loadModel<'whisper'>(`${address}/a/b/model.apr`);
  loaded.dispose();
  expect(asked.every((path) => path.startsWith('/a/b/'))).toBe(true);
  expect(asked).toHaveLength(4);
});

test('progress counts the bytes of all shards', async () => {
  const events: Progress[] = [];
  const onProgress = (event: Progress) => void events.push(event);
  (await susurrus.loadModel<'whisper'>(asFiles(model), { onProgress })).dispose();
  const loads = events.filter(({ phase }) => phase === 'load');
  const total = [...model.files.values()].reduce((sum, { length }) => sum + length, 0);
  expect(loads.at(-1)).toMatchObject({ loaded: total, total, fraction: 1 });
  const fractions = loads.map(({ fraction }) => fraction ?? NaN);
  expect(fractions.every((fraction, i) => i === 0 || fraction >= fractions[i - 1]!)).toBe(true);
  expect(loads.filter(({ fraction }) => fraction === 1).length).toBeLessThan(4);
  expectOneBar(events);
});

test('the list of shards is given once, not after each', async () => {
  const files = await filesModule();
  const many = tinyShards(12);
  const inspector = new files.Inspector();
  const listed: number[] = [];
  for (const bytes of [manifestBytes(many), ...many.files.values()]) {
    inspector.setByteCount(bytes.length);
    inspector.inputWindow(bytes.length).set(bytes);
    expect(inspector.push(bytes.length)).toBe('');
    expect(inspector.finish()).toBe('');
    listed.push((JSON.parse(inspector.missingFiles()) as unknown[]).length);
  }
  expect(listed).toEqual([12, ...Array.from({ length: 12 }, () => 0)]);
  inspector.delete();
});

test('inspect shows all shards', async () => {
  const found = await susurrus.inspect(writeShards(root, model));
  expect(found.format).toBe('APR2');
  expect(found.warnings).toEqual([]);
  expect(found.shards).toEqual(
    [0, 1, 2].map((i) => ({
      file: shardName('model', i, 3),
      flags: ['ALIGNED_64', 'SHARDED'],
    })),
  );
  expect(found.tensors.map(({ name, shard }) => [name, shard])).toEqual(
    model.shards.flatMap(({ tensors }, shard) => tensors.map(({ name }) => [name, shard])),
  );
  expect(found.metadata).toMatchObject({ model_type: 'whisper', vocab: { length: 58 } });
  const alone = await susurrus.inspect(model.files.get(shardName('model', 1, 3))!);
  expect(alone.shards).toBeUndefined();
  expect(alone.flags).toContain('SHARDED');
});

interface Expected {
  readonly code?: string;
  readonly reason?: string;
  readonly subject: string;
  readonly offset?: number;
}
type Case = [name: string, edit: (model: ShardedModel) => ShardedModel, expected: Expected];

const second = shardName('model', 1, 3);
const firstName = tinyShapes[0]![0];
const secondShard = (m: ShardedModel) => m.shards[1]!;
const withManifest = (change: Record<string, unknown>) => (m: ShardedModel) => {
  Object.assign(m.manifest, change);
  return m;
};
const withShard = (change: Record<string, unknown>) => (m: ShardedModel) => {
  Object.assign(m.manifest.shards[1]!, change);
  return m;
};
const withMap = (shard: unknown) => (m: ShardedModel) => {
  m.manifest.tensor_shard_map[firstName] = shard;
  return m;
};
/** Another second shard under the manifest of the good one. */
const withFile = (make: (m: ShardedModel) => Uint8Array) => (m: ShardedModel) => {
  m.files.set(second, make(m));
  return m;
};

const cases: Case[] = [
  ['70 another number of shards', withManifest({ shard_count: 2 }), { subject: 'shard_count' }],
  ['70 no shard', withManifest({ shard_count: 0, shards: [] }), { subject: 'shard_count' }],
  ['70 too many', withManifest({ shard_count: 100000 }), { subject: 'shard_count' }],
  ['71 a path', withShard({ file: `../${second}` }), { subject: 'shards[1].file' }],
  ['71 a scheme', withShard({ file: 'file:x.apr' }), { subject: 'shards[1].file' }],
  ['71 a NUL', withShard({ file: 'a\0.apr' }), { subject: 'shards[1].file' }],
  ['71 a file twice', withShard({ file: shardName('model', 0, 3) }), { subject: 'shards' }],
  ['72 a shard that is not there', withMap(3), { subject: firstName }],
  ['72 no integer', withMap(0.5), { subject: firstName }],
  ['73 no hexadecimal', withShard({ crc32: '12' }), { subject: 'shards[1].crc32' }],
  ['73 another size', withShard({ size: 1234 }), { subject: `${second}: size` }],
  [
    '73 a shard cut',
    withFile((m) => m.files.get(second)!.slice(0, -100)),
    { subject: `${second}: size` },
  ],
  ['73 another checksum', withShard({ crc32: '00000000' }), { subject: `${second}: crc32` }],
  [
    '73 the same tensors with other values',
    withFile((m) => {
      const [first, ...rest] = secondShard(m).tensors;
      const stored = first!.stored.map((byte) => byte ^ 1);
      return writeApr2({ ...secondShard(m), tensors: [{ ...first!, stored }, ...rest] });
    }),
    { subject: `${second}: footer_crc32` },
  ],
  [
    '74 a shard twice',
    withFile((m) => m.files.get(shardName('model', 0, 3))!),
    { subject: `${second}: tensors` },
  ],
  [
    '74 two shards exchanged',
    withFile((m) => m.files.get(shardName('model', 2, 3))!),
    { subject: `${second}: tensors` },
  ],
  [
    '74 shards that overlap',
    withFile((m) => {
      const tensors = [...secondShard(m).tensors, m.shards[0]!.tensors[0]!];
      return writeApr2({ ...secondShard(m), tensors });
    }),
    { subject: `${second}: ${firstName}` },
  ],
  [
    '74 a tensor missing',
    withFile((m) => writeApr2({ ...secondShard(m), tensors: secondShard(m).tensors.slice(1) })),
    { subject: `${second}: ${String(tinyShards().shards[1]!.tensors[0]!.name)}` },
  ],
  [
    '75 another model’s shard',
    withFile((m) =>
      writeApr2({
        ...secondShard(m),
        metadata: {
          ...tinyMetadata,
          architecture: { ...tinyMetadata.architecture, n_text_layer: 2 },
        },
      }),
    ),
    { subject: `${second}: architecture` },
  ],
  ['75 a manifest', withFile((m) => manifestBytes(m)), { subject: second }],
  [
    '5 a flipped bit',
    withFile((m) => {
      const bytes = m.files.get(second)!.slice();
      bytes[bytes.length - 20]! ^= 1;
      return bytes;
    }),
    {
      code: 'checksum_mismatch',
      reason: 'checksum',
      subject: `${second}: crc32`,
      offset: model.files.get(second)!.length - 16,
    },
  ],
  [
    '76 a tensor that no shard has',
    (m) => {
      const [, ...rest] = secondShard(m).tensors;
      m.shards[1] = { ...secondShard(m), tensors: rest };
      return rebuilt(m);
    },
    {
      code: 'missing_tensor',
      reason: 'model',
      subject: String(tinyShards().shards[1]!.tensors[0]!.name),
    },
  ],
];

describe('what is wrong with shards is said exactly', () => {
  test('the model they are made from is read', async () => {
    (await susurrus.loadModel<'whisper'>(asFiles(tinyShards()))).dispose();
  });

  test.each(cases)('%s', async (_, edit, expected) => {
    const fresh = tinyShards();
    const broken = edit(fresh);
    const { code = 'malformed', reason = 'manifest', subject, offset = 0 } = expected;
    const wanted = {
      code,
      details: { reason, subject, ...(code !== 'missing_tensor' && { offset }) },
    };
    for (const source of [asFiles(broken), writeShards(root, broken)]) {
      expect(await errorOf(susurrus.loadModel(source))).toMatchObject(wanted);
      // What damages alone show is not looked at.
      if (code === 'missing_tensor' || code === 'checksum_mismatch') continue;
      expect(await errorOf(susurrus.inspect(source))).toMatchObject(wanted);
    }
  });

  test('73 metadata that the first shard does not have', async () => {
    const later = (edit: object, first: object = {}) => {
      const fresh = tinyShards();
      [first, edit].forEach((extra, i) => {
        const shard = fresh.shards[i]!;
        fresh.shards[i] = { ...shard, metadata: { ...(shard.metadata as object), ...extra } };
      });
      return asFiles(rebuilt(fresh));
    };
    const { vocab, tokenizer_config: settings } = tinyMetadata;
    for (const [subject, source] of [
      ['vocab', later({ vocab: [...vocab].reverse(), tokenizer_config: settings })],
      ['alignment_heads', later({ alignment_heads: [[0, 0]] }, { alignment_heads: [[0, 1]] })],
      [
        'suppress_tokens',
        later(
          { tokenizer_config: { suppress_tokens: [1] } },
          { tokenizer_config: { ...settings, suppress_tokens: [2] } },
        ),
      ],
    ] as const) {
      expect(await errorOf(susurrus.inspect(source))).toMatchObject({
        code: 'malformed',
        details: { reason: 'manifest', subject: `${second}: ${subject}` },
      });
    }
    // What the first shard lacks counts for the whole model.
    const added = () =>
      later(
        {
          vocab,
          tokenizer_config: { ...settings, suppress_tokens: [5] },
          alignment_heads: [[0, 0]],
        },
        { vocab: undefined },
      );
    const facts = await susurrus.inspect(added());
    expect(facts.warnings).toEqual([]);
    expect(facts.metadata).toMatchObject({
      vocab: { length: vocab.length },
      tokenizer_config: { suppress_tokens: [5] },
    });
    const filterbank = {
      mel_filterbank_shape: [80, 201],
      mel_filterbank: Array<number>(16080).fill(0),
    };
    using model = await susurrus.loadModel<'whisper'>(
      later({ ...filterbank, alignment_heads: [[0, 0]] }),
    );
    expect(model.info.warnings).toEqual([expect.stringContaining("is not Whisper's")]);
    // Saying it again is no contradiction.
    const { warnings } = await susurrus.inspect(later({ vocab, tokenizer_config: settings }));
    expect(warnings).toEqual([]);
  });

  test('73 checksums are hexadecimal, as the manifest has them', async () => {
    const other = withShard({ crc32: '0000beef' })(tinyShards());
    for (const source of [asFiles(other), writeShards(root, other)]) {
      expect(await errorOf(susurrus.inspect(source))).toMatchObject({
        message: expect.stringContaining('0x0000beef'),
        details: { expected: '0x0000beef', got: expect.stringMatching(/^0x[\da-f]{8}$/) },
      });
    }
    const damaged = writeApr2(tinyWhisper()).slice();
    damaged[damaged.length - 20]! ^= 1;
    const { checks } = await susurrus.verifyModel(damaged);
    expect(checks.find(({ outcome }) => outcome === 'failed')?.message).toMatch(
      /expected 0x[\da-f]{8}, got 0x[\da-f]{8}/,
    );
  });

  test('73 a shard that is missing', async () => {
    const path = writeShards(root, model);
    unlinkSync(join(dirname(path), second));
    const files = asFiles(model).filter(({ name }) => name !== second);
    for (const source of [path, files]) {
      expect(await errorOf(susurrus.loadModel(source))).toMatchObject({
        code: 'source_failed',
        details: { reason: 'manifest', subject: second },
      });
    }
  });

  test('73 a shard that a server does not have', async () => {
    const other = tinyShards(3, { name: 'other' });
    const response = new Response(manifestBytes(other).slice());
    Object.defineProperty(response, 'url', { value: `${address}/x/other.apr` });
    expect(await errorOf(susurrus.loadModel(response))).toMatchObject({
      code: 'source_failed',
      details: { reason: 'manifest', subject: shardName('other', 0, 3) },
    });
  });

  test('a manifest from which nothing can be found', async () => {
    const error = await errorOf(susurrus.loadModel(manifestBytes(model)));
    expect(error).toMatchObject({
      code: 'source_failed',
      details: { reason: 'manifest', subject: shardName('model', 0, 3) },
    });
  });

  test('a list that is none', async () => {
    const lists = [[], [5], [new Blob(['{}'])], asFiles(model).slice(0, 2)];
    for (const list of lists) {
      expect(await errorOf(susurrus.loadModel(list as File[]))).toMatchObject({
        code: 'invalid_argument',
        details: { subject: 'source' },
      });
    }
  });
});
