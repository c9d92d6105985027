// How long words take to come, against the times at which they were said.
import { compareWords, words } from '../word_errors.mjs';

/** @typedef {{ word: string; start: number; end: number }} TimedWord */

/** Words as they are compared; one that is written with a hyphen is two. */
const comparable = (timed) =>
  timed.flatMap((one) => words(one.word).map((word) => ({ ...one, word })));

/**
 * Pairs of a word that was said and the same word that was written, by the cheapest alignment of the texts.
 * @template {TimedWord} Written
 * @type {(said: readonly TimedWord[], written: readonly Written[]) => [TimedWord, Written][]}
 */
export function matched(said, written) {
  const [truth, heard] = [comparable(said), comparable(written)];
  const { pairs } = compareWords(
    truth.map(({ word }) => word),
    heard.map(({ word }) => word),
  );
  return pairs.map(([i, j]) => [truth[i], heard[j]]);
}

/**
 * For each word that was written rightly: from its end in the sound until it was committed, in seconds.
 * @type {(said: readonly TimedWord[], commits: readonly import('./transcript.mjs').CommittedWord[]) => number[]}
 */
export const commitLatencies = (said, commits) =>
  matched(said, commits).map(([{ end }, { at }]) => at - end);

/**
 * For each word that is written rightly in the end: from its end in the sound until it stood on the screen and stayed, in seconds.
 * @type {(said: readonly TimedWord[], screen: readonly import('./screen.mjs').ShownWord[]) => number[]}
 */
export const shownLatencies = (said, screen) =>
  matched(said, screen).map(([{ end }, { at }]) => at - end);

/** A pause that ends an utterance where only the times of words are known, in seconds. */
const pause = 0.5;

/** Stretches of words without a longer pause. @type {(words: readonly TimedWord[]) => { start: number; end: number }[]} */
export function utterancesOf(words) {
  const found = [];
  for (const { start, end } of words) {
    const last = found.at(-1);
    if (last && start - last.end < pause) last.end = Math.max(last.end, end);
    else found.push({ start, end });
  }
  return found;
}

/** How far a word's middle may lie before the utterance that it belongs to: times of words are good for a tenth of a second. */
const early = 0.2;

/**
 * For each utterance: from its beginning until a word of it is shown, committed or not, in seconds. One of which nothing was shown
 * before the next began counts as infinitely late.
 * @type {(utterances: readonly { start: number; end: number }[], shown: readonly import('./transcript.mjs').Shown[]) => number[]}
 */
export function firstWordLatencies(utterances, shown) {
  return utterances.map(({ start }, i) => {
    const next = utterances[i + 1]?.start ?? Infinity;
    const isOfIt = ({ start: from, end }) => {
      const middle = (from + end) / 2;
      return middle >= start - early && middle < next - early;
    };
    const first = shown.find(({ at, words: all }) => at >= start && all.some(isOfIt));
    return first ? first.at - start : Infinity;
  });
}
