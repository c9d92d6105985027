// apr.md §10, cases 35, 36 and 56, and everything else that can be wrong with a sealed file: one error each, and exactly which.
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { LoadOptions } from '../../web/src/api/types.js';
import { flagBits, writeApr2, type WrittenFile } from '../support/apr2_writer.js';
import { builtPackage } from '../support/built_package.js';
import { errorOf, inPieces } from '../support/embedded_model.js';
import { filesModule } from '../support/files_module.js';
import {
  changed,
  signers,
  writeSealed,
  type SealedFile,
  type Seals,
} from '../support/sealed_writer.js';
import { tinyMetadata, tinyWhisper } from '../support/tiny_whisper.js';

type Package = Awaited<ReturnType<typeof builtPackage>>;
let susurrus: Package;
beforeAll(async () => {
  susurrus = await builtPackage();
});

const key = Uint8Array.from({ length: 32 }, (_, i) => i + 1);
const salt = Uint8Array.from({ length: 16 }, (_, i) => 200 + i);
const pieceSize = 4096;
const [signer, stranger] = signers;
const encryption = { key, pieceSize };
const digests = { pieceSize };

const plain = tinyWhisper();
const plainBytes = writeApr2(plain);
const [first, second] = plain.tensors.map(({ name }) => String(name)) as [string, string];
/** Two vectors of one length and type. */
const biases = ['encoder.conv1.bias', 'encoder.conv2.bias'] as const;
const biasAt = biases.map((name) => plain.tensors.findIndex((tensor) => tensor.name === name)) as [
  number,
  number,
];
const encrypted = writeSealed(plain, { encryption });
const lz4 = writeSealed(tinyWhisper({ compress: true }), { encryption });
const passworded = writeSealed(plain, {
  encryption: { key: { passphrase: 'open', salt }, pieceSize },
});
const digested = writeSealed(plain, { digests });
const signed = writeSealed(plain, { digests, signer });
const both = writeSealed(plain, { encryption, digests, signer });
const trust = { publicKeys: [signer.publicKey] };

/** Stored bytes of a piece of 4096, and where piece `n` of a tensor begins. */
const storedPiece = pieceSize + 16;
const pieceOf = (file: SealedFile, tensor: number, n: number): number =>
  file.tensors[tensor]!.begin + 8 + n * storedPiece;

interface Expected {
  readonly code: string;
  readonly reason: string;
  readonly offset?: number;
  readonly subject?: string;
}
type Case = [name: string, bytes: Uint8Array, options: LoadOptions, expected: Expected];

const decrypt = (offset: number, subject: string): Expected => ({
  code: 'decryption_failed',
  reason: 'decrypt',
  offset,
  subject,
});
const signature = (offset: number, subject: string): Expected => ({
  code: 'signature_invalid',
  reason: 'signature',
  offset,
  subject,
});
const checksum = (offset: number, subject = 'crc32'): Expected => ({
  code: 'checksum_mismatch',
  reason: 'checksum',
  offset,
  subject,
});
const malformed = (reason: string, offset: number, subject: string): Expected => ({
  code: 'malformed',
  reason,
  offset,
  subject,
});

const flip =
  (at: number) =>
  (bytes: Uint8Array): void => {
    bytes[at]! ^= 4;
  };
const swap =
  (a: number, b: number, length: number) =>
  (bytes: Uint8Array): void => {
    const piece = bytes.slice(a, a + length);
    bytes.copyWithin(a, b, b + length);
    bytes.set(piece, b);
  };

const scheme = (stated: Record<string, unknown>, seals: Partial<Seals['encryption']> = {}) =>
  writeSealed(plain, { encryption: { ...encryption, ...seals, stated } }).bytes;
const schemeCase = (
  name: string,
  field: string,
  stated: Record<string, unknown>,
  seals: Partial<Seals['encryption']> = {},
): Case => [name, scheme(stated, seals), { key }, decrypt(32, `encryption.${field}`)];
const password = { key: { passphrase: 'open', salt } };

