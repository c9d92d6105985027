import { invalidOption } from '../api/errors.js';
import { writeCsv } from './csv.js';
import { writeJson } from './json.js';
import { writeLrc } from './lrc.js';
import { checkFormatOptions } from './options.js';
import type { FormatOptions, TranscriptFormat } from './options.js';
import { writeSrt } from './srt.js';
import { checkTranscript } from './transcript.js';
import type { TranscriptLike } from './transcript.js';
import { writeTsv } from './tsv.js';
import { writeTxt } from './txt.js';
import { writeVerboseJson } from './verbose_json.js';
import { writeVtt } from './vtt.js';

const writers: Readonly<
  Record<TranscriptFormat, (transcript: TranscriptLike, options: FormatOptions) => string>
> = {
  txt: writeTxt,
  srt: writeSrt,
  vtt: writeVtt,
  tsv: writeTsv,
  json: writeJson,
  lrc: writeLrc,
  csv: writeCsv,
  verbose_json: writeVerboseJson,
};

/** Names of the formats that format() writes. */
export const transcriptFormats = Object.keys(writers) as readonly TranscriptFormat[];

/**
 * Returns a transcript as the content of a file. A pure function: it needs no model.
 *
 * @throws SusurrusError `invalid_argument` for an unknown format, a wrong option, or anything but a transcript.
 * @example
 * ```js
 * const vtt = format(await model.transcribe(file), 'vtt', { maxLineWidth: 42 });
 * console.log(vtt);
 * ```
 */
export function format(
  transcript: TranscriptLike,
  name: TranscriptFormat,
  options: FormatOptions = {},
): string {
  if (!Object.hasOwn(writers, name)) {
    throw invalidOption('format', `one of ${transcriptFormats.join(', ')}`, name);
  }
  checkFormatOptions(options);
  checkTranscript(transcript);
  return writers[name](transcript, options);
}
