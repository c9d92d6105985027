// Parts of the store for models that a test of whole loads does not reach.
import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { PhaseProgress } from '../../web/src/api/overall_progress.js';
import type { OpenRequest } from '../../web/tools/cache/calls.js';
import { StoreHost, type StoreEnvironment } from '../../web/tools/cache/store_host.js';
import type { DownloadFile } from '../../web/src/sources/download.js';
import { spillingFile } from '../../web/tools/cache/memory_file.js';
import { ModelStore } from '../../web/tools/cache/model_store.js';
import { openNodeStore } from '../../web/tools/cache/node_store.js';
import { openPieces } from '../../web/tools/cache/piece_files.js';
import { FileInUse } from '../../web/tools/cache/store_files.js';
import { PartialDownload } from '../../web/tools/hub/partial_download.js';
import { openUrlDownload } from '../../web/tools/cache/url_download.js';
import { urlFolder } from '../../web/src/sources/url_folder.js';
import {
  digestCheck,
  readyModel,
  type Hashing,
  type HubFile,
  type RepositoryFiles,
} from '../../web/tools/hub/repository_files.js';
import { errorOf } from '../support/embedded_model.js';
import { startModelServer, type ModelServer } from '../support/model_server.js';

let folder = '';
let server: ModelServer;
const environment = { ...process.env };
const bytes = Uint8Array.from({ length: 300_000 }, (_, i) => i % 251);

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'susurrus-store-'));
  process.env = { ...environment, XDG_CACHE_HOME: folder };
  server = await startModelServer({ 'm.apr': { bytes, tag: '"one"' } });
});
afterEach(async () => {
  Reflect.deleteProperty(globalThis, 'caches');
  process.env = { ...environment };
  await server.close();
  rmSync(folder, { recursive: true });
});

/** Everything that a host gives. */
async function drain(
  host: StoreHost,
  emit: (event: PhaseProgress) => void = () => undefined,
  from: OpenRequest['from'] = { url: `${server.address}/m.apr` },
  mustKeep = false,
): Promise<{ readonly received: number; readonly warnings: readonly string[] }> {
  const { signal } = new AbortController();
  const request = { key: { address: `${server.address}/m.apr` }, from, isKept: true, mustKeep };
  await host.handle('open', request, signal, emit);
  let received = 0;
  for (;;) {
    const step = await host.handle('next', undefined, signal, emit);
    if (!step.bytes) break;
    received += step.bytes.length;
  }
  return { received, warnings: await host.handle('keep', undefined, signal, emit) };
}

test('a download of another process that gets no further is not waited for', async () => {
  const events: PhaseProgress[] = [];
  const hold = (): Promise<never> => new Promise(() => undefined);
  const host = new StoreHost({ openStore: openNodeStore, hold, patience: 10 });
  const { received, warnings } = await drain(host, (event) => events.push(event));
  expect(received).toBe(bytes.length);
  expect(warnings).toEqual([
    'not kept: another process is downloading the model, and gets no further',
  ]);
  expect(events).toEqual([{ phase: 'download', loaded: 0 }]);
  host.close();
});

