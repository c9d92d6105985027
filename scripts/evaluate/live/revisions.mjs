// Final texts with what later events of the type 'revised' put in their place.

/**
 * @typedef {{ word: string; start: number; end: number }} TimedWord
 * @typedef {{ type: 'revised'; start: number; end: number; replaces: readonly number[];
 *   segments: readonly { text: string; start: number; end: number; words?: readonly TimedWord[] }[] }} Revised
 */

/** A segment without words of its own is one long word. */
const wordsOf = ({ text, start, end, words }) => words ?? [{ word: text, start, end }];

export class Revisions {
  /** How many events there were. */
  count = 0;
  /** Ids that were to be replaced and are no final text's. @type {number[]} */
  unknown = [];
  /** @type {{ ids: readonly number[]; words: readonly TimedWord[] }[]} */
  #texts = [];

  /** @type {(id: number, words: readonly TimedWord[]) => void} */
  addFinal(id, words) {
    this.#texts.push({ ids: [id], words });
  }

  /** Its segments stand where the first of the texts that it replaces stood. @type {(event: Revised) => void} */
  revise({ start, replaces, segments }) {
    this.count += 1;
    const isReplaced = ({ ids }) => ids.some((id) => replaces.includes(id));
    const gone = this.#texts.filter(isReplaced).flatMap(({ ids }) => ids);
    this.unknown.push(...replaces.filter((id) => !gone.includes(id)));
    const first = this.#texts.findIndex(
      gone.length > 0 ? isReplaced : ({ words }) => words.length > 0 && words[0].start >= start,
    );
    const revised = { ids: [...gone], words: segments.flatMap(wordsOf) };
    const place = first < 0 ? this.#texts.length : first;
    this.#texts = [
      ...this.#texts.slice(0, place),
      revised,
      ...this.#texts.slice(place).filter((one) => !isReplaced(one)),
    ];
  }

  /** @type {readonly TimedWord[]} */
  get words() {
    return this.#texts.flatMap(({ words }) => words);
  }
}
