// keygen, sign, encrypt, digests and verify as commands, and the keys of the commands that load a model.
import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { modelPath, samplePath, sampleText } from '../support/embedded_model.js';
import { projectRoot } from '../support/shared_folder.js';

const folder = mkdtempSync(join(tmpdir(), 'susurrus-seal-cli-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});
const path = (name: string) => join(folder, name);

interface Outcome {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(...args: string[]): Promise<Outcome> {
  return new Promise((done) => {
    execFile(
      process.execPath,
      [join(projectRoot, 'dist/cli.mjs'), ...args],
      { encoding: 'utf8' },
      (error, stdout, stderr) => {
        done({ status: error ? Number(error.code) : 0, stdout, stderr });
      },
    );
  });
}

async function succeeds(...args: string[]): Promise<Outcome> {
  const outcome = await run(...args);
  expect([outcome.status, outcome.stderr]).toEqual([0, outcome.stderr]);
  return outcome;
}

function expectFailure({ status, stdout, stderr }: Outcome, group: number, says: RegExp): void {
  expect([stdout, stderr]).toEqual(['', expect.stringMatching(/^susurrus: [^\n]+\n$/)]);
  expect(stderr).toMatch(says);
  expect(status).toBe(group);
}

let publicKey = '';
beforeAll(async () => {
  publicKey = (await succeeds('keygen', '--output', path('me'))).stdout.trim();
  await succeeds('keygen', '--output', path('other'));
  await succeeds('keygen', '--output', path('secret'), '--symmetric');
  writeFileSync(path('passphrase.txt'), 'hush, said the susurrus\n');
  await succeeds(
    'encrypt',
    modelPath,
    '--key',
    path('secret.aes'),
    '--output',
    path('encrypted.apr'),
  );
  await succeeds(
    'sign',
    path('encrypted.apr'),
    '--key',
    path('me.key'),
    '--output',
    path('both.apr'),
  );
});

describe('susurrus keygen', () => {
  test('writes keys as lines of text, the secret ones for their owner alone', () => {
    expect(publicKey).toMatch(/^[\da-f]{64}$/);
    expect(readFileSync(path('me.pub'), 'utf8')).toBe(`susurrus-ed25519-public ${publicKey}\n`);
    expect(readFileSync(path('me.key'), 'utf8')).toMatch(
      /^susurrus-ed25519-private [\da-f]{64}\n$/,
    );
    expect(readFileSync(path('secret.aes'), 'utf8')).toMatch(/^susurrus-aes-256 [\da-f]{64}\n$/);
    for (const name of ['me.key', 'secret.aes'])
      expect(statSync(path(name)).mode & 0o777).toBe(0o600);
    expect(existsSync(path('secret.pub'))).toBe(false);
  });

  test('does not overwrite a key unless told to', async () => {
    const before = readFileSync(path('other.key'), 'utf8');
    expectFailure(await run('keygen', '--output', path('other')), 5, /other\.key exists already/);
    rmSync(path('other.key'));
    // Both or none.
    expectFailure(await run('keygen', '--output', path('other')), 5, /other\.pub exists already/);
    expect(existsSync(path('other.key'))).toBe(false);
    writeFileSync(path('other.key'), before, { mode: 0o644 });
    await succeeds('keygen', '--output', path('other'), '--force');
    expect(readFileSync(path('other.key'), 'utf8')).not.toBe(before);
    expect(statSync(path('other.key')).mode & 0o777).toBe(0o600);
  });
});

describe('a sealed model on the command line', () => {
  test('is transcribed with its keys, the public one as a file or as digits', async () => {
    for (const named of [path('me.pub'), publicKey]) {
      const { stdout, stderr } = await succeeds(
        ...['transcribe', samplePath, '--model', path('both.apr')],
        ...['--key', path('secret.aes'), '--public-key', path('other.pub'), '--public-key', named],
      );
      expect(stdout.trim().split(/\s+/).join(' ')).toBe(sampleText);
      expect(stderr).toBe('');
    }
  });

  test('opens by a passphrase from a file', async () => {
    const passphrase = ['--passphrase-file', path('passphrase.txt')];
    await succeeds('encrypt', modelPath, ...passphrase, '--output', path('locked.apr'));
    const model = ['--model', path('locked.apr')];
    const { stdout } = await succeeds('transcribe', samplePath, ...model, ...passphrase);
    expect(stdout.trim().split(/\s+/).join(' ')).toBe(sampleText);
    writeFileSync(path('wrong.txt'), 'hush, said the susurrus!\n');
    expectFailure(
      await run('transcribe', samplePath, ...model, '--passphrase-file', path('wrong.txt')),
      1,
      /encoder\.conv1\.weight at byte \d+.*decryption_failed/,
    );
  });

  test.each<[string, () => string[], number, RegExp]>([
    ['no key', () => [], 1, /no key.*decryption_failed/],
    [
      'a key of another kind',
      () => ['--key', path('me.key')],
      5,
      /susurrus-aes-256.*but of "susurrus-ed25519-private"/,
    ],
    ['no key file', () => ['--key', path('nowhere.aes')], 6, /no such file/],
    ['a key file that is none', () => ['--key', samplePath], 5, /no key file/],
    [
      'two ways to a key',
      () => ['--key', path('secret.aes'), '--passphrase-file', path('passphrase.txt')],
      64,
      /exclude each other/,
    ],
    [
      'an untrusted signer',
      () => ['--key', path('secret.aes'), '--public-key', path('other.pub')],
      1,
      /public key at byte \d+.*signature_invalid/,
    ],
  ])('%s fails with one line', async (_, options, group, says) => {
    expectFailure(
      await run('transcribe', samplePath, '--model', path('both.apr'), ...options()),
      group,
      says,
    );
  });

  test('is inspected: as it is, and who signed it', async () => {
    const { stdout } = await succeeds('inspect', path('both.apr'), '--public-key', path('me.pub'));
    expect(stdout).toMatch(/^flags +.*ENCRYPTED SIGNED/m);
    expect(stdout).toContain(`signed by ${publicKey}`);
    const json = await succeeds('inspect', path('both.apr'), '--public-key', publicKey, '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ signer: publicKey, warnings: [] });
  });
});

describe('susurrus verify', () => {
  const keys = () => ['--key', path('secret.aes'), '--public-key', path('me.pub')];

  test('prints every check', async () => {
    const { stdout } = await succeeds('verify', path('both.apr'), ...keys());
    expect(stdout.split('\n').map((line) => line.slice(0, 23).trim())).toEqual([
      'passed    structure',
      'passed    checksum',
      'passed    piece digests',
      'passed    signature',
      'passed    encryption',
      '',
    ]);
    const json = await succeeds('verify', modelPath, '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({
      valid: true,
      checks: [
        { name: 'structure', outcome: 'passed' },
        { name: 'checksum', outcome: 'passed' },
        { name: 'piece digests', outcome: 'absent' },
        { name: 'signature', outcome: 'absent' },
        { name: 'encryption', outcome: 'absent' },
      ],
    });
  });

  test('ends with 1 when something failed, and says where', async () => {
    const damaged = readFileSync(path('both.apr'));
    damaged[damaged.length - 1000]! ^= 1;
    writeFileSync(path('damaged.apr'), damaged);
    const { status, stdout, stderr } = await run('verify', path('damaged.apr'), ...keys());
    expect([status, stderr]).toEqual([1, '']);
    expect(stdout).toMatch(/^failed +checksum .*crc32 at byte \d+/m);
    expect(stdout).toMatch(/^failed +piece digests +1 of 3 .*\[2\] at byte \d+/m);
    expect(stdout).toMatch(/^passed +signature /m);
    const json = await run('verify', path('damaged.apr'), '--json');
    expect(json.status).toBe(1);
    const { valid, checks } = JSON.parse(json.stdout) as {
      valid: boolean;
      checks: { offset?: number }[];
    };
    expect(valid).toBe(false);
    expect(checks[1]!.offset).toBe(damaged.length - 16);
  });
});

describe('susurrus sign, encrypt, digests', () => {
  test('digests make a download checkable, without a key', async () => {
    const { stderr } = await succeeds('digests', modelPath, '--output', path('digested.apr'));
    expect(stderr).toMatch(/104 tensors, [\d,]+ bytes/);
    expect((await succeeds('verify', path('digested.apr'))).stdout).toMatch(
      /^passed +piece digests/m,
    );
  });

  test.each<[string, () => string[], number, RegExp]>([
    [
      'no output',
      () => ['sign', modelPath, '--key', path('me.key')],
      64,
      /sign needs --output OUT/,
    ],
    [
      'no key to sign with',
      () => ['sign', modelPath, '--output', path('none.apr')],
      64,
      /--key KEY/,
    ],
    [
      'a public key to sign with',
      () => ['sign', modelPath, '--key', path('me.pub'), '--output', path('none.apr')],
      5,
      /ed25519-private/,
    ],
    [
      'no key to encrypt with',
      () => ['encrypt', modelPath, '--output', path('none.apr')],
      64,
      /--passphrase-file/,
    ],
    [
      'two files',
      () => ['digests', modelPath, modelPath, '--output', path('none.apr')],
      64,
      /digests needs one FILE/,
    ],
    [
      'a file that is no model',
      () => ['digests', samplePath, '--output', path('none.apr')],
      1,
      /unknown_format/,
    ],
    [
      'an encrypted file',
      () => [
        'encrypt',
        path('both.apr'),
        '--key',
        path('secret.aes'),
        '--output',
        path('none.apr'),
      ],
      5,
      /encrypted already/,
    ],
    [
      'an output that exists',
      () => ['digests', modelPath, '--output', path('both.apr')],
      5,
      /--force/,
    ],
  ])('%s is refused, and nothing is left', async (_, args, group, says) => {
    expectFailure(await run(...args()), group, says);
    expect(readdirSync(folder).filter((name) => /none|unfinished/.test(name))).toEqual([]);
  });
});
