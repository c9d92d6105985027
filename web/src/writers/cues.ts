import { firstStrong, marked } from './direction.js';
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

/** A subtitle before it has its notation. */
export interface PlainCue extends Cue {
  readonly speaker?: string | undefined;
}

/** Text as a notation has it: lines of right-to-left text marked, and the speaker named. */
export type WriteText = (text: string, speaker?: string) => string;

/** As text tracks have it, where nobody is named. */
export const unnamed: WriteText = (text) => marked(text, firstStrong);

/** The subtitles of a transcript: of its words where it has them, else of its segments. */
export function* cues(
  transcript: TranscriptLike,
  options: FormatOptions,
  write: WriteText = unnamed,
): Generator<Cue> {
  for (const { speaker, ...cue } of plainCues(transcript, options)) {
    yield options.compatibility ? cue : { ...cue, text: write(cue.text, speaker) };
  }
}

function* plainCues(transcript: TranscriptLike, options: FormatOptions): Generator<PlainCue> {
  const groups = wordGroups(transcript, options);
  if (!groups) {
    for (const { start, end, text, speaker } of transcript.segments) {
      yield timed(start, end, strip(text).replaceAll('-->', '->'), speaker);
    }
    return;
  }
  for (const group of groups) {
    if (options.highlightWords) yield* highlighted(group);
    else yield timed(group[0]!.start, group.at(-1)!.end, textOf(group), group[0]!.speaker);
  }
}

/** A subtitle for each word, which is underlined in it, and one for each pause, without underlining. */
function* highlighted(group: readonly TranscriptWord[]): Generator<PlainCue> {
  const text = textOf(group);
  const { speaker } = group[0]!;
  let last = toMilliseconds(group[0]!.start);
  for (const [index, word] of group.entries()) {
    const start = toMilliseconds(word.start);
    const end = toMilliseconds(word.end);
    if (last !== start) yield { start: last, end: start, text, speaker };
    yield {
      start,
      end,
      text: group.map((each, at) => (at === index ? underlined(each.word) : each.word)).join(''),
      speaker,
    };
    last = end;
  }
}

function timed(start: number, end: number, text: string, speaker?: string): PlainCue {
  return { start: toMilliseconds(start), end: toMilliseconds(end), text, speaker };
}

function textOf(group: readonly TranscriptWord[]): string {
  return group.map(({ word }) => word).join('');
}
