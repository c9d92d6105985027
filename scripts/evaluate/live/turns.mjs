// When somebody talks in a recording, by people's marks, and the words that stand elsewhere.

/** In seconds. @typedef {{ start: number; end: number }} Turn */

/** Turns of an RTTM file. @type {(rttm: string) => (Turn & { speaker: string })[]} */
export const turnsOf = (rttm) =>
  rttm
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([type]) => type === 'SPEAKER')
    .map(([, , , start, length, , , speaker]) => ({
      start: Number(start),
      end: Number(start) + Number(length),
      speaker,
    }));

/**
 * Words whose middle lies more than `distance` seconds from every turn.
 * @type {<Word extends Turn>(words: readonly Word[], turns: readonly Turn[], distance: number) => Word[]}
 */
export const wordsOutside = (words, turns, distance) =>
  words.filter((word) => {
    const middle = (word.start + word.end) / 2;
    return turns.every(({ start, end }) => Math.max(start - middle, middle - end) > distance);
  });
