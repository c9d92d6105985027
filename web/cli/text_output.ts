// Text on stdout: a line for each segment, with its times and with colours where they are asked for.
import { format } from '../src/node.js';
import type { TranscriptLike } from '../src/node.js';
import { clock, toMilliseconds } from '../src/writers/time.js';
import { saidBy } from '../src/writers/white_space.js';
import { colored, safe } from './terminal.js';
import type { Color } from './terminal.js';

type TranscriptSegment = TranscriptLike['segments'][number];
type TranscriptWord = NonNullable<TranscriptSegment['words']>[number];

interface SpokenWord extends TranscriptWord {
  readonly probability?: number;
}

/** A segment with what is known of how sure it is. */
export interface SpokenSegment extends TranscriptSegment {
  readonly avgLogprob?: number;
  readonly words?: readonly SpokenWord[];
}

/** How text looks on stdout. */
export interface TextStyle {
  /** Each line begins with its times. */
  readonly hasTimes: boolean;
  /** What is unsure is yellow, what is doubtful red. */
  readonly hasColors: boolean;
}

/** Text of a lower probability has that colour. */
const doubtful = 0.4;
const unsure = 0.7;

/** Lines as a terminal may have them. Words have colours of their own where each has a time. */
export function textLines(segments: readonly SpokenSegment[], style: TextStyle): string {
  return segments
    .map(({ speaker, ...segment }) => {
      const times = style.hasTimes ? timesOf(segment) : '';
      const line = format({ segments: [segment] }, 'txt');
      const name = speaker === undefined ? '' : safe(saidBy(speaker, ''));
      return times + name + (style.hasColors ? inColors(segment, line.trimEnd()) : safe(line));
    })
    .join('');
}

/** `[00:01.200 → 00:03.400] `; hours stand before minutes where there are any. */
function timesOf({ start, end }: SpokenSegment): string {
  const shown = (seconds: number): string =>
    clock(toMilliseconds(seconds), { mark: '.', hasHours: false });
  return `[${shown(start)} → ${shown(end)}] `;
}

function inColors({ words = [], avgLogprob }: SpokenSegment, line: string): string {
  const joined = words.map(({ word }) => word).join('');
  if (words.length === 0 || joined.trim() !== line) {
    const probability = avgLogprob === undefined ? undefined : Math.exp(avgLogprob);
    return `${colored(line, colorOf(probability))}\n`;
  }
  const shown = words.map(({ word, probability }, at) => {
    const text = at === 0 ? word.trimStart() : word;
    return colored(at === words.length - 1 ? text.trimEnd() : text, colorOf(probability));
  });
  return `${shown.join('')}\n`;
}

function colorOf(probability = 1): Color | undefined {
  if (probability < doubtful) return 'red';
  return probability < unsure ? 'yellow' : undefined;
}
