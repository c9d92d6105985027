// susurrus listen: captions of the samples on stdin.
import { afterAll, describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { LiveEvent } from '../../web/src/api/types.js';
import { startCommand, type CommandProcess } from '../support/command_process.js';
import { digits, digitsWithFlags, lexiconOf } from '../support/digits_bw2l.js';
import { modelPath } from '../support/embedded_model.js';
import { wavSamples } from '../support/goldens_audio.js';
import { describeWithShared, sharedFolder } from '../support/shared_folder.js';

const folder = mkdtempSync(join(tmpdir(), 'susurrus-listen-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});
const inFolder = (name: string, content: string | Uint8Array): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

/** 16-bit samples in pieces that end within one. */
async function hear(
  { process: child, ended, stdout, stderr }: CommandProcess,
  samples: Float32Array,
): Promise<{ status: number | string; stdout: string; stderr: string }> {
  // A command that refuses its arguments has ended before it reads.
  child.stdin?.on('error', () => undefined);
  const bytes = Buffer.from(
    Int16Array.from(samples, (sample) => Math.round(32767 * sample)).buffer,
  );
  for (let at = 0; at < bytes.length; at += 9999) {
    child.stdin?.write(bytes.subarray(at, at + 9999));
  }
  child.stdin?.end();
  return { status: await ended, stdout: stdout(), stderr: stderr() };
}

describeWithShared(['april-digits', 'bw2l-digits'], 'susurrus listen', () => {
  const april = resolve(sharedFolder, 'april-digits/digits.april');
  const samples = wavSamples(join('april-digits/eval', 'short-0.wav'));

  test('writes what is final into a pipe, a line for each', async () => {
    const heard = await hear(startCommand('listen', '--model', april), samples);
    expect(heard).toEqual({ status: 0, stdout: 'one six.\n', stderr: '' });
  });

  test('--json writes every event', async () => {
    const { stdout, status } = await hear(
      startCommand('listen', '--model', april, '--json'),
      samples,
    );
    expect(status).toBe(0);
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as LiveEvent);
    expect(new Set(events.map(({ type }) => type))).toContain('partial');
    expect(events.flatMap((event) => (event.type === 'final' ? [event.text] : []))).toEqual([
      ' one six.',
    ]);
  });

  test('--rate says how fast the samples come', async () => {
    const slow = samples.filter((_, i) => i % 2 === 0);
    const run = (rate: string) =>
      hear(startCommand('listen', '--model', april, '--json', '--rate', rate), slow);
    const ends = (stdout: string): number[] =>
      stdout
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as LiveEvent).time);
    const [half, whole] = [await run('8000'), await run('16000')];
    expect(half.status).toBe(0);
    expect(Math.max(...ends(half.stdout))).toBeGreaterThan(1.5 * Math.max(...ends(whole.stdout)));
    for (const rate of ['0', 'fast']) {
      expect(await run(rate)).toMatchObject({
        ...{ status: 5, stdout: '' },
        stderr: expect.stringMatching(/rate/i) as unknown,
      });
    }
  });

  test('searches a BW2L model that streams with its lexicon', async () => {
    const model = inFolder(
      'limited.b2l',
      digitsWithFlags({ localnrmlleftctx: '300', localnrmlrightctx: '30' }),
    );
    const lexicon = inFolder('lexicon.txt', lexiconOf(digits));
    const { status, stdout } = await hear(
      startCommand(
        ...['listen', '--model', model, '--lexicon', lexicon, '--beam-size', '50'],
        ...['--word-score', '1'],
      ),
      wavSamples(join('bw2l-digits/eval', 'long-0.wav')),
    );
    expect(status).toBe(0);
    const words = stdout.split(/\s+/).filter(Boolean);
    expect(words.length).toBeGreaterThan(4);
    for (const word of words) expect(digits).toContain(word);
  });

  test('with samples that are none: no caption, no error', async () => {
    const nothing = await hear(startCommand('listen', '--model', april), new Float32Array());
    expect(nothing).toEqual({ status: 0, stdout: '', stderr: '' });
  });
});

describe('susurrus listen refuses', () => {
  const samples = new Float32Array(16000);

  test('a model that does not stream, and says which one does', async () => {
    const heard = await hear(startCommand('listen', '--model', modelPath), samples);
    expect(heard.status).not.toBe(0);
    expect(heard.stdout).toBe('');
    expect(heard.stderr).toMatch(/^susurrus: [^\n]*stream needs an \.april model[^\n]*\n$/);
  });

  test('files, and options of other commands', async () => {
    for (const args of [['sound.wav'], ['--language', 'en']]) {
      const heard = await hear(startCommand('listen', '--model', modelPath, ...args), samples);
      expect(heard).toMatchObject({ status: 5, stdout: '' });
    }
  });
});
