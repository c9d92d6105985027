import type { TranscriptLike } from './transcript.js';
import { strip } from './white_space.js';

/** A line for each segment. */
export function writeTxt({ segments }: TranscriptLike): string {
  return segments.map(({ text }) => `${strip(text)}\n`).join('');
}
