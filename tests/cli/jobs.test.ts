// Many recordings at once. One that is a named pipe is under way until the test lets it go, so that nothing depends on time.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import {
  childrenOf,
  hasOpen,
  namedPipe,
  startCommand,
  untilGone,
  whenRead,
} from '../support/command_process.js';
import type { CommandProcess } from '../support/command_process.js';
import { modelPath, sampleBytes, samplePath, sampleText } from '../support/embedded_model.js';
import { wavSamples } from '../support/goldens_audio.js';
import { limit } from '../support/limits.js';
import { describeWithShared, sharedFolder } from '../support/shared_folder.js';
import { rounds } from '../support/turns.js';

jest.setTimeout(limit(120_000));

const path = process.env.PATH;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'susurrus-jobs-'));
  // No ffmpeg but the test's own, whatever is installed here.
  process.env.PATH = folder;
});
afterEach(() => {
  process.env.PATH = path;
  rmSync(folder, { recursive: true });
});

const start = (...args: string[]): CommandProcess =>
  startCommand('transcribe', '--model', modelPath, ...args);

async function run(
  ...args: string[]
): Promise<{ status: number | string; stdout: string; stderr: string }> {
  const { ended, stdout, stderr } = start(...args);
  const status = await ended;
  return { status, stdout: stdout(), stderr: stderr() };
}

async function feed(pipeEnd: FileHandle): Promise<void> {
  await pipeEnd.writeFile(sampleBytes());
  await pipeEnd.close();
}

/** A copy of the sample in the test's folder. */
function recording(path: string): string {
  const file = join(folder, path);
  mkdirSync(join(file, '..'), { recursive: true });
  copyFileSync(samplePath, file);
  return file;
}

function damaged(path: string): string {
  const file = join(folder, path);
  writeFileSync(file, 'no sound');
  return file;
}

const pipe = (name: string): string => namedPipe(join(folder, name));

const textOf = (path: string): string => readFileSync(path, 'utf8').trim().split(/\s+/).join(' ');
const output = (): string => join(folder, 'out');

