// A file whose end is missing: the error says how much of it is there, wherever it is read.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { builtPackage } from '../support/built_package.js';
import { projectRoot } from '../support/shared_folder.js';

const digits = readFileSync(join(projectRoot, 'models/digits.apr'));
const whole = digits.length;

let susurrus: Awaited<ReturnType<typeof builtPackage>>;
beforeAll(async () => {
  susurrus = await builtPackage();
});

const failureOf = (work: Promise<unknown>): Promise<{ code: string; message: string }> =>
  work.then(
    () => ({ code: 'none', message: 'it worked' }),
    (error: unknown) => {
      const { code, message, details } = error as {
        code: string;
        message: string;
        details: object;
      };
      return { code, message, ...details };
    },
  );

test.each([0.1, 0.5, 0.999])('an APR2 file of which a part of %f is there', async (part) => {
  const bytes = digits.subarray(0, Math.floor(whole * part));
  const file = new File([bytes], 'mine.apr');
  const told = {
    code: 'truncated_input',
    message: expect.stringContaining(
      `This download is incomplete: ${(bytes.length / 1e6).toFixed(1)} of 2.5 MB are here.`,
    ),
    expected: `${whole} bytes`,
    got: `${bytes.length} bytes`,
  };
  expect(await failureOf(susurrus.loadModel(file))).toMatchObject(told);
  expect(await failureOf(susurrus.inspect(file))).toMatchObject(told);
  expect(await failureOf(susurrus.openModelFile(file))).toMatchObject(told);
});

test('a SafeTensors file, inspected or converted', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'susurrus-incomplete-'));
  try {
    const path = join(folder, 'mine.safetensors');
    await susurrus.convertModel(join(projectRoot, 'models/digits.apr'), path, {
      format: 'safetensors',
    });
    const bytes = readFileSync(path);
    const file = new File([bytes.subarray(0, bytes.length / 2)], 'mine.safetensors');
    const told = { message: expect.stringMatching(/download is incomplete: 1\.2 of 2\.4 MB/) };
    expect(await failureOf(susurrus.inspect(file))).toMatchObject(told);
    const converted = susurrus.convertModel(file, join(folder, 'mine.apr'));
    expect(await failureOf(converted)).toMatchObject(told);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('where the head is not all there, or lies, the error is the one from before', async () => {
  const head = await failureOf(susurrus.inspect(new Blob([digits.subarray(0, 1000)])));
  expect(head.code).toBe('truncated_input');
  expect(head.message).not.toContain('incomplete');
  // An index of 4 GB is not read for it.
  const lies = Uint8Array.from(digits.subarray(0, whole / 2));
  lies.fill(0xff, 24, 28);
  const lie = await failureOf(susurrus.inspect(new Blob([lies])));
  expect(lie.message).not.toContain('incomplete');
  // A whole file that is damaged is not incomplete.
  const damaged = Uint8Array.from(digits);
  damaged[whole - 20] = (damaged[whole - 20] ?? 0) ^ 1;
  const damage = await failureOf(susurrus.loadModel(new Blob([damaged])));
  expect(damage.code).toBe('checksum_mismatch');
  expect(damage.message).not.toContain('incomplete');
});
