import type { TranscriptLike } from './transcript.js';

/** A transcript with the names that the reference's JSON has: `avg_logprob` for `avgLogprob`. */
export interface ReferenceTranscript extends TranscriptLike {
  readonly segments: readonly ReferenceSegment[];
}

type ReferenceSegment = TranscriptLike['segments'][number] & Readonly<Record<string, unknown>>;

/** Copies a transcript, with all its fields, under the reference's names. */
export function withReferenceNames(transcript: TranscriptLike): ReferenceTranscript {
  // A long transcript has the same names a hundred thousand times.
  const names = new Map<string, string>();
  const nameOf = (name: string): string => {
    const known = names.get(name);
    if (known !== undefined) return known;
    const found = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    names.set(name, found);
    return found;
  };
  const renamed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(renamed);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, field]) => [nameOf(name), renamed(field)]),
    );
  };
  return renamed(transcript) as ReferenceTranscript;
}
