import { firstStrong } from './direction.js';
import type { FormatOptions } from './options.js';
import { subtitleCues } from './subtitle_cues.js';
import { clock } from './time.js';
import type { TranscriptLike } from './transcript.js';

/** WebVTT subtitles. */
export function writeVtt(transcript: TranscriptLike, options: FormatOptions): string {
  const time = (milliseconds: number) => clock(milliseconds, { mark: '.', hasHours: false });
  const blocks = [...subtitleCues(transcript, options, firstStrong)].map(
    ({ start, end, text }) => `${time(start)} --> ${time(end)}\n${text}\n\n`,
  );
  return `WEBVTT\n\n${blocks.join('')}`;
}
