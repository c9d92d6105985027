import type { WriteText } from './cues.js';
import { leftToRight, marked } from './direction.js';
import type { FormatOptions } from './options.js';
import { subtitleCues } from './subtitle_cues.js';
import { clock } from './time.js';
import type { TranscriptLike } from './transcript.js';
import { saidBy } from './white_space.js';

/** `Ada: Yes.` */
const write: WriteText = (text, speaker) => marked(saidBy(speaker, text), leftToRight);

/** SubRip subtitles. */
export function writeSrt(transcript: TranscriptLike, options: FormatOptions): string {
  const time = (milliseconds: number) => clock(milliseconds, { mark: ',', hasHours: true });
  return [...subtitleCues(transcript, options, write)]
    .map(({ start, end, text }, i) => `${i + 1}\n${time(start)} --> ${time(end)}\n${text}\n\n`)
    .join('');
}
