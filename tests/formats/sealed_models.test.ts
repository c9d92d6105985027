// Encrypted and signed files of the tests' own writer: what opens them, however they arrive, and what it takes.
import { webcrypto } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { LoadOptions, Progress } from '../../web/src/api/types.js';
import { ByteQueue } from '../../web/src/platform/byte_queue.js';
import type { ProtectionReport } from '../../web/src/platform/crypto_types.js';
import { Apr2Core } from '../../web/tools/crypto/apr2_core.js';
import { decryptAndVerify } from '../../web/tools/crypto/decrypt_and_verify.js';
import { filesModule } from '../support/files_module.js';
import { flagBits, writeApr2, type WrittenTensor } from '../support/apr2_writer.js';
import { builtPackage } from '../support/built_package.js';
import {
  errorOf,
  inPieces,
  modelBytes,
  sampleBytes,
  sampleText,
} from '../support/embedded_model.js';
import { fingerprint } from '../support/model_fingerprint.js';
import { signers, writeSealed, type Seals } from '../support/sealed_writer.js';
import { tinyMetadata, tinyWhisper } from '../support/tiny_whisper.js';
import { loadThroughWorker } from '../support/worker_engine.js';

type Package = Awaited<ReturnType<typeof builtPackage>>;
let susurrus: Package;
beforeAll(async () => {
  susurrus = await builtPackage();
});

const key = Uint8Array.from({ length: 32 }, (_, i) => i + 1);
const salt = Uint8Array.from({ length: 16 }, (_, i) => 200 + i);
const passphrase = 'correct horse — Pferd 🐴';
const pieceSize = 4096;
const [signer, stranger] = signers;
const { publicKey } = signer;

const plain = tinyWhisper();
const compressed = tinyWhisper({ compress: true });
const encryption = { key, pieceSize };
const digests = { pieceSize };

type Case = [name: string, file: typeof plain, seals: Seals, options: LoadOptions];
const cases: Case[] = [
  ['encrypted, raw', plain, { encryption }, { key }],
  ['encrypted, LZ4', compressed, { encryption }, { key }],
  [
    'encrypted by a passphrase',
    plain,
    { encryption: { key: { passphrase, salt }, pieceSize } },
    { key: { passphrase } },
  ],
  ['encrypted in one piece a tensor', plain, { encryption: { key, pieceSize: 1 << 20 } }, { key }],
  ['with digests', plain, { digests }, {}],
  ['signed', compressed, { digests, signer }, { publicKeys: [publicKey] }],
  ['signed, loaded without keys', plain, { digests, signer }, {}],
  [
    'signed and encrypted',
    compressed,
    { encryption, digests, signer },
    { key, publicKeys: [publicKey] },
  ],
  [
    'encrypted, with data in another order',
    tinyWhisper({ reverseData: true }),
    { encryption },
    { key },
  ],
  ['encrypted, with a gap before the footer', plain, { encryption, gapBytes: 5000 }, { key }],
];

/** Pieces of random sizes, from a seed. */
async function* randomPieces(bytes: Uint8Array, seed: number): AsyncGenerator<Uint8Array> {
  let random = seed;
  for (let at = 0; at < bytes.length;) {
    random = (Math.imul(random, 1664525) + 1013904223) >>> 0;
    const size = 1 + ((random >>> 8) % (random & 1 ? 50 : 9000));
    yield bytes.slice(at, at + size);
    at += size;
    await Promise.resolve();
  }
}

