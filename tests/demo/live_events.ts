// Events as a live model gives them, in short.
import type { LiveEvent, LiveText } from '../../web/src/index.js';

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

/** What was heard again in the place of the texts with these ids; each of `said` begins at its second. */
export function heardAgain(
  replaces: readonly number[],
  ...said: readonly (readonly [start: number, ...texts: readonly string[]])[]
): LiveEvent {
  const segments = said.map(([start, ...texts]) => {
    const { end, text, words } = heard('final', 0, texts, { start }) as LiveText;
    return { start, end, text, words };
  });
  const [start, end] = [segments[0]?.start ?? 0, segments.at(-1)?.end ?? 0];
  return { type: 'revised', id: 99, time: 99, start, end, replaces, segments };
}

/** Whose the texts with these ids are: each part with its speaker, of the stream that is heard. */
export function spoken(
  ids: readonly number[],
  ...said: readonly (readonly [speaker: string | undefined, start: number, ...texts: string[]])[]
): LiveEvent {
  const segments = said.map(([speaker, start, ...texts]) => {
    const { end, text, words } = heard('final', 0, texts, { start }) as LiveText;
    return { start, end, text, words, ...(speaker !== undefined && { speaker }) };
  });
  const [start, end] = [segments[0]?.start ?? 0, segments.at(-1)?.end ?? 0];
  const names = new Set(said.flatMap(([speaker]) => speaker ?? []));
  const speakers = Array.from(names, (id) => ({ id, seconds: 1 }));
  const texts = [{ start, end, ids, segments }];
  return { type: 'speakers', id: 99, time: end, until: end, texts, speakers };
}
