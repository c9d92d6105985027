// susurrus pull and models, and --model with the name of what was pulled.
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { modelPath, samplePath, sampleText } from '../support/embedded_model.js';
import { writeHubFolder } from '../support/hub_folder.js';
import { startHub, type HubServer } from '../support/hub_server.js';
import { projectRoot } from '../support/shared_folder.js';

const folder = mkdtempSync(join(tmpdir(), 'susurrus-pull-cli-'));
let hub: HubServer;
beforeAll(async () => {
  const source = writeHubFolder(join(folder, 'source'));
  const files = Object.fromEntries(
    readdirSync(source).map((name) => [name, readFileSync(join(source, name))]),
  );
  hub = await startHub({ repository: 'openai/whisper-tiny.en', files });
});
afterAll(async () => {
  await hub.close();
  rmSync(folder, { recursive: true });
});

const run = (...args: string[]): ReturnType<typeof runIn> => runIn(projectRoot, ...args);
const runIn = (cwd: string, ...args: string[]): ReturnType<typeof runAs> => runAs({}, cwd, ...args);
const runAs = (
  own: Record<string, string>,
  cwd: string,
  ...args: string[]
): Promise<{ status: number; stdout: string; stderr: string }> =>
  new Promise((done) => {
    const env = {
      ...process.env,
      HF_ENDPOINT: hub.endpoint,
      XDG_CACHE_HOME: join(folder, 'cache'),
      ...own,
    };
    const command = [join(projectRoot, 'dist/cli.mjs'), ...args];
    execFile(process.execPath, command, { cwd, env, encoding: 'utf8' }, (error, stdout, stderr) =>
      done({ status: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });

test('a model is pulled, listed, used by its name, and removed', async () => {
  const before = await run('transcribe', samplePath, '--model', 'tinny.en');
  expect(before).toMatchObject({ status: 5, stdout: '' });
  expect(before.stderr).toMatch(/Did you mean 'tiny\.en'/);
  expect((await run('models')).stderr).toMatch(/No models yet/);

  const pulled = await run('pull', 'tiny.en');
  expect(pulled).toMatchObject({ status: 0, stdout: '' });
  expect(pulled.stderr).toMatch(/q8_0\.apr: \d+ tensors, [\d,]+ bytes\n/);

  expect((await run('models')).stdout).toMatch(/^tiny\.en {2}q8_0 .* MB .*\.apr\n$/);
  const [listed] = JSON.parse((await run('models', '--json')).stdout) as unknown[];
  expect(listed).toMatchObject({ name: 'tiny.en', dtype: 'q8_0' });

  for (const name of ['tiny.en', 'tiny.en:q8_0']) {
    const { status, stderr } = await run('transcribe', samplePath, '--model', name);
    expect([status, stderr]).toEqual([0, '']);
  }
  // A folder of that name is no model; a file of it is.
  const here = mkdtempSync(join(folder, 'here-'));
  mkdirSync(join(here, 'tiny.en'));
  const beside = await runIn(here, 'transcribe', samplePath, '--model', 'tiny.en');
  expect(beside.status).toBe(0);
  expect(beside.stderr).toMatch(
    /^susurrus: tiny\.en is the pulled model .*\.apr, not the folder of this name\n$/,
  );
  rmSync(join(here, 'tiny.en'), { recursive: true });
  copyFileSync(modelPath, join(here, 'tiny.en'));
  const file = await runIn(here, 'transcribe', samplePath, '--model', 'tiny.en');
  expect(file.stdout.trim().replaceAll('\n', ' ')).toBe(sampleText);
  expect(file.stderr).toMatch(/is the file of this name, not the model that was pulled\n/);

  const removed = await run(
    ...['models', '--remove', 'tiny.en:f32', '--remove', 'non sense', '--remove', 'tiny.en'],
  );
  expect([removed.status, removed.stdout]).toEqual([5, '']);
  expect(removed.stderr).toMatch(
    /^susurrus: There is no model tiny\.en:f32 .*\nsusurrus: .*non sense.*\n.*q8_0\.apr is removed\.\n$/,
  );
  expect((await run('models')).stderr).toMatch(/No models yet/);
  expect((await run('models', '--remove', 'tiny.en')).status).toBe(5);
  // models rm NAME is the same.
  expect((await run('pull', 'tiny.en')).status).toBe(0);
  const again = await run('models', 'rm', 'tiny.en', 'tiny.en:f32');
  expect([again.status, again.stderr]).toEqual([
    5,
    expect.stringMatching(/q8_0\.apr is removed\.\nsusurrus: There is no model tiny\.en:f32/),
  ]);
});

test('a name that is not here is downloaded, once, and kept', async () => {
  const before = hub.requests.length;
  const jobs = ['transcribe', samplePath, samplePath, '--jobs', '2', '--model', 'tiny.en:q8_0'];
  const first = await run(...jobs);
  expect(first.status).toBe(0);
  expect(first.stderr).toMatch(
    /^susurrus: downloading tiny\.en from openai\/whisper-tiny\.en, 0\.\d\d MB\nsusurrus: tiny\.en:q8_0 is kept in \S+tiny\.en\.q8_0\.apr\n/,
  );
  const isWeights = (request: string): boolean => request.startsWith('/store/');
  expect(hub.requests.slice(before).filter(isWeights)).toHaveLength(1);
  const again = await run('transcribe', samplePath, '--model', 'tiny.en');
  expect([again.status, again.stderr]).toEqual([0, '']);
  expect((await run('models', '--remove', 'tiny.en')).status).toBe(0);
});

test('without --model: what SUSURRUS_MODEL names, else the model pulled last, else base', async () => {
  const transcribe = (model: string): ReturnType<typeof runIn> =>
    runAs({ SUSURRUS_MODEL: model }, projectRoot, 'transcribe', samplePath);
  const listen = runAs({ SUSURRUS_MODEL: '' }, projectRoot, 'listen');
  for (const none of [await transcribe(''), await listen]) {
    expect([none.status, none.stdout]).toEqual([6, '']);
    expect(none.stderr).toMatch(
      /openai\/whisper-base: .*no such repository.* `susurrus pull base` .*--model FILE.*SUSURRUS_MODEL/,
    );
  }
  expect((await transcribe('digits')).stdout.trim().replaceAll('\n', ' ')).toBe(sampleText);
  expect((await run('pull', 'tiny.en')).status).toBe(0);
  const last = await transcribe('');
  expect([last.status, last.stderr]).toEqual([
    0,
    'susurrus: using tiny.en:q8_0, the model pulled last; --model chooses another\n',
  ]);
  expect((await run('models', '--remove', 'tiny.en')).status).toBe(0);
});

test('APR1 is pulled in one command, int8 under the name that its converter had', async () => {
  const out = join(folder, 'tiny.apr');
  const pulled = await run(
    'pull',
    'tiny.en',
    ...['--format', 'apr1', '--quantize', 'int8'],
    ...['--output', out],
  );
  expect([pulled.status, pulled.stdout]).toEqual([0, '']);
  const inspected = await run('inspect', out, '--json');
  const facts = JSON.parse(inspected.stdout) as { format: string; metadata: object };
  expect(facts).toMatchObject({ format: 'APR1', metadata: { quantization: 'int8' } });
  const again = join(folder, 'again.apr');
  expect((await run('convert', out, again, '--quantize', 'f32')).status).toBe(0);
});

test('a call that cannot be, or a repository that is not there, is one line', async () => {
  for (const [args, group, says] of [
    [['pull'], 64, /pull needs one REPO/],
    [['pull', 'nonsense'], 5, /names no repository/],
    [['pull', 'tiny.en', '--dtype', 'q9'], 64, /--dtype/],
    [['pull', 'tiny.en', '--quantize', 'int8'], 64, /int8 is a type of APR1: give --format apr1/],
    [['pull', 'tiny.en', '--quantize', 'f16', '--dtype', 'f16'], 64, /give one of them/],
    [['pull', 'tiny.en', '--format', 'apr1'], 64, /: --output must be a path/],
    [['pull', 'no/where'], 6, /no such repository/],
    [['models', 'tiny.en'], 64, /rm NAME; it takes no 'tiny\.en'/],
    [['models', 'rm'], 64, /models rm needs at least one NAME/],
  ] as const) {
    const { status, stdout, stderr } = await run(...args);
    expect([args, status, stdout]).toEqual([args, group, '']);
    expect(stderr).toMatch(/^susurrus: [^\n]+\n$/);
    expect(stderr).toMatch(says);
  }
});
