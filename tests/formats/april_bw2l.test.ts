// .april and BW2L files through the package: what inspect says of them, however they arrive, and what is refused.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { smallApril, writeApril } from '../support/april_writer.js';
import { builtPackage } from '../support/built_package.js';
import { smallBw2l, writeBw2l } from '../support/bw2l_writer.js';
import { expectDescribed } from '../support/described_file.js';
import { errorOf } from '../support/embedded_model.js';
import { projectRoot } from '../support/shared_folder.js';

type Package = Awaited<ReturnType<typeof builtPackage>>;
let susurrus: Package;
const folder = mkdtempSync(join(tmpdir(), 'susurrus-april-'));
beforeAll(async () => {
  susurrus = await builtPackage();
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const run = promisify(execFile);
async function cli(...args: string[]): Promise<string> {
  return (await run(process.execPath, [join(projectRoot, 'dist/cli.mjs'), ...args])).stdout;
}

const files: readonly (readonly [string, Uint8Array])[] = [
  ['small.april', writeApril(smallApril)],
  ['small.bw2l', writeBw2l('small', smallBw2l)],
];

describe.each(files)('%s', (name, bytes) => {
  test('is described as expected, however it arrives', async () => {
    await expectDescribed(susurrus, join(folder, name), name, bytes);
  });

  test('is refused when it is cut', async () => {
    for (const size of [20, 64, 100, bytes.length - 1]) {
      expect(await errorOf(susurrus.inspect(bytes.slice(0, size)))).toMatchObject({
        code: expect.stringMatching(/^(truncated_input|malformed)$/),
      });
    }
  });

  test('is no Whisper model', async () => {
    expect(await errorOf(susurrus.loadModel(bytes))).toMatchObject({
      code: 'unsupported_feature',
      details: { expected: expect.stringContaining('susurrus inspect') },
    });
  });
});

test('the tables show networks, sections and layers', async () => {
  for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes);
  const april = await cli('inspect', join(folder, 'small.april'));
  expect(april).toContain('encoder: Add MatMul\n  takes x f32 1×9×80\n');
  expect(april).toContain('  takes context i64 1×2\n  gives decoder_out f32 1×1×8\n');
  const bw2l = await cli('inspect', join(folder, 'small.bw2l'));
  expect(bw2l).toMatch(/^ {2}transitions {2}array .* 29$/m);
  expect(bw2l).toMatch(/^ {2}L 80 2 +2 +0.25 +-3$/m);
});

test('errors name the place in the file', async () => {
  const april = writeApril({ ...smallApril, params: [2, ...smallApril.params.slice(1)] });
  const sound = await susurrus.inspect(writeApril(smallApril));
  const joiner = sound.networks?.[2];
  expect(await errorOf(susurrus.inspect(april))).toMatchObject({
    code: 'malformed',
    details: {
      reason: 'bad_metadata',
      subject: 'batch_size',
      offset: (joiner?.offset ?? 0) + (joiner?.size ?? 0) + 8,
    },
  });
  const unknown = smallBw2l.map((section) =>
    section.name === 'config' ? { ...section, type: 'data' } : section,
  );
  expect(await errorOf(susurrus.inspect(writeBw2l('small', unknown)))).toMatchObject({
    code: 'malformed',
    details: { reason: 'bad_metadata', subject: 'config' },
  });
});

test('networks are whole ONNX models where the description says that they are', async () => {
  const bytes = writeApril(smallApril);
  const { networks = [] } = await susurrus.inspect(bytes);
  expect(networks.map(({ name }) => name)).toEqual(['encoder', 'decoder', 'joiner']);
  networks.forEach(({ offset, size }, i) => {
    expect(bytes.slice(offset, offset + size)).toEqual(smallApril.networks[i]);
  });
});

test('a network is extracted byte for byte', async () => {
  const [source, out] = [join(folder, 'whole.april'), join(folder, 'decoder.onnx')];
  writeFileSync(source, writeApril(smallApril));
  await cli('extract', source, 'decoder', out);
  expect(new Uint8Array(readFileSync(out))).toEqual(smallApril.networks[1]);
  expect(await errorOf(susurrus.extractNetwork(source, 'joiner', out))).toMatchObject({
    code: 'invalid_argument',
    details: { subject: 'force' },
  });
  const { size } = await susurrus.extractNetwork(source, 'joiner', out, { force: true });
  expect(size).toBe(smallApril.networks[2]?.length);
  expect(new Uint8Array(readFileSync(out))).toEqual(smallApril.networks[2]);

  const missing = join(folder, 'missing.onnx');
  expect(await errorOf(susurrus.extractNetwork(source, 'decodr', missing))).toMatchObject({
    code: 'invalid_argument',
    details: { expected: 'one of encoder, decoder, joiner' },
  });
  expect(existsSync(missing)).toBe(false);
});
