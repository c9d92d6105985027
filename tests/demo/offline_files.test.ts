// Large files of the page, which are kept for when there is no network once they were used.
import { createHash } from 'node:crypto';
import { beforeEach, expect, test } from '@jest/globals';
import { OfflineFiles } from '../../web/demo/offline/offline_files.js';

const base = 'https://example.org/page/';
const address = `${base}models/large.apr`;
const digestOf = (bytes: string) => createHash('sha256').update(bytes).digest('hex');

/** As a browser's: caches by their names, answers by their addresses. */
let stored: Map<string, Map<string, Response>>;
let isFull: boolean;
const storage = {
  open(name: string) {
    const cache = stored.get(name) ?? new Map<string, Response>();
    stored.set(name, cache);
    return Promise.resolve({
      match: (url: string) => Promise.resolve(cache.get(url)?.clone()),
      put: (url: string, answer: Response) =>
        isFull ? Promise.reject(new Error('no room')) : Promise.resolve(cache.set(url, answer)),
    });
  },
  keys: () => Promise.resolve([...stored.keys()]),
  delete: (name: string) => Promise.resolve(stored.delete(name)),
  match: (url: string) =>
    Promise.resolve([...stored.values()].flatMap((cache) => cache.get(url)?.clone() ?? [])[0]),
} as unknown as CacheStorage;

let requests: string[];
let status: number;
/** A build of the page, whose large file has these bytes. */
const build = (version: string, bytes: string) =>
  new OfflineFiles(
    { version, files: {}, later: { 'models/large.apr': digestOf(bytes) }, changing: [] },
    {
      base,
      caches: storage,
      fetch: ({ url }) => {
        requests.push(url);
        return Promise.resolve(new Response(bytes, { status }));
      },
      digest: (given) => Promise.resolve(digestOf(Buffer.from(given).toString())),
    },
  );
const ask = async (files: OfflineFiles) => (await files.answer(new Request(address)))?.text();

beforeEach(() => {
  stored = new Map();
  requests = [];
  status = 200;
  isFull = false;
});

test('are fetched when they are asked for, once', async () => {
  const files = build('1', 'voices');
  await files.install();
  expect(requests).toEqual([]);
  expect(await ask(files)).toBe('voices');
  expect(await ask(files)).toBe('voices');
  expect(requests).toEqual([address]);
  expect(files.answer(new Request(`${base}models/other.apr`))).toBeUndefined();
});

test('are not kept where they are missing or there is no room, and come all the same', async () => {
  const files = build('1', 'voices');
  status = 404;
  expect((await files.answer(new Request(address)))?.status).toBe(404);
  status = 200;
  isFull = true;
  expect(await ask(files)).toBe('voices');
  isFull = false;
  expect(await ask(files)).toBe('voices');
  expect(requests).toHaveLength(3);
});

test('stay from one build to the next where they are the same', async () => {
  await ask(build('1', 'voices'));
  const next = build('2', 'voices');
  await next.install();
  await next.activate();
  expect([...stored.keys()]).toEqual(['susurrus-page-2']);
  expect(await ask(next)).toBe('voices');
  expect(requests).toHaveLength(1);
  const last = build('3', 'other voices');
  await last.install();
  await last.activate();
  expect(await ask(last)).toBe('other voices');
  expect(requests).toHaveLength(2);
});