describe('a sealed model', () => {
  test.each(cases)('%s: is the plain one, however it arrives', async (_, file, seals, options) => {
    const { bytes } = writeSealed(file, seals);
    const load = (source: Parameters<Package['loadModel']>[0]) =>
      fingerprint(susurrus.loadModel(source, { variant: 'simd', ...options }));
    const like = await fingerprint(
      susurrus.loadModel(writeApr2(tinyWhisper()), { variant: 'simd' }),
    );
    expect(await load(bytes)).toEqual(like);
    for (const seed of [1, 2, 3]) expect(await load(randomPieces(bytes, seed))).toEqual(like);
    expect(await load(new Blob([bytes]))).toEqual(like);
  });

  test('arrives byte by byte', async () => {
    const { bytes } = writeSealed(plain, { encryption, digests, signer });
    const like = await fingerprint(susurrus.loadModel(writeApr2(plain), { variant: 'simd' }));
    const options = { key, publicKeys: [publicKey], variant: 'simd' } as const;
    expect(await fingerprint(susurrus.loadModel(inPieces(bytes, 1), options))).toEqual(like);
  });

  test('opens with a CryptoKey that cannot be exported', async () => {
    const { bytes } = writeSealed(plain, { encryption });
    const held = await webcrypto.subtle.importKey('raw', key, 'AES-GCM', false, ['decrypt']);
    const model = await susurrus.loadModel<'whisper'>(bytes, { key: held });
    model.dispose();
  });

  test('says who signed it, and no longer that nobody looked', async () => {
    const { bytes } = writeSealed(plain, { digests, signer });
    const hex = Buffer.from(publicKey).toString('hex');
    const load = async (options: LoadOptions) => {
      const model = await susurrus.loadModel<'whisper'>(bytes, options);
      model.dispose();
      return model.info;
    };
    const trusted = await load({ publicKeys: [stranger.publicKey, hex] });
    expect([trusted.signer, trusted.warnings]).toEqual([hex, []]);
    const whoever = await load({ requireSignature: true });
    expect([whoever.signer, whoever.warnings]).toEqual([hex, []]);
    const unchecked = await load({});
    expect([unchecked.signer, unchecked.warnings]).toEqual([undefined, ['signature not checked']]);
    const found = await susurrus.inspect(bytes, { publicKeys: [hex] });
    expect([found.signer, found.warnings, found.flags]).toEqual([
      hex,
      [],
      ['ALIGNED_64', 'SIGNED'],
    ]);
  });

  test('keeps its own face when it is inspected', async () => {
    const sealed = writeSealed(compressed, { encryption });
    for (const options of [{}, { key }]) {
      const found = await susurrus.inspect(sealed.bytes, options);
      expect(found.flags).toEqual(['COMPRESSED', 'ALIGNED_64', 'ENCRYPTED']);
      expect(found.byteCount).toBe(sealed.bytes.length);
      expect(found.metadata.encryption).toMatchObject({ cipher: 'AES-256-GCM' });
      expect(found.tensors.map(({ offset, size }) => [offset, offset + size])).toEqual(
        sealed.tensors.map(({ begin, end }) => [begin, end]),
      );
    }
    const error = await errorOf(susurrus.inspect(sealed.bytes, { key: key.slice().fill(0) }));
    expect(error).toMatchObject({ code: 'decryption_failed' });
  });

  test('an unsigned file will do where a signature is wanted but not required', async () => {
    const keys = { publicKeys: [publicKey], requireSignature: false };
    (await susurrus.loadModel<'whisper'>(writeApr2(plain), keys)).dispose();
    const { bytes } = writeSealed(plain, { digests, signer: stranger });
    expect(await errorOf(susurrus.loadModel(bytes, keys))).toMatchObject({
      code: 'signature_invalid',
      details: { subject: 'public key' },
    });
  });

  test('transcribes as the plain one does, in this thread and through a worker', async () => {
    const file = modelFields(modelBytes());
    const { bytes } = writeSealed(file, {
      encryption: { key, pieceSize: 1 << 16 },
      digests: { pieceSize: 1 << 20 },
      signer,
    });
    const options = { key, publicKeys: [publicKey] };
    for (const loading of [susurrus.loadModel(bytes, options), loadThroughWorker(bytes, options)]) {
      const model = await loading;
      const { text } = await model.transcribe(sampleBytes());
      expect(text.trim()).toBe(sampleText);
      expect(model.info.signer).toBe(Buffer.from(publicKey).toString('hex'));
      model.dispose();
    }
    const failing = loadThroughWorker(bytes, { ...options, publicKeys: [stranger.publicKey] });
    expect(await errorOf(failing)).toMatchObject({
      code: 'signature_invalid',
      details: { reason: 'signature', subject: 'public key' },
    });
  });
});

/** An APR2 file's fields, as its index has them. */
function modelFields(bytes: Uint8Array): {
  flags: number;
  metadata: unknown;
  tensors: WrittenTensor[];
} {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const word = (at: number) => view.getUint32(at, true);
  const text = (from: number, length: number) =>
    new TextDecoder().decode(bytes.subarray(from, from + length));
  const tensors: WrittenTensor[] = [];
  let at = word(20) + 8;
  for (let i = 0; i < word(word(20)); ++i) {
    const name = text(at + 2, view.getUint16(at, true));
    at += 2 + name.length;
    const dims = Array.from({ length: bytes[at + 1]! }, (_, d) =>
      Number(view.getBigUint64(at + 2 + 8 * d, true)),
    );
    const dtype = bytes[at]!;
    at += 2 + 8 * dims.length;
    const [offset, size, rawSize] = [0, 8, 16].map((k) => Number(view.getBigUint64(at + k, true)));
    const stored = bytes.subarray(word(28) + offset!, word(28) + offset! + size!);
    tensors.push({ name, dtype, dims, stored, rawSize: rawSize! });
    at += 28;
  }
  return { flags: word(8), metadata: JSON.parse(text(word(12), word(16))), tensors };
}

