// Models by name and kept URLs in Node, from servers of the test's own.
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { LoadOptions, WhisperModel, Progress } from '../../web/src/node.js';
import type * as NodeCache from '../../web/src/node_cache.js';
import { isModelName } from '../../web/src/sources/model_name.js';
import { builtPackage } from '../support/built_package.js';
import { errorOf, modelBytes, modelPath } from '../support/embedded_model.js';
import { writeHubFolder } from '../support/hub_folder.js';
import { startHub, type HubServer } from '../support/hub_server.js';
import { startModelServer, type ModelServer } from '../support/model_server.js';
import { projectRoot } from '../support/shared_folder.js';
import { expectOneBar } from '../support/one_bar.js';

let susurrus: Awaited<ReturnType<typeof builtPackage>>;
let kept: typeof NodeCache;
let folder = '';
let hub: HubServer;
const environment = { ...process.env };
const repository = 'openai/whisper-tiny.en';
const digits = modelBytes();

beforeAll(async () => {
  susurrus = await builtPackage();
  kept = (await import(join(projectRoot, 'dist/cache.node.mjs'))) as typeof NodeCache;
});
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'susurrus-names-'));
  hub = await startHub({ repository, files: hubFiles() });
  // No variable names this hub: only the option does.
  process.env = { ...environment, XDG_CACHE_HOME: join(folder, 'cache'), HF_TOKEN: 'hf_secret' };
});
afterEach(async () => {
  process.env = { ...environment };
  await hub.close();
  rmSync(folder, { recursive: true });
});

function hubFiles(): Record<string, Uint8Array> {
  const source = writeHubFolder(join(folder, 'source'));
  return Object.fromEntries(
    readdirSync(source).map((name) => [name, readFileSync(join(source, name))]),
  );
}

/** Loads, disposes of the model, and returns what it says of itself. */
async function load(
  source: string | URL,
  options: LoadOptions = {},
): Promise<WhisperModel['info']> {
  using model = await susurrus.loadModel<'whisper'>(source, options);
  return model.info;
}

describe('a string', () => {
  test.each([
    ...['digits', 'base', 'tiny.en', 'large-v3', 'bsae', 'openai/whisper-base', 'models/whisper'],
    ...[
      'tiny.en@v1',
      'openai/whisper-base@refs/pr/1',
      'base:q8_0',
      'base@main:q5_1',
      'a-b/c.d-2.0',
    ],
    'ggerganov/whisper.cpp@main',
  ])('%s is a name', (text) => {
    expect(isModelName(text)).toBe(true);
  });

  test.each([
    ...['', 'base.apr', 'model.bin', 'models/base.apr', 'a/b/c', './base', '../base', '/base', '.'],
    ...['https://x.example/base', 'blob:https://x.example/1', 'file:///base', 'data:,x', 'base:q9'],
    ...['C:\\base', 'a\\b', 'base?x=1', 'base#x', 'a b', '~/base', 'a/..', 'models/base.json'],
  ])('%p is an address', (text) => {
    expect(isModelName(text)).toBe(false);
  });
});

