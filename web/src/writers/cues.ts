import { firstStrong, marked } from './direction.js';
import type { MarkLine } from './direction.js';
import type { FormatOptions } from './options.js';
import { toMilliseconds } from './time.js';
import type { TranscriptLike, TranscriptWord } from './transcript.js';
import { strip, underlined } from './white_space.js';
import { wordGroups } from './word_groups.js';

/** One subtitle. Times in milliseconds. */
export interface Cue {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * The subtitles of a transcript: of its words where it has them, else of its segments. `markLine` makes lines of
 * right-to-left text right in the notation; the default is that of WebVTT and of text tracks.
 */
export function* cues(
  transcript: TranscriptLike,
  options: FormatOptions,
  markLine: MarkLine = firstStrong,
): Generator<Cue> {
  for (const cue of unmarked(transcript, options)) {
    yield options.compatibility ? cue : { ...cue, text: marked(cue.text, markLine) };
  }
}

function* unmarked(transcript: TranscriptLike, options: FormatOptions): Generator<Cue> {
  const groups = wordGroups(transcript, options);
  if (!groups) {
    for (const { start, end, text } of transcript.segments) {
      yield timed(start, end, strip(text).replaceAll('-->', '->'));
    }
    return;
  }
  for (const group of groups) {
    if (options.highlightWords) yield* highlighted(group);
    else yield timed(group[0]!.start, group.at(-1)!.end, textOf(group));
  }
}

/** A subtitle for each word, which is underlined in it, and one for each pause, without underlining. */
function* highlighted(group: readonly TranscriptWord[]): Generator<Cue> {
  const text = textOf(group);
  let last = toMilliseconds(group[0]!.start);
  for (const [index, word] of group.entries()) {
    const start = toMilliseconds(word.start);
    const end = toMilliseconds(word.end);
    if (last !== start) yield { start: last, end: start, text };
    yield {
      start,
      end,
      text: group.map((each, at) => (at === index ? underlined(each.word) : each.word)).join(''),
    };
    last = end;
  }
}

function timed(start: number, end: number, text: string): Cue {
  return { start: toMilliseconds(start), end: toMilliseconds(end), text };
}

function textOf(group: readonly TranscriptWord[]): string {
  return group.map(({ word }) => word).join('');
}
