import { toMilliseconds } from './time.js';
import type { TranscriptLike } from './transcript.js';
import { strip } from './white_space.js';

/** Milliseconds and text of each segment, between tabs. */
export function writeTsv({ segments }: TranscriptLike): string {
  const rows = segments.map(({ start, end, text }) => [
    toMilliseconds(start),
    toMilliseconds(end),
    strip(text).replaceAll('\t', ' '),
  ]);
  return [['start', 'end', 'text'], ...rows].map((row) => `${row.join('\t')}\n`).join('');
}
