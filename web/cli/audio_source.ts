// Where a recording comes from: a file, stdin, or a URL.
import { constants, openSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { basename, extname, isAbsolute } from 'node:path';
import type { Readable } from 'node:stream';
import { SusurrusError } from '../src/node.js';
import type { PhaseProgress } from '../src/api/overall_progress.js';
import { collect, download } from '../src/audio/encoded_file.js';
import { readFileBytes, sourceError } from './file_bytes.js';
import { isUndecoded, withFfmpeg } from './decoded_by_ffmpeg.js';
import type { DecodedAudio } from './decoded_by_ffmpeg.js';
import { printable, tell } from './terminal.js';
import { usageError } from './usage_error.js';

/** What the package takes as a recording: the path of a file, or its bytes. */
export type RecordedAudio = string | Uint8Array | Blob;

/** The work that a recording is read for. */
export interface AudioWork {
  readonly signal: AbortSignal;
  /** Reports a download. */
  readonly onProgress?: (event: PhaseProgress) => void;
  /** What people must know about it: a line. */
  readonly onNote?: (line: string) => void;
  /** Gets the seconds that a recording says it has which ffmpeg decodes. */
  readonly onDuration?: (seconds: number) => void;
}

export const isStdin = (file: string): boolean => file === '-';
export const isUrl = (file: string): boolean => /^https?:\/\//i.test(file);
export const isFile = (file: string): boolean => !isStdin(file) && !isUrl(file);

/** What messages and tables call the recording. */
export const labelOf = (file: string): string => (isStdin(file) ? 'stdin' : file);

/** What its transcripts are named after. A URL may hold anything: it never leads to another folder. */
export function stemOf(file: string): string {
  if (!isUrl(file)) return withoutEnding(labelOf(file));
  const segment = new URL(file).pathname.split('/').at(-1) ?? '';
  const name = withoutEnding(decoded(segment).replaceAll(/[\\/:*?"<>|\p{Cc}]/gu, '_'));
  return /^\.*$/.test(name) ? 'recording' : name;
}

const withoutEnding = (name: string): string => basename(name, extname(name));

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Rejects what is neither a file nor read from elsewhere. */
export async function checkSource(file: string): Promise<void> {
  if (isStdin(file)) {
    if (process.stdin.isTTY) throw usageError('- reads stdin: pipe a recording into the command');
    return;
  }
  const [, scheme] = /^([a-z][a-z0-9+.-]+:)\/\//i.exec(file) ?? [];
  if (isUrl(file)) {
    if (!URL.canParse(file)) throw usageError(`this is not a URL: '${file}'`);
  } else if (scheme !== undefined && !(await stat(file).catch(() => undefined))) {
    throw usageError(`recordings come from http: and https: URLs, not ${scheme}`);
  }
}

/**
 * Reads a recording as far as it must be read first, and passes it to `listen`; once more, as samples of ffmpeg's, if the package
 * cannot decode it. Errors name it.
 */
export async function withAudio<T>(
  file: string,
  work: AudioWork,
  listen: (audio: RecordedAudio | DecodedAudio) => Promise<T>,
): Promise<T> {
  await checkSource(file);
  const audio = await openRecording(file, work);
  const { signal, onNote = tell, onDuration } = work;
  const onStart = (): void => onNote(`${printable(labelOf(file))}: decoded by ffmpeg\n`);
  const hearDecoded = (refused: SusurrusError): Promise<T> => {
    const input = typeof audio === 'string' ? audio : new Blob([audio as BlobPart]);
    return withFfmpeg(input, refused, { signal, onStart, onDuration }, listen);
  };
  try {
    return await listen(audio).catch((error: unknown) => {
      if (!isUndecoded(error)) throw error;
      return hearDecoded(error);
    });
  } catch (error) {
    throw inRecording(file, audio, error);
  }
}

async function openRecording(file: string, work: AudioWork): Promise<RecordedAudio> {
  if (isStdin(file)) return readStream(process.stdin, 'stdin', work);
  if (isUrl(file)) return download(file, reading(work));
  // Parts of a file are read when they are decoded; what is no file can be read only once.
  const facts = await stat(file).catch(() => undefined);
  if (facts?.isFIFO()) return readStream(openPipe(file), file, work);
  if (!facts?.isFile()) return readFileBytes(file);
  return isAbsolute(file) ? file : `./${file}`;
}

/** A named pipe. No thread waits for its writer, since none could be freed of that when the work is aborted. */
function openPipe(file: string): Readable {
  try {
    return new Socket({ fd: openSync(file, constants.O_RDONLY | constants.O_NONBLOCK) });
  } catch (error) {
    throw sourceError(file, String(error));
  }
}

async function readStream(stream: Readable, name: string, work: AudioWork): Promise<Blob> {
  try {
    const bytes = await collect(stream[Symbol.asyncIterator](), name, reading(work));
    if (bytes.size === 0) throw sourceError(name, 'nothing came');
    return bytes;
  } finally {
    // Else the process waits for a writer that has not ended.
    stream.destroy();
  }
}

const reading = ({ signal, onProgress }: AudioWork) => ({ signal, onProgress });

/** Adds the recording's name to an error, unless the error has it already or is about an option. */
function inRecording(file: string, audio: RecordedAudio, error: unknown): unknown {
  if (!(error instanceof SusurrusError) || error.details.reason === 'option') return error;
  const { code, message, details, cause } = error;
  const said = typeof audio === 'string' ? message.replace(`${audio}: `, '') : message;
  return new SusurrusError(code, `${labelOf(file)}: ${said}`, details, cause);
}
