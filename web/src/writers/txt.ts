import type { TranscriptLike } from './transcript.js';
import { saidBy, strip } from './white_space.js';

/** A line for each segment, after its speaker's name if that is known. */
export function writeTxt({ segments }: TranscriptLike): string {
  return segments.map(({ text, speaker }) => `${saidBy(speaker, strip(text))}\n`).join('');
}
