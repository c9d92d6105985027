// Subtitles that keep the rules of a profile: where the text is parted, and when each part is shown.
import { breakCost, breakPlaces } from './break_costs.js';
import { columnsOf } from './columns.js';
import { cues, unnamed } from './cues.js';
import type { Cue, WriteText } from './cues.js';
import type { FormatOptions } from './options.js';
import { letterCount, lineColumns, linger, longGap, profiles } from './subtitle_profiles.js';
import type { LetterCount, ProfileRules } from './subtitle_profiles.js';
import type { TranscriptLike, TranscriptSegment } from './transcript.js';

/** Subtitles by the rules of a profile where one is asked for, else those of cues(). */
export function* subtitleCues(
  transcript: TranscriptLike,
  options: FormatOptions,
  write: WriteText = unnamed,
): Generator<Cue> {
  const rules = options.profile && profiles[options.profile];
  if (!rules) yield* cues(transcript, options, write);
  else {
    for (const cue of timed(divided(unitsOf(transcript), rules), rules)) {
      // A name would take room that the rules count.
      yield { ...cue, text: write(cue.text) };
    }
  }
}

/** Text that nothing parts, with its time in milliseconds. */
interface Unit {
  readonly text: string;
  /** Blanks before it where it does not begin a line. */
  readonly blank: string;
  readonly columns: number;
  readonly letters: LetterCount;
  readonly start: number;
  readonly end: number;
  readonly speaker: string | undefined;
  /** What it costs to part it from the unit before. */
  readonly cost: number;
}

/** Units as they are shown together: where the second line begins, if there is one. */
interface Part {
  readonly from: number;
  readonly to: number;
  readonly second: number | undefined;
}

/** So much text around a break tells what it parts. */
const context = 40;

function unitsOf(transcript: TranscriptLike): readonly Unit[] {
  const units: Unit[] = [];
  for (const segment of transcript.segments) {
    const { text, timeAt } = timedText(segment);
    const language = segment.language ?? transcript.language;
    const places = breakPlaces(text, language);
    let isFirst = true;
    const bounds = [0, ...places.filter((at) => at > 0 && at < text.length), text.length];
    for (const [i, from] of bounds.slice(0, -1).entries()) {
      const to = bounds[i + 1]!;
      const shown = text.slice(from, to).trim();
      if (shown === '') continue;
      const begin = from + /^\s*/.exec(text.slice(from, to))![0].length;
      const before = units.at(-1);
      const left = isFirst
        ? units.slice(-3).reduce((joined, unit) => joined + unit.blank + unit.text, '')
        : text.slice(Math.max(0, from - context), from);
      // Text of a segment that begins without a blank goes on in a script without them.
      const blank =
        isFirst && before ? blankBetween(before.text, shown, text) : text.slice(from, begin);
      const start = Math.max(timeAt(begin).start, before?.start ?? 0);
      units.push({
        text: shown,
        blank: blank === '' ? '' : ' ',
        columns: columnsOf(shown),
        letters: letterCount(shown),
        start,
        end: Math.max(start, timeAt(begin + shown.length - 1).end),
        speaker: segment.speaker,
        cost: breakCost(left, blank + text.slice(begin, begin + context), language),
      });
      isFirst = false;
    }
  }
  return units;
}

const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}、。，！？」』）]/u;

function blankBetween(before: string, after: string, text: string): string {
  if (/^\s/.test(text)) return ' ';
  return unspaced.test(before.slice(-1)) || unspaced.test(after.charAt(0)) ? '' : ' ';
}

interface TimedText {
  readonly text: string;
  /** When the character at an offset is spoken; offsets of later calls are not lower. */
  readonly timeAt: (offset: number) => { readonly start: number; readonly end: number };
}

