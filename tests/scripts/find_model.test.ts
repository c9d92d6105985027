// Where npm start and npm run pack:model look for tiny.en and base, one place after the other.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { writeHubFolder } from '../support/hub_folder.js';
import { startHub, type HubServer } from '../support/hub_server.js';
import { packageName } from '../../scripts/find_model.mjs';
import { projectRoot } from '../support/shared_folder.js';
import { writeBaseWheels, writeTrainedWheel, type TrainedWheel } from '../support/trained_wheel.js';

const files = mkdtempSync(join(tmpdir(), 'susurrus-find-model-'));
let hub: HubServer;
let wheel: TrainedWheel;
beforeAll(async () => {
  const source = writeHubFolder(join(files, 'source'));
  const content = readdirSync(source).map((name) => [name, readFileSync(join(source, name))]);
  hub = await startHub({
    repository: 'openai/whisper-tiny.en',
    files: Object.fromEntries(content) as Record<string, Uint8Array>,
  });
  wheel = await writeTrainedWheel(files);
});
afterAll(async () => {
  await hub.close();
  rmSync(files, { recursive: true });
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(files, 'case-'));
  hub.requests.length = 0;
});
const pulledPath = () => join(folder, 'susurrus/models/tiny.en.q8_0.apr');

/** What findTrainedModel() finds in another process; `env` besides the addresses of empty places. */
async function find(
  env: Record<string, string>,
  { name = 'tiny.en', digests = [wheel.digest] } = {},
): Promise<unknown> {
  const module = pathToFileURL(join(projectRoot, 'scripts/find_model.mjs')).href;
  const options = { name, into: join(folder, 'trained'), digests };
  const script = `
    const { findTrainedModel } = await import(${JSON.stringify(module)});
    const found = await findTrainedModel(${JSON.stringify(options)}).catch(({ message }) => message);
    process.stdout.write('\\n' + JSON.stringify({ found }));
  `;
  const places = {
    ...{ HF_ENDPOINT: hub.endpoint, XDG_CACHE_HOME: folder },
    ...{ SUSURRUS_TRAINED_WHEEL: join(folder, 'none.whl') },
  };
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '-e', script],
    { env: { ...process.env, ...places, ...env } },
  );
  return (JSON.parse(stdout.slice(stdout.lastIndexOf('\n'))) as { found?: unknown }).found;
}

test('a model that was pulled comes first', async () => {
  mkdirSync(join(folder, 'susurrus/models'), { recursive: true });
  writeFileSync(pulledPath(), '');
  expect(await find({ SUSURRUS_TRAINED_WHEEL: wheel.path })).toEqual({
    ...{ name: 'tiny.en', path: pulledPath(), isOpenAis: true },
  });
  expect(readdirSync(folder)).toEqual(['susurrus']);
  expect(hub.requests).toEqual([]);
});

test('the Python package comes before the hub', async () => {
  const path = join(folder, 'trained/tiny.en-q8_0.apr');
  expect(await find({ SUSURRUS_TRAINED_WHEEL: wheel.path })).toEqual({
    ...{ name: 'tiny.en', path, isOpenAis: true },
  });
  expect(hub.requests).toEqual([]);
});

test('the hub is asked where the package cannot be had', async () => {
  expect(await find({})).toEqual({ name: 'tiny.en', path: pulledPath(), isOpenAis: true });
  expect(hub.requests).not.toEqual([]);
});

test('there is none where nothing can be had: the embedded model is left', async () => {
  expect(await find({ HF_HUB_OFFLINE: '1' })).toBeUndefined();
  expect(hub.requests).toEqual([]);
});

test('another package than the expected one is an error', async () => {
  const wrong = await find({ SUSURRUS_TRAINED_WHEEL: wheel.path }, { digests: ['0'.repeat(64)] });
  expect(wrong).toMatch(/is not the expected file/);
  expect(hub.requests).toEqual([]);
});

describe('base, which is asked for by name', () => {
  test('comes from the hub before its Python packages', async () => {
    const { folder: wheels } = await writeBaseWheels(folder);
    const asked = { name: 'base', digests: [] };
    // This hub has no base, and the packages are not the real ones: their digests say so.
    expect(await find({ SUSURRUS_TRAINED_WHEEL: wheels }, asked)).toMatch(
      /base_1-1\.0\.0-py3-none-any\.whl is not the expected file/,
    );
    expect(hub.requests).not.toEqual([]);
  });

  test('comes from its Python packages where the hub is not reached', async () => {
    const { folder: wheels } = await writeBaseWheels(folder);
    const places = { HF_HUB_OFFLINE: '1', SUSURRUS_TRAINED_WHEEL: wheels };
    expect(await find(places, { name: 'base', digests: [] })).toMatch(/is not the expected file/);
    expect(hub.requests).toEqual([]);
  });

  test('is not asked of the hub where its packages were fetched before', async () => {
    writeHubFolder(join(folder, 'trained/base'));
    const path = join(folder, 'trained/base-q8_0.apr');
    expect(await find({}, { name: 'base' })).toEqual({ name: 'base', path, isOpenAis: true });
    expect(hub.requests).toEqual([]);
  });
});

test.each([
  ['openai/whisper-tiny.en', 'tiny.en'],
  ['distil-whisper/distil-large-v3', 'distil-large-v3'],
  ['Someone/Whisper_Large@refs/pr/1', 'whisper_large-refs-pr-1'],
])('%s is packed as susurrus-model-%s', (name, packed) => {
  expect(packageName(name)).toBe(packed);
});