describe('transcribe --jobs', () => {
  test('writes the transcripts of all recordings in a folder, and a line for each', async () => {
    const files = ['a.wav', 'deep/b.WAV', 'deep/er/c.wav'].map((path) => recording(`in/${path}`));
    for (const other of ['notes.txt', '.hidden.wav', 'deep/cover.jpg']) recording(`in/${other}`);
    const { status, stdout, stderr } = await run(
      ...[join(folder, 'in'), '--jobs', '2', '--output-dir', output(), '--format', 'txt,json'],
    );
    expect([status, stdout]).toEqual([0, '']);
    const lines = stderr.trim().split('\n').sort();
    expect(lines.map((line) => line.split(': ')[0])).toEqual(files);
    for (const line of lines) expect(line).toMatch(/: 9\.0 s in \d+\.\d\d s, [\d.]+ × real time$/);
    const written = ['a', 'deep/b', 'deep/er/c'].flatMap((name) => [`${name}.json`, `${name}.txt`]);
    const found = readdirSync(output(), { recursive: true }) as string[];
    expect(found.filter((name) => /\.\w+$/.test(name)).sort()).toEqual(written.sort());
    for (const name of written.filter((each) => each.endsWith('.txt'))) {
      expect(textOf(join(output(), name))).toBe(sampleText);
    }
  });

  test('writes beside the recordings what is written without it', async () => {
    const names = ['x/talk.wav', 'y/talk.wav'];
    const files = names.map(recording);
    expect((await run(...files, '--beside', '--format', 'json')).status).toBe(0);
    const paths = names.map((name) => join(folder, name.replace('wav', 'json')));
    const expected = paths.map((path) => readFileSync(path, 'utf8'));
    for (const path of paths) rmSync(path);
    const { status } = await run(...files, '--beside', '--format', 'json', '--jobs', '2');
    expect(status).toBe(0);
    expect(paths.map((path) => readFileSync(path, 'utf8'))).toEqual(expected);
  });

  test('has several engines for a single long recording, which write what one writes', async () => {
    const file = join(folder, 'long.wav');
    const wav = sampleBytes();
    const long = Buffer.concat([wav, ...Array.from({ length: 4 }, () => wav.subarray(44))]);
    long.writeUInt32LE(long.length - 8, 4);
    long.writeUInt32LE(long.length - 44, 40);
    writeFileSync(file, long);
    const one = await run(file, '--format', 'json', '--workers', '1');
    const { segments } = JSON.parse(one.stdout) as { segments: readonly { start: number }[] };
    // A chunk has 30 s at most.
    expect(segments.at(-1)!.start).toBeGreaterThan(30);
    const several = await run(file, '--format', 'json', '--jobs', '3');
    expect([several.status, several.stdout]).toEqual([0, one.stdout]);
  });

  test('keeps the order of the files on stdout', async () => {
    const [first, last] = [pipe('first.wav'), pipe('last.wav')];
    const [second, bad] = [recording('second.wav'), damaged('bad.wav')];
    const job = start(first, second, bad, last, '--jobs', '2', '--format', 'json');
    const firstEnd = await whenRead(first);
    // The files between are done.
    const lastEnd = await whenRead(last);
    expect(job.stdout() + job.stderr()).toBe('');
    await feed(lastEnd);
    await feed(firstEnd);
    expect(await job.ended).toBe(2);
    const transcripts = JSON.parse(job.stdout()) as { file: string; text: string }[];
    expect(transcripts.map(({ file }) => file)).toEqual([first, second, last]);
    for (const { text } of transcripts) expect(text.trim()).toBe(sampleText);
    const told = job.stderr().trim().split('\n');
    expect(told.map((line) => /(first|second|bad|last)\.wav/.exec(line)?.[1])).toEqual([
      ...['first', 'second', 'bad', 'last'],
    ]);
  });

  test('reports a damaged file, goes on, and fails with the status of the first', async () => {
    const files = [
      ...[recording('a.wav'), join(folder, 'absent.wav'), damaged('b.wav'), recording('c.wav')],
    ];
    const { status, stderr } = await run(...files, '--jobs', '2', '--output-dir', output());
    expect(status).toBe(6);
    expect(stderr).toMatch(/^susurrus: .*absent\.wav: there is no such file \[source_failed\]$/m);
    expect(stderr).toMatch(/^susurrus: .*b\.wav: .*no audio file.* \[unsupported_feature\]$/m);
    expect(readdirSync(output()).sort()).toEqual(['a.txt', 'c.txt']);
  });

  test.each([
    ['--jobs', 64, ['--jobs', 'many'], /--jobs is a number, not 'many'/],
    ['no jobs', 64, ['--jobs', '0'], /--jobs is a whole number from 1 to 256, not '0'/],
    ['half a job', 64, ['--jobs', '1.5'], /--jobs is a whole number/],
    ['an old name', 64, ['--resume'], /unknown option --resume; it is --skip-existing now/],
    [
      'skipping on stdout',
      64,
      ['--skip-existing'],
      /--skip-existing needs --output-dir or --beside/,
    ],
    ['two places', 64, ['--beside', '--output-dir', 'x'], /exclude each other/],
    [
      '17 workers',
      64,
      ['--jobs', '2', '--workers', '17'],
      /: --workers must be .*1 to 16.* is 17 \(/,
    ],
    ['half a worker', 64, ['--jobs', '2', '--workers', '1.5'], /: --workers must be .* is 1\.5 \(/],
    ['a beam of 99', 64, ['--jobs', '2', '--beam-size', '99'], /: --beam-size must be .* is 99 \(/],
  ])('%s is refused once', async (_, refusal, args, says) => {
    const { status, stdout, stderr } = await run(recording('a.wav'), recording('b.wav'), ...args);
    expect([status, stdout]).toEqual([refusal, '']);
    expect(stderr).toMatch(/^susurrus: [^\n]+\n$/);
    expect(stderr).toMatch(says);
  });

  test('refuses transcripts of one name, and one over a recording, before any work', async () => {
    const files = [recording('x/talk.wav'), recording('y/talk.wav')];
    const collision = await run(...files, '--jobs', '2', '--output-dir', output());
    expect(collision.status).toBe(64);
    expect(collision.stderr).toMatch(/out\/talk\.txt'; --beside, or naming their folder/);
    expect(existsSync(output())).toBe(false);
    // Below their folder they are kept apart.
    expect((await run(folder, '--jobs', '2', '--output-dir', output())).status).toBe(0);
    expect(textOf(join(output(), 'x/talk.txt'))).toBe(sampleText);
    expect(textOf(join(output(), 'y/talk.txt'))).toBe(sampleText);
    const named = recording('odd.txt');
    const over = await run(named, '--jobs', '1', '--beside');
    expect([over.status, over.stderr.includes('would overwrite the recording')]).toEqual([
      64,
      true,
    ]);
    expect(readFileSync(named)).toEqual(readFileSync(samplePath));
  });

  test('a folder without recordings is an error', async () => {
    mkdirSync(join(folder, 'empty'));
    const { status, stderr } = await run(join(folder, 'empty'), '--jobs', '1');
    expect([status, /empty: there are no recordings in this folder/.test(stderr)]).toEqual([
      6,
      true,
    ]);
  });

  test('what is heard in sequence has a model for each recording', async () => {
    const args = [...['a.wav', 'b.wav', 'c.wav'].map(recording), '--no-vad', '--format', 'json'];
    const expected = await run(...args);
    expect(expected.status).toBe(0);
    expect(await run(...args, '--jobs', '2')).toMatchObject({ status: 0, stdout: expected.stdout });
  });

  test('a model that cannot be loaded ends everything, with one line', async () => {
    const files = [recording('a.wav'), recording('b.wav')];
    const { status, stderr } = await run(...files, '--jobs', '2', '--model', samplePath);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^susurrus: .*not a model file[^\n]*\n$/);
  });
});

/** Recordings NAME are decoded by an ffmpeg of the test's own: what is in NAME.pipe. */
function fakeFfmpeg(): void {
  const script = '#!/bin/sh\nwhile [ "$1" != -i ]; do shift; done\nexec cat "${2#file:}.pipe"\n';
  writeFileSync(join(folder, 'ffmpeg'), script, { mode: 0o755 });
  process.env.PATH = `${folder}${delimiter}${path ?? ''}`;
}

describeWithShared(['april-digits', 'bw2l-digits'], 'transcribe --jobs with other families', () => {
  test.each([
    ['april-digits/digits.april', 'april-digits/eval', ['short-0', 'short-1', 'long-0']],
    ['bw2l-digits/digits.b2l', 'bw2l-digits/eval', ['medium-0', 'medium-1', 'long-0']],
  ])('%s: each recording has a model, and the text that it has alone', async (model, at, names) => {
    fakeFfmpeg();
    const held = damaged('held.m4a');
    const samples = Buffer.from(wavSamples(join(at, 'medium-2.wav')).buffer);
    writeFileSync(`${held}.pipe`, samples);
    const files = [held, ...names.map((name) => resolve(sharedFolder, at, `${name}.wav`))];
    const args = ['--model', resolve(sharedFolder, model), '--format', 'json', '--output-dir'];
    const alone = await Promise.all(
      files.map((file, i) => run(file, ...args, join(folder, `alone-${i}`))),
    );
    expect(alone.map(({ status }) => status)).toEqual([0, 0, 0, 0]);
    rmSync(`${held}.pipe`);
    pipe('held.m4a.pipe');
    const job = start(...files, ...args, output(), '--jobs', '2');
    const end = await whenRead(`${held}.pipe`);
    // The first is under way, with a part of its sound, until all others are done.
    await end.write(samples.subarray(0, samples.length / 2));
    while (names.some((name) => !existsSync(join(output(), `${name}.json`)))) await sleep(20);
    expect(existsSync(join(output(), 'held.json'))).toBe(false);
    await end.write(samples.subarray(samples.length / 2));
    await end.close();
    expect(await job.ended).toBe(0);
    for (const [i, name] of ['held', ...names].entries()) {
      const text = readFileSync(join(output(), `${name}.json`), 'utf8');
      expect(text).toBe(readFileSync(join(folder, `alone-${i}`, `${name}.json`), 'utf8'));
      expect((JSON.parse(text) as { text: string }).text).toMatch(/[a-z]{3}/i);
    }
  });
});

describe('the end of transcribe --jobs', () => {
  /** A recording that an ffmpeg of the test's own decodes: what comes through the named pipe. */
  function heldByFfmpeg(name: string): string {
    damaged(name);
    return pipe(`${name}.pipe`);
  }

  test.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
    ['SIGKILL', 'SIGKILL'],
  ] as const)('by %s keeps what is done, and leaves no ffmpeg', async (signal, status) => {
    fakeFfmpeg();
    const held = ['1.m4a', '2.m4a'].map(heldByFfmpeg);
    const files = [recording('a.wav'), ...held.map((each) => each.replace('.pipe', ''))];
    const job = start(...files, '--jobs', '2', '--output-dir', output());
    const ends = await Promise.all(held.map(whenRead));
    const programs = childrenOf(job.process);
    expect(programs).toHaveLength(2);
    job.process.kill(signal);
    expect(await job.ended).toBe(status);
    // Who was killed ends no other process, but an ffmpeg ends when nobody reads what it writes.
    if (signal === 'SIGKILL') await Promise.allSettled(ends.map(feed));
    await untilGone(programs);
    for (const end of ends) await end.close();
    expect(readdirSync(output())).toEqual(['a.txt']);
  });

  test.each([
    ['with --jobs', ['--jobs', '2']],
    ['without it', []],
  ])('waits for no writer of a named pipe, %s', async (_, jobs) => {
    for (const isWritten of [false, true]) {
      const held = pipe(`held-${isWritten}.wav`);
      const out = join(folder, `out-${isWritten}`);
      const args = [recording('a.wav'), held, ...jobs, '--output-dir', out];
      const job = start(...args);
      // Its writer stays, with half of what it has to say.
      const end = isWritten ? await whenRead(held) : undefined;
      await end?.write(sampleBytes().subarray(0, 40_000));
      while (!existsSync(join(out, 'a.txt')) || !hasOpen(job.process, held)) await sleep(20);
      job.process.kill('SIGINT');
      expect(await job.ended).toBe(130);
      await end?.close();
      expect(job.stderr()).not.toContain('held');
      expect(readdirSync(out)).toEqual(['a.txt']);
    }
  });

  test('while the model is loaded begins nothing', async () => {
    const model = pipe('model.apr');
    const job = start(recording('a.wav'), '--jobs', '2', '--model', model, '--beside');
    const end = await whenRead(model);
    job.process.kill('SIGINT');
    await end.close();
    expect(await job.ended).toBe(130);
    expect(job.stderr()).toBe('');
    expect(existsSync(join(folder, 'a.txt'))).toBe(false);
  });
});

describe('transcribe --skip-existing', () => {
  test('does what a killed run left, and nothing twice', async () => {
    const held = pipe('held.wav');
    const files = [recording('a.wav'), held, recording('b.wav')];
    const args = ['--output-dir', output(), '--format', 'srt,json', '--jobs', '1'];
    const job = start(...files, ...args);
    const end = await whenRead(held);
    job.process.kill('SIGKILL');
    expect(await job.ended).toBe('SIGKILL');
    await end.close();
    const first = ['a.json', 'a.srt'].map((name) => join(output(), name));
    expect(readdirSync(output()).sort()).toEqual(['a.json', 'a.srt']);
    // A second transcription of a.wav would overwrite this text.
    writeFileSync(first[1]!, 'kept');
    rmSync(held);
    recording('held.wav');
    const { status, stderr } = await run(...files, ...args, '--skip-existing');
    expect(status).toBe(0);
    expect(stderr).toMatch(/^1 of 3 recordings have their transcript already$/m);
    expect(readFileSync(first[1]!, 'utf8')).toBe('kept');
    for (const name of ['held', 'b']) {
      expect(readFileSync(join(output(), `${name}.srt`), 'utf8')).toContain('three');
    }
    // All are there: not even the model is read.
    const again = await run(...files, ...args, '--skip-existing', '--model', '/no/such.apr');
    expect([again.status, again.stderr]).toEqual([
      0,
      '3 of 3 recordings have their transcript already\n',
    ]);
  });

  test('does again what is not whole', async () => {
    const files = ['a', 'b', 'c', 'd'].map((name) => recording(`${name}.wav`));
    const args = ['--beside', '--format', 'json,vtt'];
    expect((await run(...files, ...args, '--jobs', '2')).status).toBe(0);
    truncateSync(join(folder, 'a.json'), 100);
    truncateSync(join(folder, 'b.vtt'), 0);
    rmSync(join(folder, 'c.json'));
    writeFileSync(join(folder, 'd.vtt'), 'kept');
    const expected = readFileSync(join(folder, 'd.json'), 'utf8');
    const { status, stderr } = await run(...files, ...args, '--skip-existing');
    expect(status).toBe(0);
    expect(stderr).toMatch(/^1 of 4 recordings/m);
    for (const name of ['a', 'b', 'c']) {
      expect(readFileSync(join(folder, `${name}.json`), 'utf8')).toBe(expected);
      expect(readFileSync(join(folder, `${name}.vtt`), 'utf8')).toMatch(/^WEBVTT\n[^]*three/);
    }
    expect(readFileSync(join(folder, 'd.vtt'), 'utf8')).toBe('kept');
  });

  test('finds whole files only, whenever the run was ended', async () => {
    const files = ['a', 'b', 'c', 'd'].map((name) => recording(`in/${name}.wav`));
    const args = [...files, '--jobs', '2', '--output-dir', output(), '--format', 'txt,srt'];
    for (const turn of rounds(20)) {
      const job = start(...args);
      void sleep(100 + 40 * turn).then(() => job.process.kill(turn % 2 ? 'SIGTERM' : 'SIGINT'));
      // 0: it was through already.
      expect([0, turn % 2 ? 143 : 130, turn % 2 ? 'SIGTERM' : 'SIGINT']).toContain(await job.ended);
      const found = existsSync(output()) ? readdirSync(output()) : [];
      for (const name of found) {
        expect(name).toMatch(/^[abcd]\.(txt|srt)$/);
        expect(textOf(join(output(), name))).toMatch(/three[^]*five$/);
      }
      rmSync(output(), { recursive: true, force: true });
    }
  });
});
