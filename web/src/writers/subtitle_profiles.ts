// House rules for subtitles, as data. Times in milliseconds.
import { columnsOf } from './columns.js';

/** The rules that subtitles keep. */
export type SubtitleProfile = 'netflix' | 'bbc' | 'plain';

export interface ProfileRules {
  /** Most columns of a line. */
  readonly columns: number;
  /** Most lines of a subtitle. */
  readonly lines: number;
  /** Columns that are read in a second. */
  readonly speed: number;
  readonly shortest: number;
  readonly longest: number;
  /** Between subtitles. */
  readonly gap: number;
}

/** Two frames of film, which has 24 a second. */
const twoFrames = 84;
const common = { lines: 2, shortest: 834, longest: 7000 };

export const profiles: Readonly<Record<SubtitleProfile, ProfileRules>> = {
  netflix: { ...common, columns: 42, speed: 20, gap: twoFrames },
  bbc: { ...common, columns: 37, speed: 17, gap: twoFrames },
  plain: { ...common, columns: 42, speed: 20, gap: 0 },
};

/** A longer gap between subtitles stays; a shorter one is closed. */
export const longGap = 500;
/** So long a subtitle may stay after its sound to be read. */
export const linger = 1000;

/** Sixteen full-width characters. */
export const wideColumns = 32;
const eastAsian =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\p{Script=Hangul}]/gu;

/** How many letters text has, and how many of them are East Asian. */
export interface LetterCount {
  readonly letters: number;
  readonly wide: number;
}

export function letterCount(text: string): LetterCount {
  const count = (letters: RegExp): number => text.match(letters)?.length ?? 0;
  return { letters: count(/\p{L}/gu), wide: count(eastAsian) };
}

/** Most columns of a line in text with these letters. */
export function lineColumns({ columns }: ProfileRules, { letters, wide }: LetterCount): number {
  return wide > 0 && 2 * wide >= letters ? Math.min(columns, wideColumns) : columns;
}

/** What a reader reads of lines, in columns. */
export function readColumns(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + columnsOf(line), 0);
}