const encryptionCases: Case[] = [
  [
    '35 no key',
    encrypted.bytes,
    {},
    { code: 'decryption_failed', reason: 'decrypt', subject: 'ENCRYPTED' },
  ],
  [
    '35 a wrong key',
    encrypted.bytes,
    { key: key.slice().reverse() },
    decrypt(pieceOf(encrypted, 0, 0), first),
  ],
  [
    '35 a wrong passphrase',
    passworded.bytes,
    { key: { passphrase: 'Open' } },
    decrypt(pieceOf(passworded, 0, 0), first),
  ],
  [
    '35 a passphrase for a key',
    encrypted.bytes,
    { key: { passphrase: 'open' } },
    decrypt(8, 'key'),
  ],
  ['35 a key for a passphrase', passworded.bytes, { key }, decrypt(8, 'key')],
  [
    '35 no scheme',
    writeSealed(plain, { encryption: { ...encryption, isUnstated: true } }).bytes,
    { key },
    decrypt(32, 'encryption'),
  ],
  schemeCase('35 another version', 'version', { version: 2 }),
  schemeCase('35 another cipher', 'cipher', { cipher: 'AES-128-GCM' }),
  schemeCase('35 no piece size', 'piece_size', { piece_size: undefined }),
  schemeCase('35 pieces too large to hold', 'piece_size', { piece_size: 1 << 24 }),
  schemeCase('35 pieces of nothing', 'piece_size', { piece_size: 0 }),
  schemeCase('35 another kdf', 'kdf', { kdf: 'Argon2id' }),
  schemeCase('35 a short salt', 'salt', { salt: '00'.repeat(15) }, password),
  schemeCase('35 a salt that is no hexadecimal', 'salt', { salt: 'xy'.repeat(16) }, password),
  schemeCase('35 no salt', 'salt', { salt: undefined }, password),
  schemeCase('35 too few iterations', 'iterations', { iterations: 599_999 }, password),
  schemeCase(
    '35 so many iterations that nobody waits',
    'iterations',
    { iterations: 2 ** 31 },
    password,
  ),
  schemeCase('35 iterations as text', 'iterations', { iterations: '600000' }, password),
  [
    'a bit of a nonce',
    changed(encrypted, flip(encrypted.tensors[0]!.begin + 3), true),
    { key },
    decrypt(pieceOf(encrypted, 0, 0), first),
  ],
  [
    'a bit of the third piece',
    changed(encrypted, flip(pieceOf(encrypted, 0, 2) + 100), true),
    { key },
    decrypt(pieceOf(encrypted, 0, 2), first),
  ],
  [
    'a bit of a tag',
    changed(encrypted, flip(pieceOf(encrypted, 0, 2) - 1), true),
    { key },
    decrypt(pieceOf(encrypted, 0, 1), first),
  ],
  [
    'a bit of a compressed tensor',
    changed(lz4, flip(lz4.tensors[0]!.end - 30), true),
    { key },
    { code: 'decryption_failed', reason: 'decrypt', subject: first },
  ],
  [
    'two pieces swapped',
    changed(encrypted, swap(pieceOf(encrypted, 0, 1), pieceOf(encrypted, 0, 2), storedPiece), true),
    { key },
    decrypt(pieceOf(encrypted, 0, 1), first),
  ],
  [
    'two tensors swapped',
    changed(encrypted, swapTensors(encrypted), true),
    { key },
    { code: 'decryption_failed', reason: 'decrypt', subject: biases[0] },
  ],
  [
    'two tensors swapped in the index',
    changed(encrypted, swapEntries(encrypted), true),
    { key },
    { code: 'decryption_failed', reason: 'decrypt', subject: biases[1] },
  ],
  [
    'two tensors whose names are swapped',
    changed(encrypted, swap(digitAt(0), digitAt(1), 1), true),
    { key },
    { code: 'decryption_failed', reason: 'decrypt', subject: biases[1] },
  ],
  [
    'a bit of the checksum',
    changed(encrypted, flip(encrypted.footer)),
    { key },
    checksum(encrypted.footer),
  ],
  [
    'a bit of the padding',
    changed(encrypted, flip(encrypted.dataOffset - 1)),
    { key },
    checksum(encrypted.footer),
  ],
  [
    'a bit of the footer’s size',
    changed(encrypted, flip(encrypted.footer + 8)),
    { key },
    { code: 'truncated_input', reason: 'truncated' },
  ],
  [
    'bytes behind the footer',
    Uint8Array.from([...encrypted.bytes, 1, 2, 3]),
    { key },
    malformed('trailing_data', encrypted.bytes.length, 'file_size'),
  ],
  [
    '56 a size that is not the shape’s',
    edited(encrypted, 1, { size: 1 }),
    { key },
    malformed('size_mismatch', encrypted.tensors[1]!.entry, second),
  ],
  [
    '56 a compressed size of no whole pieces',
    edited(lz4, 0, { size: 8 + pieceSize + 16 + 5 }, true),
    { key },
    malformed('size_mismatch', lz4.tensors[0]!.entry, first),
  ],
  [
    '60 past the footer',
    edited(encrypted, encrypted.tensors.length - 1, { offset: 1 << 20 }),
    { key },
    malformed(
      'bounds',
      encrypted.tensors.at(-1)!.begin + (1 << 20),
      String(plain.tensors.at(-1)!.name),
    ),
  ],
  [
    '61 an overlap',
    edited(encrypted, 1, { offset: -64 }),
    { key },
    malformed('layout', encrypted.tensors[1]!.begin - 64, second),
  ],
  [
    '40 metadata that are no JSON',
    changed(encrypted, (bytes) => (bytes[32] = 0x5b), true),
    { key },
    { code: 'malformed', reason: 'bad_metadata' },
  ],
  [
    '52 an unknown dtype',
    changed(
      encrypted,
      (bytes) => (bytes[encrypted.tensors[0]!.entry + 2 + first.length] = 9),
      true,
    ),
    { key },
    {
      code: 'unsupported_feature',
      reason: 'unsupported_dtype',
      offset: encrypted.tensors[0]!.entry,
      subject: first,
    },
  ],
];

