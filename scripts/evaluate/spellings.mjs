// How names are spelt in a text that was heard, beside the text that was said; and words that a model repeats.
import { compareWords } from './word_errors.mjs';

/** @type {(a: string, b: string) => number} Letters to change. */
const letterErrors = (a, b) => compareWords([...a], [...b]).errors;

/** Most words in which one name is heard: "Hell warden". */
const mostWords = 3;

/** Those of the words that are nearest to a name, with a blank between them; undefined if more than half of the letters are others. */
function nearest(name, heard) {
  let best = { text: undefined, errors: Math.floor(name.length / 2) + 1 };
  for (let first = 0; first < heard.length; ++first) {
    for (let end = first + 1; end <= Math.min(heard.length, first + mostWords); ++end) {
      const span = heard.slice(first, end);
      const errors = letterErrors(name, span.join(''));
      if (errors < best.errors) best = { text: span.join(' '), errors };
    }
  }
  return best.text;
}

/**
 * Names in `truth`: how often they are said, how often they are heard as they are written, and the spellings of each in `heard`,
 * the right one included. Where nothing in `heard` is like a name, it has no spelling. Words as units() leaves them.
 * @type {(truth: readonly string[], heard: readonly string[], names: readonly string[]) =>
 *   { said: number; right: number; spellings: Map<string, Set<string>> }}
 */
export function nameSpellings(truth, heard, names) {
  const { pairs } = compareWords(truth, heard);
  const paired = new Map(pairs);
  const spellings = new Map(names.map((name) => [name, new Set()]));
  let [said, right] = [0, 0];
  for (const [i, word] of truth.entries()) {
    const found = spellings.get(word);
    if (!found) continue;
    ++said;
    if (paired.has(i)) {
      ++right;
      found.add(word);
      continue;
    }
    const before = pairs.findLast(([index]) => index < i)?.[1] ?? -1;
    const behind = pairs.find(([index]) => index > i)?.[1] ?? heard.length;
    const spelling = nearest(word, heard.slice(before + 1, behind));
    if (spelling !== undefined) found.add(spelling);
  }
  return { said, right, spellings };
}

/** Repetitions of a sequence from which on it is a loop, and its greatest length in words. */
const loop = { times: 4, length: 12 };

/**
 * How many words only repeat those before them: where one sequence of words stands at least four times in a row.
 * @type {(words: readonly string[]) => number}
 */
export function loopedWords(words) {
  let count = 0;
  for (let at = 0; at < words.length; ++at) {
    for (let length = 1; length <= loop.length; ++length) {
      let end = at + length;
      while (end < words.length && words[end] === words[end - length]) ++end;
      if (end - at < loop.times * length) continue;
      count += end - at - length;
      at = end - 1;
      break;
    }
  }
  return count;
}
