// Checks of a stream that never ends, with what they need to remember and no more.
import { quantile } from '../../statistics.mjs';
import { compareWords, words } from '../word_errors.mjs';
import { matched } from './latencies.mjs';

/** How far a word may lie outside its clip: times of words are good for a tenth of a second, pauses are longer than 0.3 s. */
const tolerance = 0.5;

const middle = ({ start, end }) => (start + end) / 2;
const isIn = (word, { start, end }) =>
  middle(word) >= start - tolerance && middle(word) <= end + tolerance;

/** Counts final events, keeps their words until they are taken, and notes characters that were taken back after commit. */
export class FinalWords {
  finals = 0;
  retracted = 0;
  /** @type {import('./latencies.mjs').TimedWord[]} */
  #words = [];
  #id = -1;
  #committed = '';

  /** @param {import('../../../web/src/api/types.js').LiveEvent} event */
  take(event) {
    if (event.type !== 'partial' && event.type !== 'final') return;
    const { type, id, words: all, committed = 0 } = event;
    if (id !== this.#id) {
      this.retracted += this.#committed.length;
      this.#committed = '';
    }
    const isFinal = type === 'final';
    const kept = isFinal ? all : all.slice(0, committed);
    const text = kept.map(({ word }) => word).join('');
    if (!text.startsWith(this.#committed)) this.retracted += this.#committed.length;
    [this.#id, this.#committed] = [id, isFinal ? '' : text];
    if (!isFinal) return;
    this.finals += 1;
    this.#words.push(...all.map(({ word, start, end }) => ({ word, start, end })));
  }

  /**
   * Words that lie before a time, once.
   * @type {(time: number) => import('./latencies.mjs').TimedWord[]}
   */
  takeBefore(time) {
    const taken = this.#words.filter((word) => middle(word) < time);
    this.#words = this.#words.filter((word) => middle(word) >= time);
    return taken;
  }
}

/**
 * Words against the sound, which began at `offset`: how far the times of those that were said are off, how many lie in another
 * clip than they were said in, how many in none.
 * @type {(sound: Pick<import('./material.mjs').Sound, 'words' | 'utterances'>, offset: number,
 *   heard: readonly import('./latencies.mjs').TimedWord[]) =>
 *   { words: number; errors: number; differences: number[]; misplaced: number; outside: number }}
 */
export function placed({ words: said, utterances }, offset, heard) {
  const own = heard.map(({ word, start, end }) => ({
    word,
    start: start - offset,
    end: end - offset,
  }));
  const pairs = matched(said, own);
  const clipOf = (word) => utterances.find((clip) => isIn(word, clip));
  const plain = (timed) => words(timed.map(({ word }) => word).join(''));
  return {
    words: plain(said).length,
    errors: compareWords(plain(said), plain(own)).errors,
    differences: pairs.map(([truth, word]) => word.start - truth.start),
    misplaced: pairs.filter(([truth, word]) => {
      const clip = clipOf(truth);
      return clip !== undefined && !isIn(word, clip);
    }).length,
    outside: own.filter((word) => clipOf(word) === undefined).length,
  };
}

/** Differences of times in two figures: their median, and what 95 % of them do not exceed, either way. @param {number[]} differences */
export function spread(differences) {
  const absolute = differences.map(Math.abs);
  return {
    bias: quantile(differences, 0.5),
    most: quantile(absolute, 0.95),
  };
}
