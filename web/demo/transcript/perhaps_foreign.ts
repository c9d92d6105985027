// Whether what a model heard that knows English alone may have been another language.
import type { ModelInfo } from '../../src/index.js';
import type { DocumentContent } from './transcript_document.js';

interface Heard {
  readonly start: number;
  readonly end: number;
  /** The mean log probability of a token. */
  readonly avgLogprob?: number;
  /** In place of that, from live captions. */
  readonly words?: readonly { readonly probability?: number }[] | undefined;
}

/** Seconds of speech that it takes to say so. */
const leastSeconds = 10;

/** A token's log probability: tiny.en is above it for English, noise included, and below it for French, German, Italian and Spanish. */
const leastSure = -0.9;

/** A live word's log probability: tiny.en was at −0.9 or above in 13 English recordings, meetings included, and at −1.3 or below for German, French and Spanish. */
const leastSureWord = -1.1;

/** Seconds of live captions that count: people change the language while they speak. */
const lately = 30;

/** What was dropped for one of these was no speech. */
const noSpeech = ['dropped:silence', 'dropped:past-end', 'dropped:zero-length'];

const secondsOf = ({ start, end }: Pick<Heard, 'start' | 'end'>): number =>
  Math.max(0, end - start);

/** By how much it is sure enough; undefined where nothing says how sure it is. */
function margin({ avgLogprob, words = [] }: Heard): number | undefined {
  if (avgLogprob !== undefined) return avgLogprob - leastSure;
  // A person's own words have none.
  const probabilities = words.flatMap(({ probability }) => probability ?? []);
  if (probabilities.length === 0) return undefined;
  const sum = probabilities.reduce((sum, each) => sum + Math.log(Math.max(1e-9, each)), 0);
  return sum / probabilities.length - leastSureWord;
}

export const knowsEnglishAlone = ({ family, multilingual }: ModelInfo): boolean =>
  family === 'whisper' && !multilingual;

/** Each counts by its length. Where no text is left, what was dropped says it. */
export function perhapsForeign({
  segments,
  rejected = [],
}: {
  readonly segments: readonly Heard[];
  readonly rejected?: DocumentContent['rejected'];
}): boolean {
  if (segments.length === 0) {
    const spoken = rejected.filter(({ decision }) => !noSpeech.includes(decision));
    return spoken.reduce((sum, each) => sum + secondsOf(each), 0) >= leastSeconds;
  }
  let seconds = 0;
  let sum = 0;
  for (const segment of segments) {
    const more = margin(segment);
    if (more === undefined) continue;
    seconds += secondsOf(segment);
    sum += more * secondsOf(segment);
  }
  return seconds >= leastSeconds && sum < 0;
}

/** Whether the latest texts of live captions may be another language; `now` is the second of the sound. */
export const latelyForeign = (texts: readonly Heard[], now: number): boolean =>
  perhapsForeign({ segments: texts.filter(({ start }) => start >= now - lately) });
