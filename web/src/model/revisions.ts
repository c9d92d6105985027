// What a second hearing of a stream changes in the texts that its first hearing gave.
import type { LiveText, RevisedText, Segment, Word } from '../api/types.js';

type Final = Pick<LiveText, 'id' | 'start' | 'end' | 'text' | 'words'>;

/** Texts, one after the other, and what takes their place. */
export interface Change {
  readonly start: number;
  readonly end: number;
  readonly replaces: readonly number[];
  readonly segments: readonly RevisedText[];
}

/** A word of the second hearing, and its segment. */
interface HeardWord {
  readonly word: Word;
  readonly segment: Segment;
}

/** Seconds by which the two hearings may differ about where a text ends, and about where a word is. */
const tolerance = 0.5;
const wordTolerance = 1;

/**
 * Collects final texts and what the second hearing makes of the same sound, in whichever order they come, and tells what differs. Words are
 * matched with words, not by their times, which the two hearings see differently.
 */
export class Revisions {
  readonly #finals: Final[] = [];
  readonly #words: HeardWord[] = [];
  /** Seconds up to which the second hearing has heard. */
  #horizon = 0;
  /** Texts that begin before were not heard a second time. */
  #from = 0;

  /** A final text of the first hearing. */
  said(final: Final): Change[] {
    if (final.end <= this.#from || final.words.length === 0) return [];
    this.#finals.push(final);
    return this.#changes(false);
  }

  /** Segments with words of the second hearing, which is through up to `horizon` seconds. */
  heard(segments: readonly Segment[], horizon: number): Change[] {
    for (const segment of segments) {
      for (const word of segment.words ?? []) this.#words.push({ word, segment });
    }
    this.#horizon = Math.max(this.#horizon, horizon);
    return this.#changes(false);
  }

  /** The second hearing ends here; nothing before `horizon` will follow. */
  finish(horizon: number): Change[] {
    this.#horizon = Math.max(this.#horizon, horizon);
    const changes = this.#changes(true);
    this.#words.length = 0;
    return changes;
  }

  /** What was said before `time` stays as it is. */
  giveUp(time: number): void {
    this.#from = Math.max(this.#from, time);
    this.#words.length = 0;
    const left = this.#finals.filter(({ end }) => end > time);
    this.#finals.splice(0, this.#finals.length, ...left);
  }

  #changes(isLast: boolean): Change[] {
    const limit = this.#horizon + (isLast ? tolerance : 0);
    // What follows the last text may be its own, or the next one's.
    const known = isLast ? this.#finals : this.#finals.slice(0, -1);
    const late = known.findIndex(({ end }) => end > limit);
    const count = late < 0 ? known.length : late;
    if (count === 0) return isLast ? this.#missed() : [];
    const bounds = this.#bounds();
    if (isLast && count === this.#finals.length) bounds[count] = this.#words.length;
    const changes: { finals: Final[]; words: HeardWord[] }[] = [];
    let open: (typeof changes)[number] | undefined;
    for (let i = 0; i < count; ++i) {
      const final = this.#finals[i]!;
      const words = this.#words.slice(bounds[i], bounds[i + 1]);
      const text = words.map(({ word }) => word.word).join('');
      if (text.trim() === final.text.trim()) {
        open = undefined;
        continue;
      }
      if (!open) changes.push((open = { finals: [], words: [] }));
      open.finals.push(final);
      open.words.push(...words);
    }
    this.#finals.splice(0, count);
    this.#words.splice(0, bounds[count]);
    return changes.map(changeOf);
  }

  /** What was heard where nothing was said the first time. */
  #missed(): Change[] {
    const words = this.#words.splice(0);
    return words.length > 0 ? [changeOf({ finals: [], words })] : [];
  }

  /** Where the words of each text begin among those of the second hearing, and where the last one's end. */
  #bounds(): number[] {
    const said = this.#finals.flatMap(({ words }) => [...words]);
    const heard = this.#words.map(({ word }) => word);
    const matched = aligned(said, heard);
    const bounds = [0];
    let row = 0;
    for (const [i, { words, end }] of this.#finals.entries()) {
      row += words.length;
      const { first, last } = matched[row]!;
      // Words between what matches this text and what matches the next belong to the nearer one.
      const middle = (end + (this.#finals[i + 1]?.start ?? end)) / 2;
      let bound = Math.max(bounds.at(-1)!, first);
      while (bound < last && middleOf(heard[bound]!) < middle) ++bound;
      bounds.push(bound);
    }
    return bounds;
  }
}

const middleOf = ({ start, end }: Word): number => (start + end) / 2;

function changeOf({
  finals,
  words,
}: {
  readonly finals: readonly Final[];
  readonly words: readonly HeardWord[];
}): Change {
  const segments: RevisedText[] = [];
  for (const segment of new Set(words.map((each) => each.segment))) {
    const own = words.filter((each) => each.segment === segment).map(({ word }) => word);
    segments.push({
      start: own[0]!.start,
      end: own.at(-1)!.end,
      text: own.map(({ word }) => word).join(''),
      words: own,
      ...(segment.language && { language: segment.language }),
    });
  }
  const times = [...finals, ...segments];
  return {
    start: Math.min(...times.map(({ start }) => start)),
    end: Math.max(...times.map(({ end }) => end)),
    replaces: finals.map(({ id }) => id),
    segments,
  };
}

/**
 * Aligns two texts with the fewest edits; `heard` may go on at its end. For each place between words of `said`: the places between words of
 * `heard` that it may have, those before words that nobody said the first time and those after them.
 */
function aligned(
  said: readonly Word[],
  heard: readonly Word[],
): { readonly first: number; readonly last: number }[] {
  const [a, b] = [said.map(plain), heard.map(plain)];
  const width = b.length + 1;
  const costs = new Uint32Array((a.length + 1) * width);
  for (let i = 0; i <= a.length; ++i) {
    for (let j = 0; j <= b.length; ++j) {
      const at = i * width + j;
      if (i === 0 || j === 0) {
        costs[at] = 2 * (i + j);
        continue;
      }
      const changed = a[i - 1] === b[j - 1] ? 0 : 3;
      costs[at] = Math.min(
        costs[at - width - 1]! + changed,
        costs[at - width]! + 2,
        costs[at - 1]! + 2,
      );
    }
  }
  const places = Array.from({ length: a.length + 1 }, () => ({ first: b.length, last: 0 }));
  // Not before words that lie clearly before its end.
  const end = (said.at(-1)?.end ?? 0) - wordTolerance;
  const least = heard.findLastIndex((word) => word.end <= end) + 1;
  const ends = costs.subarray(a.length * width + least);
  let [i, j] = [a.length, least + ends.indexOf(Math.min(...ends))];
  const rest = j;
  for (;;) {
    const place = places[i]!;
    place.first = Math.min(place.first, j);
    place.last = Math.max(place.last, j);
    if (i === 0 && j === 0) break;
    const at = i * width + j;
    const isPair =
      i > 0 && j > 0 && costs[at] === costs[at - width - 1]! + (a[i - 1] === b[j - 1] ? 0 : 3);
    if (isPair) {
      --i;
      --j;
    } else if (j > 0 && costs[at] === costs[at - 1]! + 2) {
      --j;
    } else {
      --i;
    }
  }
  // What follows may belong to a text that is still to come.
  places[a.length] = { first: rest, last: b.length };
  return places;
}

/** A word as far as hearing it again should give the same. */
const plain = ({ word }: Word): string =>
  word.toLocaleLowerCase('en').replace(/[^\p{L}\p{N}]+/gu, '') || word.trim();
