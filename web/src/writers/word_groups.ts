import { columnsOf } from './columns.js';
import { lineUnits, longPause } from './line_units.js';
import type { LineUnit, UnitPart } from './line_units.js';
import type { FormatOptions } from './options.js';
import type { TranscriptLike, TranscriptWord } from './transcript.js';
import { strip } from './white_space.js';

/**
 * A transcript's words as subtitles, or undefined where it lacks words: the first word of each line is without white
 * space, and begins with a line feed where it is not the first of its subtitle. With both `maxLineWidth` and
 * `maxLineCount` a subtitle may reach over segments; else each segment begins one.
 */
export function wordGroups(
  transcript: TranscriptLike,
  options: FormatOptions,
): Generator<readonly TranscriptWord[]> | undefined {
  const segments = lineUnits(transcript, options);
  return segments && groups(segments, options);
}

function* groups(
  segments: readonly (readonly LineUnit[])[],
  { maxLineWidth, maxLineCount, maxWordsPerLine, compatibility }: FormatOptions,
): Generator<readonly TranscriptWord[]> {
  const widthOf = compatibility === 'openai' ? characterCount : columnsOf;
  const keepsSegments = maxLineCount === undefined || maxLineWidth === undefined;
  const width = maxLineWidth ?? 1000;
  let group: UnitPart[] = [];
  let lineLength = 0;
  let lineCount = 1;
  let previousStart = segments.flat(2)[0]?.start ?? 0;
  for (const units of segments) {
    for (const [index, unit] of units.entries()) {
      const isFirst = index % (maxWordsPerLine ?? 1000) === 0;
      const isOthers = group.length > 0 && unit[0]!.speaker !== group[0]!.speaker;
      const begins = (keepsSegments && isFirst && group.length > 0) || isOthers;
      const isLate = !keepsSegments && unit[0]!.start - previousStart > longPause;
      const length = widthOf(textOf(unit));
      if (lineLength > 0 && lineLength + length <= width && !isLate && !begins) {
        lineLength += length;
        for (const part of unit) append(group, part);
      } else {
        const [first, ...rest] = stripped(unit);
        const isFull = maxLineCount !== undefined && (isLate || lineCount >= maxLineCount);
        let mark = '';
        if (begins || (group.length > 0 && isFull)) {
          yield group;
          group = [];
          lineCount = 1;
        } else if (lineLength > 0) {
          lineCount += 1;
          mark = '\n';
        }
        lineLength = widthOf(textOf([first, ...rest]));
        group.push({ ...first, word: `${mark}${first.word}` }, ...rest);
      }
      previousStart = unit.at(-1)!.start;
    }
  }
  if (group.length > 0) yield group;
}

/** Parts of a word that stay in one line are one again. */
function append(group: UnitPart[], part: UnitPart): void {
  const last = group.at(-1);
  if (last?.source !== part.source) group.push(part);
  else group[group.length - 1] = { ...last, word: last.word + part.word, end: part.end };
}

/** What a line begins with, without white space around it. */
function stripped(unit: LineUnit): [UnitPart, ...UnitPart[]] {
  const [first, ...rest] = unit;
  const word = strip(first!.word);
  if (rest.length === 0) return [{ ...first!, word }];
  if (word === '') return stripped(rest);
  return [{ ...first!, word: first!.word.trimStart() }, ...rest];
}

function textOf(parts: readonly TranscriptWord[]): string {
  return parts.map(({ word }) => word).join('');
}

/** Characters, not UTF-16 units. */
function characterCount(text: string): number {
  return Array.from(text).length;
}
