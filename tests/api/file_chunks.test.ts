// How Node reads a file that is streamed into an engine.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { fileChunks } from '../../web/src/platform/node_file_chunks.js';
import { readAhead } from '../../web/src/platform/read_ahead.js';

const folder = mkdtempSync(join(tmpdir(), 'susurrus-chunks-'));
const path = join(folder, 'file');
const bytes = Uint8Array.from({ length: 3_500_000 }, (_, i) => (i * 2654435761) >>> 24);

beforeAll(() => {
  writeFileSync(path, bytes);
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

test('gives every byte once, whether pieces come back or not', async () => {
  for (const comesBack of [() => true, () => false, (i: number) => i % 2 === 0]) {
    const { chunks, recycle } = fileChunks(path);
    const buffers = new Set<ArrayBufferLike>();
    let position = 0;
    let count = 0;
    for await (const chunk of chunks) {
      buffers.add(chunk.buffer);
      // The next piece is being read meanwhile, and must not land here.
      await new Promise((done) => setTimeout(done, 5));
      expect(Buffer.compare(chunk, bytes.subarray(position, position + chunk.length))).toBe(0);
      position += chunk.length;
      if (comesBack(count++)) recycle(chunk);
    }
    expect(position).toBe(bytes.length);
    expect(count).toBe(4);
    if (comesBack(0) && comesBack(1)) expect(buffers.size).toBeLessThan(count);
    else if (!comesBack(0)) expect(buffers.size).toBe(count);
  }
});

test('takes back only whole pieces of its own, and each once', async () => {
  const { chunks, recycle } = fileChunks(path);
  const iterator = chunks[Symbol.asyncIterator]();
  const first = ((await iterator.next()) as { value: Uint8Array }).value;
  const begin = first.slice(0, 100);
  recycle(new Uint8Array(1 << 20)); // none of its pieces
  recycle(first.subarray(0, 100)); // the rest of the piece may be in use
  for (let i = 0; i < 3; ++i) await iterator.next();
  expect(first.subarray(0, 100)).toEqual(begin);
  expect(await iterator.next()).toEqual({ done: true, value: undefined });
  expect(await iterator.next()).toEqual({ done: true, value: undefined });
});

describe('leaving early', () => {
  test('closes the file, also one that nobody began to read', async () => {
    for (const begun of [0, 1, 2]) {
      const iterator = fileChunks(path).chunks[Symbol.asyncIterator]();
      for (let i = 0; i < begun; ++i) await iterator.next();
      expect(await iterator.return?.()).toEqual({ done: true, value: undefined });
      await iterator.return?.();
    }
  });

  test('of what fails tells who asks for it', async () => {
    const iterator = fileChunks(join(folder, 'none')).chunks[Symbol.asyncIterator]();
    await expect(iterator.next()).rejects.toMatchObject({ code: 'ENOENT' });
    await iterator.return?.();
    let isReturned = false;
    const failing = readAhead(
      (async function* (): AsyncGenerator<Uint8Array, undefined> {
        try {
          yield new Uint8Array(1);
          await Promise.resolve();
          throw new Error('broken');
        } finally {
          isReturned = true;
        }
      })(),
    );
    expect((await failing.next()).done).toBe(false);
    await new Promise((done) => setTimeout(done, 5)); // it has failed by now, unreported
    await expect(failing.next()).rejects.toThrow('broken');
    await failing.return?.();
    expect(isReturned).toBe(true);
  });
});
