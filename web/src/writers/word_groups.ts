import type { FormatOptions } from './options.js';
import type { TranscriptWord } from './transcript.js';
import { strip } from './white_space.js';

/** A pause that ends a subtitle, in seconds. */
const longPause = 3;

/**
 * Words of segments as subtitles: the first word of each line is without white space, and begins with a line feed where
 * it is not the first of its subtitle. With both `maxLineWidth` and `maxLineCount` a subtitle may reach over segments;
 * else each segment begins one.
 */
export function* wordGroups(
  segments: readonly (readonly TranscriptWord[])[],
  { maxLineWidth, maxLineCount, maxWordsPerLine }: FormatOptions,
): Generator<TranscriptWord[]> {
  const keepsSegments = maxLineCount === undefined || maxLineWidth === undefined;
  const width = maxLineWidth ?? 1000;
  let group: TranscriptWord[] = [];
  let lineLength = 0;
  let lineCount = 1;
  let previousStart = segments.flat()[0]?.start ?? 0;
  for (const words of segments) {
    for (const [index, timed] of words.entries()) {
      const isFirst = index % (maxWordsPerLine ?? 1000) === 0;
      const begins = keepsSegments && isFirst && group.length > 0;
      const isLate = !keepsSegments && timed.start - previousStart > longPause;
      const hasRoom = lineLength + characterCount(timed.word) <= width;
      let { word } = timed;
      if (lineLength > 0 && hasRoom && !isLate && !begins) {
        lineLength += characterCount(word);
      } else {
        word = strip(word);
        const length = characterCount(word);
        const isFull = maxLineCount !== undefined && (isLate || lineCount >= maxLineCount);
        if (begins || (group.length > 0 && isFull)) {
          yield group;
          group = [];
          lineCount = 1;
        } else if (lineLength > 0) {
          lineCount += 1;
          word = `\n${word}`;
        }
        lineLength = length;
      }
      group.push({ ...timed, word });
      previousStart = timed.start;
    }
  }
  if (group.length > 0) yield group;
}

/** Characters, not UTF-16 units. */
function characterCount(text: string): number {
  return Array.from(text).length;
}
