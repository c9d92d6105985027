// Models in shards that are encrypted and signed, each by itself: what opens them, and what is refused before it is used.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { LoadOptions, ModelSource, VerifyOptions } from '../../web/src/api_types.js';
import type { SusurrusError } from '../../web/src/errors.js';
import { RunningCrc32 } from '../../web/src/seal/crc32.js';
import { crc32, writeApr2 } from '../support/apr2_writer.js';
import { builtPackage } from '../support/built_package.js';
import { errorOf } from '../support/embedded_model.js';
import { fingerprint } from '../support/model_fingerprint.js';
import { signers, writeSealed, type Seals } from '../support/sealed_writer.js';
import {
  asFiles,
  rebuilt,
  shardName,
  tinyShards,
  writeShards,
  type ShardedModel,
} from '../support/sharded_model.js';
import { tinyWhisper } from '../support/tiny_whisper.js';

type Package = Awaited<ReturnType<typeof builtPackage>>;
let susurrus: Package;
let like: number[];
const root = mkdtempSync(join(tmpdir(), 'susurrus-sealed-shards-'));
beforeAll(async () => {
  susurrus = await builtPackage();
  like = await fingerprint(susurrus.loadModel(writeApr2(tinyWhisper()), { variant: 'simd' }));
});
afterAll(() => rmSync(root, { recursive: true }));

const key = Uint8Array.from({ length: 32 }, (_, i) => i + 1);
const salt = Uint8Array.from({ length: 16 }, (_, i) => 200 + i);
const passphrase = 'a phrase';
const pieceSize = 4096;
const [signer, stranger] = signers;
const publicKeys = [signer.publicKey];
const hexOf = ({ publicKey }: { publicKey: Uint8Array }) => Buffer.from(publicKey).toString('hex');
const encryption = { key, pieceSize };
const digests = { pieceSize };
const signed: Seals = { digests, signer };
const count = 3;

/** Each shard sealed as is said for it; the manifest states the files as they come out. */
function sealedShards(
  seals: (shard: number) => Seals | undefined,
  whole = tinyWhisper(),
): ShardedModel {
  return rebuilt(tinyShards(count, { whole }), (shard, index) => {
    const own = seals(index);
    return own ? writeSealed(shard, own).bytes : writeApr2(shard);
  });
}

const failureOf = async (work: Promise<unknown>): Promise<SusurrusError> =>
  (await errorOf(work)) as SusurrusError;

const load = (source: ModelSource, options: LoadOptions): Promise<number[]> =>
  fingerprint(susurrus.loadModel(source, { variant: 'simd', ...options }));

describe('shards load that are', () => {
  const compressed = tinyWhisper({ compress: true });
  const sealed: Record<string, [ShardedModel, LoadOptions]> = {
    signed: [sealedShards(() => signed), { publicKeys }],
    'signed, by whoever it was': [sealedShards(() => signed), { requireSignature: true }],
    'signed, and nobody asks': [sealedShards(() => signed), {}],
    'with digests': [sealedShards(() => ({ digests })), {}],
    encrypted: [sealedShards(() => ({ encryption })), { key }],
    'encrypted, with gaps before their footers': [
      sealedShards(() => ({ encryption, gapBytes: 3, padding: 9 })),
      { key },
    ],
    'compressed and encrypted': [sealedShards(() => ({ encryption }), compressed), { key }],
    'encrypted by a passphrase, each with a salt of its own': [
      sealedShards((shard) => ({
        encryption: { key: { passphrase, salt: salt.map((byte) => byte + shard) }, pieceSize },
      })),
      { key: { passphrase } },
    ],
    'encrypted in part': [
      sealedShards((shard) => (shard === 1 ? { encryption } : undefined)),
      { key },
    ],
    'encrypted and signed': [
      sealedShards(() => ({ encryption, ...signed }), compressed),
      { key, publicKeys },
    ],
  };
  test.each(Object.keys(sealed))('%s', async (name) => {
    const [model, options] = sealed[name]!;
    expect(await load(asFiles(model), options)).toEqual(like);
    const fromFolder = await susurrus.loadModel(writeShards(root, model), options);
    expect(fromFolder.info.warnings).toHaveLength(name === 'signed, and nobody asks' ? count : 0);
    fromFolder.dispose();
  });
});

test('a manifest may state a shard’s own checksum alone', async () => {
  const model = sealedShards(() => ({ encryption }));
  for (const shard of model.manifest.shards) shard.crc32 = shard.footer_crc32;
  expect(await load(asFiles(model), { key })).toEqual(like);
});

test('who signed is told, and that nobody looked no longer', async () => {
  const load = async (model: ShardedModel, options: LoadOptions) => {
    const { info, dispose } = await susurrus.loadModel(asFiles(model), options).then((loaded) => ({
      info: loaded.info,
      dispose: () => loaded.dispose(),
    }));
    dispose();
    return [info.signer, info.warnings];
  };
  const model = sealedShards(() => signed);
  expect(await load(model, { publicKeys })).toEqual([hexOf(signer), []]);
  const warnings = [0, 1, 2].map(
    (shard) => `${shardName('model', shard, count)}: signature not checked`,
  );
  expect(await load(model, {})).toEqual([undefined, warnings]);
  const two = sealedShards((shard) => (shard === 2 ? { digests, signer: stranger } : signed));
  const both = { publicKeys: signers.map(({ publicKey }) => publicKey) };
  expect(await load(two, both)).toEqual([`${hexOf(signer)}, ${hexOf(stranger)}`, []]);
  const facts = await susurrus.inspect(asFiles(model), { publicKeys });
  expect([facts.signer, facts.warnings, facts.shards?.length]).toEqual([hexOf(signer), [], count]);
});

