// Finding and replacing text in the paragraphs of a transcript.
import { ParagraphText, type Piece } from './paragraph_text.js';
import { paragraphsOf } from './paragraphs.js';
import type { HeardSegment } from './transcript_document.js';

export interface Sought {
  readonly text: string;
  readonly isCaseSensitive: boolean;
}

/** A place in the text of a paragraph. */
export interface Match {
  readonly paragraph: ParagraphText;
  readonly start: number;
  readonly end: number;
  /** What it covers of each segment; at least one. */
  readonly pieces: readonly Piece[];
}

/** All places, in order; also those that begin in one segment and end in another. White space in what is sought stands for any. */
export function findText(segments: readonly HeardSegment[], sought: Sought): Match[] {
  const pattern = patternOf(sought);
  if (!pattern) return [];
  return paragraphsOf(segments).flatMap((group) => {
    const paragraph = new ParagraphText(segments, group);
    return [...paragraph.text.matchAll(pattern)].map(({ 0: found, index: start }) => {
      const end = start + found.length;
      return { paragraph, start, end, pieces: paragraph.pieces(start, end) };
    });
  });
}

/** The new texts of the segments in the paragraph of the match. */
export function replacedAt(
  { paragraph, start, end }: Match,
  replacement: string,
): ReadonlyMap<number, string> {
  const { text } = paragraph;
  return paragraph.rewritten(`${text.slice(0, start)}${replacement}${text.slice(end)}`);
}

/** The new texts of all segments in the paragraphs where it is found. */
export function replacedEverywhere(
  matches: readonly Match[],
  sought: Sought,
  replacement: string,
): ReadonlyMap<number, string> {
  const pattern = patternOf(sought);
  const paragraphs = new Set(matches.map(({ paragraph }) => paragraph));
  return new Map(
    [...paragraphs].flatMap((paragraph) =>
      pattern ? [...paragraph.rewritten(paragraph.text.replace(pattern, () => replacement))] : [],
    ),
  );
}

/** Undefined when there is nothing to seek. */
export function patternOf({ text, isCaseSensitive }: Sought): RegExp | undefined {
  if (text.trim() === '') return undefined;
  const literal = text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&').replaceAll(/\s+/gu, '\\s+');
  return new RegExp(literal, isCaseSensitive ? 'gu' : 'giu');
}