test('why a folder keeps nothing is said of the disk and the folder', async () => {
  const hold = (): Promise<() => void> => Promise.resolve(() => undefined);
  const store = await openNodeStore();
  const full = new ModelStore({ ...store.files, room: () => Promise.resolve(1) });
  const host = new StoreHost({ openStore: () => Promise.resolve(full), hold });
  expect((await drain(host)).warnings).toEqual([
    'not kept: the disk has room for 1 MB, and 1 MB are needed',
  ]);
  host.close();
  rmSync(join(folder, 'susurrus'), { recursive: true, force: true });
  writeFileSync(join(folder, 'susurrus'), 'a file where the folder should be');
  const other = new StoreHost({ openStore: openNodeStore, hold });
  const { received, warnings } = await drain(other);
  expect(received).toBe(bytes.length);
  expect(warnings.join()).toMatch(/^not kept: the cache's folder failed \(.*(ENOTDIR|EEXIST)/);
  other.close();
});

test('what is fetched only to be kept is refused where it cannot be kept, before it is fetched', async () => {
  const store = await openNodeStore();
  const free = () => Promise.resolve(() => undefined);
  const small = new ModelStore({ ...store.files, room: () => Promise.resolve(1000) });
  const full = new ModelStore({
    ...store.files,
    async open(name) {
      const file = await store.files.open(name);
      const write: DownloadFile['write'] = (part, at) =>
        at === 0 && !name.endsWith('.json')
          ? Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' }))
          : file.write(part, at);
      return { ...file, write };
    },
  });
  const cases: readonly [StoreEnvironment, RegExp][] = [
    [{ openStore: () => Promise.resolve(undefined), hold: free }, /gives this page no storage/],
    [{ openStore: () => Promise.resolve(small), hold: free }, /has room for 1 MB, and 1 MB/],
    [{ openStore: () => Promise.resolve(full), hold: free }, /no room left for the model of 1 MB/],
    [
      { openStore: openNodeStore, hold: () => new Promise(() => undefined), patience: 10 },
      /another process is downloading the model, and gets no further/,
    ],
  ];
  for (const [environment, message] of cases) {
    const [strict, usual] = [new StoreHost(environment), new StoreHost(environment)];
    expect(await errorOf(drain(strict, undefined, undefined, true))).toMatchObject({
      ...{ code: 'wrong_state', message: expect.stringMatching(message) },
      details: { subject: 'cache' },
    });
    strict.close();
    // loadModel() takes it all the same.
    expect(await drain(usual)).toEqual({
      ...{ received: bytes.length, warnings: [expect.stringMatching(message)] },
    });
    usual.close();
  }
});

test('one that advances is waited for, and what it kept is used', async () => {
  const hold = (): Promise<() => void> => Promise.resolve(() => undefined);
  const environment = { openStore: openNodeStore, hold, patience: 60_000 };
  const [first, second] = [new StoreHost(environment), new StoreHost(environment)];
  const { signal } = new AbortController();
  const url = `${server.address}/m.apr`;
  const request = { key: { address: url }, from: { url }, isKept: true };
  await first.handle('open', request, signal, () => undefined);
  const seen: number[] = [];
  const waiting = second.handle('open', request, signal, ({ loaded }) => seen.push(loaded));
  while (seen.length === 0) await new Promise((done) => setTimeout(done, 20));
  while ((await first.handle('next', undefined, signal, () => undefined)).bytes);
  expect(await first.handle('keep', undefined, signal, () => undefined)).toEqual([]);
  // Its file is whole; whether it has been marked in time makes no difference.
  expect((await waiting).isResumed).toBe(true);
  expect(server.requests).toEqual(['GET /m.apr']);
  first.close();
  second.close();
});

describe('a lock in Node', () => {
  const open = async (name = 'm.apr'): Promise<DownloadFile> =>
    (await openNodeStore()).files.open(name);
  const locks = (): string[] =>
    readdirSync(join(folder, 'susurrus/urls')).filter((name) => name.endsWith('.lock'));
  const leave = (text: string, name = 'm.apr'): void => {
    mkdirSync(join(folder, 'susurrus/urls'), { recursive: true });
    writeFileSync(join(folder, 'susurrus/urls', `${name}.lock`), text);
  };
  /** What a writer's lock says, once it has left it. */
  async function ownLock(): Promise<Record<string, unknown>> {
    const file = await open('other');
    const text = readFileSync(join(folder, 'susurrus/urls/other.lock'), 'utf8');
    await file.close(false);
    return JSON.parse(text) as Record<string, unknown>;
  }

  test.each([
    ...['', 'rubbish', '-1', '0', '{}', 'null', '[1]', '{"pid":1}'],
    ...[String(process.pid), String(process.ppid), '1'],
  ])('that says %p is nobody', async (text) => {
    leave(text);
    await (await open()).close(true);
    expect(locks()).toEqual([]);
  });

  test('of an earlier process with the number of one that lives is nobody', async () => {
    const own = await ownLock();
    for (const pid of [process.pid, process.ppid]) {
      leave(JSON.stringify({ ...own, pid, start: '1' }));
      await (await open()).close(true);
      expect(locks()).toEqual([]);
    }
  });

  test('of another machine is somebody as long as it is touched', async () => {
    const text = JSON.stringify({ ...(await ownLock()), place: 'elsewhere' });
    leave(text);
    await expect(open()).rejects.toThrow(FileInUse);
    const long = new Date(Date.now() - 60_000);
    utimesSync(join(folder, 'susurrus/urls/m.apr.lock'), long, long);
    await (await open()).close(true);
    expect(locks()).toEqual([]);
  });

  test('of a writer that lives is respected until it is given back, however old', async () => {
    const first = await open();
    const long = new Date(Date.now() - 1e10);
    utimesSync(join(folder, 'susurrus/urls/m.apr.lock'), long, long);
    await expect(open()).rejects.toThrow(FileInUse);
    await first.close(true);
    await (await open()).close(true);
  });

  test('is that of one writer, of twenty that find it stale at once', async () => {
    leave('');
    const tries = await Promise.allSettled(Array.from({ length: 20 }, () => open()));
    const files = tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(files).toHaveLength(1);
    await files[0]?.close(true);
    expect(locks()).toEqual([]);
  });

  test('that is stale goes with its model', async () => {
    leave('');
    await (await openNodeStore()).files.remove('m.apr');
    expect(locks()).toEqual([]);
  });
});

describe('a body that never settles after its last chunk', () => {
  /** As Node 20's is, where it is aborted in that chunk's turn. */
  const stuck = (): Response => {
    let isSent = false;
    const pull = (controller: ReadableStreamDefaultController): Promise<void> => {
      if (isSent) return new Promise(() => undefined);
      isSent = true;
      controller.enqueue(bytes);
      return Promise.resolve();
    };
    const cancel = (): Promise<void> => new Promise(() => undefined);
    return new Response(new ReadableStream({ pull, cancel }, { highWaterMark: 0 }), {
      headers: { etag: '"one"', 'content-length': `${bytes.length}` },
    });
  };

  test('ends with the signal, of a repository', async () => {
    const controller = new AbortController();
    const download = new PartialDownload({
      place: {
        take: () => Promise.resolve(spillingFile()),
        newHash: () => ({ update: () => undefined, hex: () => '' }),
      },
      facts: { name: 'model.safetensors', byteCount: bytes.length, validator: '"one"' },
      openFrom: () => Promise.resolve(stuck()),
      onBytes: (count) => count > 0 && queueMicrotask(() => controller.abort('enough')),
      signal: controller.signal,
    });
    expect(await errorOf(download.arrived)).toBe('enough');
    await download.close(false);
  });

  test('ends with the signal, of a URL', async () => {
    const controller = new AbortController();
    const fetch = jest
      .spyOn(globalThis, 'fetch')
      .mockImplementation(() => Promise.resolve(stuck()));
    try {
      const { signal } = controller;
      const task = { url: 'https://x.invalid/m.apr', signal };
      const pieces = (await openUrlDownload(task)).pieces();
      expect((await pieces.next()).value?.bytes).toHaveLength(bytes.length);
      const next = errorOf(pieces.next());
      controller.abort('enough');
      expect(await next).toBe('enough');
    } finally {
      fetch.mockRestore();
    }
  });
});

/** What the server gives of a part of its file, read as a model's tensors are. */
async function readPart(begin: number, byteCount: number): Promise<Buffer> {
  const remote = await urlFolder(new URL(`${server.address}/m.apr`), undefined);
  const pieces: Uint8Array[] = [];
  for await (const piece of remote.read('m.apr', begin, byteCount)) pieces.push(piece);
  return Buffer.concat(pieces);
}

test('a part of a remote file whose connection is cut is gone on with', async () => {
  server.faults.cuts = [Infinity, 50_000];
  expect((await readPart(100_000, 150_000)).equals(bytes.subarray(100_000, 250_000))).toBe(true);
  expect(server.requests.slice(1)).toEqual([
    'GET /m.apr bytes=100000-249999',
    'GET /m.apr bytes=150000-249999',
  ]);
});

test('a part of a remote file that is another one than was asked for is refused', async () => {
  const { fetch } = globalThis;
  const wrong = jest.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const answer = await fetch(input, init);
    const isFirst = answer.headers.get('Content-Range')?.startsWith('bytes 0-');
    const headers = new Headers(answer.headers);
    if (!isFirst) headers.set('Content-Range', `bytes 0-999/${bytes.length}`);
    return new Response(answer.body, { status: answer.status, headers });
  });
  try {
    expect(await errorOf(readPart(100_000, 1000))).toMatchObject({
      ...{ code: 'source_failed', details: { got: `bytes 0-999/${bytes.length}` } },
    });
  } finally {
    wrong.mockRestore();
  }
});

