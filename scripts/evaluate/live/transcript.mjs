// What a reader sees of a stream's events: the text as it grows, what was committed when, and what was taken back.
import { Revisions } from './revisions.mjs';
import { Screen } from './screen.mjs';

/**
 * @typedef {import('./hear.mjs').Delivery} Delivery
 * @typedef {{ word: string; start: number; end: number; at: number }} CommittedWord `at`: when it was committed
 * @typedef {{ at: number; words: readonly { word: string; start: number; end: number }[] }} Shown all words of an event
 */

const textOf = (words) => words.map(({ word }) => word).join('');

function commonLength(a, b) {
  const most = Math.min(a.length, b.length);
  let i = 0;
  while (i < most && a[i] === b[i]) ++i;
  return i;
}

/**
 * How long the provisional text stays: characters that were shown as provisional, each once, and those of them that were taken
 * away again. A character that changes takes all that stands behind it along.
 */
class Churn {
  shown = 0;
  removed = 0;
  #text = '';
  #committed = 0;

  /** `committed`: how many characters of `text`. */
  see(text, committed) {
    const common = commonLength(this.#text, text);
    this.removed += Math.max(0, this.#text.length - Math.max(common, this.#committed));
    this.shown += Math.max(0, text.length - Math.max(common, committed));
    this.#text = text;
    this.#committed = committed;
  }
}

class Transcript {
  /** @type {CommittedWord[]} */
  commits = [];
  /** @type {Shown[]} */
  shown = [];
  retracted = 0;
  churn = new Churn();
  /** The text without revisions. */
  screen = new Screen();
  /** The text with them; the same as the other while there are none. */
  revisedScreen = new Screen();
  revisions = new Revisions();
  finals = 0;
  lags = 0;
  /** Breaches of the events' contract, in words. @type {string[]} */
  faults = [];
  /** Words of the final events, and of the partial under way. */
  #closed = [];
  #current = { id: -1, words: [], committed: 0 };
  #finishedId = -1;

  get text() {
    return textOf([...this.#closed, ...this.#current.words]);
  }

  /** Without revisions: undefined. */
  get revisedText() {
    if (this.revisions.count === 0) return undefined;
    return textOf([...this.revisions.words, ...this.#current.words]);
  }

  get #committedWords() {
    return [...this.#closed, ...this.#current.words.slice(0, this.#current.committed)];
  }

  take({ at, event }) {
    if (event.type === 'lag') this.lags += 1;
    if (event.type === 'partial' || event.type === 'final') this.#takeText(at, event);
    if (event.type === 'revised') {
      const known = this.revisions.unknown.length;
      this.revisions.revise(event);
      for (const id of this.revisions.unknown.slice(known)) {
        this.faults.push(`revised at ${at.toFixed(2)}: there is no final ${id}`);
      }
    }
  }

  /** All events of a moment were taken. @param {number} at */
  settle(at) {
    this.churn.see(this.text, textOf(this.#committedWords).length);
    this.screen.see(at, [...this.#closed, ...this.#current.words]);
    this.revisedScreen.see(at, [...this.revisions.words, ...this.#current.words]);
  }

  #takeText(at, event) {
    const isFinal = event.type === 'final';
    const { id, words } = event;
    const committed = isFinal ? words.length : (event.committed ?? 0);
    this.#check(event, committed);
    const before = textOf(this.#committedWords);
    const sameId = id === this.#current.id;
    // A partial that was never closed is gone.
    this.#current = { id, words, committed };
    if (isFinal) {
      this.finals += 1;
      this.#finishedId = id;
      this.#closed.push(...words);
      this.revisions.addFinal(id, words);
      this.#current = { id: -1, words: [], committed: 0 };
    }
    const now = this.#committedWords;
    const after = textOf(now);
    const kept = commonLength(before, after);
    if (kept < before.length) {
      this.retracted += before.length - kept;
      const what = sameId ? '' : ' by another id';
      this.faults.push(
        `event at ${at.toFixed(2)}, id ${id}: "${before.slice(kept)}" was committed, and is taken back${what}`,
      );
    }
    // What was taken back was committed when it was.
    for (const word of now.slice(this.commits.length)) {
      this.commits.push({ word: word.word, start: word.start, end: word.end, at });
    }
    this.shown.push({ at, words });
  }

  #check({ type, id, text, words }, committed) {
    const fault = (what) => this.faults.push(`${type} ${id}: ${what}`);
    if (id <= this.#finishedId) fault('the id has ended');
    if (id < this.#current.id) fault('the id is lower than the one before');
    if (text !== textOf(words)) fault(`the words are not the text: "${text}"`);
    if (committed > words.length) fault('more words committed than there are');
    if (id === this.#current.id && committed < this.#current.committed) {
      fault('fewer words committed than before');
    }
    const known =
      id === this.#current.id ? this.#current.words.slice(0, this.#current.committed) : [];
    for (const [i, { word, start, end }] of words.entries()) {
      const old = known[i];
      if (old?.word === word && (old.start !== start || old.end !== end)) {
        fault(`the committed word${word} moved in time`);
      }
      if (!(end >= start && start >= (words[i - 1]?.start ?? 0)))
        fault(`the time of${word} runs back`);
    }
  }
}

/**
 * Follows the events in their order. Those of one moment are seen together.
 * @type {(deliveries: readonly Delivery[]) => Transcript}
 */
export function followed(deliveries) {
  const transcript = new Transcript();
  for (const [i, delivery] of deliveries.entries()) {
    transcript.take(delivery);
    if (deliveries[i + 1]?.at !== delivery.at) transcript.settle(delivery.at);
  }
  return transcript;
}
