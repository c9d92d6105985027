import { cues } from './cues.js';
import type { FormatOptions } from './options.js';
import { clock } from './time.js';
import type { Transcript } from './transcript.js';

/** WebVTT subtitles. */
export function writeVtt(transcript: Transcript, options: FormatOptions): string {
  const time = (milliseconds: number) => clock(milliseconds, { mark: '.', hasHours: false });
  const blocks = [...cues(transcript, options)].map(
    ({ start, end, text }) => `${time(start)} --> ${time(end)}\n${text}\n\n`,
  );
  return `WEBVTT\n\n${blocks.join('')}`;
}