const digestCase = (name: string, subject: string, stated: Record<string, unknown>): Case => [
  name,
  writeSealed(plain, { digests: { pieceSize, stated } }).bytes,
  {},
  malformed('bad_metadata', 32, subject),
];
const fewDigests = (seals: Seals, edit: (list: string[]) => string[]) => {
  const { bytes } = writeSealed(plain, seals);
  const text = new TextDecoder().decode(bytes);
  const list = JSON.parse(/"digests":(\[[^\]]*\])/.exec(text)![1]!) as string[];
  return writeSealed(plain, { ...seals, digests: { pieceSize, stated: { digests: edit(list) } } });
};
const zeros = '00'.repeat(32);

const digestCases: Case[] = [
  [
    'a bit of the first piece',
    changed(digested, flip(digested.dataOffset + 5), true),
    {},
    checksum(digested.dataOffset, 'piece_digests[0]'),
  ],
  [
    'a bit of a later piece',
    changed(digested, flip(digested.dataOffset + 3 * pieceSize), true),
    {},
    checksum(digested.dataOffset + 3 * pieceSize, 'piece_digests[3]'),
  ],
  [
    'a bit of the last piece',
    changed(digested, flip(digested.footer - 1), true),
    {},
    { code: 'checksum_mismatch', reason: 'checksum' },
  ],
  [
    'a bit of the checksum',
    changed(digested, flip(digested.footer)),
    {},
    checksum(digested.footer),
  ],
  [
    'bytes behind the footer',
    Uint8Array.from([...digested.bytes, 7]),
    {},
    malformed('trailing_data', digested.bytes.length, 'file_size'),
  ],
  [
    'a file behind the file',
    Uint8Array.from([...digested.bytes, ...digested.bytes]),
    {},
    malformed('trailing_data', digested.bytes.length, 'file_size'),
  ],
  digestCase('no object', 'piece_digests.piece_size', { piece_size: '4096' }),
  digestCase('pieces too large to hold', 'piece_digests.piece_size', { piece_size: 1 << 21 }),
  digestCase('a digest that is too short', 'piece_digests.digests', { digests: ['00'] }),
  digestCase('no list', 'piece_digests.digests', { digests: 'none' }),
  [
    'a digest too few',
    fewDigests({ digests }, (list) => list.slice(0, -1)).bytes,
    {},
    malformed('bad_metadata', 32, 'piece_digests.digests'),
  ],
  [
    'a digest too many',
    fewDigests({ digests }, (list) => [...list, zeros]).bytes,
    {},
    malformed('bad_metadata', 32, 'piece_digests.digests'),
  ],
];

