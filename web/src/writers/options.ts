import type { Task } from '../api/types.js';
import { checkOptions, flag, oneOf } from '../api/options.js';
import type { Check } from '../api/options.js';
import { invalidOption } from '../api/errors.js';
import { profiles } from './subtitle_profiles.js';
import type { SubtitleProfile } from './subtitle_profiles.js';

/** A notation for transcripts; the first five are the reference's. */
export type TranscriptFormat =
  'txt' | 'srt' | 'vtt' | 'tsv' | 'json' | 'lrc' | 'csv' | 'verbose_json';

/**
 * How a transcript is written. What a format has no use for is ignored, and so are the limits and `highlightWords` where
 * the transcript has no words.
 */
export interface FormatOptions {
  /**
   * Most columns in a line of a subtitle: a character takes one, a full-width one and an emoji two, a combining mark none.
   */
  readonly maxLineWidth?: number;
  /** Most lines in a subtitle; needs `maxLineWidth`, and lets subtitles reach over segments. */
  readonly maxLineCount?: number;
  /**
   * Most words in a subtitle; without effect where both of the above are given. Scripts without blanks have the words of
   * `Intl.Segmenter`.
   */
  readonly maxWordsPerLine?: number;
  /** srt, vtt: a subtitle for each word, underlined in its line. lrc: the time of each word. */
  readonly highlightWords?: boolean;
  /**
   * srt, vtt: subtitles of two lines that keep the rules of a house for width, reading speed, times and line breaks. Excludes
   * the options above and `compatibility`. Without word times, text is timed in proportion.
   */
  readonly profile?: SubtitleProfile;
  /** csv: an apostrophe before text that a spreadsheet would run as a formula, which begins with = + - @, a tab or a line break. */
  readonly escapeFormulas?: boolean;
  /**
   * `'openai'`: lines of subtitles are counted and broken as the reference does it, in characters and between timed words
   * in every script, and right-to-left text gets no directional marks.
   */
  readonly compatibility?: 'openai';
  /** verbose_json: what the transcript was made for; `'transcribe'` if absent. */
  readonly task?: Task;
}

const count: Check = [
  'a whole number above 0',
  (value) => Number.isInteger(value) && (value as number) > 0,
];

export function checkFormatOptions(options: FormatOptions): void {
  checkOptions(options, {
    maxLineWidth: count,
    maxLineCount: count,
    maxWordsPerLine: count,
    highlightWords: flag,
    profile: oneOf(...Object.keys(profiles)),
    escapeFormulas: flag,
    compatibility: oneOf('openai'),
    task: oneOf('transcribe', 'translate'),
  });
  const { profile, maxLineWidth, maxLineCount, maxWordsPerLine, highlightWords, compatibility } =
    options;
  const others = [maxLineWidth, maxLineCount, maxWordsPerLine, compatibility];
  if (profile && (highlightWords || others.some((each) => each !== undefined))) {
    throw invalidOption(
      'profile',
      'without limits of lines, highlightWords and compatibility',
      profile,
    );
  }
}
