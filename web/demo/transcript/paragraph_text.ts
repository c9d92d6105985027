// The text of a paragraph as a person reads and edits it, and which of its segments each part belongs to.
import { spaceBefore } from './paragraphs.js';
import { commonPairs, spaceless } from './retimed_words.js';
import type { HeardSegment } from './transcript_document.js';

/** A part of a segment's text, as it is shown: without white space around it. */
export interface Piece {
  readonly segment: number;
  readonly start: number;
  readonly end: number;
}

export class ParagraphText {
  /** The numbers of its segments. */
  readonly group: readonly number[];
  readonly text: string;
  /** Where each segment stands in it. */
  readonly #places: readonly Piece[];

  constructor(segments: readonly HeardSegment[], group: readonly number[]) {
    this.group = group;
    let text = '';
    this.#places = group.flatMap((at) => {
      const segment = segments[at];
      if (!segment) return [];
      if (text !== '') text += spaceBefore(segment);
      const start = text.length;
      text += segment.text.trim();
      return [{ segment: at, start, end: text.length }];
    });
    this.text = text;
  }

  /** Where segment number `at` begins. */
  startOf(at: number): number {
    return this.#places.find(({ segment }) => segment === at)?.start ?? 0;
  }

  /** The parts of segments from `start` to `end`, without the white space between segments. */
  pieces(start: number, end: number): Piece[] {
    return this.#places.flatMap((place) => {
      const from = Math.max(start, place.start);
      const to = Math.min(end, place.end);
      if (from >= to) return [];
      return [{ segment: place.segment, start: from - place.start, end: to - place.start }];
    });
  }

  /** The new text of each segment when the paragraph becomes `text`: words that stay stay in their segments. */
  rewritten(text: string): Map<number, string> {
    return this.#rewrite(text).texts;
  }

  /** As above for two paragraphs; `at` is the segment where the second one begins, `letter` the place in its new text. */
  split(head: string, tail: string): Split {
    const text = `${asLine(head)} ${asLine(tail)}`;
    const { texts, tokens, owners } = this.#rewrite(text);
    const next = tokens.findIndex(({ start }) => start > asLine(head).length);
    const at = owners[next] ?? 0;
    const letter = (tokens[next]?.start ?? 0) - (tokens[owners.indexOf(at)]?.start ?? 0);
    return { texts, at, letter };
  }

  #rewrite(text: string) {
    const before = this.#places.flatMap(({ segment, start, end }) =>
      tokensOf(this.text.slice(start, end)).map((one) => ({ ...one, segment })),
    );
    const tokens = tokensOf(text);
    const owners = ownersOf(before, tokens, this.group[0] ?? 0);
    const texts = new Map(
      this.group.map((at) => {
        const first = owners.indexOf(at);
        const last = owners.lastIndexOf(at);
        return [at, first === -1 ? '' : text.slice(tokens[first]?.start, tokens[last]?.end)];
      }),
    );
    return { texts, tokens, owners };
  }
}

/** White space as in one line. */
export const asLine = (text: string): string => text.trim().replaceAll(/\s+/gu, ' ');

/** New texts of segments, and where a paragraph begins in them. */
export interface Split {
  readonly texts: ReadonlyMap<number, string>;
  readonly at: number;
  readonly letter: number;
}

interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

// What stands between two spaces; in Chinese and the like, each letter.
const token = new RegExp(`${spaceless.source}|(?:(?!${spaceless.source})\\S)+`, 'gu');

const tokensOf = (text: string): Token[] =>
  [...text.matchAll(token)].map(({ 0: found, index }) => ({
    text: found,
    start: index,
    end: index + found.length,
  }));

/** The segment of each new token: that of the tokens which it is, or replaces, or follows. */
function ownersOf(
  before: readonly (Token & { readonly segment: number })[],
  after: readonly Token[],
  first: number,
): number[] {
  const pairs = commonPairs(
    before.map(({ text }) => text),
    after.map(({ text }) => text),
  );
  const owners: number[] = [];
  let oldAt = 0;
  for (const [oldIndex, newIndex] of [...pairs, [before.length, after.length] as const]) {
    const [gone, written] = [oldIndex - oldAt, newIndex - owners.length];
    for (let at = 0; at < written; ++at) {
      const replaced = before[oldAt + Math.floor((at * gone) / written)];
      const owner = gone > 0 ? replaced : (before[oldAt - 1] ?? before[oldIndex]);
      owners.push(owner?.segment ?? first);
    }
    const kept = before[oldIndex];
    if (kept && newIndex < after.length) owners.push(kept.segment);
    oldAt = oldIndex + 1;
  }
  return owners;
}