const inText = ({ bytes }: SealedFile, text: string): number => Buffer.from(bytes).indexOf(text);

const signatureCases: Case[] = [
  ['36 required, and absent', plainBytes, trust, signature(8, 'SIGNED')],
  [
    '36 required of whomever, and absent',
    plainBytes,
    { requireSignature: true },
    signature(8, 'SIGNED'),
  ],
  ['36 required, and only digests', digested.bytes, trust, signature(8, 'SIGNED')],
  [
    '36 the flag taken off',
    changed(signed, (bytes) => (bytes[8]! &= ~flagBits.signed), true),
    trust,
    signature(8, 'SIGNED'),
  ],
  [
    '36 by an untrusted key',
    signed.bytes,
    { publicKeys: [stranger.publicKey] },
    signature(signed.dataOffset + 64, 'public key'),
  ],
  [
    '36 by a trusted name and another key',
    changed(
      writeSealed(plain, { digests, signer: stranger }),
      (bytes) => bytes.set(signer.publicKey, signed.dataOffset + 64),
      true,
    ),
    trust,
    signature(signed.dataOffset, 'signature'),
  ],
  [
    '36 a bit of the signature',
    changed(signed, flip(signed.dataOffset + 40), true),
    trust,
    signature(signed.dataOffset, 'signature'),
  ],
  [
    '36 a signature of zeros',
    changed(signed, (bytes) => bytes.fill(0, signed.dataOffset, signed.dataOffset + 64), true),
    trust,
    signature(signed.dataOffset, 'signature'),
  ],
  [
    '36 a bit of the header',
    changed(signed, (bytes) => (bytes[8]! ^= flagBits.streaming), true),
    trust,
    signature(signed.dataOffset, 'signature'),
  ],
  [
    '36 a letter of the metadata',
    changed(signed, flip(inText(signed, 'whisper')), true),
    trust,
    signature(signed.dataOffset, 'signature'),
  ],
  [
    '36 a bit of the index',
    changed(signed, flip(signed.tensors[0]!.entry + 2), true),
    trust,
    signature(signed.dataOffset, 'signature'),
  ],
  [
    '36 a bit of the first piece',
    changed(signed, flip(signed.tensors[0]!.begin), true),
    trust,
    signature(signed.dataOffset + 96, 'piece_digests[0]'),
  ],
  [
    '36 a bit of the fifth piece',
    changed(signed, flip(signed.dataOffset + 96 + 4 * pieceSize + 9), true),
    trust,
    signature(signed.dataOffset + 96 + 4 * pieceSize, 'piece_digests[4]'),
  ],
  ['36 no digests', writeSealed(plain, { signer }).bytes, trust, signature(32, 'piece_digests')],
  [
    '36 digests of another kind',
    writeSealed(plain, { digests: { pieceSize, stated: { algorithm: 'BLAKE3' } }, signer }).bytes,
    trust,
    signature(32, 'piece_digests'),
  ],
  [
    'a digest too few, although signed',
    fewDigests({ digests, signer }, (list) => list.slice(0, -1)).bytes,
    trust,
    malformed('bad_metadata', 32, 'piece_digests.digests'),
  ],
  [
    'a tensor over the signature',
    writeSealed(
      { ...plain, tensors: [{ ...plain.tensors[0]!, offset: 64 }, ...plain.tensors.slice(1)] },
      { digests, signer },
    ).bytes,
    trust,
    { code: 'malformed', reason: 'layout', subject: first },
  ],
  [
    'a bit between index and data, which nobody signs',
    changed(signed, flip(signed.dataOffset - 1)),
    trust,
    checksum(signed.footer),
  ],
  [
    'a bit of the checksum',
    changed(signed, flip(signed.footer + 1)),
    trust,
    checksum(signed.footer),
  ],
  [
    '2 a file that is no model',
    new Uint8Array(1000).fill(0x55),
    trust,
    { code: 'unknown_format', reason: 'not_a_model' },
  ],
  ['1 an empty file', new Uint8Array(), trust, { code: 'truncated_input', reason: 'truncated' }],
  [
    '3 another version',
    changed(signed, (bytes) => (bytes[4] = 3), true),
    trust,
    { code: 'unsupported_version', reason: 'version', offset: 4 },
  ],
  [
    '37 data that begin far away',
    changed(signed, (_, view) => view.setUint32(28, 0x7fffffc0, true), true),
    trust,
    malformed('layout', 28, 'data_offset'),
  ],
  [
    'a bit of ciphertext, signed and encrypted',
    changed(both, flip(both.tensors[0]!.begin + 20), true),
    { key, ...trust },
    signature(both.dataOffset + 96, 'piece_digests[0]'),
  ],
  [
    'a wrong key for what is signed',
    both.bytes,
    { key: key.slice().fill(9), ...trust },
    decrypt(pieceOf(both, 0, 0), first),
  ],
];