/** In one line, with the times of words; without those, of characters in proportion. */
function timedText(segment: TranscriptSegment): TimedText {
  const words = segment.words?.some(({ word }) => word.trim() !== '')
    ? segment.words
    : [{ word: segment.text, start: segment.start, end: segment.end }];
  let text = '';
  const spans: { from: number; start: number; length: number; each: number }[] = [];
  for (const { word, start, end } of words) {
    // An arrow would be read as a time.
    const plain = word.replaceAll('-->', '->').replaceAll(/\s+/g, ' ');
    const length = Math.max(1, plain.trim().length);
    const from = text.length + /^ ?/.exec(plain)![0].length;
    const duration = Math.max(0, end - start) * 1000;
    spans.push({ from, start: start * 1000, length, each: duration / length });
    text += plain;
  }
  let at = 0;
  const timeAt = (offset: number) => {
    while (at + 1 < spans.length && spans[at + 1]!.from <= offset) ++at;
    const { from, start, length, each } = spans[at]!;
    const before = Math.min(Math.max(0, offset - from), length - 1);
    return { start: atLeast(start + before * each), end: Math.round(start + (before + 1) * each) };
  };
  return { text, timeAt };
}

/** A whole number of milliseconds that is not before the sound; sums of decimal fractions are a little off. */
const atLeast = (milliseconds: number): number => Math.ceil(milliseconds - 1e-6);

/** A pause within a subtitle from which on it costs, and one that costs as much as parting an article from its noun. */
const [shortPause, longPause] = [400, 3000];
/** What a subtitle costs, so that there are not more than needed. */
const costOfPart = 5;
const costOfLine = 1;
/** What a whole line of difference between the lines of a subtitle costs. */
const costOfImbalance = 3;
const costOfMixedSentences = 6;
const costOfSpeed = 30;
const costOfHaste = 60;
const costOfHours = 200;
/** For each second that the second of two speakers is read before being heard. */
const costOfTurn = 2;
/** A dash and a blank before what each of two speakers says. */
const dashColumns = 2;

/** The cheapest way to part the text, by dynamic programming over the places where a subtitle may begin. */
function divided(
  units: readonly Unit[],
  rules: ProfileRules,
): readonly (Cue & { limit: number })[] {
  const best = new Float64Array(units.length + 1).fill(Infinity);
  const parts: Part[] = [];
  best[0] = 0;
  for (let from = 0; from < units.length; ++from) {
    let columns = 0;
    let cost = 0;
    let turn: number | undefined;
    let letters: LetterCount = { letters: 0, wide: 0 };
    for (let to = from + 1; to <= units.length; ++to) {
      const unit = units[to - 1]!;
      const before = units[to - 2];
      if (to - 1 > from) {
        if (unit.speaker !== before!.speaker) {
          if (turn !== undefined) break;
          turn = to - 1;
        }
        const pause = unit.start - before!.end;
        if (pause > shortPause) cost += (40 * (pause - shortPause)) / (longPause - shortPause);
        if (unit.cost === 0 && turn !== to - 1) cost += costOfMixedSentences;
      }
      letters = {
        letters: letters.letters + unit.letters.letters,
        wide: letters.wide + unit.letters.wide,
      };
      columns += unit.columns + (to - 1 > from ? unit.blank.length : 0);
      const width = lineColumns(rules, letters);
      const isLong =
        to - from > 1 && (columns > 2 * rules.columns || to - from > 4 * rules.columns);
      if (isLong) break;
      const layout = layoutOf(units, { from, to, columns, width, turn });
      if (!layout) continue;
      const total =
        best[from]! + cost + layout.cost + costOfPart + endCost(units, from, to, columns, rules);
      if (total < best[to]!) {
        best[to] = total;
        parts[to] = { from, to, second: layout.second };
      }
    }
  }
  const chosen: Part[] = [];
  for (let to = units.length; to > 0; to = parts[to]!.from) chosen.push(parts[to]!);
  return chosen.reverse().map((part) => cueOf(units, part));
}

interface Lines {
  readonly from: number;
  readonly to: number;
  readonly columns: number;
  readonly width: number;
  /** Where another speaker begins. */
  readonly turn: number | undefined;
}

