// Where the command line's recordings come from: files, stdin, URLs.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { stemOf, withAudio } from '../../web/cli/audio_source.js';
import { recordingsIn } from '../../web/cli/recordings.js';
import type { SusurrusError } from '../../web/src/api/errors.js';
import { startCommand } from '../support/command_process.js';
import { errorOf, modelPath, samplePath, sampleText } from '../support/embedded_model.js';
import { bundleCommand, runCommand } from '../support/fake_cli.js';

const folder = mkdtempSync(join(tmpdir(), 'susurrus-recordings-'));
const { signal } = new AbortController();
let command: string;
beforeAll(async () => {
  command = await bundleCommand(folder);
});
afterAll(() => rmSync(folder, { recursive: true }));

const failureOf = async (work: Promise<unknown>): Promise<SusurrusError> =>
  (await errorOf(work)) as SusurrusError;

const hear = (file: string, given = signal): Promise<unknown> =>
  withAudio(file, { signal: given }, (audio) => Promise.resolve(audio));

describe('a recording on stdin', () => {
  test('has the text of the same file', async () => {
    const job = startCommand('transcribe', '-', '--model', modelPath);
    job.process.stdin!.end(readFileSync(samplePath));
    expect([await job.ended, job.stderr()]).toEqual([0, '']);
    expect(job.stdout().trim().split(/\s+/).join(' ')).toBe(sampleText);
  });

  test('is called stdin', async () => {
    const out = join(folder, 'out');
    const file = join(folder, 'talk.wav');
    writeFileSync(file, 'file');
    const args = ['transcribe', '-', file, '--format', 'json'];
    const { stdout, calls } = await runCommand(command, args, { input: 'sound' });
    const heard = JSON.parse(stdout) as { file: string }[];
    expect(heard.map((each) => each.file)).toEqual(['stdin', file]);
    expect(calls[1]?.[1]).toBe('5 bytes of a stream');
    await runCommand(command, ['transcribe', '-', '-f', 'srt', '-o', out], { input: 'sound' });
    expect(readdirSync(out)).toEqual(['stdin.srt']);
  });

  test('is one of many recordings', async () => {
    const file = join(folder, 'talk.wav');
    writeFileSync(file, 'file');
    const args = ['transcribe', file, '-', '--jobs', '2', '--format', 'json'];
    const { status, stdout, calls } = await runCommand(command, args, { input: 'sound' });
    expect(status).toBe(0);
    const heard = JSON.parse(stdout) as { file: string }[];
    expect(heard.map((each) => each.file)).toEqual([file, 'stdin']);
    expect(calls.map(([, audio]) => audio)).toContain('5 bytes of a stream');
  });

  test.each([
    ['nothing', ['-'], 6, /^susurrus: stdin: nothing came \[source_failed\]\n$/m],
    ['two of them', ['-', '-'], 64, /stdin is one recording/],
    ['files beside it', ['-', '--beside'], 64, /no folder beside stdin: give --output-dir/],
  ])('%s is one error', async (_, args, status, says) => {
    const outcome = await runCommand(command, ['transcribe', ...args]);
    expect([outcome.status, outcome.stdout]).toEqual([status, '']);
    expect(outcome.stderr).toMatch(says);
  });

  test('that never ends is left at Ctrl-C', async () => {
    const job = startCommand('transcribe', '-', '--model', modelPath, '--verbose');
    // The pipe's buffer is 64 KiB: that much and more is taken only by a command that reads.
    await new Promise((done) => job.process.stdin!.write(new Uint8Array(1 << 20), done));
    job.process.kill('SIGINT');
    expect(await job.ended).toBe(130);
  });
});

describe('a recording at a URL', () => {
  const page = '<!doctype html>';
  const server = createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    if (path === '/cut.mp3') {
      response.writeHead(200, { 'Content-Length': 100 });
      response.write('half', () => response.destroy());
    } else if (path.endsWith('.mp3')) response.end('sound');
    else if (path === '/page') response.writeHead(200, { 'Content-Type': 'text/html' }).end(page);
    else if (path !== '/silent') response.writeHead(404).end();
  });
  let address: string;
  beforeAll(async () => {
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  test('is read, and named after the end of its path', async () => {
    const out = join(folder, 'fetched');
    const url = `${address}/a/talk%20one.mp3?token=1`;
    const args = ['transcribe', url, '-f', 'txt,srt', '-o', out];
    const { status, calls } = await runCommand(command, args);
    expect([status, calls[1]?.[1]]).toEqual([0, '5 bytes of a stream']);
    expect(readdirSync(out)).toEqual(['talk one.srt', 'talk one.txt']);
  });

  test.each([
    ['absent', '/no.wav', /\/no\.wav: the server answered HTTP 404$/],
    ['a page', '/page', /\/page: the server answered with a web page \(HTTP 200, text\/html\)/],
    ['cut off', '/cut.mp3', /\/cut\.mp3: (the connection broke off|reading it failed)/],
  ])('that is %s is one error', async (_, path, says) => {
    const { code, message } = await failureOf(hear(address + path));
    expect([code, message]).toEqual(['source_failed', expect.stringMatching(says)]);
  });

  test('that nobody answers for is one error', async () => {
    const { code, message } = await failureOf(hear('http://127.0.0.1:1/talk.mp3'));
    expect([code, message]).toEqual([
      'source_failed',
      expect.stringMatching(/^http:\/\/127\.0\.0\.1:1\/talk\.mp3: the request failed/),
    ]);
  });

  test('that does not come is left when the work is aborted', async () => {
    const abort = new AbortController();
    const asked = new Promise((done) => server.once('request', done));
    const work = failureOf(hear(`${address}/silent`, abort.signal));
    await asked;
    abort.abort('enough');
    abort.abort('twice');
    expect(await work).toBe('enough');
  });

  test.each([
    ['ftp://host/talk.wav', /http: and https: URLs, not ftp:/],
    ['file:///talk.wav', /http: and https: URLs, not file:/],
    ['http://', /not a URL/],
  ])('%s is refused before any work', async (url, says) => {
    await expect(recordingsIn([url])).rejects.toThrow(says);
  });

  test.each([
    ['https://host/a/b/talk.mp3', 'talk'],
    ['https://host/', 'recording'],
    ['https://host/a/..%2f..%2fetc%2fpasswd.mp3', '.._.._etc_passwd'],
    ['https://host/%2e%2e%5Cx.wav', '.._x'],
    ['https://host/100%.wav', '100%'],
    ['https://host/a%00%0Ab:c.wav?x=/y.wav#z.wav', 'a__b_c'],
  ])('%s never names another folder', (url, stem) => {
    expect(stemOf(url)).toBe(stem);
  });
});

test('a file is read in parts, and errors name it once, as it was named', async () => {
  const file = join(folder, 'notes.wav');
  writeFileSync(file, 'notes');
  expect(await hear(file)).toBe(file);
  expect(await hear('package.json')).toBe('./package.json');
  const { message } = await failureOf(hear('no such.wav'));
  expect(message).toBe('no such.wav: there is no such file');
});

test('the only file is looked for before a model is loaded; one of several fails in its turn', async () => {
  const { status, stderr, calls } = await runCommand(command, ['transcribe', 'no such.wav']);
  expect([status, calls]).toEqual([6, []]);
  expect(stderr).toBe('susurrus: no such.wav: there is no such file [source_failed]\n');
  const files = ['no such.wav', 'nor this.wav'];
  expect((await recordingsIn(files)).map(({ file }) => file)).toEqual(files);
});
