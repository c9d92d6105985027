import { breaksOf, mayBreak, needsBreaks } from './line_breaks.js';
import type { FormatOptions } from './options.js';
import type { TranscriptLike, TranscriptWord } from './transcript.js';
import { wordsOf } from './transcript.js';

/** A pause that ends a subtitle, in seconds. */
export const longPause = 3;

/** A timed word, or a part of one, whose time is then in proportion to its characters. */
export interface UnitPart extends TranscriptWord {
  /** The whole word, which tells parts of the same one. */
  readonly source: TranscriptWord;
}

/** What no line break parts. */
export type LineUnit = readonly UnitPart[];

/**
 * What the lines of each segment are made of, or undefined where the transcript lacks words. A timed word is one unit, but in scripts
 * without blanks, whose timed words may be single characters and whole sentences.
 */
export function lineUnits(
  transcript: TranscriptLike,
  { maxLineWidth = Infinity, compatibility }: FormatOptions,
): (readonly LineUnit[])[] | undefined {
  return wordsOf(transcript)?.map((given, at) => {
    const { speaker } = transcript.segments[at]!;
    const words = speaker === undefined ? given : given.map((word) => ({ speaker, ...word }));
    const text = words.map(({ word }) => word).join('');
    const language = transcript.segments[at]?.language ?? transcript.language;
    if (compatibility === 'openai' || !needsBreaks(text, language)) {
      return words.map((source) => [{ ...source, source }]);
    }
    const breaks = new Set([...breaksOf(text, language, maxLineWidth), ...pauses(words, text)]);
    return unitsBetween(
      words,
      [...breaks].sort((a, b) => a - b),
    );
  });
}

/** A long pause ends a word whatever is written. */
function pauses(words: readonly TranscriptWord[], text: string): readonly number[] {
  let at = 0;
  return words.flatMap(({ word, start }, i) => {
    const begin = at;
    at += word.length;
    const isLate = start - (words[i - 1]?.start ?? start) > longPause;
    return isLate && mayBreak(text, begin) ? [begin] : [];
  });
}

/** Units that begin at increasing offsets within the words' text. */
function unitsBetween(words: readonly TranscriptWord[], breaks: readonly number[]): LineUnit[] {
  const units: UnitPart[][] = [];
  let next = 0;
  let at = 0;
  for (const source of words) {
    const { word, start, end } = source;
    const time = (offset: number): number => start + ((end - start) * offset) / word.length;
    let from = 0;
    while (breaks[next] !== undefined && breaks[next]! < at) ++next;
    let isNew = units.length === 0 || breaks[next] === at;
    if (breaks[next] === at) ++next;
    do {
      const to = Math.min(word.length, (breaks[next] ?? Infinity) - at);
      const part = {
        ...source,
        word: word.slice(from, to),
        start: from === 0 ? start : time(from),
        end: to === word.length ? end : time(to),
        source,
      };
      if (isNew) units.push([part]);
      else units.at(-1)!.push(part);
      isNew = true;
      from = to;
      if (from < word.length) ++next;
    } while (from < word.length);
    at += word.length;
  }
  return units;
}
