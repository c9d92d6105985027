// Texts from files that would steer a terminal: whatever a command prints of them, it prints none of them.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { smallApril, writeApril } from '../support/april_writer.js';
import { flagBits, writeApr2 } from '../support/apr2_writer.js';
import { smallBw2l, writeBw2l } from '../support/bw2l_writer.js';
import { projectRoot } from '../support/shared_folder.js';
import { tennisNode, text, writeTennis } from '../support/tennis_writer.js';
import { tinyMetadata, tinyWhisper } from '../support/tiny_whisper.js';

const folder = mkdtempSync(join(tmpdir(), 'susurrus-hostile-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A title, a colour by C1's CSI, an erased line, a direction of text, a line separator. */
const hostile = 'a\u001b]0;evil\u0007\u009b31m\u007f\r\u202egnp.\u2066\u061c\u2028z';
const steering = /[^\P{Cc}\n\t]|\p{Bidi_Control}|\p{Zl}|\p{Zp}/u;

function run(...args: string[]): Promise<{ status: number; stdout: string; stderr: string }> {
  return new Promise((done) => {
    execFile(
      process.execPath,
      [join(projectRoot, 'dist/cli.mjs'), ...args],
      { maxBuffer: 1 << 28 },
      (error, stdout, stderr) => done({ status: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}

function write(name: string, bytes: Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

/** With the key twice, which the error names. */
function gguf(key: string, value: string): Uint8Array {
  const u64 = (count: number): Buffer => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(BigInt(count));
    return bytes;
  };
  const string = (content: string): Buffer =>
    Buffer.concat([u64(Buffer.byteLength(content)), Buffer.from(content)]);
  const pair = Buffer.concat([string(key), Buffer.from([8, 0, 0, 0]), string(value)]);
  const front = [Buffer.from('GGUF'), Buffer.from([3, 0, 0, 0]), u64(0), u64(2)];
  return Buffer.concat([...front, pair, pair, Buffer.alloc(64)]);
}

const files: readonly (readonly [string, Uint8Array])[] = [
  ['keys.gguf', gguf(hostile, hostile)],
  [
    'names.apr',
    writeApr2({
      flags: flagBits.aligned64,
      metadata: tinyMetadata,
      tensors: [
        { name: hostile, dtype: 0, dims: [2], stored: new Uint8Array(8) },
        ...tinyWhisper().tensors,
      ],
    }),
  ],
  [
    'metadata.apr',
    writeApr2({
      ...tinyWhisper(),
      metadata: { ...tinyMetadata, [hostile]: [hostile], author: hostile },
    }),
  ],
  ['tokens.april', writeApril({ ...smallApril, name: hostile, tokens: ['<blk>', hostile, 'b'] })],
  [
    'sections.b2l',
    writeBw2l(hostile, [
      ...smallBw2l,
      { name: hostile, type: 'poem', description: hostile, data: '' },
    ]),
  ],
  [
    'nodes.tsm',
    writeTennis({
      inputs: [],
      outputs: [0],
      nodes: [tennisNode('<const>', hostile, [], ['value', text(hostile)])],
    }),
  ],
];

test.each(files)('%s is shown without steering', async (name, bytes) => {
  const path = write(name, bytes);
  for (const args of [
    ['inspect', path],
    ['inspect', path, '--full'],
    ['inspect', path, '--json'],
    ['verify', path],
    ['verify', path, '--json'],
    ['extract', path, hostile, join(folder, 'out')],
    ['convert', path, join(folder, 'out.apr')],
    ['transcribe', '--model', path, path],
  ]) {
    const { stdout, stderr } = await run(...args);
    expect([args[0], steering.exec(stdout)]).toEqual([args[0], null]);
    expect([args[0], steering.exec(stderr)]).toEqual([args[0], null]);
    expect(`${stdout}${stderr}`.length).toBeGreaterThan(0);
    if (args.includes('--json') && stdout !== '') JSON.parse(stdout);
  }
});

test('JSON says the same, with escapes', async () => {
  const path = write('same.apr', files[2]![1]);
  const { metadata } = JSON.parse((await run('inspect', path, '--json')).stdout) as {
    metadata: Record<string, unknown>;
  };
  expect(metadata.author).toBe(hostile);
  expect(metadata[hostile]).toEqual([hostile]);
});

test('errors name what was asked for without steering', async () => {
  const url = `http://127.0.0.1:1/${hostile}`;
  for (const args of [
    ['inspect', url],
    ['verify', url],
    ['inspect', join(folder, hostile)],
    [hostile],
    ['transcribe', hostile, `--${hostile}`],
  ]) {
    const { status, stdout, stderr } = await run(...args);
    expect(status).toBeGreaterThan(0);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^susurrus: [^\n]+\n$/);
    expect([args[0], steering.exec(stderr)]).toEqual([args[0], null]);
  }
});

test('an extracted vocabulary is not a terminal: it keeps all', async () => {
  const vocab = [hostile, ...tinyMetadata.vocab.slice(1)];
  const path = write(
    'vocabulary.apr',
    writeApr2({
      ...tinyWhisper(),
      metadata: { ...tinyMetadata, vocab, tokenizer_config: { is_multilingual: false } },
    }),
  );
  const out = join(folder, 'vocabulary.json');
  const { status, stderr } = await run('extract', path, 'vocabulary', out);
  expect([status, stderr]).toEqual([0, expect.stringContaining('vocabulary')]);
  const tokens = JSON.parse(readFileSync(out, 'utf8')) as { id: number; bytes: string }[];
  expect(tokens.map(({ id }) => id)).toEqual(vocab.map((_, id) => id));
});
