import { invalidOption } from '../api/errors.js';
import type { SpeakerTurn } from '../api/types.js';

/** Fields are separated by blanks. */
const field = (text: string): string => text.trim().replace(/\s+/gu, '_') || '_';

/**
 * Returns turns as Rich Transcription Time Marked (RTTM), which tools that measure diarization read: a line each. The segments of a
 * transcript with speakers are turns, too.
 *
 * @param recording What the lines call the recording.
 * @throws SusurrusError `invalid_argument` for anything but turns.
 * @example
 * ```js
 * console.log(formatTurns(await findSpeakers(file), 'meeting'));
 * // SPEAKER meeting 1 0.512 3.190 <NA> <NA> S1 <NA> <NA>
 * ```
 */
export function formatTurns(
  found: {
    readonly turns: readonly (Omit<SpeakerTurn, 'speaker'> & { readonly speaker?: string })[];
  },
  recording = 'recording',
): string {
  const given: unknown = (found as { readonly turns?: unknown } | null | undefined)?.turns;
  if (!Array.isArray(given)) throw invalidOption('found', 'what findSpeakers() returned', found);
  const name = field(recording);
  return found.turns
    .flatMap(({ start, end, speaker }) => {
      if (speaker === undefined) return [];
      const times = `${start.toFixed(3)} ${(end - start).toFixed(3)}`;
      return `SPEAKER ${name} 1 ${times} <NA> <NA> ${field(speaker)} <NA> <NA>\n`;
    })
    .join('');
}
