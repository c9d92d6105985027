// One file of more than 2 GiB is written, with a warning; no such file is written here.
import { expect, test } from '@jest/globals';
import type { ModelDestination } from '../../web/src/api/types.js';
import type { Platform } from '../../web/src/platform/platform.js';
import { largeFileWarnings } from '../../web/src/platform/output.js';
import { writeModelOn } from '../../web/tools/writing/write_model.js';
import { apr2 } from '../support/writable_models.js';

const limit = 2 ** 31;

test('more than 2 GiB are warned of, and how to split them is said', () => {
  expect(largeFileWarnings(limit)).toEqual([]);
  expect(largeFileWarnings(limit + 1)).toEqual([
    expect.stringMatching(/^the file has 2,147,483,649 bytes, .*--shard-size 2G .*shardModel\(\)/),
  ]);
});

test('writeModel() answers with that warning', async () => {
  const written = async (byteCount: number): Promise<readonly string[]> => {
    const answers: Readonly<Record<string, unknown>> = {
      planWrite: { parts: [], passes: ['write'] },
      beginPass: { length: byteCount, slice: () => new Uint8Array() },
      endPass: { bytes: new Uint8Array(), warnings: ['a warning of the core'] },
    };
    const files = {
      call: (name: string) => Promise.resolve(answers[name]),
      close: () => undefined,
    };
    const platform = { openFiles: () => files } as unknown as Platform;
    const nowhere: ModelDestination = new WritableStream<Uint8Array>({ write: () => undefined });
    return (await writeModelOn(platform, nowhere, apr2(), {})).warnings;
  };
  expect(await written(limit)).toEqual(['a warning of the core']);
  expect(await written(limit + 1)).toEqual([
    'a warning of the core',
    ...largeFileWarnings(limit + 1),
  ]);
});