test('a part of a repository’s file that is not what comes again is dropped', async () => {
  const closed: boolean[] = [];
  const file = spillingFile();
  await file.write(new Uint8Array(1000), 0);
  const close = (isKept: boolean): Promise<void> => Promise.resolve(void closed.push(isKept));
  const download = new PartialDownload({
    place: {
      take: () => Promise.resolve({ ...file, byteCount: 1000, close }),
      newHash: () => ({ update: () => undefined, hex: () => '' }),
    },
    facts: { name: 'm', byteCount: bytes.length, digest: { kind: 'sha256', hex: '' } },
    openFrom: () => Promise.resolve(new Response(bytes)),
    onBytes: () => undefined,
    signal: new AbortController().signal,
  });
  expect(await errorOf(download.arrived)).toMatchObject({ code: 'checksum_mismatch' });
  await download.close(true);
  expect(closed).toEqual([false]);
});

test.each([true, false])('a model file that a hub has ready is checked: %p', async (isRight) => {
  const hex = createHash('sha256').update(bytes).digest('hex');
  const digest = { kind: 'sha256', hex: isRight ? hex : '0'.repeat(64) } as const;
  const listed = { name: 'm.apr', byteCount: bytes.length, digest };
  const files = {
    ...{ names: ['m.apr'], urlOf: () => `${server.address}/m.apr` },
    find: () => Promise.resolve(listed),
  };
  const newHash = (): Hashing => {
    const hash = createHash('sha256');
    return { update: (part) => hash.update(part), hex: () => hash.digest('hex') };
  };
  const hub = {
    openRepository: () => Promise.resolve(files),
    ...{ readyModel, checkOf: (file: HubFile) => digestCheck(file, newHash) },
  } as unknown as NonNullable<StoreEnvironment['hub']>;
  const hold = (): Promise<() => void> => Promise.resolve(() => undefined);
  const host = new StoreHost({ openStore: openNodeStore, hold, hub });
  const repository = { name: 'a/m', revision: 'main' };
  const drained = drain(host, undefined, { repository, hub: 'https://hub.invalid' });
  if (isRight) expect(await drained).toEqual({ received: bytes.length, warnings: [] });
  else {
    expect(await errorOf(drained)).toMatchObject({
      ...{ code: 'checksum_mismatch', details: { expected: digest.hex, got: hex } },
    });
  }
  expect(await (await openNodeStore()).list()).toMatchObject([{ model: { complete: isRight } }]);
  host.close();
  while (readdirSync(join(folder, 'susurrus/urls')).some((name) => name.endsWith('.lock'))) {
    await new Promise(setImmediate);
  }
});

