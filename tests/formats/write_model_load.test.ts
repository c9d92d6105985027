// writeModel() under load: many models at once, and large ones within bounded memory.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { WritableApr2 } from '../../web/src/api/write_types.js';
import type { Progress } from '../../web/src/api/types.js';
import { builtPackage } from '../support/built_package.js';
import { collectedStream } from '../support/collected_stream.js';
import { filesModule } from '../support/files_module.js';
import { apr2, tensor, zeros } from '../support/writable_models.js';
import { expectOneBar } from '../support/one_bar.js';

let built: Awaited<ReturnType<typeof builtPackage>>;
const folder = mkdtempSync(join(tmpdir(), 'susurrus-written-'));
beforeAll(async () => {
  built = await builtPackage();
});
afterAll(() => rmSync(folder, { recursive: true }));

test('twenty models are written at once, each as if alone', async () => {
  const model = (seed: number): WritableApr2 =>
    apr2(
      ...Array.from({ length: 8 }, (_, i) =>
        tensor({
          name: `weight.${i}`,
          dtype: i % 2 === 0 ? 'q8_0' : 'f32',
          data: async function* () {
            for (let at = 0; at < 64; at += 16) {
              yield await Promise.resolve(zeros(16).fill(seed + i + at));
            }
          },
        }),
      ),
    );
  const alone: Uint8Array[] = [];
  for (let seed = 0; seed < 20; ++seed) {
    const { stream, bytes } = collectedStream();
    await built.writeModel(stream, model(seed));
    alone.push(bytes());
  }
  const paths = alone.map((_, seed) => join(folder, `${seed}.apr`));
  await Promise.all(paths.map((path, seed) => built.writeModel(path, model(seed))));
  for (const [seed, path] of paths.entries()) {
    expect(new Uint8Array(readFileSync(path))).toEqual(alone[seed]);
    rmSync(path);
  }
  expect(readdirSync(folder)).toEqual([]);
});

describe('memory', () => {
  const mebibyte = 1 << 20;

  test('a source is asked only as fast as the destination takes', async () => {
    let given = 0;
    let taken = 0;
    let most = 0;
    const shape = [50, mebibyte];
    function* data(): Generator<Float32Array> {
      const piece = zeros(mebibyte / 4);
      for (let i = 0; i < 200; ++i) {
        given += piece.byteLength;
        most = Math.max(most, given - taken);
        yield piece;
      }
    }
    const stream = new WritableStream<Uint8Array>({
      async write(bytes) {
        await new Promise(setImmediate);
        taken += bytes.length;
      },
    });
    const events: Progress[] = [];
    const { byteCount } = await built.writeModel(stream, apr2(tensor({ shape, data })), {
      onProgress: (event) => events.push(event),
    });
    expect(taken).toBe(byteCount);
    expect(byteCount).toBeGreaterThan(200 * mebibyte);
    expect(most).toBeLessThanOrEqual(3 * mebibyte);
    expect(events.length).toBeGreaterThanOrEqual(200);
    expect(events.at(-1)).toMatchObject({ fraction: 1, loaded: 200 * mebibyte });
    const fractions = events.map(({ fraction = 0 }) => fraction);
    expect(fractions).toEqual([...fractions].sort((a, b) => a - b));
    expectOneBar(events);
  });

  test('the core holds two windows, however large the file is', async () => {
    const module = await filesModule();
    const composer = new module.Composer();
    const description = new TextEncoder().encode(
      JSON.stringify({
        format: 'apr2',
        metadata: JSON.stringify({ apr_version: '2.0.0', model_type: 'other', architecture: {} }),
        tensors: [{ name: 'weight', dtype: 'f32', shape: [50, mebibyte] }],
      }),
    );
    composer.textWindow(description.length).set(description);
    expect(composer.plan()).toBe('');
    expect(composer.begin(module.ComposerPass.write)).toBe('');
    let written = 0;
    const drain = (): void => {
      written += composer.output().length;
      composer.consumeOutput();
    };
    drain();
    expect(composer.beginPart(false)).toBe('');
    module.resetHeapPeak();
    for (let i = 0; i < 200; ++i) {
      composer.inputWindow(mebibyte).fill(i);
      expect(composer.push(mebibyte)).toBe('');
      drain();
    }
    expect([composer.finishPart(), composer.finish()]).toEqual(['', '']);
    drain();
    expect(written).toBeGreaterThan(200 * mebibyte);
    expect(module.heapStatistics().peakBytes).toBeLessThan(4 * mebibyte);
    composer.delete();
  });
});
