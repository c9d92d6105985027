// Models of the hub, from a server that speaks as it does.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { SusurrusError } from '../../web/src/api/errors.js';
import type { Progress } from '../../web/src/node.js';
import type { NodeDownloadedModel, NodeDownloadOptions } from '../../web/src/node_cache.js';
import { builtPackage } from '../support/built_package.js';
import { errorOf } from '../support/embedded_model.js';
import { writeHubFolder } from '../support/hub_folder.js';
import { commit, startHub, type HubServer } from '../support/hub_server.js';
import { startModelServer, type ModelServer } from '../support/model_server.js';
import { expectOneBar } from '../support/one_bar.js';

type Package = Awaited<ReturnType<typeof builtPackage>>;
let package_: Package;
let folder = '';
let hub: HubServer;
const environment = { ...process.env };

const repository = 'openai/whisper-tiny.en';
const filesOf = (source: string): Record<string, Uint8Array> =>
  Object.fromEntries(readdirSync(source).map((name) => [name, readFileSync(join(source, name))]));

beforeAll(async () => {
  package_ = await builtPackage();
});
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'susurrus-pull-'));
  writeHubFolder(join(folder, 'source'));
  hub = await startHub({ repository, files: filesOf(join(folder, 'source')) });
  enter(hub);
});
afterEach(async () => {
  process.env = { ...environment };
  await hub.close();
  rmSync(folder, { recursive: true });
});

function enter({ endpoint }: HubServer, more: Record<string, string> = {}): void {
  process.env = { ...environment, HF_ENDPOINT: `${endpoint}/`, ...more };
  process.env.XDG_CACHE_HOME = join(folder, 'cache');
}
const pull = (name = 'tiny.en', options: NodeDownloadOptions = {}): Promise<NodeDownloadedModel> =>
  package_.downloadModel(name, options);
const weightRequests = (): string[] =>
  hub.requests.filter((request) => request.startsWith('/store/model.safetensors'));
const messageOf = async (work: Promise<unknown>): Promise<string> =>
  ((await errorOf(work)) as SusurrusError).message;
/** What a failure leaves: the beginning of downloads perhaps, but no model. */
const models = (): string[] => {
  const path = join(folder, 'cache/susurrus/models');
  return existsSync(path) ? readdirSync(path) : [];
};

