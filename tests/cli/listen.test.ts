// susurrus listen: captions of the samples on stdin.
import { afterAll, describe, expect, jest, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { liveOptions, printCaptions } from '../../web/cli/listen.js';
import type { LiveEvent } from '../../web/src/api/types.js';
import { startCommand, type CommandProcess } from '../support/command_process.js';
import { digits, digitsPath, digitsWithFlags, lexiconOf } from '../support/digits_bw2l.js';
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
  // A command that rejects its arguments has ended before it reads.
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
    for (const [rate, status] of [
      ['0', 5],
      ['fast', 64],
    ] as const) {
      expect(await run(rate)).toMatchObject({
        ...{ status, stdout: '' },
        stderr: expect.stringMatching(/rate/i) as unknown,
      });
    }
  });

  /** A WAV file as a program writes it into a pipe, which does not know how long it will be. */
  function wavFile(
    sound: Float32Array,
    { rate = 16000, channels = 1, isFloat = false, size = 0xffffffff },
  ): Buffer {
    const sampleBytes = isFloat ? 4 : 2;
    const data = Buffer.alloc(sound.length * channels * sampleBytes);
    for (let at = 0; at < sound.length * channels; ++at) {
      const value = sound[Math.floor(at / channels)]!;
      if (isFloat) data.writeFloatLE(value, 4 * at);
      else data.writeInt16LE(Math.round(32767 * value), 2 * at);
    }
    const head = Buffer.from('RIFF\xff\xff\xff\xffWAVELIST\x03\0\0\0abc\0fmt \x10\0\0\0', 'latin1');
    const format = Buffer.alloc(24);
    format.writeUInt16LE(isFloat ? 3 : 1, 0);
    format.writeUInt16LE(channels, 2);
    format.writeUInt32LE(rate, 4);
    format.writeUInt32LE(rate * channels * sampleBytes, 8);
    format.writeUInt16LE(channels * sampleBytes, 12);
    format.writeUInt16LE(8 * sampleBytes, 14);
    format.write('data', 16, 'latin1');
    format.writeUInt32LE(size, 20);
    return Buffer.concat([head, format, data]);
  }
  const hearBytes = (bytes: Buffer, ...args: string[]) => {
    const command = startCommand('listen', '--model', april, ...args);
    command.process.stdin?.on('error', () => undefined);
    // Pieces that end within the header, and within a sample.
    for (let at = 0; at < bytes.length; at += 999) {
      command.process.stdin?.write(bytes.subarray(at, at + 999));
    }
    command.process.stdin?.end();
    return command;
  };

  test('takes a WAV file, at its own rate, of any channels, with a size or without', async () => {
    const doubled = Float32Array.from({ length: 2 * samples.length }, (_, i) => samples[i >> 1]!);
    const files = [
      wavFile(samples, {}),
      wavFile(doubled, { rate: 32000, channels: 2 }),
      wavFile(samples, { isFloat: true }),
      // What follows the samples is none.
      Buffer.concat([
        wavFile(samples, { size: 2 * samples.length }),
        Buffer.from('id3 tag that is no sound'),
      ]),
    ];
    for (const file of files) {
      const command = hearBytes(file);
      expect([await command.ended, command.stdout(), command.stderr()]).toEqual([
        ...[0, 'one six.\n', ''],
      ]);
    }
  });

  test('a WAV file that cannot be heard, or that --rate contradicts, is refused', async () => {
    const file = wavFile(samples, {});
    const wrongBits = Buffer.from(file);
    wrongBits.writeUInt16LE(12, file.indexOf('fmt ') + 8 + 14);
    const cases = [
      [
        hearBytes(file, '--rate', '8000'),
        64,
        /--rate is 8000, but the WAV file on stdin has 16000/,
      ],
      [hearBytes(wrongBits), 6, /neither 16-bit integers nor 32-bit floats/],
      [hearBytes(file.subarray(0, 40)), 6, /ends before its samples/],
    ] as const;
    for (const [command, status, message] of cases) {
      expect([await command.ended, command.stdout()]).toEqual([status, '']);
      expect(command.stderr()).toMatch(message);
    }
  });

  test('Ctrl+C ends it with what was said until then', async () => {
    const command = startCommand('listen', '--model', april, '--json');
    const bytes = Buffer.from(
      Int16Array.from(samples, (sample) => Math.round(32767 * sample)).buffer,
    );
    command.process.stdin?.on('error', () => undefined);
    // The samples are speech, and stdin stays open.
    command.process.stdin?.write(bytes);
    while (!command.stdout().includes('six')) await sleep(20);
    command.process.kill('SIGINT');
    expect(await command.ended).toBe(0);
    expect(command.stderr()).toBe('');
    const last = command
      .stdout()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as LiveEvent);
    expect(last.flatMap((event) => (event.type === 'final' ? [event.text] : []))).toEqual([
      ' one six.',
    ]);
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

  test('refuses a model that does not stream, and says which ones do', async () => {
    const heard = await hear(
      startCommand('listen', '--model', digitsPath),
      new Float32Array(16000),
    );
    expect(heard.status).not.toBe(0);
    expect(heard.stdout).toBe('');
    expect(heard.stderr).toMatch(
      /^susurrus: [^\n]*stream needs a Whisper, an \.april model[^\n]*\n$/,
    );
  });
});

