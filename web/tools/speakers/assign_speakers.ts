// Whose each word of a transcript is, from the turns of the recording's speakers.
import { invalidOption } from '../../src/api/errors.js';
import type { FoundSpeakers, Segment, SpeakerTurn, Word } from '../../src/api/types.js';
import { endsSentence } from '../../src/writers/sentence_end.js';

/** How far from a word the turn may be that it belongs to although no turn covers it, in seconds. */
const mostDistance = 1;
/** Times of turns are whole frames of this length: shares that differ by less are equal. */
const frame = 270 / 16000;
/** Within a sentence another speaker is believed when he has so many seconds more of it. */
const costOfChange = 0.2;
/** After so many seconds without a word, a sentence may be over. */
const pause = 0.15;
/** Sums of costs that differ by less are equal. */
const tiny = 1e-6;

type Timed = Pick<SpeakerTurn, 'start' | 'end'>;

/** Finds the turns near a time; each call's times are not before those of the call before. */
class Turns {
  readonly #turns: readonly SpeakerTurn[];
  /** The latest end of this turn and all before it. */
  readonly #ends: readonly number[];

  constructor(turns: readonly SpeakerTurn[]) {
    this.#turns = [...turns].sort((a, b) => a.start - b.start);
    let latest = 0;
    this.#ends = this.#turns.map(({ end }) => (latest = Math.max(latest, end)));
  }

