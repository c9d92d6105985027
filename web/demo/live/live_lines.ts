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
  readonly before: readonly Line[];
  readonly lines: readonly Line[];
}

/** The lines of a session. What a change costs does not grow with them. */
export class LiveLines {
  readonly #lines: Line[] = [];
  /** What is not among these is not looked for. */
  readonly #keys = new Set<string>();

  get all(): readonly Line[] {
    return this.#lines;
  }

  /** Says whether it goes on with the last line. */
  add(entry: Entry): boolean {
    const last = this.#lines.at(-1);
    const isFurther = last !== undefined && goesOn(last, entry);
    if (isFurther) this.#lines[this.#lines.length - 1] = [...last, entry];
    else this.#lines.push([entry]);
    if (entry.kind === 'utterance') this.#keys.add(entry.key);
    return isFurther;
  }

  /** Changes the lines around what was heard again, in which it may go on with what is before it, or be gone on with. */
  revise({ replaced, utterances, next }: Revised): RevisedLines {
    const going = new Set(replaced);
    const isReplaced = (entry: Entry): boolean =>
      entry.kind === 'utterance' && going.has(entry.key);
    const isNext = (entry: Entry): boolean => entry.kind === 'utterance' && entry.key === next;
    const { from, to } = this.#around(next === undefined ? replaced : [...replaced, next]);
    const before = this.#lines.slice(from, to);
    const entries = before.flat();
    const first = entries.findIndex(isReplaced);
    const following = first < 0 ? entries.findIndex(isNext) : first;
    const at = following < 0 ? entries.length : following;
    const end = Math.max(at, entries.findLastIndex(isReplaced) + 1);
    const between = entries.slice(at, end).filter((entry) => !isReplaced(entry));
    const placed = [...between, ...utterances].sort((a, b) => a.start - b.start);
    const lines = linesOf([...entries.slice(0, at), ...placed, ...entries.slice(end)]);
    this.#lines.splice(from, before.length, ...lines);
    for (const key of replaced) this.#keys.delete(key);
    for (const { key } of utterances) this.#keys.add(key);
    return { from, before, lines };
  }

  /** The lines that have these, looked for from the end, and the one before them; the last one if none has. */
  #around(keys: readonly string[]): { readonly from: number; readonly to: number } {
    const sought = new Set(keys.filter((key) => this.#keys.has(key)));
    let [from, to] = [this.#lines.length, this.#lines.length];
    for (let at = to - 1; at >= 0 && sought.size > 0; --at) {
      const count = sought.size;
      for (const entry of this.#lines[at] ?? []) {
        if (entry.kind === 'utterance') sought.delete(entry.key);
      }
      if (sought.size === count) continue;
      if (from === this.#lines.length) to = at + 1;
      from = at;
    }
    return { from: Math.max(0, from - 1), to };
  }
}

const hasLanguage = (entry: Entry): entry is Utterance =>
  entry.kind === 'utterance' && entry.language !== undefined;

const startOf = ({ start, words }: Utterance): number => words[0]?.start ?? start;
const endOf = ({ end, words }: Utterance): number => words.at(-1)?.end ?? end;

const lettersOf = (line: Line): number =>
  line.reduce((sum, entry) => sum + (entry.kind === 'gap' ? 0 : textOf(entry).length), 0);