describe('while a sealed model loads', () => {
  const sealed = writeSealed(plain, { encryption, digests, signer });
  const options = { key, publicKeys: [publicKey] };

  test('progress counts the bytes of the file', async () => {
    const events: Progress[] = [];
    const onProgress = (event: Progress) => events.push(event);
    (await susurrus.loadModel<'whisper'>(sealed.bytes, { ...options, onProgress })).dispose();
    expect(events[0]).toMatchObject({ phase: 'load', loaded: 0, total: sealed.bytes.length });
    expect(events.at(-1)).toMatchObject({ loaded: sealed.bytes.length, fraction: 1 });
    const counts = events.map(({ loaded }) => loaded);
    expect(counts).toEqual([...counts].sort((a, b) => a - b));
    expect(counts.length).toBeGreaterThan(10);
  });

  test('a signal stops it, though the source hangs', async () => {
    const hanging = async function* () {
      yield sealed.bytes.slice(0, sealed.dataOffset + 20_000);
      await new Promise(() => undefined);
    };
    const controller = new AbortController();
    const { signal } = controller;
    const loading = errorOf(susurrus.loadModel(hanging(), { ...options, signal }));
    setTimeout(() => controller.abort('enough'), 50);
    expect(await loading).toBe('enough');
  });

  test('a source that fails says so itself', async () => {
    const broken = async function* () {
      yield sealed.bytes.slice(0, sealed.dataOffset + 5000);
      await Promise.resolve();
      throw new Error('the cable is out');
    };
    expect(await errorOf(susurrus.loadModel(broken(), options))).toMatchObject({
      code: 'source_failed',
      details: { reason: 'source', got: expect.stringContaining('the cable is out') as unknown },
    });
  });

  test.each([
    ['key', { key: new Uint8Array(31) }],
    ['key', { key: { passphrase: '' } }],
    ['key', { key: { passphrase: 'half an emoji \uD83D' } }],
    ['key', { key: 'secret' }],
    ['publicKeys', { publicKeys: [] }],
    ['publicKeys', { publicKeys: ['abcd'] }],
    ['publicKeys', { publicKeys: publicKey }],
    ['requireSignature', { requireSignature: 'yes' }],
  ])('a wrong %s is refused before anything is read', async (subject, wrong) => {
    for (const open of [susurrus.loadModel, susurrus.inspect]) {
      const error = await errorOf(open(sealed.bytes, wrong as LoadOptions));
      expect(error).toMatchObject({
        code: 'invalid_argument',
        details: { reason: 'option', subject },
      });
    }
  });
});

describe('without the cryptography', () => {
  const { subtle } = globalThis.crypto;
  const pretend = (value: unknown) =>
    Object.defineProperty(globalThis.crypto, 'subtle', { value, configurable: true });
  afterEach(() => {
    pretend(subtle);
  });

  const opens = async (seals: Seals, options: LoadOptions) => {
    (await susurrus.loadModel<'whisper'>(writeSealed(plain, seals).bytes, options)).dispose();
  };

  test('nothing that was asked for is left out in silence', async () => {
    await opens({ encryption }, { key });
    pretend(undefined);
    for (const [seals, options] of [
      [{ encryption }, { key }],
      [{ digests, signer }, { publicKeys: [publicKey] }],
    ] as [Seals, LoadOptions][]) {
      expect(await errorOf(opens(seals, options))).toMatchObject({
        code: 'unsupported_environment',
        details: { reason: 'environment', subject: 'crypto.subtle' },
      });
    }
    // Digests are checked only on request; the checksum always is.
    await opens({ digests }, {});
  });

  test('Ed25519 is named where it is missing', async () => {
    const importKey = (format: string, data: unknown, algorithm: { name?: string }) =>
      algorithm.name === 'Ed25519'
        ? Promise.reject(new DOMException('Unrecognized name.', 'NotSupportedError'))
        : Promise.reject(new Error(`not expected: ${format} ${typeof data}`));
    pretend({ digest: subtle.digest.bind(subtle), importKey });
    const work = opens({ digests, signer }, { publicKeys: [publicKey] });
    expect(await errorOf(work)).toMatchObject({
      code: 'unsupported_environment',
      details: { reason: 'environment', subject: 'Ed25519' },
    });
  });
});

describe('of a large sealed model', () => {
  const mebibyte = 1 << 20;

  test('no more than a few pieces are held, however large its tensors are', async () => {
    const values = new Uint8Array(40 * mebibyte);
    const tensors = [
      { name: 'encoder.conv1.weight', dtype: 7, dims: [values.length], stored: values },
    ];
    const file = { flags: flagBits.aligned64, metadata: tinyMetadata, tensors };
    const { bytes } = writeSealed(file, {
      encryption: { key, pieceSize: mebibyte },
      digests: { pieceSize: mebibyte },
      signer,
    });
    let pulled = 0;
    let passed = 0;
    let mostHeld = 0;
    const source = async function* () {
      for await (const piece of inPieces(bytes, 65536)) {
        pulled += piece.length;
        mostHeld = Math.max(mostHeld, pulled - passed);
        yield piece;
      }
    };
    const report: ProtectionReport = {};
    const keys = { key, publicKeys: [publicKey], isSignatureRequired: true };
    let largest = 0;
    const core = new Apr2Core(await filesModule());
    const opened = { keys, decryption: 'plain' } as const;
    for await (const piece of decryptAndVerify(core, new ByteQueue(source()), opened, report)) {
      passed += piece.length;
      largest = Math.max(largest, piece.length);
    }
    expect(pulled).toBe(bytes.length);
    expect(passed).toBe(bytes.length);
    expect(report.signer).toBe(Buffer.from(publicKey).toString('hex'));
    expect(mostHeld).toBeGreaterThan(mebibyte); // or nothing was counted
    expect(mostHeld).toBeLessThan(3 * mebibyte);
    expect(largest).toBeLessThanOrEqual(mebibyte + 64);
  });
});