test('without a tag or a place to compare with, a download that is cut says just that', async () => {
  server.files.set('m.apr', { bytes });
  server.faults.cuts = [150_000];
  const { files } = await openNodeStore();
  const store = new ModelStore({ ...files, room: () => Promise.resolve(0) });
  const hold = (): Promise<() => void> => Promise.resolve(() => undefined);
  const host = new StoreHost({ openStore: () => Promise.resolve(store), hold });
  expect(await errorOf(drain(host))).toMatchObject({
    ...{ code: 'source_failed', message: expect.stringMatching(/cut after [\d.]+ of 300\.0 kB/) },
  });
  host.close();
  while (readdirSync(join(folder, 'susurrus/urls')).length > 0) await new Promise(setImmediate);
});

test.each([
  ['is known before', 100_000, false],
  ['shows while it is written', undefined, false],
  ['shows at the rest of a part', 100_000, true],
])('what does not fit, which %s, is removed', async (_, room, hasPart) => {
  const hold = (): Promise<() => void> => Promise.resolve(() => undefined);
  if (hasPart) {
    server.faults.cuts = [150_000];
    const first = new StoreHost({ openStore: openNodeStore, hold });
    const { signal } = new AbortController();
    const url = `${server.address}/m.apr`;
    const request = { key: { address: url }, from: { url }, isKept: true };
    await first.handle('open', request, signal, () => undefined);
    expect((await first.handle('next', undefined, signal, () => undefined)).bytes).toBeDefined();
    first.close();
    while (readdirSync(join(folder, 'susurrus/urls')).some((name) => name.endsWith('.lock'))) {
      await new Promise(setImmediate);
    }
    expect(await (await openNodeStore()).list()).toHaveLength(1);
  }
  const openStore = async (): Promise<ModelStore> => {
    const { files } = await openNodeStore();
    const open = async (name: string): Promise<DownloadFile> => {
      const file = await files.open(name);
      const write = (part: Uint8Array, at: number): Promise<void> =>
        at + part.length > 120_000
          ? Promise.reject(new DOMException('full', 'QuotaExceededError'))
          : file.write(part, at);
      return { ...file, ...(name.endsWith('.apr') && { write }) };
    };
    return new ModelStore({ ...files, open, room: () => Promise.resolve(room) });
  };
  const host = new StoreHost({ openStore, hold });
  const { received, warnings } = await drain(host);
  expect(received).toBe(bytes.length);
  expect(warnings).toEqual([expect.stringContaining('not kept: ')]);
  const { files } = await openNodeStore();
  expect(await (await openNodeStore()).list()).toEqual([]);
  expect((await files.list()).reduce((sum, { byteCount }) => sum + byteCount, 0)).toBe(0);
  host.close();
  while (readdirSync(join(folder, 'susurrus/urls')).length > 0) await new Promise(setImmediate);
});

