// Since when each word of the text that a reader sees has stood there.
import { compareWords, words } from '../word_errors.mjs';

/**
 * A word on the screen, in lower case and without punctuation. `at`: since when it stands there.
 * @typedef {{ word: string; start: number; end: number; at: number }} ShownWord
 */

/** Pairs of indices of words that stay, each with the earliest that fits. @type {(before: readonly string[], now: readonly string[]) => [number, number][]} */
function kept(before, now) {
  const most = Math.min(before.length, now.length);
  let first = 0;
  while (first < most && before[first] === now[first]) ++first;
  let last = 0;
  while (last < most - first && before.at(-1 - last) === now.at(-1 - last)) ++last;
  const pairs = Array.from({ length: first }, (_, i) => [i, i]);
  const middle = (all) => all.slice(first, all.length - last).reverse();
  const [a, b] = [middle(before), middle(now)];
  if (a.length > 0 && b.length > 0) {
    // Read backwards: among equally cheap alignments, compareWords() takes the last pairs.
    for (const [i, j] of compareWords(a, b).pairs) {
      pairs.push([first + a.length - 1 - i, first + b.length - 1 - j]);
    }
  }
  for (let i = 1; i <= last; ++i) pairs.push([before.length - i, now.length - i]);
  return pairs;
}

/** A word that goes away and comes again stands there since it came again. Capitals and punctuation may change. */
export class Screen {
  /** @type {ShownWord[]} */
  words = [];

  /** The whole text, from this moment on. @type {(at: number, text: readonly { word: string; start: number; end: number }[]) => void} */
  see(at, text) {
    const now = text.flatMap(({ word, start, end }) =>
      words(word).map((one) => ({ word: one, start, end, at })),
    );
    const spelled = (all) => all.map(({ word }) => word);
    for (const [i, j] of kept(spelled(this.words), spelled(now))) now[j].at = this.words[i].at;
    this.words = now;
  }
}
