// Times for text that a person has edited: words that stay keep theirs, new ones share the time of those they replace.
import type { TranscriptWord } from '../../src/index.js';

/** A word as transcribed; `probability` is missing if the model gives none. */
export interface HeardWord extends TranscriptWord {
  readonly probability?: number;
  /** Who says it. */
  readonly speaker?: string;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** What stands between two spaces: one word, or in Chinese and the like many. */
interface Chunk {
  readonly text: string;
  readonly words: readonly HeardWord[];
}

/** Beyond so many comparisons a passage counts as rewritten; no segment of speech is that long. */
const mostComparisons = 1_000_000;
export const spaceless =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

/**
 * The words of `text`, which took the place of `words` in a segment of this `span`. Words that a person wrote are sure.
 * The words put together are the text; its first word keeps the white space that stood before the old one.
 */
export function retimedWords(words: readonly HeardWord[], text: string, span: Span): HeardWord[] {
  const before = chunksOf(words);
  const after = text.trim().split(/\s+/u).filter(Boolean);
  const pairs = commonPairs(
    before.map((chunk) => chunk.text),
    after,
  );
  const result: HeardWord[] = [];
  let [oldAt, newAt] = [0, 0];
  for (const [oldIndex, newIndex] of [...pairs, [before.length, after.length] as const]) {
    const gone = before.slice(oldAt, oldIndex).flatMap((chunk) => chunk.words);
    const gap = {
      start: Math.max(span.start, result.at(-1)?.end ?? span.start),
      end: before[oldIndex]?.words[0]?.start ?? span.end,
    };
    result.push(...replaced(gone, after.slice(newAt, newIndex), gap));
    const kept = before[oldIndex];
    if (kept) result.push(...withSpace(kept.words, ' '));
    [oldAt, newAt] = [oldIndex + 1, newIndex + 1];
  }
  return withSpace(result, /^\s*/u.exec(words[0]?.word ?? '')?.[0] ?? '');
}

/** Replaces the first word's leading white space with `space`. */
function withSpace(words: readonly HeardWord[], space: string): HeardWord[] {
  return words.map((word, at) =>
    at === 0 ? { ...word, word: `${space}${word.word.trimStart()}` } : word,
  );
}

function chunksOf(words: readonly HeardWord[]): Chunk[] {
  const groups: HeardWord[][] = [];
  for (const word of words) {
    const last = groups.at(-1);
    if (last && !/^\s/u.test(word.word) && !/\s$/u.test(last.at(-1)?.word ?? '')) last.push(word);
    else groups.push([word]);
  }
  return groups.map((group) => ({
    text: group
      .map(({ word }) => word)
      .join('')
      .trim(),
    words: group,
  }));
}

/** New chunks in place of old words; where none were, in the gap between their neighbours, however short it is. */
function replaced(gone: readonly HeardWord[], texts: readonly string[], gap: Span): HeardWord[] {
  if (texts.length === 0) return [];
  const goneChunks = chunksOf(gone);
  if (goneChunks.length === texts.length) {
    return texts.flatMap((text, at) => rewritten(goneChunks[at]?.words ?? [], text));
  }
  const span =
    gone.length === 0
      ? { start: gap.start, end: Math.max(gap.start, gap.end) }
      : { start: gone[0]!.start, end: gone.at(-1)!.end };
  return shared(
    texts.flatMap((text) => withSpaces(piecesOf(text))),
    span,
  );
}

/** One chunk in place of one: the words at its ends that are still there keep their times. */
function rewritten(words: readonly HeardWord[], text: string): HeardWord[] {
  let rest = text;
  let [first, last] = [0, words.length];
  const head = (at: number) => words[at]?.word.trim() ?? '';
  while (first < last - 1 && rest.startsWith(head(first))) rest = rest.slice(head(first++).length);
  while (first < last - 1 && rest.endsWith(head(last - 1))) {
    rest = rest.slice(0, rest.length - head(--last).length);
  }
  const span = { start: words[first]!.start, end: words[last - 1]!.end };
  const middle = rest === '' ? [] : shared(piecesOf(rest), span);
  return withSpace([...words.slice(0, first), ...middle, ...words.slice(last)], ' ');
}

/** A chunk as words: every letter of a script that has no spaces is one. */
function piecesOf(text: string): string[] {
  if (!spaceless.test(text)) return [text];
  const pieces: string[] = [];
  for (const letter of text) {
    const last = pieces.at(-1) ?? '';
    const isFirstOfWord = /\w/u.test(letter) && !/\w$/u.test(last);
    if (last === '' || spaceless.test(letter) || isFirstOfWord) pieces.push(letter);
    else pieces[pieces.length - 1] = `${last}${letter}`;
  }
  return pieces;
}

const withSpaces = (pieces: readonly string[]): string[] =>
  pieces.map((piece, at) => (at === 0 ? ` ${piece}` : piece));

/** Shares a span by the number of letters. */
function shared(texts: readonly string[], { start, end }: Span): HeardWord[] {
  const lengths = texts.map((text) => Array.from(text.trim()).length);
  const total = lengths.reduce((sum, length) => sum + length, 0);
  let done = 0;
  return texts.map((word, at) => {
    const from = start + ((end - start) * done) / total;
    done += lengths[at] ?? 0;
    const to = done === total ? end : start + ((end - start) * done) / total;
    return { word, start: from, end: to, probability: 1 };
  });
}

/** Index pairs of a longest common subsequence, in order. */
export function commonPairs(
  a: readonly string[],
  b: readonly string[],
): (readonly [number, number])[] {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) ++head;
  let tail = 0;
  const most = Math.min(a.length, b.length) - head;
  while (tail < most && a[a.length - 1 - tail] === b[b.length - 1 - tail]) ++tail;
  const [rows, columns] = [a.length - head - tail, b.length - head - tail];
  const pairs = Array.from({ length: head }, (_, at) => [at, at] as const);
  if (rows * columns <= mostComparisons) pairs.push(...middlePairs(a, b, head, rows, columns));
  for (let at = tail; at > 0; --at) pairs.push([a.length - at, b.length - at]);
  return pairs;
}

function* middlePairs(
  a: readonly string[],
  b: readonly string[],
  head: number,
  rows: number,
  columns: number,
): Generator<readonly [number, number]> {
  const width = columns + 1;
  const best = new Uint32Array((rows + 1) * width);
  const bestAt = (row: number, column: number) => best[row * width + column] ?? 0;
  for (let row = rows - 1; row >= 0; --row) {
    for (let column = columns - 1; column >= 0; --column) {
      best[row * width + column] =
        a[head + row] === b[head + column]
          ? bestAt(row + 1, column + 1) + 1
          : Math.max(bestAt(row + 1, column), bestAt(row, column + 1));
    }
  }
  let [row, column] = [0, 0];
  while (row < rows && column < columns) {
    if (a[head + row] === b[head + column]) yield [head + row++, head + column++];
    else if (bestAt(row + 1, column) >= bestAt(row, column + 1)) ++row;
    else ++column;
  }
}
