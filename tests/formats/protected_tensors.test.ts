// Single tensors of files that are encrypted or have piece digests: decrypted and verified, and nothing else of the file is.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModelFile, ModelSource, OpenModelOptions } from '../../web/src/api/types.js';
import type { SusurrusError } from '../../web/src/api/errors.js';
import { writeApr2 } from '../support/apr2_writer.js';
import { builtPackage } from '../support/built_package.js';
import { errorOf } from '../support/embedded_model.js';
import { changed, signers, writeSealed, type Seals } from '../support/sealed_writer.js';
import { startRangeServer } from '../support/range_server.js';
import { manifestBytes, rebuilt, tinyShards, writeShards } from '../support/sharded_model.js';
import { tinyWhisper } from '../support/tiny_whisper.js';

type Package = Awaited<ReturnType<typeof builtPackage>>;
let susurrus: Package;
const root = mkdtempSync(join(tmpdir(), 'susurrus-tensors-'));
beforeAll(async () => {
  susurrus = await builtPackage();
});
afterAll(() => rmSync(root, { recursive: true }));

const key = Uint8Array.from({ length: 32 }, (_, i) => i + 1);
const passphrase = 'a phrase';
const salt = Uint8Array.from({ length: 16 }, (_, i) => 200 + i);
const pieceSize = 4096;
const plain = tinyWhisper();
const compressed = tinyWhisper({ compress: true });
const encryption = { key, pieceSize };
const digests = { pieceSize };
const [signer] = signers;

const using = async <T>(
  source: ModelSource,
  options: OpenModelOptions,
  work: (file: ModelFile) => Promise<T>,
): Promise<T> => {
  const file = await susurrus.openModelFile(source, options);
  try {
    return await work(file);
  } finally {
    file.close();
  }
};

/** All tensors, in the order of the file. */
const tensorsOf = (source: ModelSource, options: OpenModelOptions = {}) =>
  using(source, options, async (file) => {
    const found = [];
    for (const { name } of file.tensors) found.push(await file.tensor(name));
    return found;
  });

const failureOf = async (work: Promise<unknown>): Promise<SusurrusError> =>
  (await errorOf(work)) as SusurrusError;

const cases: [string, typeof plain, Seals, OpenModelOptions][] = [
  ['encrypted', plain, { encryption }, { key }],
  ['compressed and encrypted', compressed, { encryption }, { key }],
  [
    'encrypted by a passphrase',
    plain,
    { encryption: { key: { passphrase, salt }, pieceSize } },
    { key: { passphrase } },
  ],
  ['encrypted and signed', compressed, { encryption, digests, signer }, { key }],
  ['with digests', plain, { digests }, {}],
  ['compressed, with digests', compressed, { digests, gapBytes: 5 }, {}],
  ['signed', plain, { digests, signer }, {}],
  ['not encrypted, although a key is given', plain, {}, { key }],
];

test.each(cases)('a file that is %s gives the tensors of the plain one', async (...given) => {
  const [, model, seals, options] = given;
  const expected = await tensorsOf(writeApr2(model));
  expect(await tensorsOf(writeSealed(model, seals).bytes, options)).toEqual(expected);
});

test('prefetch() decrypts too, and shards have each their key material', async () => {
  const whole = writeApr2(plain);
  const names = plain.tensors.map(({ name }) => String(name));
  const expected = await tensorsOf(whole);
  const shards = rebuilt(
    tinyShards(3, { whole: plain }),
    (shard, i) =>
      writeSealed(shard, {
        ...(i !== 1 && {
          encryption: { key: { passphrase, salt: salt.map((b) => b + i) }, pieceSize },
        }),
        digests,
      }).bytes,
  );
  await using(writeShards(root, shards), { key: { passphrase } }, async (file) => {
    await file.prefetch(names);
    for (const tensor of expected) expect(await file.tensor(tensor.name)).toEqual(tensor);
  });
});

