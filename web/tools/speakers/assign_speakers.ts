// Whose each word of a transcript is, from the turns of the recording's speakers.
import { invalidOption } from '../../src/api/errors.js';
import type { FoundSpeakers, Segment, SpeakerTurn, Word } from '../../src/api/types.js';

/** How far from a word the turn may be that it belongs to although no turn covers it, in seconds. */
const mostDistance = 1;
/** Times of turns are whole frames of this length: shares that differ by less are equal. */
const frame = 270 / 16000;

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

/** Who may have said what was said then: one speaker, several who spoke all the while, or none. */
function candidatesOf(timed: Timed, turns: Turns): readonly string[] {
  const near = turns.within(timed.start - mostDistance, timed.end + mostDistance);
  const covered = new Map<string, number>();
  for (const turn of near) {
    const seconds = overlapOf(timed, turn);
    if (seconds > 0 || (timed.start === timed.end && seconds === 0)) {
      covered.set(turn.speaker, (covered.get(turn.speaker) ?? 0) + seconds);
    }
  }
  if (covered.size > 0) {
    const most = Math.max(...covered.values());
    return [...covered].filter(([, seconds]) => seconds > most - frame).map(([who]) => who);
  }
  let nearest: SpeakerTurn | undefined;
  for (const turn of near) {
    // Below 0: how far they are apart.
    if (!nearest || overlapOf(timed, turn) > overlapOf(timed, nearest)) nearest = turn;
  }
  return nearest && -overlapOf(timed, nearest) <= mostDistance ? [nearest.speaker] : [];
}

/**
 * The speaker of each of some words or segments, in their order. Where several speak for a whole word, it goes on with the one who spoke
 * the word before or, failing that, the next word of one speaker; a word that nobody's turn is near belongs to the speaker of the word
 * before. Undefined where there are no turns at all.
 */
function speakersOf(timed: readonly Timed[], turns: Turns): readonly (string | undefined)[] {
  const candidates = timed.map((each) => candidatesOf(each, turns));
  /** For each, who speaks in the next one that is one speaker's. */
  const later: (string | undefined)[] = [];
  for (let at = timed.length - 2; at >= 0; --at) {
    const next = candidates[at + 1]!;
    later[at] = next.length === 1 ? next[0] : later[at + 1];
  }
  let last: string | undefined;
  return candidates.map((who, at) => {
    const [first] = who;
    if (first === undefined) last ??= later[at];
    else if (last === undefined || !who.includes(last)) {
      last = who.find((each) => each === later[at]) ?? first;
    }
    return last;
  });
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
  const index = new Turns(turns);
  const { segments } = transcript;
  // A segment without words counts as one word.
  const timed = segments.flatMap<Timed>((segment) =>
    segment.words?.length ? segment.words : [segment],
  );
  const whose = speakersOf(timed, index);
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