  /** Those that touch the time from `start` to `end`. */
  within(start: number, end: number): SpeakerTurn[] {
    let [low, high] = [0, this.#turns.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#ends[middle]! < start) low = middle + 1;
      else high = middle;
    }
    const found: SpeakerTurn[] = [];
    for (let at = low; at < this.#turns.length && this.#turns[at]!.start <= end; ++at) {
      if (this.#turns[at]!.end >= start) found.push(this.#turns[at]!);
    }
    return found;
  }
}

const overlapOf = (a: Timed, b: Timed): number =>
  Math.min(a.end, b.end) - Math.max(a.start, b.start);

/** Something said, after which a sentence goes on or may be over. */
interface Said extends Timed {
  readonly endsSentence: boolean;
}

/** How unlikely each speaker, by number, is to have said it: seconds of it that others cover better, or how far his turns are away. */
function costsOf(timed: Timed, turns: Turns, numbers: ReadonlyMap<string, number>): Float64Array {
  const near = turns.within(timed.start - mostDistance, timed.end + mostDistance);
  const covered = new Float64Array(numbers.size);
  const costs = new Float64Array(numbers.size).fill(mostDistance);
  for (const turn of near) {
    const [who, seconds] = [numbers.get(turn.speaker)!, overlapOf(timed, turn)];
    if (seconds > 0) covered[who]! += seconds;
    // Below 0: how far they are apart.
    costs[who] = Math.min(costs[who]!, -seconds);
  }
  const most = covered.reduce((a, b) => Math.max(a, b), 0);
  if (most === 0) return costs;
  return covered.map((seconds) => (most - seconds < frame ? 0 : most - seconds));
}

/**
 * The speakers of some words or segments, in their order, that cost least: each costs what `costsOf` says, and a change of speaker
 * `costOfChange`, but next to nothing between two sentences. Of equals, who speaks goes on. Undefined where there are no turns at all.
 */
function speakersOf(
  said: readonly Said[],
  turns: readonly SpeakerTurn[],
): readonly (string | undefined)[] {
  const index = new Turns(turns);
  const speakers = [...new Set(turns.map(({ speaker }) => speaker))];
  const numbers = new Map(speakers.map((speaker, number) => [speaker, number]));
  /** What it costs up to here if each speaker says the last one. */
  let sums = new Float64Array(speakers.length);
  /** For each that is said, and each speaker of it, who said the one before. */
  const before: Uint16Array[] = [];
  for (const [i, each] of said.entries()) {
    const own = costsOf(each, index, numbers);
    const best = cheapest(sums);
    const last = said[i - 1];
    const isFree = !last || last.endsSentence || each.start - last.end >= pause;
    const changed = sums[best]! + (isFree ? frame : costOfChange);
    before.push(Uint16Array.from(sums, (sum, who) => (sum < changed - tiny ? who : best)));
    sums = own.map((cost, who) => cost + Math.min(sums[who]!, changed));
  }
  let who = cheapest(sums);
  const found: (string | undefined)[] = [];
  for (const from of before.reverse()) {
    found.push(speakers[who]);
    who = from[who] ?? 0;
  }
  return found.reverse();
}

/** The first of the least. */
function cheapest(sums: Float64Array): number {
  return sums.reduce((best, sum, who) => (sum < sums[best]! - tiny ? who : best), 0);
}

type Heard = TranscriptOfWords['segments'][number];
/** A transcript, from anywhere. */
export interface TranscriptOfWords {
  readonly segments: readonly Pick<Segment, 'start' | 'end' | 'text' | 'words'>[];
}

/** A transcript whose segments and words have speakers. */
export type TranscriptWithSpeakers<Transcript extends TranscriptOfWords> = Omit<
  Transcript,
  'segments'
> & {
  readonly segments: readonly (Transcript['segments'][number] & { readonly speaker?: string })[];
  readonly speakers: FoundSpeakers['speakers'];
};

/**
 * Returns the transcript with the speakers of its segments and words. Where the speaker changes within a segment that has words, it is
 * divided there; parts of it have no `tokens`.
 *
 * @throws SusurrusError `invalid_argument` without segments or turns.
 * @example
 * ```js
 * const found = await findSpeakers(file);
 * const transcript = await model.transcribe(file, { timestamps: 'word' });
 * for (const { speaker, text } of assignSpeakers(transcript, found).segments) {
 *   console.log(speaker, text);
 * }
 * ```
 */
export function assignSpeakers<Transcript extends TranscriptOfWords>(
  transcript: Transcript,
  found: Pick<FoundSpeakers, 'turns' | 'speakers'>,
): TranscriptWithSpeakers<Transcript> {
  checkList('transcript.segments', transcript, 'segments');
  checkList('found.turns', found, 'turns');
  const { turns, speakers } = found;
  const { segments } = transcript;
  const heard = segments.flatMap<Said>((segment) =>
    segment.words?.length
      ? segment.words.map(({ word, start, end }) => ({
          ...{ start, end, endsSentence: endsSentence(word) },
        }))
      : // One without words counts as a sentence of one word.
        [{ start: segment.start, end: segment.end, endsSentence: true }],
  );
  const whose = speakersOf(heard, turns);
  let at = 0;
  const spoken = segments.flatMap<Heard>((segment) => {
    const count = segment.words?.length || 1;
    const own = whose.slice(at, (at += count));
    return segment.words?.length ? parted(segment, segment.words, own) : [said(segment, own[0])];
  });
  const numbered = spoken.map((segment, id) => ('id' in segment ? { ...segment, id } : segment));
  return { ...transcript, segments: numbered, speakers };
}

function checkList(place: string, owner: unknown, name: string): void {
  const list: unknown = typeof owner === 'object' && owner !== null && Reflect.get(owner, name);
  if (!Array.isArray(list)) throw invalidOption(place, 'an array', list || owner);
}

const said = <Each extends object>(each: Each, speaker: string | undefined): Each =>
  speaker === undefined ? each : { ...each, speaker };

/** The one who occurs most often; the first of several. */
function mostOf(whose: readonly (string | undefined)[]): string | undefined {
  const countOf = (who: string | undefined): number => whose.filter((each) => each === who).length;
  return whose.reduce((best, who) => (countOf(who) > countOf(best) ? who : best), whose[0]);
}

/** A segment, or its parts if several people speak in it. */
function parted(
  segment: Heard,
  words: readonly Word[],
  whose: readonly (string | undefined)[],
): Heard[] {
  const own = words.map((word, i) => said(word, whose[i]));
  // What words leave out has no place in parts.
  if (words.map(({ word }) => word).join('') !== segment.text) {
    return [said({ ...segment, words: own }, mostOf(whose))];
  }
  const starts = own.flatMap((_, i) => (i === 0 || whose[i] !== whose[i - 1] ? [i] : []));
  if (starts.length === 1) return [said({ ...segment, words: own }, whose[0])];
  return starts.map((from, i) => {
    const part = own.slice(from, starts[i + 1]);
    const isLast = i === starts.length - 1;
    const [first, last] = [part[0]!, part.at(-1)!];
    return said(
      {
        ...segment,
        start: i === 0 ? segment.start : first.start,
        end: isLast ? segment.end : Math.max(first.start, last.end),
        text: part.map(({ word }) => word).join(''),
        words: part,
        ...('tokens' in segment && { tokens: [], tokenProbabilities: [] }),
      },
      whose[from],
    );
  });
}
