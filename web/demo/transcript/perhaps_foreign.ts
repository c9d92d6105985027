// Whether what a model heard that knows English alone may have been another language.
import type { DocumentContent } from './transcript_document.js';

/** Seconds of speech that it takes to say so. */
const leastSeconds = 10;

/** The mean log probability of a token: tiny.en is above it for English, noise included, and below it for French, German, Italian and Spanish. */
const leastSure = -0.9;

/** What was dropped for one of these was no speech. */
const noSpeech = ['dropped:silence', 'dropped:past-end', 'dropped:zero-length'];

/** Each counts by its length. Where no text is left, what was dropped says it. */
export function perhapsForeign({
  segments,
  rejected,
}: Pick<DocumentContent, 'segments' | 'rejected'>): boolean {
  const seconds = (all: readonly { readonly start: number; readonly end: number }[]): number =>
    all.reduce((sum, { start, end }) => sum + Math.max(0, end - start), 0);
  const heard = segments.filter(({ avgLogprob }) => avgLogprob !== undefined);
  if (segments.length === 0) {
    const spoken = rejected.filter(({ decision }) => !noSpeech.includes(decision));
    return seconds(spoken) >= leastSeconds;
  }
  const length = seconds(heard);
  const sum = heard.reduce((sum, one) => sum + (one.avgLogprob ?? 0) * seconds([one]), 0);
  return length >= leastSeconds && sum / length < leastSure;
}