describe('pieces that are verified come once,', () => {
  const large = 1 << 20;
  const names = plain.tensors.map(({ name }) => String(name));
  const served = async (
    files: Record<string, Uint8Array>,
    work: (file: ModelFile, requests: () => readonly string[]) => Promise<void>,
  ) => {
    const server = await startRangeServer(files);
    try {
      await using(`${server.address}/model.apr`, {}, async (file) => {
        // Opens the file: its head is read.
        await file.tensor(names.at(-1)!);
        const before = server.requests.length;
        await work(file, () => server.requests.slice(before));
      });
    } finally {
      await server.close();
    }
  };

  test.each([
    ['in one request by prefetch()', true],
    ['by one tensor for the next', false],
  ])('%s', async (_, isPrefetched) => {
    const wanted = await tensorsOf(writeApr2(plain));
    const { bytes } = writeSealed(plain, { digests: { pieceSize: large } });
    await served({ 'model.apr': bytes }, async (file, requests) => {
      if (isPrefetched) await file.prefetch(names);
      const count = requests().length;
      for (const tensor of wanted) expect(await file.tensor(tensor.name)).toEqual(tensor);
      expect([count, requests().length]).toEqual(isPrefetched ? [1, 1] : [0, 0]);
    });
  });

  test('in one request for small pieces, and one for each shard', async () => {
    const wanted = await tensorsOf(writeApr2(plain));
    const { bytes } = writeSealed(plain, { digests });
    const shards = tinyShards(2, { whole: plain });
    for (const [files, count] of [
      [{ 'model.apr': bytes }, 1],
      [{ 'model.apr': manifestBytes(shards), ...Object.fromEntries(shards.files) }, 2],
    ] as const) {
      await served(files, async (file, requests) => {
        await file.tensor(names[0]!);
        const before = requests().length;
        await file.prefetch(names);
        for (const tensor of wanted) expect(await file.tensor(tensor.name)).toEqual(tensor);
        expect(requests()).toHaveLength(before + count);
      });
    }
  });
});

describe('an encrypted tensor', () => {
  const file = writeSealed(plain, { encryption });
  const [first, second] = plain.tensors.map(({ name }) => String(name)) as [string, string];

  test('wants a key, of the right kind, and the right one', async () => {
    for (const [options, details] of [
      [{}, { subject: 'ENCRYPTED' }],
      [{ key: { passphrase } }, { subject: 'key' }],
      [{ key: key.slice().fill(9) }, { subject: first, offset: file.tensors[0]!.begin + 8 }],
    ] as const) {
      const error = await failureOf(using(file.bytes, options, (opened) => opened.tensor(first)));
      expect([error.code, error.details.reason]).toEqual(['decryption_failed', 'decrypt']);
      expect(error.details).toMatchObject(details);
    }
    const error = await failureOf(susurrus.openModelFile(file.bytes, { key: new Uint8Array(31) }));
    expect([error.code, error.details.subject]).toEqual(['invalid_argument', 'key']);
  });

  test('that was changed is named, with the piece; the others open', async () => {
    const at = file.tensors[0]!.begin + 8 + pieceSize + 16;
    const damaged = changed(file, (bytes) => void (bytes[at + 3]! ^= 1));
    await using(damaged, { key }, async (opened) => {
      const error = await failureOf(opened.tensor(first));
      expect([error.code, error.details.subject, error.details.offset]).toEqual([
        ...['decryption_failed', first, at],
      ]);
      expect((await opened.tensor(second)).name).toBe(second);
      expect((await failureOf(opened.tensor(first))).code).toBe('decryption_failed');
    });
  });
});

test('a piece that differs from its digest is named, with the tensor that lies in it', async () => {
  for (const seals of [{ digests }, { digests, signer }]) {
    const file = writeSealed(plain, seals);
    const begin = file.dataOffset + ('signer' in seals ? 96 : 0);
    const [first, last] = [file.tensors[0]!, file.tensors.at(-1)!];
    const piece = Math.floor((first.begin + 5000 - begin) / pieceSize);
    const damaged = changed(file, (bytes) => void (bytes[first.begin + 5000]! ^= 1), true);
    await using(damaged, {}, async (opened) => {
      const name = String(plain.tensors[0]!.name);
      const error = await failureOf(opened.tensor(name));
      expect([error.code, error.details]).toMatchObject([
        'checksum_mismatch',
        { reason: 'checksum', subject: name, offset: begin + piece * pieceSize },
      ]);
      expect(error.message).toContain(name);
      expect(last.begin).toBeGreaterThan(begin + (piece + 1) * pieceSize);
      const other = String(plain.tensors.at(-1)!.name);
      expect((await opened.tensor(other)).name).toBe(other);
    });
  }
});

test('a tensor beyond the last digest is refused', async () => {
  const text = new TextDecoder().decode(writeSealed(plain, { digests }).bytes);
  const list = JSON.parse(/"digests":(\[[^\]]*\])/.exec(text)![1]!) as string[];
  const stated = { digests: list.slice(0, 1) };
  const { bytes } = writeSealed(plain, { digests: { pieceSize, stated } });
  const error = await failureOf(tensorsOf(bytes));
  expect([error.code, error.details.subject]).toEqual(['malformed', 'piece_digests.digests']);
});