/** Offset of the digit in which the two tensor names differ. */
function digitAt(which: 0 | 1): number {
  return encrypted.tensors[biasAt[which]]!.entry + 2 + 'encoder.conv'.length;
}
function swapTensors(file: SealedFile) {
  const [a, b] = [...biasAt].map((position) => file.tensors[position]!);
  return swap(a!.begin, b!.begin, a!.end - a!.begin);
}
function swapEntries(file: SealedFile) {
  const [a, b] = biasAt;
  const offsetAt = (tensor: number) =>
    file.tensors[tensor]!.entry + 2 + String(plain.tensors[tensor]!.name).length + 2 + 8;
  return swap(offsetAt(a), offsetAt(b), 8);
}

/** A tensor's offset or size in the index made larger by so many, or exactly so large. */
function edited(
  file: SealedFile,
  tensor: number,
  { offset, size }: { offset?: number; size?: number },
  isExact = false,
): Uint8Array {
  return changed(
    file,
    (_, view) => {
      const { entry } = file.tensors[tensor]!;
      const nameLength = view.getUint16(entry, true);
      const at = entry + 2 + nameLength + 2 + 8 * view.getUint8(entry + 2 + nameLength + 1);
      const add = (position: number, by: number) =>
        view.setBigUint64(
          position,
          BigInt(by) + (isExact ? 0n : view.getBigUint64(position, true)),
          true,
        );
      if (offset !== undefined) add(at, offset);
      if (size !== undefined) add(at + 8, size);
    },
    true,
  );
}

interface Failure {
  readonly code: string;
  readonly details: Record<string, unknown>;
  readonly message: string;
}
const failureOf = async (work: Promise<unknown>) => (await errorOf(work)) as Failure;

function expectFailure(error: Failure, { code, ...details }: Expected): void {
  expect([error.code, error.details]).toMatchObject([code, details]);
  expect(error.message.length).toBeGreaterThan(10);
}

describe('the sound files', () => {
  test.each<[string, SealedFile, LoadOptions]>([
    ['encrypted', encrypted, { key }],
    ['compressed', lz4, { key }],
    ['by a passphrase', passworded, { key: { passphrase: 'open' } }],
    ['with digests', digested, {}],
    ['signed', signed, trust],
    ['signed and encrypted', both, { key, ...trust }],
  ])('%s: open', async (_, { bytes }, options) => {
    (await susurrus.loadModel<'whisper'>(bytes, options)).dispose();
  });
});