describe('a file whose storage takes no more', () => {
  function limited(most: number): DownloadFile & { readonly content: Uint8Array } {
    const content = new Uint8Array(bytes.length);
    return {
      ...{ content, byteCount: 0 },
      write(part, at) {
        if (at + part.length > most) return Promise.reject(new Error('full'));
        content.set(part, at);
        return Promise.resolve();
      },
      read(into, at) {
        const part = content.subarray(at, Math.min(at + into.length, most));
        into.set(part);
        return Promise.resolve(part.length);
      },
      clear: () => Promise.resolve(),
      close: () => Promise.resolve(),
    };
  }

  test.each([0, 1, 70_000, 131_072, 1e9])('at %d bytes goes on in memory', async (most) => {
    const file = spillingFile(most === 0 ? undefined : limited(most));
    const pieceBytes = 4093;
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      await file.write(bytes.subarray(at, at + pieceBytes), at);
    }
    const back = new Uint8Array(bytes.length);
    for (let at = 0; at < back.length;) {
      const count = await file.read(back.subarray(at, at + 65_521), at);
      expect(count).toBeGreaterThan(0);
      at += count;
    }
    expect(Buffer.from(back).equals(bytes)).toBe(true);
    expect(await file.read(new Uint8Array(10), bytes.length)).toBe(0);
  });
});