describe('of signed shards one is refused that', () => {
  const second = shardName('model', 1, count);
  const others: Record<string, [Seals | undefined, string]> = {
    'nobody signed': [undefined, 'signature_invalid'],
    'has digests only': [{ digests }, 'signature_invalid'],
    'somebody else signed': [{ digests, signer: stranger }, 'signature_invalid'],
  };
  test.each(Object.keys(others))('%s, before it is used', async (name) => {
    const [seals, code] = others[name]!;
    const model = sealedShards((shard) => (shard === 1 ? seals : signed));
    expect(await load(asFiles(model), {})).toEqual(like);
    const events: number[] = [];
    const error = await failureOf(
      susurrus.loadModel(asFiles(model), {
        publicKeys,
        onProgress: ({ loaded }) => void events.push(loaded),
      }),
    );
    expect([error.code, error.details.reason]).toEqual([code, 'signature']);
    expect(error.details.subject?.startsWith(`${second}: `)).toBe(true);
    // The engine was given the first shard, and nothing of the second.
    expect(Math.max(...events)).toBe(model.files.get(shardName('model', 0, count))!.length);
  });

  test('was changed', async () => {
    const model = sealedShards(() => signed);
    expect(await load(asFiles(model), { publicKeys })).toEqual(like);
    const bytes = model.files.get(second)!;
    const footer = bytes.length - 16;
    bytes[footer - 70]! ^= 1;
    new DataView(bytes.buffer, bytes.byteOffset).setUint32(
      footer,
      crc32(bytes.subarray(0, footer)),
      true,
    );
    model.manifest.shards[1]!.footer_crc32 = undefined;
    const error = await failureOf(susurrus.loadModel(asFiles(model), { publicKeys }));
    expect(error.code).toBe('signature_invalid');
    expect(error.details.subject?.startsWith(`${second}: piece_digests[`)).toBe(true);
  });
});

test('a signed file in place of a manifest’s shard is not the shard', async () => {
  const model = sealedShards(() => signed);
  const [first, second] = [0, 1].map((shard) => shardName('model', shard, count)) as [
    ...[string, string],
  ];
  model.files.set(second, model.files.get(first)!);
  const error = await failureOf(susurrus.loadModel(asFiles(model), { publicKeys }));
  expect([error.code, error.details.reason]).toEqual(['malformed', 'manifest']);
});

describe('an encrypted shard', () => {
  const model = sealedShards((shard) => (shard === 2 ? { encryption } : undefined));
  const last = shardName('model', 2, count);

  test('wants its key', async () => {
    const error = await failureOf(susurrus.loadModel(asFiles(model)));
    expect([error.code, error.details.reason]).toEqual(['decryption_failed', 'decrypt']);
    expect(error.details.subject?.startsWith(`${last}: `)).toBe(true);
  });

  test('is named where the key is a wrong one', async () => {
    const wrong = { key: key.slice().fill(7) };
    const error = await failureOf(susurrus.loadModel(asFiles(model), wrong));
    expect([error.code, error.details.reason]).toEqual(['decryption_failed', 'decrypt']);
    expect(error.details.subject?.startsWith(`${last}: `)).toBe(true);
    expect(error.message).toContain(last);
  });

  test('is shown as it is stored', async () => {
    const facts = await susurrus.inspect(asFiles(model), { key });
    expect(facts.shards?.map(({ flags }) => flags.includes('ENCRYPTED'))).toEqual([
      ...[false, false, true],
    ]);
  });
});

describe('verifyModel() of a manifest', () => {
  const outcomes = async (model: ShardedModel, options: VerifyOptions) => {
    const { isSound, checks } = await susurrus.verifyModel(writeShards(root, model), options);
    return { isSound, outcomes: checks.map(({ outcome }) => outcome).join(' '), checks };
  };

  test('looks at each shard', async () => {
    const model = sealedShards(() => ({ encryption, ...signed }));
    const found = await outcomes(model, { publicKeys, key });
    expect(found).toMatchObject({ isSound: true, outcomes: 'passed passed passed passed passed' });
    expect(found.checks[3]!.message).toContain(`signed by ${hexOf(signer)} (3 of 3 shards)`);
  });

  test('fails where one is not signed, and names it', async () => {
    const model = sealedShards((shard) => (shard === 1 ? { digests } : signed));
    const found = await outcomes(model, { publicKeys });
    expect(found).toMatchObject({ isSound: false, outcomes: 'passed passed passed failed absent' });
    expect(found.checks[3]).toMatchObject({ code: 'signature_invalid', reason: 'signature' });
    expect(found.checks[3]!.message).toContain(shardName('model', 1, count));
    expect(await outcomes(model, {})).toMatchObject({
      isSound: true,
      outcomes: 'passed passed passed unchecked absent',
    });
  });

  test('has nothing to say of shards without seals', async () => {
    expect(await outcomes(tinyShards(count), {})).toMatchObject({
      isSound: true,
      outcomes: 'passed passed absent absent absent',
    });
  });
});

test('four bytes give any checksum', () => {
  for (const [text, wanted] of [
    ['', 0],
    ['123456789', 0xffffffff],
    ['some bytes', 0x12345678],
  ] as const) {
    const crc = new RunningCrc32();
    crc.update(new TextEncoder().encode(text));
    const patch = new Uint8Array(4);
    new DataView(patch.buffer).setUint32(0, crc.bytesTo(wanted), true);
    crc.update(patch);
    expect(crc.value).toBe(wanted);
  }
});
