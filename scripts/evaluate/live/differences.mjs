// Where two texts differ, with what was said there.
import { compareWords } from '../word_errors.mjs';

/** Words around a difference. */
const context = 3;

/**
 * For each place where `live` differs from `offline`: both, and what was said, with words around.
 * @type {(texts: { said: readonly string[]; offline: readonly string[]; live: readonly string[] }) =>
 *   { said: string; offline: string; live: string }[]}
 */
export function differences({ said, offline, live }) {
  const inLive = compareWords(offline, live).pairs;
  const inSaid = new Map(compareWords(offline, said).pairs);
  const found = [];
  const pairs = [[-1, -1], ...inLive, [offline.length, live.length]];
  for (let i = 1; i < pairs.length; ++i) {
    const [[a, b], [c, d]] = [pairs[i - 1], pairs[i]];
    if (c === a + 1 && d === b + 1) continue;
    let [first, last] = [
      Math.max(0, a + 1 - context),
      Math.min(offline.length - 1, c - 1 + context),
    ];
    while (first > 0 && !inSaid.has(first)) --first;
    while (last < offline.length - 1 && !inSaid.has(last)) ++last;
    const from = inSaid.get(first) ?? 0;
    const to = inSaid.get(last) ?? said.length - 1;
    found.push({
      said: said.slice(from, to + 1).join(' '),
      offline: offline.slice(Math.max(0, a + 1 - context), c + context).join(' '),
      live: live.slice(Math.max(0, b + 1 - context), d + context).join(' '),
    });
  }
  return found;
}
