// Models in shards that are encrypted and signed, each by itself: what opens them, and what is rejected before it is used.
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { LoadOptions, ModelSource, VerifyOptions } from '../../web/src/api/types.js';
import type { SusurrusError } from '../../web/src/api/errors.js';
import { Apr2Core } from '../../web/tools/crypto/apr2_core.js';
import { crc32, writeApr2 } from '../support/apr2_writer.js';
import { builtPackage } from '../support/built_package.js';
import { errorOf } from '../support/embedded_model.js';
import { filesModule } from '../support/files_module.js';
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

/**
 * Each shard sealed as is said for it; the manifest states the files as they come out. Signed ones state the digest of all, unless
 * they are like those of earlier versions.
 */
function sealedShards(
  seals: (shard: number) => Seals | undefined,
  whole = tinyWhisper(),
  isBound = true,
): ShardedModel {
  const shards = tinyShards(count, { whole });
  const written = (modelDigest?: string): ShardedModel =>
    rebuilt(shards, (shard, index) => {
      const own = seals(index);
      if (!own) return writeApr2(shard);
      return writeSealed(shard, { ...own, ...(own.signer && modelDigest && { modelDigest }) })
        .bytes;
    });
  return isBound ? written(digestOfAll(written())) : written();
}

interface ShardMetadata {
  readonly piece_digests?: { readonly digests: readonly string[] };
  readonly model_digest?: { readonly algorithm: string; readonly digest: string };
}

function metadataOf(shard: Uint8Array): ShardMetadata {
  const bytes = Buffer.from(shard);
  const [begin, byteCount] = [bytes.readUInt32LE(12), bytes.readUInt32LE(16)];
  return JSON.parse(bytes.toString('utf8', begin, begin + byteCount)) as ShardMetadata;
}

/** SHA-256 of the piece digests of all shards. */
function digestOfAll({ files }: Pick<ShardedModel, 'files'>): string {
  const hash = createHash('sha256');
  for (const shard of files.values()) {
    for (const digest of metadataOf(shard).piece_digests?.digests ?? []) {
      hash.update(Buffer.from(digest, 'hex'));
    }
  }
  return hash.digest('hex');
}

/** Shards of two models in one manifest, which states the files as they are. */
function mixed(model: ShardedModel, other: ShardedModel, ...foreign: number[]): ShardedModel {
  const pick = (index: number): ShardedModel => (foreign.includes(index) ? other : model);
  const names = [...model.files.keys()];
  return {
    ...model,
    files: new Map(names.map((name, i) => [name, pick(i).files.get(name)!])),
    manifest: {
      ...model.manifest,
      shards: model.manifest.shards.map((_, i) => pick(i).manifest.shards[i]!),
    },
  };
}

