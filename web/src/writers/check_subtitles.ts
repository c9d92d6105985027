import { invalidOption } from '../api/errors.js';
import { checkOptions, text } from '../api/options.js';
import { breakCost, breakCosts, breakPlaces } from './break_costs.js';
import { likelyLanguage } from './break_words.js';
import { columnsOf } from './columns.js';
import { readSubtitles } from './read_subtitles.js';
import type { ReadCue } from './read_subtitles.js';
import { letterCount, lineColumns, longGap, profiles, readColumns } from './subtitle_profiles.js';
import type { ProfileRules, SubtitleProfile } from './subtitle_profiles.js';

/**
 * What subtitles may violate. `characters` counts columns of a line, `readingSpeed` columns a second; `openGap` is a gap that is
 * neither closed nor half a second long; `break` parts what belongs together, such as an article and its noun.
 */
export type SubtitleRule =
  | 'characters'
  | 'lines'
  | 'shortest'
  | 'longest'
  | 'gap'
  | 'overlap'
  | 'order'
  | 'openGap'
  | 'readingSpeed'
  | 'break';

/** A rule that a subtitle violates. Times in seconds. */
export interface SubtitleViolation {
  readonly rule: SubtitleRule;
  /** Which subtitle of the file, counted from 1. */
  readonly cue: number;
  readonly start: number;
  readonly end: number;
  /** Where the file has the subtitle's time, counted from 1. */
  readonly line: number;
  /** What violates the rule: the subtitle, or a line of it. */
  readonly text: string;
  /** What it has, and what the rule allows: columns, lines, seconds or columns a second. Absent where there is no number. */
  readonly value?: number;
  readonly limit?: number;
  /** False where the rule is a recommendation, or cannot be kept: one word that is longer than a line. */
  readonly isHard: boolean;
}

/** What check() finds. */
export interface SubtitleReport {
  readonly cues: number;
  /** No rule that is hard is violated. */
  readonly isValid: boolean;
  readonly violations: readonly SubtitleViolation[];
  /** Subtitles that are to be read faster than the profile recommends, 0 to 1. */
  readonly fastShare: number;
  /** Breaks that part what belongs together, 0 to 1. */
  readonly badBreakShare: number;
}

/** Options of check(). */
export interface CheckOptions {
  /** A language code. Default: what the most frequent words say. */
  readonly language?: string;
}

/** Files round times to whole milliseconds. */
const rounding = 1;

/**
 * Lists what the content of an SRT or VTT file violates of a profile's rules. A pure function: it needs no model.
 *
 * @throws SusurrusError `malformed` for the first line that is none of such a file, `limit_exceeded` above 64 MiB,
 *   `invalid_argument` for an unknown profile.
 * @example
 * ```js
 * const { violations } = check(await file.text(), 'netflix');
 * for (const { rule, start, text } of violations) console.log(start, rule, text);
 * ```
 */
export function check(
  subtitles: string,
  profile: SubtitleProfile,
  options: CheckOptions = {},
): SubtitleReport {
  if (!Object.hasOwn(profiles, profile)) {
    throw invalidOption('profile', `one of ${Object.keys(profiles).join(', ')}`, profile);
  }
  checkOptions(options, { language: text });
  const rules = profiles[profile];
  const cues = readSubtitles(subtitles);
  const language =
    options.language ??
    likelyLanguage(
      cues
        .slice(0, 1000)
        .flatMap((cue) => cue.text)
        .join(' '),
    );
  const violations: SubtitleViolation[] = [];
  let breaks = 0;
  cues.forEach((cue, index) => {
    const before = cues[index - 1];
    const add = (found: Found): void => {
      const { start, end, line } = cue;
      violations.push({
        ...{ cue: index + 1, start: start / 1000, end: end / 1000, line },
        ...{ text: cue.text.join('\n'), isHard: true },
        ...found,
      });
    };
    for (const found of [
      ...linesFound(cue, rules, language),
      ...timesFound(cue, rules),
      ...(before ? gapFound(before, cue, rules) : []),
    ]) {
      add(found);
    }
    const pairs = breaksOf(cue, cues[index + 1]);
    breaks += pairs.length;
    for (const [left, right] of pairs) {
      if (breakCost(left, ` ${right}`, language) < breakCosts.number) continue;
      add({ rule: 'break', text: `${left} / ${right}`, isHard: false });
    }
  });
  const count = (rule: SubtitleRule): number =>
    violations.filter((each) => each.rule === rule).length;
  return {
    cues: cues.length,
    isValid: !violations.some(({ isHard }) => isHard),
    violations,
    fastShare: count('readingSpeed') / Math.max(1, cues.length),
    badBreakShare: count('break') / Math.max(1, breaks),
  };
}

type Found = Pick<SubtitleViolation, 'rule'> & Partial<SubtitleViolation>;

function linesFound(cue: ReadCue, rules: ProfileRules, language: string | undefined): Found[] {
  const { text: lines } = cue;
  const most = lineColumns(rules, letterCount(lines.join('\n')));
  const long = lines.flatMap((line): Found[] => {
    const value = columnsOf(line);
    if (value <= most) return [];
    const isHard = breakPlaces(line, language).some((at) => at > 0 && at < line.length);
    return [{ rule: 'characters', text: line, value, limit: most, isHard }];
  });
  if (lines.length <= rules.lines) return long;
  return [...long, { rule: 'lines', value: lines.length, limit: rules.lines }];
}

function timesFound(
  { start, end, text: lines }: ReadCue,
  { shortest, longest, speed }: ProfileRules,
): Found[] {
  const shown = end - start;
  const found: Found[] = [];
  if (shown < shortest - rounding) {
    found.push({ rule: 'shortest', value: shown / 1000, limit: shortest / 1000 });
  }
  if (shown > longest + rounding) {
    found.push({ rule: 'longest', value: shown / 1000, limit: longest / 1000 });
  }
  const columns = readColumns(lines);
  if (columns * 1000 > speed * (shown + rounding)) {
    const value = Math.round((columns * 10_000) / Math.max(1, shown)) / 10;
    found.push({ rule: 'readingSpeed', value, limit: speed, isHard: false });
  }
  return found;
}

function gapFound(before: ReadCue, { start }: ReadCue, { gap: least }: ProfileRules): Found[] {
  if (start < before.start)
    return [{ rule: 'order', value: start / 1000, limit: before.start / 1000 }];
  const gap = start - before.end;
  const [value, limit] = [gap / 1000, least / 1000];
  if (gap < 0) return [{ rule: 'overlap', value: -value, limit: 0 }];
  if (gap < least - rounding) return [{ rule: 'gap', value, limit }];
  if (gap <= least + rounding || gap >= longGap - rounding) return [];
  return [{ rule: 'openGap', value, limit, isHard: false }];
}

/** What stands before and after each break of a subtitle and behind it. The dash of a speaker begins a sentence. */
function breaksOf(cue: ReadCue, next: ReadCue | undefined): (readonly [string, string])[] {
  const lines = [...cue.text, ...(next?.text.slice(0, 1) ?? [])];
  return lines.slice(1).flatMap((right, i) => {
    const left = lines[i]!;
    return /^[-–—]/.test(right) || left === '' ? [] : [[left, right] as const];
  });
}
