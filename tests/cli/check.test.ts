// susurrus check, and --profile of transcripts, on a package that only says how it was called.
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { bundleCommand, runCommand } from '../support/fake_cli.js';
import type { CommandOutcome } from '../support/fake_cli.js';

const folder = mkdtempSync(join(tmpdir(), 'susurrus-cli-check-'));
const good = join(folder, 'good.srt');
const short = join(folder, 'short.vtt');
const broken = join(folder, 'broken.srt');

let command: string;
beforeAll(async () => {
  command = await bundleCommand(folder);
  writeFileSync(good, '\uFEFF1\r\n00:00:01,000 --> 00:00:03,000\r\nGood morning.\r\n');
  writeFileSync(short, 'WEBVTT\n\n00:01.000 --> 00:01.200\nNo.\u001B[2J\n');
  writeFileSync(broken, '1\n00:00:01,000 -> 00:00:03,000\nGood morning.\n');
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const run = (...args: string[]): Promise<CommandOutcome> => runCommand(command, args);

describe('susurrus check', () => {
  test('says that nothing is violated', async () => {
    const { status, stdout, stderr } = await run('check', good, '--profile', 'netflix');
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^1 subtitles, 0 violations of hard rules, 0\.0 % too fast/);
  });

  test('lists violations with time, line and rule, and fails', async () => {
    const { status, stdout, stderr } = await run('check', short);
    expect([status, stderr]).toEqual([1, '']);
    expect(stdout).toMatch(
      /^error {3}00:00:01\.000 line 3 #1 shortest 0\.2 \(0\.834\): No\.\uFFFD\[2J$/m,
    );
  });

  test('--json is the report', async () => {
    const { status, stdout } = await run('check', short, '--json', '--profile', 'bbc');
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ cues: 1, isValid: false, violations: [{ rule: 'shortest', line: 3 }, {}] },
    });
  });

  test('goes on behind a file that cannot be read', async () => {
    const absent = join(folder, 'absent.srt');
    const { status, stdout, stderr } = await run('check', broken, absent, good);
    expect(status).toBe(1);
    expect(stderr).toMatch(/broken\.srt: [^\n]+: line 2; [^\n]+\[malformed\]\n.*no such file/);
    expect(stdout).toContain('0 violations');
  });

  test('reads at most 64 MiB, and no folder', async () => {
    const large = join(folder, 'large.srt');
    writeFileSync(large, '');
    truncateSync(large, 2 ** 26 + 1);
    expect(await run('check', large)).toMatchObject({ status: 4, stdout: '' });
    expect(await run('check', folder)).toMatchObject({ status: 6, stdout: '' });
  });

  test.each([
    ['no file', ['check'], /at least one FILE/],
    ['an unknown profile', ['check', good, '--profile', 'hbo'], /--profile must be one of netflix/],
    ['an unknown option', ['check', good, '--strict'], /strict/],
  ])('refuses %s', async (_, args, says) => {
    const { status, stdout, stderr } = await run(...args);
    expect([status, stdout]).toEqual([64, '']);
    expect(stderr).toMatch(says);
  });
});

describe('--profile of transcripts', () => {
  const audio = join(folder, 'talk.wav');
  beforeAll(() => {
    writeFileSync(audio, 'sound');
  });

  test('makes subtitles that pass', async () => {
    const { status, stdout } = await run('transcribe', audio, '-f', 'srt', '--profile', 'netflix');
    expect(status).toBe(0);
    const file = join(folder, 'made.srt');
    writeFileSync(file, stdout);
    expect(await run('check', file, '--profile', 'netflix')).toMatchObject({ status: 0 });
  });

  test('refuses unknown ones, and limits beside it, before any work', async () => {
    const limits = ['--timestamps', 'word', '--max-line-width', '42'];
    for (const args of [
      ['--profile', 'hbo'],
      ['--profile', 'bbc', ...limits],
    ]) {
      const { status, calls } = await run('transcribe', audio, ...args);
      expect([status, calls]).toEqual([64, []]);
    }
  });
});
