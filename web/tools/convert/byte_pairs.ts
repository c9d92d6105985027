// Byte pair encoding of one text, in n log n.
import type { YieldController } from '../../src/wasm/yield_controller.js';

/** Merges between two calls of step(). */
const mergesBetween = 256;

/**
 * Parts of a text after all merges of a lower rank than `limit`: time and again the two neighbours that make the token of the lowest
 * rank, of equal ones the leftmost. `ranks` is asked at most three times for each character.
 */
export async function mergedParts(
  text: string,
  ranks: Pick<ReadonlyMap<string, number>, 'get'>,
  limit: number,
  yielder: YieldController,
): Promise<string[]> {
  const { length } = text;
  // Parts by where they begin: where each ends, and where the one before it begins.
  const ends = Uint32Array.from({ length }, (_, at) => at + 1);
  const before = Int32Array.from({ length }, (_, at) => at - 1);
  /** Rank of the token that a part forms with the next one; -1 if they form none. */
  const rankAt = new Int32Array(length).fill(-1);
  const waiting = new NumberHeap();
  const look = (at: number): void => {
    const next = ends[at] ?? length;
    const rank = next < length ? ranks.get(text.slice(at, ends[next])) : undefined;
    rankAt[at] = rank !== undefined && rank < limit ? rank : -1;
    if (rank !== undefined && rank < limit) waiting.push(rank * length + at);
  };
  for (let at = 0; at + 1 < length; ++at) look(at);
  let merges = 0;
  for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
    const at = key % length;
    // Other merges may have taken one of the two.
    if (rankAt[at] !== Math.floor(key / length)) continue;
    const next = ends[at] ?? length;
    const end = ends[next] ?? length;
    ends[at] = end;
    rankAt[next] = -1;
    if (end < length) before[end] = at;
    look(at);
    const left = before[at] ?? -1;
    if (left >= 0) look(left);
    if (++merges % mergesBetween === 0) await yielder.step();
  }
  const parts: string[] = [];
  for (let at = 0; at < length; at = ends[at] ?? length) parts.push(text.slice(at, ends[at]));
  return parts;
}

/** Gives the least of its numbers first. */
class NumberHeap {
  readonly #items: number[] = [];

  push(item: number): void {
    const items = this.#items;
    let at = items.length;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = items[parent] ?? 0;
      if (above <= item) break;
      items[at] = above;
      at = parent;
    }
    items[at] = item;
  }

  pop(): number | undefined {
    const items = this.#items;
    const least = items[0];
    const last = items.pop();
    if (last === undefined || items.length === 0) return least;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= items.length) break;
      if ((items[child + 1] ?? Infinity) < (items[child] ?? Infinity)) ++child;
      const below = items[child] ?? Infinity;
      if (below >= last) break;
      items[at] = below;
      at = child;
    }
    items[at] = last;
    return least;
  }
}
