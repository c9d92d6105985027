// Which texts of live captions share a line: a short pause ends none, for speakers pause amid a sentence. Knows no page.
import { leadingSpace, longParagraph } from '../transcript/paragraphs.js';
import type { Entry, Revised, Utterance } from './caption_state.js';
import { textOf } from './live_transcript.js';

/** Seconds of a pause after which a line begins. */
const endingPause = 1;

/** What stands together, in order; what was left out stands alone. */
export type Line = readonly Entry[];

/** Whether it is said right after the line's last words, by the same person in the same language. */
export function goesOn(line: Line, entry: Entry): entry is Utterance {
  const before = line.at(-1);
  if (before?.kind !== 'utterance' || entry.kind !== 'utterance') return false;
  if (entry.speaker !== before.speaker) return false;
  // A text that has only begun may have none yet.
  const language = line.findLast(hasLanguage)?.language;
  if (language !== undefined && hasLanguage(entry) && entry.language !== language) return false;
  const pause = startOf(entry) - endOf(before);
  return pause < endingPause && lettersOf(line) < longParagraph;
}

/** The space before a text that goes on with a line, where it brings none of its own. */
export const lackingSpace = (utterance: Utterance): string =>
  /^\s/u.test(textOf(utterance)) ? '' : leadingSpace(utterance.language);

/** Texts in order, line by line. */
export function linesOf(entries: readonly Entry[]): Line[] {
  const lines: Entry[][] = [];
  for (const entry of entries) {
    const last = lines.at(-1);
    if (last && goesOn(last, entry)) last.push(entry);
    else lines.push([entry]);
  }
  return lines;
}

/** Some lines, and those that take their place. */
export interface RevisedLines {
  /** The index of the first one. */
  readonly from: number;
  /** How many go. */
  readonly count: number;
  readonly lines: readonly Line[];
}

/** The lines around what was heard again, in which it may go on with what is before it, or be gone on with. */
export function reviseLines(
  lines: readonly Line[],
  { replaced, utterances, next }: Revised,
): RevisedLines {
  const isReplaced = (entry: Entry): boolean =>
    entry.kind === 'utterance' && replaced.includes(entry.key);
  const isNext = (entry: Entry): boolean => entry.kind === 'utterance' && entry.key === next;
  const touched = lines.flatMap((line, at) =>
    line.some((entry) => isReplaced(entry) || isNext(entry)) ? [at] : [],
  );
  const from = Math.max(0, (touched[0] ?? lines.length) - 1);
  const count = (touched.at(-1) ?? lines.length - 1) + 1 - from;
  const entries = lines.slice(from, from + count).flat();
  const first = entries.findIndex((entry) => isReplaced(entry));
  const following = first < 0 ? entries.findIndex(isNext) : first;
  const at = following < 0 ? entries.length : following;
  const end = Math.max(at, entries.findLastIndex(isReplaced) + 1);
  const between = entries.slice(at, end).filter((entry) => !isReplaced(entry));
  const placed = [...between, ...utterances].sort((a, b) => a.start - b.start);
  return {
    from,
    count,
    lines: linesOf([...entries.slice(0, at), ...placed, ...entries.slice(end)]),
  };
}

const hasLanguage = (entry: Entry): entry is Utterance =>
  entry.kind === 'utterance' && entry.language !== undefined;

const startOf = ({ start, words }: Utterance): number => words[0]?.start ?? start;
const endOf = ({ end, words }: Utterance): number => words.at(-1)?.end ?? end;

const lettersOf = (line: Line): number =>
  line.reduce((sum, entry) => sum + (entry.kind === 'gap' ? 0 : textOf(entry).length), 0);
