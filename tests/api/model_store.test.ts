// Parts of the store for models that a test of whole loads does not reach.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { ProgressEvent } from '../../web/src/node.js';
import { StoreHost } from '../../web/tools/cache/host.js';
import { spillingFile } from '../../web/tools/cache/memory_file.js';
import { openNodeStore } from '../../web/tools/cache/node_store.js';
import type { DownloadFile } from '../../web/tools/hub/partial_download.js';
import { readyModel, type RepositoryFiles } from '../../web/tools/hub/repository_files.js';
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
  process.env = { ...environment };
  await server.close();
  rmSync(folder, { recursive: true });
});

/** Everything that a host gives. */
async function drain(
  host: StoreHost,
  emit: (event: ProgressEvent) => void = () => undefined,
): Promise<{ readonly received: number; readonly warnings: readonly string[] }> {
  const { signal } = new AbortController();
  const url = `${server.address}/m.apr`;
  const request = { key: { address: url }, from: { url }, isKept: true, isFresh: false };
  await host.handle('open', request, signal, emit);
  let received = 0;
  for (;;) {
    const step = await host.handle('next', undefined, signal, emit);
    if (!step.bytes) break;
    received += step.bytes.length;
  }
  return { received, warnings: await host.handle('keep', undefined, signal, emit) };
}

test('a download of another tab that gets no further is not waited for', async () => {
  const events: ProgressEvent[] = [];
  const hold = (): Promise<never> => new Promise(() => undefined);
  const host = new StoreHost({ openStore: openNodeStore, hold, patience: 10 });
  const { received, warnings } = await drain(host, (event) => events.push(event));
  expect(received).toBe(bytes.length);
  expect(warnings).toEqual(['not kept: another tab is downloading the model, and gets no further']);
  expect(events).toEqual([{ phase: 'download', loaded: 0 }]);
  host.close();
});

test('one that advances is waited for, and what it kept is used', async () => {
  const hold = (): Promise<() => void> => Promise.resolve(() => undefined);
  const environment = { openStore: openNodeStore, hold, patience: 60_000 };
  const [first, second] = [new StoreHost(environment), new StoreHost(environment)];
  const { signal } = new AbortController();
  const url = `${server.address}/m.apr`;
  const request = { key: { address: url }, from: { url }, isKept: true, isFresh: false };
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