describe.each([
  ['encrypted', encryptionCases],
  ['with digests', digestCases],
  ['signed', signatureCases],
])('a file that is %s, refused', (_, cases) => {
  test.each(cases)('%s', async (__, bytes, options, expected) => {
    expectFailure(await failureOf(susurrus.loadModel(bytes, options)), expected);
    // However it arrives.
    expectFailure(await failureOf(susurrus.loadModel(inPieces(bytes, 777), options)), expected);
  });
});

describe.each<[string, SealedFile, LoadOptions]>([
  ['encrypted', encrypted, { key }],
  ['with digests', digested, {}],
  ['signed', signed, trust],
  ['signed and encrypted', both, { key, ...trust }],
])('a file that is %s', (_, file, options) => {
  const { bytes, tensors, footer, indexOffset, dataOffset } = file;
  const places = [
    ...[0, 3, 8, 31, 32, 33, indexOffset - 1, indexOffset, indexOffset + 9, dataOffset - 1],
    ...[dataOffset, dataOffset + 63, dataOffset + 95, dataOffset + 96, dataOffset + 100],
    ...tensors
      .slice(0, 3)
      .flatMap(({ begin, end }) => [begin + 7, begin + 8, end - 17, end - 1, end]),
    ...Array.from({ length: 24 }, (__, i) => Math.floor((i * bytes.length) / 24)),
    ...[footer - 1, footer, footer + 1, footer + 15],
  ];

  test('is truncated wherever it is cut', async () => {
    for (const length of places) {
      const cut = bytes.slice(0, length);
      for (const source of [cut, inPieces(cut, 5000)]) {
        const { code, details } = await failureOf(susurrus.loadModel(source, options));
        expect([length, code, details.reason]).toEqual([length, 'truncated_input', 'truncated']);
        if (details.subject === 'footer') expect(details.offset).toBe(length);
      }
    }
  });

  test('never opens with a bit flipped, wherever', async () => {
    for (const at of places) {
      if (at >= bytes.length) continue;
      const work = susurrus.loadModel(changed(file, flip(at)), options);
      expect(await errorOf(work)).toBeInstanceOf(susurrus.SusurrusError);
    }
  });
});

test('nothing of an encrypted file reaches the core unproved', async () => {
  const { ByteQueue } = await import('../../web/src/platform/byte_queue.js');
  const { Apr2Core } = await import('../../web/tools/crypto/apr2_core.js');
  const { decryptAndVerify } = await import('../../web/tools/crypto/decrypt_and_verify.js');
  const core = new Apr2Core(await filesModule());
  const at = pieceOf(encrypted, 0, 2);
  const damaged = changed(encrypted, flip(at + 100), true);
  const keys = { key, publicKeys: undefined, isSignatureRequired: false };
  const passed: Uint8Array[] = [];
  const work = (async () => {
    const queue = new ByteQueue(inPieces(damaged, 300));
    const opened = { keys, decryption: 'plain' } as const;
    for await (const piece of decryptAndVerify(core, queue, opened, {})) {
      passed.push(piece);
    }
  })();
  expect(await errorOf(work)).toMatchObject({ code: 'decryption_failed' });
  const weights = Buffer.concat(passed).subarray(encrypted.dataOffset);
  expect(weights).toEqual(Buffer.from(plain.tensors[0]!.stored.subarray(0, 2 * pieceSize)));
});

test('piece digests of an algorithm that is not known are ignored, as by readers that do not know the key', async () => {
  const seals = { digests: { pieceSize, stated: { algorithm: 'BLAKE3' } } };
  (await susurrus.loadModel<'whisper'>(writeSealed(plain, seals).bytes)).dispose();
});

test('an encrypted file without values has nonces alone', async () => {
  const file: WrittenFile = {
    flags: flagBits.aligned64,
    metadata: tinyMetadata,
    tensors: [...plain.tensors, { name: 'nothing', dims: [0, 4], stored: new Uint8Array() }],
  };
  (await susurrus.loadModel<'whisper'>(writeSealed(file, { encryption }).bytes, { key })).dispose();
});
