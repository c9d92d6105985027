import { cues } from './cues.js';
import type { FormatOptions } from './options.js';
import { clock } from './time.js';
import type { TranscriptLike } from './transcript.js';

/** WebVTT subtitles. */
export function writeVtt(transcript: TranscriptLike, options: FormatOptions): string {
  const time = (milliseconds: number) => clock(milliseconds, { mark: '.', hasHours: false });
  const blocks = [...cues(transcript, options)].map(
    ({ start, end, text }) => `${time(start)} --> ${time(end)}\n${text}\n\n`,
  );
  return `WEBVTT\n\n${blocks.join('')}`;
}
