// Finding and replacing text in the segments of a transcript.
import type { HeardSegment } from './transcript_document.js';

export interface Sought {
  readonly text: string;
  readonly isCaseSensitive: boolean;
}

/** A place in the text of a segment, as it is shown: without white space around it. */
export interface Match {
  readonly segment: number;
  readonly start: number;
  readonly end: number;
}

/** All places, in order. White space in what is sought stands for any. */
export function findText(segments: readonly HeardSegment[], sought: Sought): Match[] {
  const pattern = patternOf(sought);
  if (!pattern) return [];
  return segments.flatMap(({ text }, segment) =>
    [...text.trim().matchAll(pattern)].map((match) => ({
      segment,
      start: match.index,
      end: match.index + match[0].length,
    })),
  );
}

/** The new text of the match's segment. */
export function replacedAt(
  segments: readonly HeardSegment[],
  { segment, start, end }: Match,
  replacement: string,
): ReadonlyMap<number, string> {
  const text = segments[segment]?.text.trim() ?? '';
  return new Map([[segment, `${text.slice(0, start)}${replacement}${text.slice(end)}`]]);
}

/** The new texts of all segments in which it is found. */
export function replacedEverywhere(
  segments: readonly HeardSegment[],
  sought: Sought,
  replacement: string,
): ReadonlyMap<number, string> {
  const pattern = patternOf(sought);
  const texts = new Map<number, string>();
  if (!pattern) return texts;
  for (const [at, segment] of segments.entries()) {
    const text = segment.text.trim();
    const replaced = text.replace(pattern, () => replacement);
    if (replaced !== text) texts.set(at, replaced);
  }
  return texts;
}

function patternOf({ text, isCaseSensitive }: Sought): RegExp | undefined {
  if (text.trim() === '') return undefined;
  const literal = text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&').replaceAll(/\s+/gu, '\\s+');
  return new RegExp(literal, isCaseSensitive ? 'gu' : 'giu');
}