describe('downloadModel', () => {
  test('makes of a repository what convertModel makes of its folder', async () => {
    const converted = join(folder, 'converted.apr');
    for (const dtype of ['f16', 'q8_0'] as const) {
      await package_.convertModel(join(folder, 'source'), converted, { dtype, force: true });
      const { path, tensorCount } = await pull(`${repository}@v1`, { dtype });
      expect(readFileSync(path)).toEqual(readFileSync(converted));
      expect(tensorCount).toBeGreaterThan(30);
    }
    expect(hub.requests.filter((path) => path.includes(commit)).length).toBeGreaterThan(3);
    expect(existsSync(join(folder, 'cache/susurrus/downloads/openai=2Fwhisper-tiny.en'))).toBe(
      false,
    );
  });

  test('a name that no file can have here is a source that failed', async () => {
    await hub.close();
    const weights = `${'w'.repeat(250)}.safetensors`;
    const { 'model.safetensors': bytes, ...files } = filesOf(join(folder, 'source'));
    const index = Buffer.from(JSON.stringify({ weight_map: { any: weights } }));
    hub = await startHub({
      repository,
      files: { ...files, [weights]: bytes!, 'model.safetensors.index.json': index },
    });
    enter(hub);
    expect(await errorOf(pull())).toMatchObject({
      code: 'source_failed',
      message: expect.stringContaining('ENAMETOOLONG'),
      details: { subject: expect.stringContaining(weights) },
    });
    expect(models()).toEqual([]);
  });

  test('converts while the weights arrive', async () => {
    let sendEnd = (): void => undefined;
    hub.faults.holdsEnd = new Promise((resolve) => (sendEnd = resolve));
    const phases: string[] = [];
    const events: Progress[] = [];
    const onProgress = (event: Progress): void => {
      const { phase, fraction = 0, loaded } = event;
      events.push(event);
      if (loaded > 0) phases.push(fraction === 1 ? `${phase} done` : phase);
      if (phase === 'convert' && loaded > 0) sendEnd();
    };
    await pull('tiny.en', { onProgress });
    expect(phases.indexOf('convert')).toBeGreaterThan(0);
    expect(phases.indexOf('convert')).toBeLessThan(phases.lastIndexOf('download done'));
    expect(phases.at(-1)).toBe('convert done');
    expectOneBar(events);
  });

  test('goes on where a connection was cut, and after a server was busy', async () => {
    hub.faults.refusals = [503, 429];
    hub.faults.cuts = [1000, 5000];
    await pull();
    expect(weightRequests().map((request) => request.split(' ')[1])).toEqual([
      undefined,
      'bytes=1000-',
      'bytes=6000-',
    ]);
  });

  test('begins again where a server knows no ranges', async () => {
    hub.faults.cuts = [1000];
    hub.faults.ignoresRanges = true;
    const { path } = await pull();
    using model = await package_.loadModel<'whisper'>(path);
    expect(model.info.dims.nAudioState).toBeGreaterThan(0);
  });

  test('stopped, keeps what it has for the next call', async () => {
    hub.faults.pauses = 50;
    const controller = new AbortController();
    const onProgress = ({ phase, loaded, total }: Progress): void => {
      if (phase === 'download' && (total ?? 0) > 20_000 && loaded > 10_000) controller.abort();
    };
    const { signal } = controller;
    expect(await errorOf(pull('tiny.en', { signal, onProgress }))).toBe(signal.reason);
    expect(models()).toEqual([]);
    hub.faults.pauses = 0;
    const before = hub.requests.length;
    await pull();
    const rest = hub.requests.slice(before).filter((request) => request.startsWith('/store/'));
    expect(rest).toHaveLength(1);
    expect(rest[0]).toMatch(/ bytes=[1-9]\d+-$/);
  });

  test.each(['text/html', 'application/octet-stream'])(
    'a login page once, as %s, is refused and not gone on with',
    async (type) => {
      hub.faults.page = { text: '<!doctype html><title>Log in</title>', type };
      hub.faults.pauses = 20;
      const failure = (await errorOf(pull())) as SusurrusError;
      expect(failure.message).toMatch(/model.safetensors.*web page|HTML page/);
      delete hub.faults.page;
      hub.faults.pauses = 0;
      await pull();
      expect(weightRequests()).toEqual(['/store/model.safetensors', '/store/model.safetensors']);
    },
  );

  test('another part than was asked for is refused, and what was here stays', async () => {
    hub.faults.cuts = [9000];
    hub.faults.contentRange = 'bytes 0-99/100';
    expect(await errorOf(pull())).toMatchObject({
      code: 'source_failed',
      details: { subject: 'model.safetensors', got: 'bytes 0-99/100' },
    });
    expect(weightRequests()).toHaveLength(2);
    delete hub.faults.contentRange;
    await pull();
    expect(weightRequests().at(-1)).toBe('/store/model.safetensors bytes=9000-');
  });

  test('refuses what is not what the hub has, and leaves nothing of it', async () => {
    hub.faults.corrupts = true;
    const failure = await errorOf(pull());
    expect(failure).toMatchObject({
      code: 'checksum_mismatch',
      details: { reason: 'digest', subject: 'model.safetensors' },
    });
    expect(models()).toEqual([]);
    hub.faults.corrupts = false;
    await pull();
    expect(weightRequests()).toEqual(['/store/model.safetensors', '/store/model.safetensors']);
  });

  test('gives up after five connections that bring nothing', async () => {
    hub.faults.refusals = Array.from({ length: 20 }, () => 500);
    expect(await errorOf(pull())).toMatchObject({
      ...{ code: 'source_failed', details: { got: 'HTTP 500' } },
    });
    expect(hub.faults.refusals).toHaveLength(14);
  });

  test.each([
    ['no/such-model', /has no such repository, or it is private and wants HF_TOKEN/],
    ['tiny.en@gone', /no such revision/],
  ])('%s: says what is wrong', async (name, message) => {
    const failure = (await errorOf(pull(name))) as SusurrusError;
    expect(failure).toMatchObject({ code: 'source_failed', details: { reason: 'source' } });
    expect(failure.message).toMatch(message);
    expect(models()).toEqual([]);
  });

  test.each([
    ...['', 'tiny.fr', '../secret/x', 'a/../b', 'a/b/c', 'owner/name@../x', 'digits', './tiny.en'],
    ...['http://', '/models/base.apr', 'file:///base.apr', undefined, null, 7, {}],
  ])('%p is no model to download', async (name) => {
    const subject = name === 'tiny.fr' ? 'repository' : 'model';
    expect(await errorOf(package_.downloadModel(name as string))).toMatchObject({
      ...{ code: 'invalid_argument', details: { subject } },
    });
    expect(hub.requests).toEqual([]);
  });

  test('sends HF_TOKEN to the hub and to nobody else', async () => {
    await hub.close();
    const files = filesOf(join(folder, 'source'));
    hub = await startHub({ repository, files, token: 'hf_secret' });
    enter(hub);
    expect(await messageOf(pull())).toMatch(/HF_TOKEN/);
    enter(hub, { HF_TOKEN: 'hf_secret' });
    await pull();
    expect(hub.leaks).toEqual([]);
  });

  test('of a gated repository, says where to ask', async () => {
    await hub.close();
    hub = await startHub({ repository, files: {}, isGated: true });
    enter(hub);
    expect(await messageOf(pull(repository))).toContain(`granted at ${hub.endpoint}/${repository}`);
  });

  test('asks nobody where HF_HUB_OFFLINE is set', async () => {
    enter(hub, { HF_HUB_OFFLINE: '1' });
    expect(await messageOf(pull())).toMatch(/HF_HUB_OFFLINE/);
    expect(hub.requests).toEqual([]);
  });

  test('writes elsewhere when told to, over another file only with force', async () => {
    const output = join(folder, 'mine.apr');
    expect((await pull('tiny.en', { output })).path).toBe(output);
    expect(models()).toEqual([]);
    expect(await errorOf(pull('tiny.en', { output }))).toMatchObject({
      details: { subject: 'force' },
    });
    await pull('tiny.en', { output, force: true });
  });
});

