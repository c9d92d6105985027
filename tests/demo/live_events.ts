// Events as a live model gives them, in short.
import type { LiveEvent } from '../../web/src/index.js';

/** Words of half a second each, from `start` on; `committed` of a partial is 0 unless given. */
export function heard(
  type: 'partial' | 'final',
  id: number,
  texts: readonly string[],
  { committed = 0, start = id * 10 }: { committed?: number; start?: number } = {},
): LiveEvent {
  const words = texts.map((text, i) => ({
    word: ` ${text}`,
    start: start + i / 2,
    end: start + (i + 1) / 2,
    probability: 0.9,
  }));
  const end = words.at(-1)?.end ?? start;
  return {
    type,
    id,
    time: end,
    start,
    end,
    text: words.map(({ word }) => word).join(''),
    words,
    committed: type === 'final' ? words.length : committed,
    tokens: [],
  };
}
