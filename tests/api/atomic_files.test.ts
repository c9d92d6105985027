// Files are whole or not there, whatever else happens in the folder meanwhile.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { writeAtomically } from '../../web/src/platform/node_atomic_files.js';
import { builtPackage } from '../support/built_package.js';
import { errorOf } from '../support/embedded_model.js';
import { writeHubFolder } from '../support/hub_folder.js';

type Package = Awaited<ReturnType<typeof builtPackage>>;
let package_: Package;
let folder = '';
let source = '';
let output = '';
const at = (name: string): string => join(output, name);
const textOf = (name: string): string => readFileSync(at(name), 'utf8');
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const rounds = 20;
const exists = { code: 'invalid_argument', details: { subject: 'force' } };

beforeAll(async () => {
  package_ = await builtPackage();
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'susurrus-atomic-'));
  output = join(folder, 'output');
  mkdirSync(output);
  source = writeHubFolder(join(folder, 'source'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Writes files of these names that all hold `text`, in two pieces each. */
const write = (names: readonly string[], text: string, force: boolean): Promise<void> =>
  writeAtomically(force, async (create) => {
    for (const name of names) {
      const append = await create(at(name));
      await append(utf8(text.slice(0, 1)));
      await append(utf8(text.slice(1)));
    }
  });

describe('two conversions to one destination', () => {
  const dtypes = ['f32', 'q8_0'] as const;
  let expected: Buffer[] = [];
  beforeEach(async () => {
    expected = [];
    for (const dtype of dtypes) {
      await package_.convertModel(source, join(folder, dtype), { dtype });
      expected.push(readFileSync(join(folder, dtype)));
    }
  });
  const both = (force: boolean): Promise<PromiseSettledResult<unknown>[]> =>
    Promise.allSettled(
      dtypes.map((dtype) => package_.convertModel(source, at('model.apr'), { dtype, force })),
    );
  const isWhole = (): boolean =>
    expected.some((bytes) => bytes.equals(readFileSync(at('model.apr'))));

  test('both come out whole with force', async () => {
    for (let round = 0; round < rounds; ++round) {
      const outcomes = await both(true);
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
      expect(isWhole()).toBe(true);
      expect(readdirSync(output)).toEqual(['model.apr']);
    }
  });

  test('without force one is refused', async () => {
    for (let round = 0; round < rounds; ++round) {
      const outcomes = await both(false);
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      const refused = outcomes.find((outcome) => outcome.status === 'rejected');
      expect(refused).toMatchObject({ reason: exists });
      expect(isWhole()).toBe(true);
      expect(readdirSync(output)).toEqual(['model.apr']);
      rmSync(at('model.apr'));
    }
  });

  test('of several files do not mix', async () => {
    const names = ['one', 'two', 'three'];
    for (const force of [true, false]) {
      for (let round = 0; round < rounds; ++round) {
        if (!force) for (const name of names) rmSync(at(name));
        const writers = ['first', 'second', 'third'].map((text) => write(names, text, force));
        const statuses = (await Promise.allSettled(writers)).map(({ status }) => status);
        expect(statuses.filter((status) => status === 'fulfilled')).toHaveLength(force ? 3 : 1);
        expect(new Set(names.map(textOf)).size).toBe(1);
        expect(readdirSync(output).sort()).toEqual([...names].sort());
      }
    }
  });
});

describe('what was there before', () => {
  test('is there again when one of several files cannot get its name', async () => {
    for (const name of ['one', 'three']) writeFileSync(at(name), `precious ${name}`);
    const work = writeAtomically(true, async (create) => {
      for (const name of ['zero', 'one', 'two', 'three'])
        await (
          await create(at(name))
        )(utf8('new'));
      mkdirSync(at('two'));
    });
    expect(await errorOf(work)).toMatchObject({
      code: 'source_failed',
      details: { reason: 'source', subject: at('two') },
    });
    expect(readdirSync(output).sort()).toEqual(['one', 'three', 'two']);
    expect([textOf('one'), textOf('three')]).toEqual(['precious one', 'precious three']);
  });

  test('is not replaced without force when it appears meanwhile', async () => {
    const work = writeAtomically(false, async (create) => {
      for (const name of ['one', 'two']) await (await create(at(name)))(utf8('new'));
      writeFileSync(at('two'), 'precious');
    });
    expect(await errorOf(work)).toMatchObject(exists);
    expect(readdirSync(output)).toEqual(['two']);
    expect(textOf('two')).toBe('precious');
  });

  test('stays behind links that others put in the way', async () => {
    const victim = join(folder, 'victim');
    writeFileSync(victim, 'precious');
    symlinkSync(victim, at(`model.apr.${process.pid}.unfinished`));
    symlinkSync(victim, at('link.apr'));
    await package_.convertModel(source, at('model.apr'), {});
    expect(await errorOf(package_.convertModel(source, at('link.apr'), {}))).toMatchObject(exists);
    await package_.convertModel(source, at('link.apr'), { force: true });
    expect(readFileSync(victim, 'utf8')).toBe('precious');
    expect(readFileSync(at('link.apr')).equals(readFileSync(at('model.apr')))).toBe(true);
  });

  test('is not replaced when it is no file', async () => {
    for (const name of ['/dev/null', output]) {
      const work = package_.convertModel(source, name, { force: true });
      expect(await errorOf(work)).toMatchObject({ code: 'source_failed' });
      expect(statSync(name).isFile()).toBe(false);
    }
  });
});

describe('nothing is left', () => {
  test('of an exception, whatever it is', async () => {
    for (const thrown of [
      new Error('mine'),
      Object.assign(new Error('x'), { code: 'ENOENT' }),
      7,
    ]) {
      const work = writeAtomically(false, async (create) => {
        await (
          await create(at('one'))
        )(utf8('new'));
        await create(at('two'));
        throw thrown as Error;
      });
      expect(await errorOf(work)).toBe(thrown);
      const onProgress = (): never => {
        throw thrown as Error;
      };
      for (const name of ['model.apr', 'new/folder']) {
        const format = name === 'model.apr' ? 'apr2' : 'safetensors';
        const converting = package_.convertModel(source, at(name), { format, onProgress });
        expect(await errorOf(converting)).toBe(thrown);
      }
      expect(readdirSync(output)).toEqual([]);
    }
  });

  test('of what was aborted', async () => {
    const controller = new AbortController();
    const options = { signal: controller.signal, onProgress: () => controller.abort() };
    const work = package_.convertModel(source, at('model.apr'), options);
    expect(await errorOf(work)).toBe(controller.signal.reason);
    expect(readdirSync(output)).toEqual([]);
  });

  test('but what others wrote into a folder that was made', async () => {
    let isFirst = true;
    const onProgress = (): void => {
      if (isFirst) writeFileSync(at('made/theirs'), 'precious');
      isFirst = false;
      throw new Error('mine');
    };
    await errorOf(package_.convertModel(source, at('made'), { format: 'safetensors', onProgress }));
    expect(textOf('made/theirs')).toBe('precious');
    expect(readdirSync(at('made'))).toEqual(['theirs']);
  });
});

test('the lock of a process that was killed holds nobody up, another one is waited for', async () => {
  const lock = at('.susurrus.lock');
  writeFileSync(lock, '');
  utimesSync(lock, 1e9, 1e9);
  await write(['one', 'two'], 'new', false);
  expect(existsSync(lock)).toBe(false);

  writeFileSync(lock, '');
  let isDone = false;
  const work = write(['one', 'two'], 'newer', true).then(() => (isDone = true));
  await new Promise((done) => setTimeout(done, 100));
  expect([isDone, textOf('one')]).toEqual([false, 'new']);
  rmSync(lock);
  await work;
  expect(textOf('one')).toBe('newer');
});