describe('a folder of one’s own', () => {
  let server: ModelServer;
  const options = (): NodeDownloadOptions => ({ hub: `${server.address}/{name}/`, force: true });
  const serve = (files: Record<string, Uint8Array>, tag?: string): void => {
    for (const [name, bytes] of Object.entries(files)) {
      server.files.set(`whisper-tiny.en/${name}`, { bytes, tag });
    }
  };
  const parts = (): string[] =>
    server.requests.filter((request) => /^GET .*model.safetensors/.test(request));
  /** Files with the original names and shapes but other weights and words. */
  const other = (): Record<string, Uint8Array> => {
    const files = filesOf(join(folder, 'source'));
    const weights = Uint8Array.from(files['model.safetensors'] ?? []);
    const header = Number(new DataView(weights.buffer).getBigUint64(0, true));
    for (let at = 8 + header; at < weights.length; at += 4) weights[at + 3]! ^= 0x80;
    const words = new TextDecoder().decode(files['vocab.json']);
    const swapped = words.replace('"a":0', '"b":0').replace('"b":1', '"a":1');
    return {
      ...files,
      'model.safetensors': weights,
      'vocab.json': new TextEncoder().encode(swapped),
    };
  };
  /** Breaks off in the middle of the weights, all else being here. */
  async function breakOff(): Promise<void> {
    server.faults.stallsAfter = 9000;
    const controller = new AbortController();
    const onProgress = ({ phase, loaded, total = 0 }: Progress): void => {
      if (phase === 'download' && total > 20_000 && loaded >= 9000) controller.abort();
    };
    const { signal } = controller;
    await errorOf(pull('tiny.en', { ...options(), signal, onProgress }));
    delete server.faults.stallsAfter;
  }
  const converted = async (files: Record<string, Uint8Array>): Promise<Buffer> => {
    const source = writeHubFolder(join(folder, 'other'), files);
    await package_.convertModel(source, join(folder, 'other.apr'), { dtype: 'q8_0', force: true });
    return readFileSync(join(folder, 'other.apr'));
  };
  beforeEach(async () => {
    server = await startModelServer({});
  });
  afterEach(() => server.close());

  test.each([
    ['with', '"one"', '"two"'],
    ['without', undefined, undefined],
  ])('that changed after a pull broke off, %s tags, is taken anew', async (_, first, second) => {
    serve(filesOf(join(folder, 'source')), first);
    await breakOff();
    const files = other();
    serve(files, second);
    const { path } = await pull('tiny.en', options());
    expect(readFileSync(path).equals(await converted(files))).toBe(true);
  });

  test('that did not change is gone on with, by its tag', async () => {
    serve(filesOf(join(folder, 'source')), '"one"');
    await breakOff();
    const { path } = await pull('tiny.en', options());
    const same = await converted(filesOf(join(folder, 'source')));
    expect(readFileSync(path).equals(same)).toBe(true);
    expect(parts().at(-1)).toMatch(/ bytes=[1-9]\d*- if "one"$/);
  });

  test('without tags whose connection is cut is asked for as a whole, and compared', async () => {
    serve(filesOf(join(folder, 'source')));
    server.faults.cuts = [12_000];
    const { path } = await pull('tiny.en', options());
    const same = await converted(filesOf(join(folder, 'source')));
    expect(readFileSync(path).equals(same)).toBe(true);
    expect(parts()).toEqual(Array(2).fill('GET /whisper-tiny.en/model.safetensors'));
  });
});

