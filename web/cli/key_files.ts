// Key files: one line with the kind of key and the key in hexadecimal digits. Lines that begin with # are comments.
import { SusurrusError } from '../src/node.js';
import type { SealOptions } from '../src/node.js';
import { writeAtomically } from '../src/platform/node_atomic_files.js';
import { usageError } from './arguments.js';
import { readFileBytes } from './file_bytes.js';

const marks = {
  private: 'susurrus-ed25519-private',
  public: 'susurrus-ed25519-public',
  aes: 'susurrus-aes-256',
} as const;
export type KeyKind = keyof typeof marks;

/** The 32 bytes of a key file of this kind. */
export async function readKeyFile(path: string, kind: KeyKind): Promise<Uint8Array> {
  const text = new TextDecoder().decode(await readFileBytes(path));
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '' && !line.startsWith('#'));
  const [mark, digits = ''] = lines.length === 1 ? (lines[0]?.trim().split(/\s+/) ?? []) : [];
  if (mark !== marks[kind] || !isKey(digits)) {
    const other = Object.values(marks).find((one) => one === mark && one !== marks[kind]);
    throw new SusurrusError(
      'invalid_argument',
      `${path}: this is no key file of the kind "${marks[kind]}"${other ? `, but of "${other}"` : ''}.`,
      { reason: 'option', subject: path, expected: marks[kind], ...(other && { got: other }) },
    );
  }
  return hexBytes(digits);
}

/** Writes key files, or none where one of them exists already. Only their owner may read what is secret. */
export async function writeKeyFiles(
  files: readonly { readonly path: string; readonly kind: KeyKind; readonly key: Uint8Array }[],
  force: boolean,
): Promise<void> {
  await writeAtomically(force, async (create) => {
    for (const { path, kind, key } of files) {
      const write = await create(path, kind === 'public' ? 0o644 : 0o600);
      await write(new TextEncoder().encode(`${marks[kind]} ${hexOf(key)}\n`));
    }
  });
}

/** For parse(): the keys of encrypted and signed files. */
export const cryptoArguments = {
  key: { type: 'string' },
  'passphrase-file': { type: 'string' },
  'public-key': { type: 'string', multiple: true },
} as const;

export interface CryptoValues {
  readonly key?: string;
  readonly 'passphrase-file'?: string;
  readonly 'public-key'?: readonly string[];
}

export async function readCryptoOptions(values: CryptoValues): Promise<SealOptions> {
  const { 'public-key': named } = values;
  const key = await readModelKey(values);
  const publicKeys =
    named &&
    (await Promise.all(
      named.map(async (one) => (isKey(one) ? one : await readKeyFile(one, 'public'))),
    ));
  return { ...(key && { key }), ...(publicKeys && { publicKeys }) };
}

/** `--key` or `--passphrase-file`; undefined without either. A passphrase never stands on the command line. */
export async function readModelKey({
  key,
  'passphrase-file': passphraseFile,
}: CryptoValues): Promise<Uint8Array | { readonly passphrase: string } | undefined> {
  if (key !== undefined && passphraseFile !== undefined) {
    throw usageError('--key and --passphrase-file exclude each other', 'key');
  }
  if (key !== undefined) return readKeyFile(key, 'aes');
  if (passphraseFile === undefined) return undefined;
  const text = new TextDecoder().decode(await readFileBytes(passphraseFile));
  const passphrase = text.replace(/\r?\n$/, '');
  if (passphrase === '')
    throw usageError(`${passphraseFile} holds no passphrase`, 'passphrase-file');
  return { passphrase };
}

const isKey = (text: string): boolean => /^[\da-f]{64}$/i.test(text);
const hexBytes = (digits: string): Uint8Array => Uint8Array.from(Buffer.from(digits, 'hex'));
export const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
