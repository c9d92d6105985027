import type { TranscriptSegment, Word } from '../src/node.js';

/**
 * A segment for each line, with the words that make it up; `words` are those of all lines one after the other. A word
 * that reaches over the end of a line belongs to that line.
 */
export function linesWithWords(
  lines: readonly string[],
  words: readonly Word[],
): TranscriptSegment[] {
  const visible = (part: string): number => part.replaceAll(/\s/g, '').length;
  const segments: TranscriptSegment[] = [];
  let next = 0;
  let ahead = 0; // characters already taken by words of the line before
  for (const line of lines) {
    const ours: Word[] = [];
    ahead -= visible(line);
    while (ahead < 0 && next < words.length) {
      const word = words[next++]!;
      ahead += visible(word.word);
      ours.push(word);
    }
    if (ours.length === 0) continue;
    const { start } = ours[0]!;
    segments.push({ start, end: ours.at(-1)!.end, text: line, words: ours });
  }
  return segments;
}
