// What encryptModel(), signModel() and addPieceDigests() write, taken apart by the tests' own cryptography and read again.
import { createDecipheriv, createHash, createPublicKey, pbkdf2Sync, verify } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ModelKey, Progress, RewriteOptions } from '../../web/src/api/types.js';
import { YieldController } from '../../web/src/wasm/yield_controller.js';
import { withMembers } from '../../web/tools/crypto/json_members.js';
import { crc32, flagBits, writeApr2, type WrittenFile } from '../support/apr2_writer.js';
import { builtPackage } from '../support/built_package.js';
import {
  errorOf,
  inPieces,
  modelBytes,
  modelPath,
  sampleBytes,
  sampleText,
} from '../support/embedded_model.js';
import { fingerprint } from '../support/model_fingerprint.js';
import { signers, writeSealed } from '../support/sealed_writer.js';
import { tinyDims, tinyMetadata, tinyWhisper } from '../support/tiny_whisper.js';
import { expectOneBar } from '../support/one_bar.js';

type Package = Awaited<ReturnType<typeof builtPackage>>;
let susurrus: Package;
beforeAll(async () => {
  susurrus = await builtPackage();
});
const folder = mkdtempSync(join(tmpdir(), 'susurrus-seal-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const mebibyte = 1 << 20;
const key = Uint8Array.from({ length: 32 }, (_, i) => 255 - i);
const passphrase = 'a passphrase';
const [signer, stranger] = signers;

/** A sink that keeps what it gets. */
function collecting(): { stream: WritableStream<Uint8Array>; bytes: () => Buffer } {
  const parts: Uint8Array[] = [];
  const stream = new WritableStream<Uint8Array>({
    write(part) {
      parts.push(part);
    },
  });
  return { stream, bytes: () => Buffer.concat(parts) };
}

async function written(work: (sink: WritableStream<Uint8Array>) => Promise<{ byteCount: number }>) {
  const { stream, bytes } = collecting();
  const { byteCount } = await work(stream);
  expect(bytes().length).toBe(byteCount);
  return bytes();
}

interface Entry {
  readonly name: string;
  readonly type: Uint8Array;
  readonly offset: number;
  readonly size: number;
  readonly rawSize: number;
}

/** A file as its own fields say it is; the checksum and the length are right. */
function takeApart(file: Buffer) {
  const [flags, metadataAt, metadataSize, indexAt, indexSize, dataAt] = [8, 12, 16, 20, 24, 28].map(
    (at) => file.readUInt32LE(at),
  ) as [number, number, number, number, number, number];
  const footer = file.length - 16;
  expect(file.readUInt32LE(footer)).toBe(crc32(file.subarray(0, footer)));
  expect(file.toString('latin1', footer + 4, footer + 8)).toBe('2RPA');
  expect(Number(file.readBigUInt64LE(footer + 8))).toBe(file.length);
  expect(dataAt % 64).toBe(0);
  const entries: Entry[] = [];
  let at = indexAt + 8;
  for (let i = 0; i < file.readUInt32LE(indexAt); ++i) {
    const nameEnd = at + 2 + file.readUInt16LE(at);
    const typeEnd = nameEnd + 2 + 8 * file[nameEnd + 1]!;
    const [offset, size, rawSize] = [0, 8, 16].map((k) =>
      Number(file.readBigUInt64LE(typeEnd + k)),
    );
    const name = file.toString('utf8', at + 2, nameEnd);
    const type = file.subarray(nameEnd, typeEnd);
    entries.push({ name, type, offset: offset!, size: size!, rawSize: rawSize! });
    expect(offset! % 64).toBe(0);
    at = typeEnd + 28;
  }
  expect(at).toBe(indexAt + indexSize);
  const metadataText = file.toString('utf8', metadataAt, metadataAt + metadataSize);
  const metadata = JSON.parse(metadataText) as Record<string, unknown>;
  const signedBytes = [
    file.subarray(0, 32),
    file.subarray(metadataAt, metadataAt + metadataSize),
    file.subarray(indexAt, indexAt + indexSize),
  ];
  const stored = ({ offset, size }: Entry) =>
    file.subarray(dataAt + offset, dataAt + offset + size);
  return { flags, metadata, metadataText, entries, dataAt, footer, signedBytes, stored };
}

/** As apr.md §6 says, with Node's own AES-GCM. */
function decryptTensor(entry: Entry, sealed: Buffer, aes: Uint8Array): Buffer {
  const nonce = sealed.subarray(0, 8);
  const parts: Buffer[] = [];
  for (let at = 8, piece = 0; at < sealed.length; at += mebibyte + 16, ++piece) {
    const end = Math.min(at + mebibyte + 16, sealed.length);
    const number = Buffer.alloc(5);
    number.writeUInt32LE(piece);
    number[4] = end === sealed.length ? 1 : 0;
    const decipher = createDecipheriv(
      'aes-256-gcm',
      aes,
      Buffer.concat([nonce, number.subarray(0, 4)]),
    );
    decipher.setAAD(Buffer.concat([Buffer.from(entry.name), Buffer.of(0), entry.type, number]));
    decipher.setAuthTag(sealed.subarray(end - 16, end));
    parts.push(decipher.update(sealed.subarray(at, end - 16)), decipher.final());
  }
  return Buffer.concat(parts);
}

/** Digests as the metadata state them, beside those of the bytes. */
function expectDigests({ metadata }: ReturnType<typeof takeApart>, region: Buffer): void {
  const count = Math.ceil(region.length / mebibyte);
  expect(metadata.piece_digests).toEqual({
    algorithm: 'SHA-256',
    piece_size: mebibyte,
    digests: Array.from({ length: count }, (_, i) =>
      createHash('sha256')
        .update(region.subarray(i * mebibyte, (i + 1) * mebibyte))
        .digest('hex'),
    ),
  });
}

/** A model of 3 MiB in several pieces, whose largest tensor is larger than one. */
const larger = tinyWhisper({
  dims: { ...tinyDims, n_audio_state: 256, n_text_state: 256, n_text_layer: 1 },
});
const tiny = tinyWhisper({ compress: true });
const sources: [name: string, file: WrittenFile][] = [
  ['LZ4', tiny],
  ['raw', tinyWhisper()],
  ['of several pieces', larger],
  ['in another order', tinyWhisper({ reverseData: true, compress: true })],
  [
    'with an empty tensor',
    { ...tiny, tensors: [...tiny.tensors, { name: 'none', dims: [0], stored: new Uint8Array() }] },
  ],
];

describe.each(sources)('a model, %s', (_, file) => {
  const bytes = writeApr2(file);
  const like = takeApart(Buffer.from(bytes));
  const load = (source: Uint8Array, options = {}) =>
    fingerprint(susurrus.loadModel(source, { variant: 'simd', ...options }));

  test.each<[string, ModelKey]>([
    ['a key', key],
    ['a passphrase', { passphrase }],
  ])('encrypted by %s, is what the description says, and opens', async (__, given) => {
    const sealed = await written((sink) => susurrus.encryptModel(bytes, sink, { key: given }));
    const parts = takeApart(sealed);
    expect(parts.flags).toBe(like.flags | flagBits.encrypted);
    const scheme = parts.metadata.encryption as Record<string, unknown>;
    let aes: Uint8Array = key;
    if (given === key) {
      const stated = { version: 1, cipher: 'AES-256-GCM', piece_size: mebibyte, kdf: 'none' };
      expect(scheme).toEqual(stated);
    } else {
      expect(scheme).toMatchObject({ kdf: 'PBKDF2-HMAC-SHA256', iterations: 600_000 });
      expect(scheme.salt).toMatch(/^[\da-f]{32}$/);
      const salt = Buffer.from(String(scheme.salt), 'hex');
      aes = pbkdf2Sync(passphrase, salt, 600_000, 32, 'sha256');
    }
    const nonces = new Set<string>();
    for (const [i, entry] of parts.entries.entries()) {
      const original = like.entries[i]!;
      expect([entry.name, entry.type, entry.rawSize]).toEqual([
        original.name,
        original.type,
        original.rawSize,
      ]);
      const stored = parts.stored(entry);
      nonces.add(stored.toString('hex', 0, 8));
      expect(decryptTensor(entry, stored, aes).equals(like.stored(original))).toBe(true);
    }
    expect(nonces.size).toBe(parts.entries.length);
    expect(await load(sealed, { key: given })).toEqual(await load(bytes));
    // No two are alike.
    const again = await written((sink) => susurrus.encryptModel(bytes, sink, { key: given }));
    expect(again.equals(sealed)).toBe(false);
  });

  test('signed, is what the description says, and loads', async () => {
    const sealed = await written((sink) => susurrus.signModel(bytes, sink, { key: signer.seed }));
    const parts = takeApart(sealed);
    expect(parts.flags).toBe(like.flags | flagBits.signed);
    const block = sealed.subarray(parts.dataAt, parts.dataAt + 96);
    expect(Uint8Array.from(block.subarray(64))).toEqual(signer.publicKey);
    const message = createHash('sha256').update(Buffer.concat(parts.signedBytes)).digest();
    const publicKey = createPublicKey(signer.privateKey);
    expect(verify(null, message, publicKey, block.subarray(0, 64))).toBe(true);
    expect(Math.min(...parts.entries.map(({ offset }) => offset))).toBe(128);
    expectDigests(parts, sealed.subarray(parts.dataAt + 96, parts.footer));
    for (const [i, entry] of parts.entries.entries()) {
      expect(parts.stored(entry).equals(like.stored(like.entries[i]!))).toBe(true);
    }
    const options = { publicKeys: [signer.publicKey] };
    expect(await load(sealed, options)).toEqual(await load(bytes));
    // Ed25519 is deterministic, and a signature takes the place of another.
    const other = await written((sink) => susurrus.signModel(sealed, sink, { key: stranger.seed }));
    const again = await written((sink) => susurrus.signModel(other, sink, { key: signer.seed }));
    expect(again.equals(sealed)).toBe(true);
  });

  test('given digests, is what the description says, and loads', async () => {
    const sealed = await written((sink) => susurrus.addPieceDigests(bytes, sink));
    const parts = takeApart(sealed);
    expect(parts.flags).toBe(like.flags);
    expectDigests(parts, sealed.subarray(parts.dataAt, parts.footer));
    expect(await load(sealed)).toEqual(await load(bytes));
  });
});

describe('sealing', () => {
  const bytes = writeApr2(tinyWhisper());

  test('a model that is signed after it was encrypted opens with both keys', async () => {
    const path = (name: string) => join(folder, name);
    await susurrus.encryptModel(modelPath, path('e.apr'), { key });
    await susurrus.signModel(path('e.apr'), path('es.apr'), { key: signer.seed });
    const options = { key, publicKeys: [signer.publicKey] };
    const model = await susurrus.loadModel<'whisper'>(path('es.apr'), options);
    expect((await model.transcribe(sampleBytes())).text.trim()).toBe(sampleText);
    model.dispose();
    const { valid, checks } = await susurrus.verifyModel(path('es.apr'), options);
    expect([valid, checks.map(({ outcome }) => outcome)]).toEqual([
      true,
      ['passed', 'passed', 'passed', 'passed', 'passed'],
    ]);
    expect(readdirSync(folder).sort()).toEqual(['e.apr', 'es.apr']);
  });

  test('encrypting leaves out what is no longer true, and says so', async () => {
    for (const [seals, says] of [
      [{ digests: { pieceSize: 4096 } }, /piece digests/],
      [{ digests: { pieceSize: 4096 }, signer }, /signature/],
    ] as const) {
      const { stream, bytes: all } = collecting();
      const source = writeSealed(tinyWhisper(), seals).bytes;
      const { warnings } = await susurrus.encryptModel(source, stream, { key });
      expect(warnings).toEqual([expect.stringMatching(says)]);
      const { flags, metadata } = takeApart(all());
      expect(flags).toBe(flagBits.aligned64 | flagBits.encrypted);
      expect(metadata.piece_digests).toBeUndefined();
      (await susurrus.loadModel<'whisper'>(all(), { key })).dispose();
    }
  });

  test('new keys sign, alone or as CryptoKeys, and no other key fits', async () => {
    const pair = await susurrus.generateSigningKey();
    expect([pair.privateKey.length, pair.publicKey.length]).toEqual([32, 32]);
    const sealed = await written((sink) =>
      susurrus.signModel(bytes, sink, { key: pair.privateKey }),
    );
    const found = await susurrus.inspect(sealed, { publicKeys: [pair.publicKey] });
    expect(found.signer).toBe(Buffer.from(pair.publicKey).toString('hex'));
    const crypto = await globalThis.crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify']);
    const other = await written((sink) => susurrus.signModel(bytes, sink, { key: crypto }));
    const raw = new Uint8Array(await globalThis.crypto.subtle.exportKey('raw', crypto.publicKey));
    (await susurrus.loadModel<'whisper'>(other, { publicKeys: [raw] })).dispose();
    const wrong = susurrus.loadModel(other, { publicKeys: [pair.publicKey] });
    expect(await errorOf(wrong)).toMatchObject({ code: 'signature_invalid' });
  });

  test.each<[string, (sink: WritableStream<Uint8Array>) => Promise<unknown>, object]>([
    [
      'a damaged file',
      (sink) => susurrus.signModel(bytes.with(bytes.length - 100, 99), sink, { key: signer.seed }),
      { code: 'checksum_mismatch' },
    ],
    [
      'what is encrypted already',
      (sink) =>
        susurrus.encryptModel(
          writeSealed(tinyWhisper(), { encryption: { key, pieceSize: 4096 } }).bytes,
          sink,
          { key },
        ),
      { code: 'invalid_argument', details: { subject: 'source' } },
    ],
    [
      'digests for what is signed',
      (sink) =>
        susurrus.addPieceDigests(
          writeSealed(tinyWhisper(), { digests: { pieceSize: 4096 }, signer }).bytes,
          sink,
        ),
      { code: 'invalid_argument', details: { subject: 'source' } },
    ],
    [
      'a stream, which is read only once',
      (sink) => susurrus.addPieceDigests(inPieces(bytes, 999) as unknown as Uint8Array, sink),
      { code: 'invalid_argument', details: { reason: 'option', subject: 'source' } },
    ],
    [
      'no key',
      (sink) => susurrus.encryptModel(bytes, sink, {} as { key: Uint8Array }),
      { code: 'invalid_argument', details: { reason: 'option', subject: 'key' } },
    ],
    [
      'a key that is too long',
      (sink) => susurrus.signModel(bytes, sink, { key: new Uint8Array(64) }),
      { code: 'invalid_argument', details: { reason: 'option', subject: 'key' } },
    ],
  ])('refuses %s', async (_, work, expected) => {
    expect(await errorOf(work(collecting().stream))).toMatchObject(expected);
  });

  test('a file appears whole or not at all', async () => {
    const output = join(folder, 'output.apr');
    const controller = new AbortController();
    const stopping: RewriteOptions = {
      signal: controller.signal,
      onProgress: ({ loaded }) => {
        if (loaded > 3_000_000) controller.abort('enough');
      },
    };
    const error = await errorOf(susurrus.addPieceDigests(modelPath, output, stopping));
    expect(error).toBe('enough');
    writeFileSync(output, 'precious');
    expect(await errorOf(susurrus.addPieceDigests(modelPath, output))).toMatchObject({
      code: 'invalid_argument',
      details: { subject: 'force' },
    });
    expect(readFileSync(output, 'utf8')).toBe('precious');
    await susurrus.addPieceDigests(modelPath, output, { force: true });
    (await susurrus.loadModel<'whisper'>(output)).dispose();
    expect(readdirSync(folder).filter((name) => name.includes('unfinished'))).toEqual([]);
    rmSync(output);
    expect(existsSync(output)).toBe(false);
  });

  test('progress goes through every pass', async () => {
    const events: Progress[] = [];
    const onProgress = (event: Progress) => events.push(event);
    await susurrus.signModel(modelPath, collecting().stream, { key: signer.seed, onProgress });
    const counts = events.map(({ loaded }) => loaded);
    expect(counts).toEqual([...counts].sort((a, b) => a - b));
    expect(events.at(-1)!.total).toBe(3 * modelBytes().length);
    expect(events.at(-1)!.fraction).toBeGreaterThan(0.99);
    expect(events.at(-1)!.fraction).toBeLessThanOrEqual(1);
    expectOneBar(events);
  });

  test('metadata keep their text', async () => {
    const yielder = new YieldController();
    const text =
      ' { "a" : [1.50, {"b": "}\\",{"}], "piece_digests":{"x":[1]}\n, "n": 12345678901234567890 } ';
    const changes = { piece_digests: undefined, encryption: { version: 1 } };
    expect(await withMembers(text, changes, yielder)).toBe(
      '{"a" : [1.50, {"b": "}\\",{"}],"n": 12345678901234567890,"encryption":{"version":1}}',
    );
    expect(await withMembers('{}', { a: 1 }, yielder)).toBe('{"a":1}');
    expect(await withMembers('{"\\u0061":2}', { a: undefined }, yielder)).toBe('{}');
    const same = await withMembers(JSON.stringify(tinyMetadata), {}, yielder);
    expect(JSON.parse(same)).toEqual(tinyMetadata);
  });
});

describe('a download in pieces', () => {
  test('what of it is sound is found, and the rest completes it', async () => {
    const whole = await written((sink) => susurrus.addPieceDigests(modelBytes(), sink));
    const { dataAt, footer } = takeApart(whole);
    const all = await susurrus.soundRanges(whole);
    expect(all).toEqual({
      byteCount: whole.length,
      sound: [{ begin: 0, end: whole.length }],
      missing: [],
    });
    expect(await susurrus.soundRanges(whole.subarray(0, dataAt - 1))).toEqual({
      sound: [],
      missing: [{ begin: 0 }],
    });
    const cut = await susurrus.soundRanges(whole.subarray(0, dataAt + mebibyte + 5));
    expect(cut).toEqual({
      byteCount: whole.length,
      sound: [{ begin: 0, end: dataAt + mebibyte }],
      missing: [{ begin: dataAt + mebibyte, end: whole.length }],
    });
    const damaged = Uint8Array.from(whole);
    damaged[dataAt + 7]! ^= 1;
    const found = await susurrus.soundRanges(damaged);
    expect(found.missing).toEqual([{ begin: dataAt, end: dataAt + mebibyte }]);
    expect(found.sound).toEqual([
      { begin: 0, end: dataAt },
      { begin: dataAt + mebibyte, end: footer + 16 },
    ]);
    for (const { begin, end } of found.missing) damaged.set(whole.subarray(begin, end), begin);
    (await susurrus.loadModel<'whisper'>(damaged)).dispose();
  });

  test('its beginning counts only when it is signed, where that is asked for', async () => {
    const whole = await written((sink) =>
      susurrus.signModel(modelBytes(), sink, { key: signer.seed }),
    );
    const trusted = { publicKeys: [signer.publicKey] };
    expect((await susurrus.soundRanges(whole, trusted)).missing).toEqual([]);
    const forged = Uint8Array.from(whole);
    forged[40]! ^= 1;
    for (const [bytes, options] of [
      [forged, trusted],
      [whole, { publicKeys: [stranger.publicKey] }],
    ] as const) {
      expect((await susurrus.soundRanges(bytes, options)).sound).toEqual([]);
    }
    expect(await errorOf(susurrus.soundRanges(modelBytes()))).toMatchObject({
      code: 'unsupported_feature',
      details: { subject: 'piece_digests' },
    });
  });
});

describe('verifyModel', () => {
  const sealed = writeSealed(tinyWhisper(), {
    encryption: { key, pieceSize: 4096 },
    digests: { pieceSize: 4096 },
    signer,
  });
  const keys = { key, publicKeys: [signer.publicKey] };
  const outcomes = async (bytes: Uint8Array, options = {}) => {
    const { valid, checks } = await susurrus.verifyModel(bytes, options);
    expect(checks.map(({ name }) => name)).toEqual([
      'structure',
      'checksum',
      'piece digests',
      'signature',
      'encryption',
    ]);
    return { valid, outcomes: checks.map(({ outcome }) => outcome).join(' '), checks };
  };
  const flipped = (at: number) => sealed.bytes.with(at, sealed.bytes[at]! ^ 1);

  test('tells what passed, what is not there, and what nobody could check', async () => {
    expect(await outcomes(sealed.bytes, keys)).toMatchObject({
      valid: true,
      outcomes: 'passed passed passed passed passed',
    });
    expect(await outcomes(sealed.bytes)).toMatchObject({
      valid: true,
      outcomes: 'passed passed passed unchecked unchecked',
    });
    expect(await outcomes(writeApr2(tinyWhisper()))).toMatchObject({
      valid: true,
      outcomes: 'passed passed absent absent absent',
    });
  });

  test.each<[string, () => Uint8Array, object, string, number, object]>([
    [
      'a bit of a piece',
      () => flipped(sealed.dataOffset + 96 + 4096 + 3),
      keys,
      'passed failed failed passed unchecked',
      2,
      { offset: sealed.dataOffset + 96 + 4096, code: 'checksum_mismatch' },
    ],
    [
      'a bit of the checksum',
      () => flipped(sealed.footer),
      keys,
      'passed failed passed passed unchecked',
      1,
      { offset: sealed.footer, code: 'checksum_mismatch' },
    ],
    [
      'a bit of the signature',
      () => flipped(sealed.dataOffset),
      keys,
      'passed failed passed failed unchecked',
      3,
      { offset: sealed.dataOffset, code: 'signature_invalid' },
    ],
    [
      'a stranger',
      () => sealed.bytes,
      { ...keys, publicKeys: [stranger.publicKey] },
      'passed passed passed failed passed',
      3,
      { offset: sealed.dataOffset + 64, reason: 'signature' },
    ],
    [
      'a wrong key',
      () => sealed.bytes,
      { ...keys, key: key.slice().fill(1) },
      'passed passed passed passed failed',
      4,
      { offset: sealed.tensors[0]!.begin + 8, code: 'decryption_failed' },
    ],
    [
      'a cut file',
      () => sealed.bytes.slice(0, -5000),
      keys,
      'failed unchecked failed passed unchecked',
      0,
      { code: 'truncated_input' },
    ],
    [
      'what is no model',
      () => new Uint8Array(500),
      {},
      'failed unchecked unchecked unchecked unchecked',
      0,
      { code: 'unknown_format' },
    ],
    [
      'no signature where one is wanted',
      () => writeApr2(tinyWhisper()),
      { publicKeys: [signer.publicKey] },
      'passed passed absent failed absent',
      3,
      { offset: 8, reason: 'signature' },
    ],
  ])('tells %s', async (_, bytes, options, expected, failing, details) => {
    const found = await outcomes(bytes(), options);
    expect([found.valid, found.outcomes]).toEqual([false, expected]);
    expect(found.checks[failing]).toMatchObject(details);
  });

  test('encryption that no key could open is not sound, with a key and without', async () => {
    const flags = flagBits.aligned64 | flagBits.encrypted;
    const model = tinyWhisper();
    const bytes = writeApr2({ ...model, flags });
    for (const options of [{}, { key }]) {
      const found = await outcomes(bytes, options);
      expect(found).toMatchObject({
        valid: false,
        outcomes: 'passed passed absent absent failed',
      });
      expect(found.checks.at(-1)).toMatchObject({
        code: 'decryption_failed',
        reason: 'decrypt',
        message: expect.stringContaining('encryption'),
      });
    }
    const strange = { version: 1, cipher: 'ROT13', piece_size: 4096, kdf: 'none' };
    const metadata = { ...(model.metadata as object), encryption: strange };
    expect(await outcomes(writeApr2({ ...model, flags, metadata }))).toMatchObject({
      valid: false,
    });
  });

  test('a file that is not there is an error', async () => {
    expect(await errorOf(susurrus.verifyModel('/no/such/file.apr'))).toMatchObject({
      code: 'source_failed',
    });
  });
});