describe('no model is loaded without a word', () => {
  test('a missing source is refused, and "digits" is the model in the package', async () => {
    for (const missing of [undefined, null, '']) {
      for (const call of [susurrus.loadModel, susurrus.plan]) {
        expect(await errorOf(call(missing as never))).toMatchObject({
          ...{ code: 'invalid_argument', message: expect.stringMatching(/a model: its name/) },
          details: { subject: 'source', got: missing === '' ? '""' : String(missing) },
        });
      }
    }
    using model = await susurrus.loadModel<'whisper'>('digits');
    expect(model.info.dims.nVocab).toBe(1776);
  });

  test.each([
    ['bsae', /tiny.en.*Did you mean 'base'/],
    ['tiny.fr', /large-v3.*Did you mean 'tiny/],
  ])('%s: says which names are known', async (name, message) => {
    const failure = await errorOf(susurrus.loadModel<'whisper'>(name));
    expect(failure).toMatchObject({ code: 'invalid_argument' });
    expect((failure as Error).message).toMatch(message);
  });

  test.each([
    ['dtype', { dtype: 'q8_0' }],
    ['revision', { revision: 'v1' }],
    ['hub', { hub: 'https://x.invalid' }],
    ['token', { token: 'secret' }],
  ] as const)('%s is for names only', async (subject, options) => {
    for (const source of [modelPath, 'digits', digits]) {
      expect(await errorOf(susurrus.loadModel<'whisper'>(source, options))).toMatchObject({
        ...{ code: 'invalid_argument', details: { subject } },
      });
    }
    expect(await errorOf(susurrus.loadModel<'whisper'>(digits, { cache: true }))).toMatchObject({
      ...{ code: 'invalid_argument', details: { subject: 'cache' } },
    });
  });

  test('a type of weights that is asked of a file says that files have their own', async () => {
    for (const call of [susurrus.loadModel, susurrus.plan]) {
      expect(await errorOf(call(modelPath, { dtype: 'q8_0' }))).toMatchObject({
        code: 'invalid_argument',
        message:
          'Option dtype is "q8_0", but dtype is for models by name: a file has its own type of weights. Leave dtype out.',
        details: { reason: 'option', subject: 'dtype', expected: 'absent', got: '"q8_0"' },
      });
    }
  });

  test('a file of that name comes first, and ./ is always a path', async () => {
    const before = process.cwd();
    process.chdir(folder);
    try {
      copyFileSync(modelPath, join(folder, 'tiny.en'));
      expect((await load('tiny.en')).dims.nVocab).toBe(1776);
      expect(await errorOf(load('./base'))).toMatchObject({ code: 'source_failed' });
    } finally {
      process.chdir(before);
    }
  });
});

describe('a model by its name', () => {
  const phasesOf = async (options: LoadOptions): Promise<Set<Progress['phase']>> => {
    const events: Progress[] = [];
    await load('tiny.en', { ...options, onProgress: (event) => void events.push(event) });
    expectOneBar(events);
    return new Set(events.map(({ phase }) => phase));
  };

  test('comes from the hub once, converted, and is kept', async () => {
    const options = { hub: hub.endpoint, dtype: 'q8_0' } as const;
    const phases = await phasesOf(options);
    for (const phase of ['download', 'convert', 'load'] as const) expect(phases).toContain(phase);
    const count = hub.requests.length;
    expect(await phasesOf(options)).toEqual(new Set(['load']));
    expect((await load('tiny.en', { hub: hub.endpoint })).dtypes).toContain('q8_0');
    expect((await load('tiny.en', { ...options, cache: 'only' })).dtypes).toContain('q8_0');
    expect(hub.requests).toHaveLength(count);
    // A token in the environment is for the hub that the environment names.
    expect(hub.leaks).toEqual([]);
  });

  test('is what was pulled before, of whichever type', async () => {
    process.env.HF_ENDPOINT = hub.endpoint;
    await susurrus.downloadModel('tiny.en', { dtype: 'q5_0' });
    const count = hub.requests.length;
    for (const name of ['tiny.en', 'tiny.en:q5_0']) {
      expect((await load(name)).dtypes).toContain('q5_0');
    }
    expect(hub.requests).toHaveLength(count);
  });

  test('has the revision and the token that are given, for the hub alone', async () => {
    await hub.close();
    hub = await startHub({ repository, files: hubFiles(), token: 'mine' });
    const options = { hub: hub.endpoint, revision: 'v1' };
    expect(await errorOf(load('tiny.en', options))).toMatchObject({ code: 'source_failed' });
    await load('tiny.en', { ...options, token: 'mine' });
    expect(hub.requests.some((request) => request.includes('/revision/v1?'))).toBe(true);
    expect(hub.leaks).toEqual([]);
    expect((await kept.listModels()).map(({ revision }) => revision)).toEqual(['v1']);
    expect(await errorOf(load('tiny.en@v1', options))).toMatchObject({
      ...{ code: 'invalid_argument', details: { subject: 'revision' } },
    });
  });

  test('is not kept with cache: false, and not fetched with cache: "only"', async () => {
    await load('tiny.en', { hub: hub.endpoint, cache: false });
    expect(await kept.listModels()).toEqual([]);
    const count = hub.requests.length;
    const failure = await errorOf(load('tiny.en', { hub: hub.endpoint, cache: 'only' }));
    expect(failure).toMatchObject({ code: 'source_failed' });
    expect((failure as Error).message).toMatch(/not kept here/);
    expect(hub.requests).toHaveLength(count);
  });

  test('that is corrupt where it is kept is fetched again, once', async () => {
    const options = { hub: hub.endpoint };
    await load('tiny.en', options);
    const path = join(
      folder,
      'cache/susurrus/models',
      readdirSync(join(folder, 'cache/susurrus/models'))[0] ?? '',
    );
    const bytes = readFileSync(path);
    bytes[bytes.length - 5000] = (bytes[bytes.length - 5000] ?? 0) ^ 1;
    writeFileSync(path, bytes);
    expect(await errorOf(load('tiny.en', { ...options, cache: 'only' }))).toMatchObject({
      code: 'checksum_mismatch',
    });
    const count = hub.requests.length;
    await load('tiny.en', options);
    expect(hub.requests.length).toBeGreaterThan(count);
    await load('tiny.en', { ...options, cache: 'only' });
  });

  test('that broke off leaves nothing once it is deleted', async () => {
    process.env.HF_ENDPOINT = hub.endpoint;
    const parts = (): string[] => {
      const path = join(folder, 'cache/susurrus/downloads');
      const names = existsSync(path) ? readdirSync(path, { recursive: true }) : [];
      return names.map(String).filter((name) => name.endsWith('.part'));
    };
    for (const [pulled, deleted] of [
      [repository, repository],
      ['tiny.en', 'tiny.en'],
      ['tiny.en', 'tiny.en:q8_0'],
      [repository, 'tiny.en@main'],
    ] as const) {
      hub.faults.pauses = 1e6;
      const controller = new AbortController();
      const onProgress = ({ loaded, total = 0 }: Progress): void => {
        if (total > 20_000 && loaded > 0) controller.abort();
      };
      const { signal } = controller;
      await errorOf(susurrus.downloadModel(pulled, { signal, onProgress }));
      expect(parts()).not.toEqual([]);
      expect(await kept.deleteModel(deleted)).toEqual([]);
      expect(parts()).toEqual([]);
    }
  });

  test("of one's own server: a folder, and a model file", async () => {
    const server = await startModelServer({
      'whisper-tiny.en-q8_0.apr': { bytes: digits, tag: '"2"' },
    });
    for (const [name, bytes] of Object.entries(hubFiles())) {
      server.files.set(`whisper-tiny.en/${name}`, { bytes, tag: '"1"' });
    }
    try {
      server.faults.cuts = [9000];
      const info = await load('tiny.en', { hub: `${server.address}/{name}/` });
      expect(info.dims.nVocab).toBeLessThan(100);
      expect(server.requests).toContain(
        'GET /whisper-tiny.en/model.safetensors bytes=9000- if "1"',
      );
      const ready = await load('tiny.en:q8_0', { hub: `${server.address}/{name}-{dtype}.apr` });
      expect(ready.dims.nVocab).toBe(1776);
    } finally {
      await server.close();
    }
  });

  test('that the hub has ready is taken as it is', async () => {
    await hub.close();
    hub = await startHub({ repository, files: { 'model-q8_0.apr': digits } });
    expect((await load('tiny.en', { hub: hub.endpoint })).dims.nVocab).toBe(1776);
  });
});

describe('a URL with cache: true', () => {
  let server: ModelServer;
  let url = '';
  beforeEach(async () => {
    server = await startModelServer({ 'm.apr': { bytes: digits, tag: '"one"' } });
    url = `${server.address}/m.apr`;
  });
  afterEach(() => server.close());

  /** The model in shards on the server. */
  async function serveShards(): Promise<{ manifest: string; files: readonly string[] }> {
    const { files = [] } = await susurrus.shardModel(modelPath, join(folder, 'shards'), {
      size: 1_000_000,
    });
    for (const name of files) {
      const bytes = readFileSync(join(folder, 'shards', name));
      server.files.set(`shards/${name}`, { bytes, tag: '"1"' });
    }
    return { manifest: `${server.address}/shards/${files.at(-1) ?? ''}`, files };
  }

  test('is fetched once; without it, each time', async () => {
    for (let i = 0; i < 3; ++i) await load(url, { cache: true });
    expect(server.requests).toEqual(['GET /m.apr']);
    await load(url);
    expect(server.requests).toHaveLength(2);
    expect(await kept.listModels()).toMatchObject([
      { name: url, complete: true, byteCount: digits.length, totalBytes: digits.length },
    ]);
    expect(await kept.cacheSpace()).toMatchObject({
      kind: 'folder',
      modelBytes: expect.any(Number),
      persistent: true,
    });
    expect(await kept.deleteModel(url)).toHaveLength(1);
    expect(await kept.deleteModel(url)).toEqual([]);
    expect(await errorOf(load(url, { cache: 'only' }))).toMatchObject({ code: 'source_failed' });
  });

  test('of another family than was asked for is left as soon as that shows, and not asked for again', async () => {
    server.faults.stallsAfter = 100_000;
    const wrong = { cache: true, family: 'transducer' } as const;
    const refused = { code: 'unsupported_feature', details: { subject: 'family' } };
    expect(await errorOf(load(url, wrong))).toMatchObject(refused);
    const [part] = await kept.listModels();
    expect(part?.complete ?? false).toBe(false);
    delete server.faults.stallsAfter;
    await load(url, { cache: true });
    const count = server.requests.length;
    expect(await errorOf(load(url, wrong))).toMatchObject(refused);
    expect(server.requests).toHaveLength(count);
    expect(await kept.listModels()).toMatchObject([{ complete: true }]);
  });

  test('48: goes on where it was stopped, in this call and in the next', async () => {
    server.faults.cuts = [300_000];
    const controller = new AbortController();
    const stopped = load(url, {
      cache: true,
      signal: controller.signal,
      onProgress: ({ phase, loaded }) => {
        if (phase === 'download' && loaded > 1_000_000) controller.abort('enough');
      },
    });
    expect(await errorOf(stopped)).toBe('enough');
    // What was sent may be lost with the connection.
    const [, at] = /^GET \/m.apr bytes=(\d+)- if "one"$/.exec(server.requests[1] ?? '') ?? [];
    expect(Number(at)).toBeGreaterThan(0);
    expect(Number(at)).toBeLessThanOrEqual(300_000);
    const [part] = await kept.listModels();
    expect(part).toMatchObject({ complete: false, totalBytes: digits.length });
    await load(url, { cache: true });
    const [, from] = / bytes=(\d+)- if "one"$/.exec(server.requests[2] ?? '') ?? [];
    expect(Number(from)).toBeGreaterThanOrEqual(1_000_000);
    expect(await kept.listModels()).toMatchObject([{ complete: true }]);
    expect(existsSync(join(folder, 'cache/susurrus/urls'))).toBe(true);
    expect(readdirSync(join(folder, 'cache/susurrus/urls')).join()).not.toMatch(/lock/);
  });

  test('without tags and dates is asked for as a whole after a cut, and compared', async () => {
    server.files.set('m.apr', { bytes: digits });
    server.faults.cuts = [300_000];
    await load(url, { cache: true });
    expect(server.requests).toEqual(['GET /m.apr', 'GET /m.apr']);
    await load(url, { cache: 'only' });
  });

  test('in shards is kept shard by shard', async () => {
    const { manifest, files } = await serveShards();
    expect((await load(manifest, { cache: true })).dims.nVocab).toBe(1776);
    expect(server.requests).toHaveLength(files.length);
    await load(manifest, { cache: 'only' });
    expect(server.requests).toHaveLength(files.length);
    expect(await kept.listModels()).toHaveLength(files.length);
  });

  test('begins early where it is new; what was kept is checked first, and mended', async () => {
    const whole = async (): Promise<boolean> => {
      let hasArrived = false;
      using model = await susurrus.loadModel<'whisper'>(url, { cache: true, early: true });
      void model.loaded.then(() => (hasArrived = true));
      await Promise.resolve();
      const isEarly = !hasArrived;
      await model.loaded;
      expect((await model.memory()).weightBytes).toBeGreaterThan(1e6);
      return isEarly;
    };
    expect(await whole()).toBe(true);
    expect(await whole()).toBe(false);
    const place = join(folder, 'cache/susurrus/urls');
    const [path = ''] = readdirSync(place)
      .map((name) => join(place, name))
      .filter((file) => readFileSync(file).length === digits.length);
    const bytes = readFileSync(path);
    bytes[digits.length - 1000]! ^= 1;
    writeFileSync(path, bytes);
    // Downloaded again.
    expect(await whole()).toBe(true);
    expect(server.requests).toHaveLength(2);
  });

  test('loaded twenty times at once is downloaded once', async () => {
    const loads = Array.from({ length: 20 }, () => load(url, { cache: true }));
    for (const { dims } of await Promise.all(loads)) expect(dims.nVocab).toBe(1776);
    expect(server.requests).toEqual(['GET /m.apr']);
  });

  test('is downloaded without an engine, and loaded from what is kept', async () => {
    const phases = new Set<string>();
    const first = await kept.downloadModel(new URL(url), {
      onProgress: ({ phase }) => void phases.add(phase),
    });
    expect(phases).toEqual(new Set(['download']));
    const { alreadyKept, source, tensorCount, warnings, ...model } = first;
    expect([alreadyKept, source, tensorCount > 30, warnings]).toEqual([false, url, true, []]);
    expect(await kept.listModels(url)).toEqual([model]);
    expect(readFileSync(first.path).equals(digits)).toBe(true);
    expect(await kept.downloadModel(url)).toMatchObject({ alreadyKept: true, path: first.path });
    expect((await load(url, { cache: 'only' })).dims.nVocab).toBe(1776);
    expect(server.requests).toEqual(['GET /m.apr']);
    await kept.downloadModel(url, { force: true });
    expect(server.requests).toEqual(['GET /m.apr', 'GET /m.apr']);
  });

  test('downloaded twenty times at once, and loaded meanwhile, is fetched once', async () => {
    const twenty = Array.from({ length: 20 }, () => kept.downloadModel(url));
    const loaded = load(url, { cache: true });
    for (const { complete, path } of await Promise.all(twenty)) {
      expect([complete, readFileSync(path).length]).toEqual([true, digits.length]);
    }
    expect((await loaded).dims.nVocab).toBe(1776);
    expect(server.requests).toEqual(['GET /m.apr']);
  });

  test.each([
    ['a string', 'enough'],
    ['an Error', new Error('mine')],
    ['null', null],
    ['undefined', undefined],
  ])('whose download is stopped with %s goes on from there', async (_, reason) => {
    const controller = new AbortController();
    const { signal } = controller;
    const stopped = kept.downloadModel(url, {
      signal,
      onProgress: ({ loaded }) => {
        if (loaded > 1_000_000) controller.abort(reason);
      },
    });
    expect(await errorOf(stopped)).toBe(signal.reason);
    expect(await kept.listModels(url)).toMatchObject([{ complete: false }]);
    expect(await errorOf(kept.downloadModel(url, { signal }))).toBe(signal.reason);
    await kept.downloadModel(url);
    expect(server.requests).toHaveLength(2);
    expect(server.requests[1]).toMatch(/^GET \/m.apr bytes=[1-9]\d{5,}- if "one"$/);
  });

  test('that is no model, is not signed or was stopped by onProgress is not kept', async () => {
    const wrong = Uint8Array.from(digits);
    wrong[wrong.length - 5000]! ^= 1;
    server.files.set('m.apr', { bytes: wrong, tag: '"bad"' });
    expect(await errorOf(kept.downloadModel(url))).toMatchObject({ code: 'checksum_mismatch' });
    server.files.set('m.apr', { bytes: digits, tag: '"one"' });
    const publicKeys = [new Uint8Array(32).fill(7)];
    expect(await errorOf(kept.downloadModel(url, { publicKeys }))).toMatchObject({
      code: 'signature_invalid',
    });
    const mine = new Error('mine');
    const onProgress = (): never => {
      throw mine;
    };
    expect(await errorOf(kept.downloadModel(url, { onProgress }))).toBe(mine);
    expect((await kept.listModels()).filter(({ complete }) => complete)).toEqual([]);
    for (const [subject, options] of [
      ['dtype', { dtype: 'q8_0' }],
      ['hub', { hub: server.address }],
      ['output', { output: join(folder, 'x.apr') }],
      ['output', { format: 'apr1' }],
      ['cache', { cache: true }],
    ] as const) {
      expect(await errorOf(kept.downloadModel(new URL(url), options as object))).toMatchObject({
        ...{ code: 'invalid_argument', details: { subject } },
      });
    }
    await kept.downloadModel(url);
    await load(url, { cache: 'only' });
  });

  test('in shards is downloaded shard by shard', async () => {
    const { manifest, files } = await serveShards();
    const { tensorCount } = await kept.downloadModel(manifest);
    expect(tensorCount).toBeGreaterThan(30);
    await load(manifest, { cache: 'only' });
    expect(server.requests).toHaveLength(files.length);
  });
});