/** A model of the tiny architecture with other weights. */
function otherWeights(): ReturnType<typeof tinyWhisper> {
  const whole = tinyWhisper();
  return {
    ...whole,
    tensors: whole.tensors.map((tensor) => ({
      ...tensor,
      stored: tensor.stored.map((byte, i) => (i % 4 === 0 ? byte ^ 1 : byte)),
    })),
  };
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
    const fromFolder = await susurrus.loadModel<'whisper'>(writeShards(root, model), options);
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
    const { info, dispose } = await susurrus
      .loadModel<'whisper'>(asFiles(model), options)
      .then((loaded) => ({
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

describe('signed shards of two models in one manifest', () => {
  const ours = sealedShards(() => signed);
  const second = shardName('model', 1, count);

  test('are refused, by the first that does not belong there', async () => {
    const other = sealedShards(() => signed, otherWeights());
    const model = mixed(ours, other, 1);
    // Without signatures nothing is wrong with them.
    (await susurrus.loadModel<'whisper'>(asFiles(model))).dispose();
    const error = await failureOf(susurrus.loadModel(asFiles(model), { publicKeys }));
    expect([error.code, error.details.reason, error.details.subject]).toEqual([
      ...['signature_invalid', 'signature', `${second}: model_digest`],
    ]);
    const { valid, checks } = await susurrus.verifyModel(writeShards(root, model), {
      publicKeys,
    });
    const check = checks.find(({ name }) => name === 'signature')!;
    expect([valid, check.outcome, check.code]).toEqual([false, 'failed', 'signature_invalid']);
    expect(check.message).toContain(second);
  });

  test('are refused where one is signed as those of earlier versions', async () => {
    const model = mixed(
      ours,
      sealedShards(() => signed, otherWeights(), false),
      1,
    );
    const error = await failureOf(susurrus.loadModel(asFiles(model), { publicKeys }));
    expect([error.code, error.details.subject]).toEqual([
      ...['signature_invalid', `${second}: model_digest`],
    ]);
  });

  test('are refused where they state a digest of other shards', async () => {
    const strange = { ...signed, modelDigest: '00'.repeat(32) };
    const model = sealedShards(() => strange, tinyWhisper(), false);
    const error = await failureOf(susurrus.loadModel(asFiles(model), { publicKeys }));
    expect([error.code, error.details.subject]).toEqual(['signature_invalid', 'model_digest']);
    const verification = await susurrus.verifyModel(writeShards(root, model), { publicKeys });
    expect(verification.valid).toBe(false);
  });

  test('load where no shard states a digest, with a warning', async () => {
    const model = sealedShards(() => signed, tinyWhisper(), false);
    const { info, dispose } = await susurrus
      .loadModel(asFiles(model), { publicKeys })
      .then((loaded) => ({ info: loaded.info, dispose: () => loaded.dispose() }));
    dispose();
    expect(info.signer).toBe(hexOf(signer));
    expect(info.warnings).toEqual(['the signatures do not bind the shards to each other']);
    const { valid, checks } = await susurrus.verifyModel(writeShards(root, model), {
      publicKeys,
    });
    expect(valid).toBe(true);
    expect(checks.find(({ name }) => name === 'signature')!.message).toContain('model_digest');
  });

  test('a digest that is none is malformed', async () => {
    const model = sealedShards(() => ({ ...signed, modelDigest: 'abc' }), tinyWhisper(), false);
    const error = await failureOf(susurrus.loadModel(asFiles(model), { publicKeys }));
    expect([error.code, error.details.reason]).toEqual(['malformed', 'bad_metadata']);
  });
});

describe('a manifest', () => {
  const source = () => writeShards(root, tinyShards(count));
  const made = (name: string) => join(mkdtempSync(join(root, 'made-')), name);
  const filesOf = (manifest: string): Map<string, Uint8Array> => {
    const { shards } = JSON.parse(readFileSync(manifest, 'utf8')) as {
      shards: { file: string }[];
    };
    return new Map(shards.map(({ file }) => [file, readFileSync(join(manifest, '..', file))]));
  };

  test('is signed with all its shards, which state the digest of all', async () => {
    const path = made('signed.apr');
    const result = await susurrus.signModel(source(), path, { key: signer.seed });
    const files = filesOf(path);
    expect([...files.keys()]).toEqual([0, 1, 2].map((shard) => shardName('signed', shard, count)));
    const digest = digestOfAll({ files });
    for (const shard of files.values()) {
      expect(metadataOf(shard).model_digest).toEqual({ algorithm: 'SHA-256', digest });
    }
    const bytes = [...files.values()].reduce((sum, { length }) => sum + length, 0);
    expect(result.byteCount).toBe(bytes + readFileSync(path).length);
    expect(result.tensorCount).toBe(tinyWhisper().tensors.length);
    const loaded = await susurrus.loadModel<'whisper'>(path, { publicKeys });
    expect([loaded.info.signer, loaded.info.warnings]).toEqual([hexOf(signer), []]);
    loaded.dispose();
    expect(await load(path, { publicKeys })).toEqual(like);
  });

  test('is encrypted, signed and opened again; digests are added', async () => {
    const [encrypted, both, digested] = ['e.apr', 'es.apr', 'd.apr'].map(made) as [
      ...[string, string, string],
    ];
    await susurrus.encryptModel(source(), encrypted, { key });
    await susurrus.signModel(encrypted, both, { key: signer.seed });
    expect(await load(both, { key, publicKeys })).toEqual(like);
    const { valid, checks } = await susurrus.verifyModel(both, { key, publicKeys });
    expect([valid, checks.map(({ outcome }) => outcome).join(' ')]).toEqual([
      ...[true, 'passed passed passed passed passed'],
    ]);
    await susurrus.addPieceDigests(source(), digested);
    for (const shard of filesOf(digested).values()) {
      expect(metadataOf(shard).piece_digests?.digests.length).toBeGreaterThan(0);
      expect(metadataOf(shard).model_digest).toBeUndefined();
    }
    expect(await load(digested, {})).toEqual(like);
  });

  test('is not written into a stream', async () => {
    const work = susurrus.signModel(source(), new WritableStream(), { key: signer.seed });
    expect((await failureOf(work)).details.subject).toBe('destination');
  });

  test('a shard that is signed again by itself states no digest of all', async () => {
    const path = made('signed.apr');
    await susurrus.signModel(source(), path, { key: signer.seed });
    const again = made('again.apr');
    await susurrus.signModel(join(path, '..', shardName('signed', 0, count)), again, {
      key: signer.seed,
    });
    expect(metadataOf(readFileSync(again)).model_digest).toBeUndefined();
  });
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
    const { valid, checks } = await susurrus.verifyModel(writeShards(root, model), options);
    return { valid, outcomes: checks.map(({ outcome }) => outcome).join(' '), checks };
  };

  test('looks at each shard', async () => {
    const model = sealedShards(() => ({ encryption, ...signed }));
    const found = await outcomes(model, { publicKeys, key });
    expect(found).toMatchObject({ valid: true, outcomes: 'passed passed passed passed passed' });
    expect(found.checks[3]!.message).toContain(`signed by ${hexOf(signer)} (3 of 3 shards)`);
  });

  test('fails where one is not signed, and names it', async () => {
    const model = sealedShards((shard) => (shard === 1 ? { digests } : signed));
    const found = await outcomes(model, { publicKeys });
    expect(found).toMatchObject({ valid: false, outcomes: 'passed passed passed failed absent' });
    expect(found.checks[3]).toMatchObject({ code: 'signature_invalid', reason: 'signature' });
    expect(found.checks[3]!.message).toContain(shardName('model', 1, count));
    expect(await outcomes(model, {})).toMatchObject({
      valid: true,
      outcomes: 'passed passed passed unchecked absent',
    });
  });

  test('has nothing to say of shards without seals', async () => {
    expect(await outcomes(tinyShards(count), {})).toMatchObject({
      valid: true,
      outcomes: 'passed passed absent absent absent',
    });
  });
});

test('four bytes give any checksum', async () => {
  const core = new Apr2Core(await filesModule());
  for (const [text, wanted] of [
    ['', 0],
    ['123456789', 0xffffffff],
    ['some bytes', 0x12345678],
  ] as const) {
    const crc = core.crc32();
    crc.update(new TextEncoder().encode(text));
    const patch = new Uint8Array(4);
    new DataView(patch.buffer).setUint32(0, crc.bytesTo(wanted), true);
    crc.update(patch);
    expect(crc.value).toBe(wanted);
  }
});
