// The ffmpeg on the PATH decodes what nothing here does: a process whose samples are read while they come.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { access, constants, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { SusurrusError } from '../src/node.js';

/** Bytes of its messages that are kept. */
const mostMessages = 1000;
const sampleBytes = Float32Array.BYTES_PER_ELEMENT;

/** Where it is; undefined where it is not. */
export async function ffmpegPath(): Promise<string | undefined> {
  const name = process.platform === 'win32' ? 'ffmpeg.exe' : 'ffmpeg';
  for (const folder of (process.env.PATH ?? '').split(delimiter).filter(Boolean)) {
    const path = join(folder, name);
    const isThere = await access(path, constants.X_OK).then(
      async () => (await stat(path)).isFile(),
      () => false,
    );
    if (isThere) return path;
  }
  return undefined;
}

/**
 * `file:` keeps a name from being an option or a URL, and the whitelist keeps a playlist from opening one. The first audio track
 * is taken.
 */
const argumentsFor = (input: string): string[] => [
  '-nostdin',
  '-hide_banner',
  '-nostats',
  '-v',
  'level+info',
  '-protocol_whitelist',
  'file,pipe',
  '-i',
  input,
  '-map',
  '0:a:0',
  '-ac',
  '1',
  '-ar',
  '16000',
  '-f',
  'f32le',
  '-',
];

/** A line about the input; those of tags begin further right. */
const durationLine = /^\[info\] {3}Duration: (\d+):(\d\d):(\d\d(?:\.\d+)?),/;

interface Ending {
  readonly status: number | null;
  readonly signal: string | null;
  readonly error?: Error;
}

/** Decodes one recording to 16 kHz mono. The caller that starts it must close it. */
export class Ffmpeg {
  readonly #child: ChildProcess;
  readonly #samples: Readable;
  /** When the process is gone. */
  readonly #exited: Promise<Ending>;
  /** When it is gone and all that it wrote has been read. */
  readonly #ended: Promise<Ending>;
  /** What it said of failures. */
  #messages = '';
  readonly #onDuration: (seconds: number) => void;

  /**
   * `input`: the path of a file, or bytes, which go through a pipe. `onDuration` gets what the file says of its length, if it says
   * anything.
   */
  constructor(program: string, input: string | Blob, onDuration: (seconds: number) => void) {
    this.#onDuration = onDuration;
    const isPath = typeof input === 'string';
    const child = spawn(program, argumentsFor(isPath ? `file:${input}` : 'pipe:0'), {
      stdio: [isPath ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      windowsHide: true,
    });
    this.#child = child;
    this.#samples = child.stdout as Readable;
    const { stdin, stderr } = child;
    if (stderr) {
      createInterface({ input: stderr }).on('line', (line) => this.#take(line));
    }
    const failed = new Promise<Ending>((done) => {
      child.once('error', (error) => done({ status: null, signal: null, error }));
    });
    const when = (event: 'exit' | 'close'): Promise<Ending> =>
      Promise.race([
        failed,
        new Promise<Ending>((done) => {
          child.once(event, (status: number | null, signal: string | null) =>
            done({ status, signal }),
          );
        }),
      ]);
    this.#exited = when('exit');
    this.#ended = when('close');
    if (stdin) {
      // It may end before it has read everything.
      stdin.on('error', () => undefined);
      if (!isPath) void feed(stdin, input);
    }
  }

  #take(line: string): void {
    const [, hours, minutes, seconds] = durationLine.exec(line) ?? [];
    if (hours !== undefined) {
      this.#onDuration(Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds));
    }
    if (/\[(info|warning)\]/.test(line)) return;
    const text = line.replace(/\[(error|fatal|panic)\] /, '');
    this.#messages = `${this.#messages}${text}\n`.slice(-mostMessages);
  }

  /** Its samples; at the end an error unless it decoded the whole recording. */
  async *samples(): AsyncGenerator<Float32Array, undefined> {
    let rest: Uint8Array = new Uint8Array();
    let count = 0;
    for await (const chunk of this.#samples as AsyncIterable<Uint8Array>) {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const whole = bytes.length - (bytes.length % sampleBytes);
      rest = bytes.subarray(whole);
      if (whole === 0) continue;
      const samples = new Float32Array(whole / sampleBytes);
      new Uint8Array(samples.buffer).set(bytes.subarray(0, whole));
      count += samples.length;
      yield samples;
    }
    const { status, signal, error } = await this.#ended;
    if (error) throw failure(`ffmpeg could not be started: ${error.message}`);
    if (signal !== null) throw failure(`ffmpeg was ended by ${signal}`);
    const said = this.#messages.trim() || `exit status ${status ?? 'unknown'}`;
    if (status !== 0) throw failure(`ffmpeg could not decode it: ${said}`);
    if (count === 0) throw failure('ffmpeg found no sound in it');
    return undefined;
  }

  /** Kills it if it still runs, and waits for its end. */
  async close(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
    this.#samples.destroy();
    this.#child.stderr?.destroy();
    this.#child.stdin?.destroy();
  }
}

async function feed(stdin: NodeJS.WritableStream, bytes: Blob): Promise<void> {
  try {
    for await (const chunk of bytes.stream() as unknown as AsyncIterable<Uint8Array>) {
      if (stdin.writable && !stdin.write(chunk)) {
        await new Promise<void>((done) => {
          stdin.once('drain', done);
          stdin.once('close', done);
        });
      }
      if (!stdin.writable) return;
    }
    stdin.end();
  } catch {
    // Its end tells.
  }
}

const failure = (problem: string): SusurrusError =>
  new SusurrusError('malformed', problem, { reason: 'bad_audio', subject: 'audio' });