describe('susurrus listen refuses', () => {
  const samples = new Float32Array(16000);

  test('files, and options of other commands', async () => {
    for (const args of [
      ['sound.wav'],
      ['--temperature', '0'],
      ['--policy', 'guess'],
      ['--step', 'x'],
    ]) {
      const heard = await hear(startCommand('listen', '--model', modelPath, ...args), samples);
      expect(heard).toMatchObject({ status: 64, stdout: '' });
    }
  });
});

test('options of live Whispers reach model.stream() under their names', () => {
  expect(
    liveOptions({
      ...{ language: 'German', languages: 'en,de', task: 'translate', 'initial-prompt': 'Names' },
      ...{ hotword: ['Susurrus=8', 'april'], 'condition-on-previous-text': 'false' },
      ...{ policy: 'agreement', step: '0.5', 'max-lag': '20', 'no-vad': true, json: true },
    }),
  ).toEqual({
    ...{ language: 'German', languages: ['en', 'de'], task: 'translate', initialPrompt: 'Names' },
    hotwords: [{ text: 'Susurrus', weight: 8 }, { text: 'april' }],
    ...{ conditionOnPreviousText: false, policy: 'agreement', step: 0.5, maxLag: 20, vad: false },
  });
  expect(liveOptions({ 'max-lag': 'none', rate: '8000', vad: true })).toEqual({
    ...{ maxLag: null, vad: true },
  });
  expect(() => liveOptions({ vad: true, 'no-vad': true })).toThrow('exclude each other');
});

test('--revise and --speakers reach model.stream(), and write what was heard again and whose it is as lines of their own', async () => {
  expect(liveOptions({ revise: true, speakers: '2-3' })).toEqual({
    ...{ revise: true, speakers: { min: 2, max: 3 } },
  });
  expect(() => liveOptions({ speakers: 'few' })).toThrow('speakers');
  const span = { time: 9, start: 0, end: 1 };
  const text = (type: 'partial' | 'final', id: number, said: string): LiveEvent => ({
    ...{ ...span, type, id, text: said, words: [], committed: 0, tokens: [] },
  });
  const revised = (replaces: number[], ...texts: string[]): LiveEvent => ({
    ...{ ...span, type: 'revised', id: 2, replaces },
    segments: texts.map((each) => ({ start: 0, end: 1, text: each, words: [] })),
  });
  const events: readonly LiveEvent[] = [
    text('final', 0, ' I scream.'),
    text('final', 1, ' Thanks.'),
    text('partial', 2, ' and'),
    revised([0], ' Ice cream.', ' Two.'),
    { type: 'language', id: 2, time: 9, language: 'de', probability: 0.88 },
    revised([1]),
    {
      ...{ type: 'speakers', id: 2, time: 9, until: 8, speakers: [{ id: 'S1', seconds: 1 }] },
      texts: [
        {
          ...{ start: 0, end: 1, ids: [0] },
          segments: [
            { start: 0, end: 0.5, text: ' Ice cream.', words: [], speaker: 'S1' },
            { start: 0.5, end: 1, text: ' Two.', words: [] },
          ],
        },
      ],
    },
    text('final', 2, ' and so on.'),
  ];
  const written = async (isTTY: boolean): Promise<string> => {
    let output = '';
    const take = (part: unknown): boolean => ((output += String(part)), true);
    const spies = [process.stdout, process.stderr].map((stream) =>
      jest.spyOn(stream, 'write').mockImplementation(take),
    );
    const own = Object.getOwnPropertyDescriptor(process.stdout, 'isTTY');
    Object.defineProperty(process.stdout, 'isTTY', { configurable: true, value: isTTY });
    try {
      await printCaptions(
        (async function* () {
          await Promise.resolve();
          yield* events;
        })(),
        true,
      );
    } finally {
      for (const spy of spies) spy.mockRestore();
      if (own) Object.defineProperty(process.stdout, 'isTTY', own);
      else Reflect.deleteProperty(process.stdout, 'isTTY');
    }
    return output;
  };
  const lines = ['I scream.', 'Thanks.', '~ Ice cream. Two.', 'german (88 %)', '~ (nothing)'];
  const whose = ['~ S1: Ice cream.', '~ Two.'];
  expect(await written(false)).toBe([...lines, ...whose, 'and so on.', ''].join('\n'));
  // The text under way stands below, and is written anew.
  const clean = (await written(true)).replaceAll('\x1b[2m', '').replaceAll('\x1b[22m', '');
  expect(clean).toContain('\r\x1b[J~ Ice cream. Two.\nand\r\x1b[Jgerman (88 %)\nand');
  expect(clean).toContain('\r\x1b[J~ (nothing)\nand\r\x1b[J~ S1: Ice cream.\n~ Two.\nand');
  expect(clean).toContain('\r\x1b[Jand so on.\n');
});
