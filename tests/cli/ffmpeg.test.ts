// Recordings that ffmpeg decodes. It is a script on a PATH of the test's own: nothing is installed, and pipes hold it where a test
// needs it to wait.
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { SusurrusError } from '../../web/src/api/errors.js';
import { withAudio } from '../../web/cli/audio_source.js';
import type { DecodedAudio } from '../../web/cli/decoded_by_ffmpeg.js';
import { withDuration } from '../../web/cli/heard.js';
import { namedPipe, whenRead } from '../support/command_process.js';
import {
  errorOf,
  modelPath,
  sampleAudio,
  samplePath,
  sampleText,
} from '../support/embedded_model.js';
import { runCommand } from '../support/fake_cli.js';
import { projectRoot } from '../support/shared_folder.js';

const folder = mkdtempSync(join(tmpdir(), 'susurrus-ffmpeg-'));
const program = join(folder, 'ffmpeg');
const talk = join(folder, '-talk=1.m4a');
const sound = join(folder, 'sound.f32');
const path = process.env.PATH;
const samples = Float32Array.from({ length: 40_000 }, (_, i) => Math.sin(i / 10));
beforeAll(() => {
  writeFileSync(talk, 'no audio');
  writeFileSync(sound, samples);
});
beforeEach(() => {
  process.env.PATH = folder;
});
afterEach(() => {
  process.env.PATH = path;
  rmSync(program, { force: true });
});
afterAll(() => rmSync(folder, { recursive: true }));

/** `script`: lines of a shell, which writes its arguments and its number down first. */
function fakeFfmpeg(script: string): void {
  const notes = `printf '%s\\n' "$@" > '${folder}/args'; echo $$ > '${folder}/pid'`;
  writeFileSync(program, `#!/bin/sh\n${notes}\n${script}\n`);
  chmodSync(program, 0o755);
}

const undecoded = new SusurrusError('unsupported_feature', 'There is no decoder for it here.', {
  reason: 'bad_audio',
});
const isGone = (): boolean =>
  !existsSync(`/proc/${readFileSync(join(folder, 'pid'), 'utf8').trim()}`);

interface Hearing {
  readonly signal?: AbortSignal;
  readonly listen?: (audio: DecodedAudio) => Promise<unknown>;
  readonly onDuration?: (seconds: number) => void;
}

/** What is heard of the file that the package refuses, and what was said. */
async function hear({
  signal = new AbortController().signal,
  listen = collected,
  onDuration = () => undefined,
}: Hearing = {}): Promise<{ heard: unknown; notes: readonly string[] }> {
  const notes: string[] = [];
  const work = { signal, onNote: (line: string) => notes.push(line), onDuration };
  const heard = await withAudio(talk, work, (audio) =>
    typeof audio === 'string' ? Promise.reject(undecoded) : listen(audio as DecodedAudio),
  );
  return { heard, notes };
}

const failureOf = async (work: Promise<unknown>): Promise<SusurrusError> =>
  (await errorOf(work)) as SusurrusError;

async function collected({ stream }: DecodedAudio): Promise<number[]> {
  const all: number[] = [];
  for await (const piece of stream) for (const value of piece) all.push(value);
  return all;
}

test('its samples are heard, which one line says, and the name is no option', async () => {
  fakeFfmpeg(`cat '${sound}'; printf abc`);
  expect(await hear()).toEqual({
    heard: [...samples],
    notes: [`${talk}: decoded by ffmpeg\n`],
  });
  const args = readFileSync(join(folder, 'args'), 'utf8').trim().split('\n');
  expect(args.slice(args.indexOf('-protocol_whitelist'), args.indexOf('-map'))).toEqual([
    ...['-protocol_whitelist', 'file,pipe', '-i', `file:${talk}`],
  ]);
  expect(isGone()).toBe(true);
});

test.each([0, 480_000])(
  'who reads %d samples of it ends a process that would go on',
  async (most) => {
    fakeFfmpeg(`while cat '${sound}'; do :; done`);
    const { heard } = await hear({
      async listen({ stream }) {
        let count = 0;
        for await (const piece of stream) {
          count += piece.length;
          if (count > most) break;
        }
        return count;
      },
    });
    expect(heard).toBeGreaterThan(most);
    expect(isGone()).toBe(true);
  },
);

