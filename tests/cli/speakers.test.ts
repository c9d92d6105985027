// susurrus speakers, and --speakers of transcripts, on a package that only says how it was called.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { bundleCommand, runCommand } from '../support/fake_cli.js';
import type { CommandOutcome } from '../support/fake_cli.js';

const folder = mkdtempSync(join(tmpdir(), 'susurrus-cli-speakers-'));
const audio = join(folder, 'my talk.wav');
const bad = join(folder, 'bad.wav');
const model = join(folder, 'model.apr');

let command: string;
beforeAll(async () => {
  command = await bundleCommand(folder);
  writeFileSync(audio, 'audio');
  writeFileSync(bad, 'bad');
  writeFileSync(model, 'model');
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const run = (...args: string[]): Promise<CommandOutcome> => runCommand(command, args);

describe('susurrus speakers', () => {
  test('writes RTTM, in which each line names the recording', async () => {
    const { status, stdout, calls } = await run('speakers', audio, audio);
    expect(status).toBe(0);
    const lines =
      'SPEAKER my_talk 1 0.500 1.500 <NA> <NA> S1 <NA> <NA>\n' +
      'SPEAKER my_talk 1 1.750 1.250 <NA> <NA> S2 <NA> <NA>\n';
    expect(stdout).toBe(lines + lines);
    expect(calls.map(([name]) => name)).toEqual(['loadSpeakerFinder', 'find', 'find', 'dispose']);
    expect(calls[1]).toEqual(['find', audio, { vectors: false }]);
  });

  test('passes on how many there are, and writes JSON', async () => {
    const exact = await run('speakers', audio, '--speakers', '3', '--json', '--vectors');
    expect(exact.calls[1]![2]).toEqual({ count: 3, vectors: true });
    expect(JSON.parse(exact.stdout)).toMatchObject({ duration: 3, turns: [{ speaker: 'S1' }, {}] });
    const range = await run('speakers', audio, '--speakers', '2-5', '--variant', 'relaxed');
    expect(range.calls[0]).toEqual(['loadSpeakerFinder', { variant: 'relaxed' }]);
    expect(range.calls[1]![2]).toEqual({ min: 2, max: 5, vectors: false });
  });

  test('goes on behind a recording that cannot be read', async () => {
    const { status, stdout, stderr } = await run('speakers', bad, audio);
    expect(status).toBeGreaterThan(0);
    expect(stderr).toMatch(/bad\.wav: no audio file \[malformed\]/);
    expect(stdout).toContain('S2');
  });

  test.each([
    [['speakers'], /at least one recording/],
    [['speakers', audio, '--vectors'], /--vectors needs --json/],
    [['speakers', audio, '--speakers', 'many'], /--speakers is a number, not 'many'/],
    [['speakers', audio, '--variant', 'fast'], /simd or relaxed/],
  ])('%j is refused', async (args, message) => {
    const { status, stderr, calls } = await run(...args);
    expect([status, calls]).toEqual([64, []]);
    expect(stderr).toMatch(message);
  });
});

describe('transcribe --speakers', () => {
  test('names whoever speaks before the text', async () => {
    const { stdout, calls } = await run('transcribe', audio, '-m', model, '--speakers', 'auto');
    expect(stdout).toBe('S1: Hallo Welt.\n');
    expect(calls.find(([name]) => name === 'transcribe')![2]).toMatchObject({ speakers: {} });
  });

  test('the word times are there for subtitles', async () => {
    const given = ['--speakers', '2', '-f', 'vtt', '--max-words-per-line', '1'];
    const { stdout, calls } = await run('transcribe', audio, '-m', model, ...given);
    expect(stdout).toContain('<v S1>Hallo\n');
    expect(calls.find(([name]) => name === 'transcribe')![2]).toMatchObject({
      speakers: { count: 2 },
    });
  });
});