/** The best place for the second line, or undefined where the units do not fit. */
function layoutOf(
  units: readonly Unit[],
  { from, to, columns, width, turn }: Lines,
): { readonly cost: number; readonly second: number | undefined } | undefined {
  const most = turn === undefined ? width : width - dashColumns;
  if (turn === undefined && (columns <= width || to - from === 1)) {
    return { cost: 0, second: undefined };
  }
  let found: { cost: number; second: number } | undefined;
  let first = units[from]!.columns;
  for (let second = from + 1; second < to; ++second) {
    const { blank, columns: next, cost } = units[second]!;
    const rest = columns - first - blank.length;
    const fits = (first <= most || second - from === 1) && (rest <= most || to - second === 1);
    if (fits && (turn === undefined || turn === second)) {
      // A longer second line hides less of the picture.
      const imbalance = Math.abs(first - rest) / width + (first > rest ? 0.1 : 0);
      const each =
        turn === undefined
          ? cost + costOfLine + costOfImbalance * imbalance
          : (costOfTurn * (units[turn]!.start - units[from]!.start)) / 1000;
      if (!found || each < found.cost) found = { cost: each, second };
    }
    first += blank.length + next;
  }
  return found;
}

/** What it costs to end a subtitle here, and to have so little or so much time for it. */
function endCost(
  units: readonly Unit[],
  from: number,
  to: number,
  columns: number,
  { speed, shortest, longest, gap }: ProfileRules,
): number {
  const next = units[to];
  const { start } = units[from]!;
  const sound = units[to - 1]!.end;
  const left = next ? Math.max(0, next.start - gap - start) : Infinity;
  const shown = Math.min(left, Math.max(sound + linger - start, shortest));
  const haste = Math.max(0, 1 - shown / shortest);
  const excess = Math.max(0, (columns * 1000) / speed / Math.max(shown, 1) - 1);
  const overlong = Math.max(0, sound - start - longest);
  const pause = next ? next.start - sound : 0;
  // A pause parts what the words do not.
  const parted = (next?.cost ?? 0) * 1.1 * (pause > longGap ? 0.5 : 1);
  return (
    parted +
    costOfHaste * haste +
    costOfSpeed * Math.min(excess, 1) +
    (overlong > 0 ? costOfHours + (to - from > 1 ? overlong : 0) : 0)
  );
}

function cueOf(units: readonly Unit[], { from, to, second }: Part): Cue & { limit: number } {
  const lineOf = (begin: number, end: number): string =>
    units
      .slice(begin, end)
      .map(({ text, blank }, i) => (i === 0 ? text : blank + text))
      .join('');
  const lines =
    second === undefined ? [lineOf(from, to)] : [lineOf(from, second), lineOf(second, to)];
  const isTurn = second !== undefined && units[second]!.speaker !== units[from]!.speaker;
  return {
    start: units[from]!.start,
    end: units[to - 1]!.end,
    limit: units[to]?.start ?? Infinity,
    text: (isTurn ? lines.map((line) => `- ${line}`) : lines).join('\n'),
  };
}

/**
 * Times that keep the rules. A subtitle begins with its sound, or later where the one before needs its time; it ends with
 * its sound, or up to a second later to be read.
 */
function* timed(
  found: readonly (Cue & { readonly limit: number })[],
  { speed, shortest, longest, gap }: ProfileRules,
): Generator<Cue> {
  let free = 0;
  for (const { start: soundStart, end: soundEnd, limit, text } of found) {
    const start = Math.max(soundStart, free);
    const reading =
      (text.split('\n').reduce((sum, line) => sum + columnsOf(line), 0) * 1000) / speed;
    const wanted = Math.max(soundEnd, Math.min(start + Math.ceil(reading), soundEnd + linger));
    const latest = Math.min(limit - gap, start + longest);
    let end = Math.min(wanted, latest);
    if (latest - end < longGap - gap && limit - gap <= start + longest) end = latest;
    end = Math.max(end, start + shortest);
    yield { start, end, text };
    free = end + gap;
  }
}
