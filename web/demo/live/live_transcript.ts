// The text of live captions as a transcript like that of a recording.
import type { Entry, Utterance } from './caption_state.js';

/** A word with its time in seconds; white space around it belongs to it. */
export interface HeardWord {
  readonly word: string;
  readonly start: number;
  readonly end: number;
  readonly probability: number;
  readonly speaker?: string;
}

export interface HeardSegment {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly words: readonly HeardWord[];
  readonly language?: string;
  readonly speaker?: string;
}

/** Can be written in every format, and edited. */
export interface HeardTranscript {
  readonly text: string;
  readonly duration: number;
  readonly language?: string;
  readonly segments: readonly HeardSegment[];
  /** In the order in which they are first heard; none where they were not told apart. */
  readonly speakers: readonly { readonly id: string }[];
}

export function textOf({ words }: Utterance): string {
  return words.map(({ text }) => text).join('');
}

/** `duration` is that of the sound, in seconds. */
export function transcriptOf(entries: readonly Entry[], duration: number): HeardTranscript {
  const segments = entries.flatMap((entry): HeardSegment[] => {
    if (entry.kind === 'gap') return [];
    const { start, end, language, speaker } = entry;
    const words = entry.words.map(({ text, start, end, probability }) => ({
      word: text,
      start,
      end: Math.max(start, end),
      probability,
      ...(speaker !== undefined && { speaker }),
    }));
    return [
      {
        ...{ start, end: Math.max(start, end), text: textOf(entry), words },
        ...(language && { language }),
        ...(speaker !== undefined && { speaker }),
      },
    ];
  });
  const language = mostSpoken(segments);
  const speakers = new Set(segments.flatMap(({ speaker }) => speaker ?? []));
  return {
    text: segments.map(({ text }) => text).join(''),
    duration: Math.max(duration, segments.at(-1)?.end ?? 0),
    ...(language && { language }),
    segments,
    speakers: Array.from(speakers, (id) => ({ id })),
  };
}

/** The language with the longest time. */
function mostSpoken(segments: readonly HeardSegment[]): string | undefined {
  const seconds = new Map<string, number>();
  for (const { language, start, end } of segments) {
    if (language) seconds.set(language, (seconds.get(language) ?? 0) + end - start);
  }
  return [...seconds].sort(([, a], [, b]) => b - a)[0]?.[0];
}