describe('models that were downloaded', () => {
  const namesOf = async (model?: string): Promise<string[]> =>
    (await package_.listModels(model)).map(({ name, dtype, revision }) =>
      [name, dtype, revision].join(' '),
    );

  test('are listed, found by each of their names, and deleted: all types, or one', async () => {
    expect(await namesOf()).toEqual([]);
    const first = await pull('tiny.en');
    await pull('tiny.en', { dtype: 'f16' });
    await pull(`${repository}@v1`, { dtype: 'f16' });
    const [own, half, old] = ['tiny.en q8_0 main', 'tiny.en f16 main', `${repository} f16 v1`];
    expect((await namesOf()).sort()).toEqual([old, half, own]);
    const listed = (await package_.listModels()).find(({ path }) => path === first.path);
    const { alreadyKept, source, tensorCount, warnings, ...kept } = first;
    expect(listed).toEqual(kept);
    expect([alreadyKept, source, tensorCount > 30, warnings]).toEqual([
      false,
      repository,
      true,
      [],
    ]);
    for (const [name, found] of [
      ['tiny.en', [old, half, own]],
      ['tiny.en:q8_0', [own]],
      ['tiny.en@v1', [old]],
      [repository, [old]],
      ['tiny.en@main', []],
      ['base', []],
    ] as const) {
      expect((await namesOf(name)).sort()).toEqual(found);
    }
    expect(await package_.deleteModel('tiny.en:q8_0')).toEqual([kept]);
    expect(existsSync(first.path)).toBe(false);
    expect((await namesOf()).sort()).toEqual([old, half]);
    expect(await package_.deleteModel('tiny.en')).toHaveLength(2);
    expect(await namesOf()).toEqual([]);
    expect(models()).toEqual([]);
    for (const wrong of ['non sense', 'a/../b']) {
      expect(await errorOf(package_.deleteModel(wrong))).toMatchObject({
        ...{ code: 'invalid_argument', details: { subject: 'model' } },
      });
    }
  });

  test('are not downloaded again, but read and verified, and mended where they are wrong', async () => {
    const { path } = await pull();
    const count = hub.requests.length;
    for (const name of ['tiny.en', 'tiny.en:q8_0']) {
      const again = await pull(name);
      expect(again).toMatchObject({ path, alreadyKept: true, dtype: 'q8_0' });
      expect(again).not.toHaveProperty('source');
    }
    expect(hub.requests).toHaveLength(count);
    const right = readFileSync(path);
    const wrong = Uint8Array.from(right);
    wrong[wrong.length - 5000]! ^= 1;
    writeFileSync(path, wrong);
    expect(await pull()).toMatchObject({ path, alreadyKept: false, source: repository });
    expect(readFileSync(path).equals(right)).toBe(true);
    expect(await pull('tiny.en', { force: true })).toMatchObject({ alreadyKept: false });
  });

  test('are what loadModel() takes without a network, by revision, hub and token too', async () => {
    await hub.close();
    hub = await startHub({ repository, files: filesOf(join(folder, 'source')), token: 'mine' });
    process.env.HF_ENDPOINT = 'http://127.0.0.1:9';
    const options = { hub: hub.endpoint, revision: 'v1', dtype: 'f16' } as const;
    expect(await errorOf(pull('tiny.en', options))).toMatchObject({ code: 'source_failed' });
    const { name, revision } = await pull('tiny.en', { ...options, token: 'mine' });
    expect([name, revision]).toEqual([repository, 'v1']);
    await hub.close();
    using model = await package_.loadModel<'whisper'>('tiny.en', { ...options, cache: 'only' });
    expect(model.info.dtypes).toContain('f16');
    hub = await startHub({ repository, files: {} });
  });
});
