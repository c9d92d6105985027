// How far the times of words are from marks made by hand.
import { compareWords, words } from './word_errors.mjs';

const single = (text) => words(text).join('');

/**
 * Differences in seconds at every boundary that is marked, for the words that were heard right; negative: too early.
 * `marks`: [word, start, end], the first words of a recording; null: no mark.
 * @type {(marks: readonly [string, number | null, number | null][],
 *   heard: readonly { word: string; start: number; end: number }[]) =>
 *   { word: string; side: 'start' | 'end'; mark: number; difference: number }[]}
 */
export function timeErrors(marks, heard) {
  const end = Math.max(...marks.map(([, start, end]) => end ?? start ?? 0));
  // Later words could be taken for marked ones.
  const near = heard.filter(({ start }) => start < end + 0.5);
  const { pairs } = compareWords(
    marks.map(([word]) => single(word)),
    near.map(({ word }) => single(word)),
  );
  return pairs.flatMap(([i, j]) => {
    const [word, ...times] = marks[i];
    return ['start', 'end'].flatMap((side, k) =>
      times[k] === null
        ? []
        : [{ word, side, mark: times[k], difference: near[j][side] - times[k] }],
    );
  });
}