describe('files in pieces of the Cache API', () => {
  const long = Uint8Array.from({ length: 9_500_000 }, (_, i) => (i * 7) % 253);
  /** As much of the Cache API as they use. */
  function fakeCaches(): Pick<CacheStorage, 'open'> {
    const entries = new Map<string, Response>();
    const cache = {
      match: (key: string) => Promise.resolve(entries.get(key)?.clone()),
      put: (key: string, response: Response) => Promise.resolve(void entries.set(key, response)),
      delete: (key: string) => Promise.resolve(entries.delete(key)),
      keys: () => Promise.resolve([...entries.keys()].map((url) => ({ url }))),
    };
    return { open: () => Promise.resolve(cache as unknown as Cache) };
  }
  async function contentOf(file: DownloadFile): Promise<Buffer> {
    const back = new Uint8Array(long.length);
    let at = 0;
    for (let count = -1; count !== 0 && at < back.length; at += count) {
      count = await file.read(back.subarray(at, at + 1_000_003), at);
    }
    return Buffer.from(back.subarray(0, at));
  }

  test('take bytes in the middle of pieces that are whole', async () => {
    Object.assign(globalThis, { caches: fakeCaches() });
    const files = await openPieces();
    const file = await files?.open('m');
    await file?.write(long, 0);
    await file?.close(true);
    const changed = long.slice();
    const again = await files?.open('m');
    for (const [from, end] of [
      [100, 200],
      [4_000_000, 5_000_000],
      [9_400_000, 9_450_000],
    ] as const) {
      const bytes = new Uint8Array(end - from).fill(255);
      changed.set(bytes, from);
      await again?.write(bytes, from);
    }
    await again?.close(true);
    const last = await files?.open('m');
    expect(last?.byteCount).toBe(long.length);
    expect(last && (await contentOf(last)).equals(changed)).toBe(true);
  });

  test('are read while they are written, gone on with, listed and removed', async () => {
    Object.assign(globalThis, { caches: fakeCaches() });
    const files = await openPieces();
    if (!files) throw new Error('there are none');
    let at = 0;
    // Three sittings, of which none ends with a piece.
    for (const end of [3_000_001, 8_400_000, long.length]) {
      const file = await files.open('x.apr');
      expect(file.byteCount).toBe(at);
      for (; at < end; at = Math.min(end, at + 700_001)) {
        await file.write(long.subarray(at, Math.min(end, at + 700_001)), at);
      }
      expect((await contentOf(file)).equals(long.subarray(0, end))).toBe(true);
      await file.close(true);
    }
    await (await files.open('x.kept')).close(true);
    expect(await files.list()).toMatchObject([
      { name: 'x.apr', byteCount: long.length },
      { name: 'x.kept', byteCount: 0 },
    ]);
    const source = await (await files.find('x.apr'))?.source();
    expect(Buffer.from(await (source as Blob).arrayBuffer()).equals(long)).toBe(true);
    const again = await files.open('x.apr');
    await again.clear();
    await again.close(true);
    expect(await files.find('x.apr')).toMatchObject({ byteCount: 0 });
    for (const name of ['x.apr', 'x.kept']) await files.remove(name);
    expect(await files.list()).toEqual([]);
  });
});

test('of several model files that a repository has ready, that of the type is taken', () => {
  const of = (...names: string[]): RepositoryFiles => ({ names }) as unknown as RepositoryFiles;
  expect(readyModel(of('model.safetensors'), 'f16')).toBeUndefined();
  expect(readyModel(of('a.apr'), undefined)).toBe('a.apr');
  expect(readyModel(of('a.apr'), 'q8_0')).toBe('a.apr');
  expect(readyModel(of('a.apr', 'model.safetensors'), 'q8_0')).toBeUndefined();
  expect(readyModel(of('a.q5_0.apr', 'a-q8_0.apr', 'model.safetensors'), 'q8_0')).toBe(
    'a-q8_0.apr',
  );
  expect(readyModel(of('a.q5_0.apr', 'a.q8_0.apr'), undefined)).toBeUndefined();
  expect(readyModel(of('folder/a.apr'), undefined)).toBeUndefined();
});
