import type { Transcript } from './transcript.js';
import { strip } from './white_space.js';

/** A line for each segment. */
export function writeTxt({ segments }: Transcript): string {
  return segments.map(({ text }) => `${strip(text)}\n`).join('');
}
