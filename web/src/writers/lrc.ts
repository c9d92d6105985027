import type { FormatOptions } from './options.js';
import { digits, roundHalfEven } from './time.js';
import type { TranscriptLike, TranscriptWord } from './transcript.js';
import { inOneLine } from './white_space.js';
import { wordGroups } from './word_groups.js';

/** Lyrics: a line for each segment or, where there are words, each line of its subtitles; with word times on demand. */
export function writeLrc(transcript: TranscriptLike, options: FormatOptions): string {
  const groups = wordGroups(transcript, options);
  const lines = groups
    ? [...groups].flatMap(linesOf).map((line) => wordLine(line, options))
    : transcript.segments.map(({ start, text }) => `[${time(start)}]${inOneLine(text)}`);
  return lines.map((line) => `${line}\n`).join('');
}

/** A subtitle's lines; each begins with a word that begins with a line feed. */
function linesOf(group: readonly TranscriptWord[]): TranscriptWord[][] {
  const lines: TranscriptWord[][] = [];
  for (const word of group) {
    if (lines.length === 0 || word.word.startsWith('\n')) lines.push([word]);
    else lines.at(-1)!.push(word);
  }
  return lines;
}

function wordLine(words: readonly TranscriptWord[], { highlightWords }: FormatOptions): string {
  const text = words.map(({ word, start }) =>
    highlightWords ? word.replace(/(?=\S|$)/, `<${time(start)}>`) : word,
  );
  const ending = highlightWords ? `<${time(words.at(-1)!.end)}>` : '';
  return `[${time(words[0]!.start)}]${inOneLine(text.join(''))}${ending}`;
}

/** `mm:ss.xx`; an hour is 60 minutes. */
function time(seconds: number): string {
  const hundredths = roundHalfEven(seconds * 100);
  const whole = Math.floor(hundredths / 100);
  return `${digits(Math.floor(whole / 60), 2)}:${digits(whole % 60, 2)}.${digits(hundredths % 100, 2)}`;
}