test('what the file says of its length is known, and is no failure', async () => {
  const lines = ['    Duration   : 00:00:09.00,', '  Duration: 01:02:03.50, start: 0.0', 'Output'];
  const said = lines.map((line) => `echo '[info] ${line}' >&2`).join('; ');
  const durations: number[] = [];
  fakeFfmpeg(`${said}; cat '${sound}'`);
  await hear({ onDuration: (seconds) => durations.push(seconds) });
  expect(durations).toEqual([3723.5]);
  fakeFfmpeg(`${said}; echo '[in#0 @ 0x1] [error] moov atom not found' >&2; exit 1`);
  expect((await failureOf(hear())).message).toMatch(
    /decode it: \[in#0 @ 0x1\] moov atom not found$/,
  );
});

test('progress through it has that length, and the time that is left', () => {
  const event = { phase: 'transcribe', loaded: 600 } as const;
  expect(withDuration(event, 3600, 60)).toEqual({
    ...{ ...event, total: 3600, fraction: 1 / 6, remainingSeconds: 300 },
  });
  // A file may say less than it has.
  expect(withDuration(event, 500, 60)).toMatchObject({ fraction: 1, remainingSeconds: 0 });
  for (const other of [
    { ...event, total: 700, fraction: 6 / 7 },
    { phase: 'download', loaded: 600 } as const,
  ]) {
    expect(withDuration(other, 3600, 60)).toBe(other);
  }
  expect(withDuration(event, undefined, 60)).toBe(event);
});

test.each([
  ['fails', `echo 'moov atom not found' >&2; exit 1`, /could not decode it: moov atom not found$/],
  ['fails late and silently', `cat '${sound}'; exit 3`, /could not decode it: exit status 3$/],
  ['ends early', 'exit 0', /found no sound in it$/],
  ['is killed', 'kill -9 $$', /was ended by SIGKILL$/],
])('where it %s there is one error', async (_, script, says) => {
  fakeFfmpeg(script);
  const { code, message } = await failureOf(hear());
  expect([code, message]).toEqual(['malformed', expect.stringMatching(says)]);
  expect(message.startsWith(`${talk}: ffmpeg `)).toBe(true);
});

test('an abort ends it, and waits for its end', async () => {
  const pipe = namedPipe(join(folder, 'pipe'));
  fakeFfmpeg(`exec cat '${pipe}'`);
  const abort = new AbortController();
  const work = failureOf(hear({ signal: abort.signal }));
  const end = await whenRead(pipe);
  abort.abort('enough');
  abort.abort('twice');
  expect(await work).toBe('enough');
  expect(isGone()).toBe(true);
  await end.close();
});

test('a listener that throws ends it', async () => {
  fakeFfmpeg(`while cat '${sound}'; do :; done`);
  const failing = hear({ listen: () => Promise.reject(new Error('mine')) });
  await expect(failing).rejects.toThrow('mine');
  expect(isGone()).toBe(true);
});

test('without it the error says what would help', async () => {
  const { code, message } = await failureOf(hear());
  expect(code).toBe('unsupported_feature');
  expect(message).toMatch(/no decoder for it here\. With ffmpeg on the PATH, this command has it/);
});

/** What the command says of stdin. */
function transcribe(input: string | Uint8Array, ...args: string[]) {
  const env = { ...process.env, PATH: `${folder}${delimiter}${path ?? ''}` };
  const command = ['transcribe', '-', '--model', modelPath, ...args];
  return runCommand(join(projectRoot, 'dist/cli.mjs'), command, { env, input });
}

test('the command writes its text', async () => {
  writeFileSync(join(folder, 'spoken.f32'), sampleAudio());
  fakeFfmpeg(`cat > /dev/null; cat '${folder}/spoken.f32'`);
  const { stdout, stderr, status } = await transcribe('no audio');
  expect([status, stderr]).toEqual([0, 'stdin: decoded by ffmpeg\n']);
  expect(stdout.trim().split(/\s+/).join(' ')).toBe(sampleText);
});

test('what comes of it is what comes of a WAV file of any length, in chunks', async () => {
  const sample = sampleAudio();
  // Over ten minutes, nearly all of them silence.
  const long = new Float32Array(602 * 16000);
  for (const at of [0, long.length - sample.length]) long.set(sample, at);
  writeFileSync(join(folder, 'long.f32'), long);
  fakeFfmpeg(`cat > /dev/null; cat '${folder}/long.f32'`);
  const wav = Buffer.concat([
    readFileSync(samplePath).subarray(0, 44),
    new Uint8Array(Int16Array.from(long, (value) => value * 32768).buffer),
  ]);
  wav.writeUInt32LE(wav.length - 44, 40);
  const options = ['--format', 'json', '--workers', '2', '--temperature', '0'];
  const [decoded, read] = [
    await transcribe('no audio', ...options),
    await transcribe(wav, ...options),
  ];
  expect([decoded.status, read.status, read.stderr]).toEqual([0, 0, '']);
  expect(decoded.stdout).toBe(read.stdout);
  expect(decoded.stdout).toContain('"chunk_count": 1');
});
