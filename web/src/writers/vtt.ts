import type { WriteText } from './cues.js';
import { firstStrong, marked } from './direction.js';
import type { FormatOptions } from './options.js';
import { subtitleCues } from './subtitle_cues.js';
import { clock } from './time.js';
import type { TranscriptLike } from './transcript.js';
import { inLine } from './white_space.js';

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** A voice span: players can tell speakers apart by it. */
const voice = (speaker: string): string =>
  `<v ${inLine(speaker).replaceAll(/[&<>]/g, (sign) => escapes[sign]!)}>`;

const write: WriteText = (text, speaker) =>
  (speaker === undefined ? '' : voice(speaker)) + marked(text, firstStrong);

/** WebVTT subtitles. */
export function writeVtt(transcript: TranscriptLike, options: FormatOptions): string {
  const time = (milliseconds: number) => clock(milliseconds, { mark: '.', hasHours: false });
  const blocks = [...subtitleCues(transcript, options, write)].map(
    ({ start, end, text }) => `${time(start)} --> ${time(end)}\n${text}\n\n`,
  );
  return `WEBVTT\n\n${blocks.join('')}`;
}
