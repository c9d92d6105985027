// Silero's rules: probabilities to ranges of speech, as they come.

/** Samples of which the detector gives one probability. */
export const frameSamples = 512;

/** A pause that a long range may be cut at, in seconds. */
const shortestCutPause = 0.098;

/** In samples, fractions allowed. */
export interface SpeechLimits {
  readonly threshold: number;
  readonly negativeThreshold: number;
  readonly minSpeech: number;
  readonly maxSpeech: number;
  readonly minSilence: number;
  readonly pad: number;
  readonly sampleRate: number;
}

/** Samples from `start` to before `end`. */
export interface SampleRange {
  readonly start: number;
  readonly end: number;
}

/** The speech before the one under way. */
interface Earlier {
  readonly start: number;
  readonly end: number;
  /** Its padded end is given out already. */
  isSettled: boolean;
}

export class SpeechRules {
  readonly #limits: SpeechLimits;
  /** Samples processed. */
  #heard = 0;
  /** Where the speech under way began, without padding. */
  #start: number | undefined;
  /** Where that speech begins with padding, once it cannot turn out too short. */
  #begun: number | undefined;
  /** Where its last pause began, while that lasts. */
  #pause: number | undefined;
  /** Its pauses that are over and were long enough to cut at. */
  #pauses: SampleRange[] = [];
  #earlier: Earlier | undefined;
  #settled: SampleRange[] = [];

  constructor(limits: SpeechLimits) {
    this.#limits = limits;
  }

  /** The probability of the next frame. */
  push(probability: number): void {
    const now = this.#heard;
    this.#heard += frameSamples;
    this.#hear(probability, now);
    if (this.#start !== undefined && this.#pause === undefined) {
      // A pause begins with the next frame at the earliest, and the recording ends behind the first sample of this one.
      if (now + 1 - this.#start > this.#limits.minSpeech) this.#begin();
    }
    this.#settleAlone();
  }

  /** The recording has so many samples. */
  finish(sampleCount: number): void {
    const { minSpeech, pad } = this.#limits;
    if (this.#start !== undefined && sampleCount - this.#start > minSpeech)
      this.#close(sampleCount);
    this.#start = undefined;
    const earlier = this.#earlier;
    if (!earlier || earlier.isSettled) return;
    this.#settle(earlier, Math.trunc(Math.min(sampleCount, earlier.end + pad)));
  }

  /** Ranges with padding that have become certain since the last call. */
  take(): SampleRange[] {
    return this.#settled.splice(0);
  }

  /** Speech under way that is certain; all of it up to `end` belongs to a range. */
  get underWay(): SampleRange | undefined {
    if (this.#begun === undefined) return undefined;
    const { pad, maxSpeech } = this.#limits;
    // It may still be cut.
    if (maxSpeech !== Infinity) return { start: this.#begun, end: this.#begun };
    const end = this.#pause === undefined ? this.#heard : Math.min(this.#heard, this.#pause + pad);
    return { start: this.#begun, end: Math.trunc(end) };
  }

  /** No range that is not certain yet begins before. */
  get earliest(): number {
    const open = this.#begun ?? (this.#start ?? this.#heard) - this.#limits.pad;
    const earlier = this.#earlier?.isSettled === false ? this.#earlier.start : open;
    return Math.max(0, Math.trunc(Math.min(open, earlier)));
  }

  #hear(probability: number, now: number): void {
    const { threshold, negativeThreshold, minSpeech, maxSpeech, minSilence, sampleRate } =
      this.#limits;
    const isSpeech = probability >= threshold;
    if (isSpeech && this.#pause !== undefined) {
      if (now - this.#pause > shortestCutPause * sampleRate) {
        this.#pauses.push({ start: this.#pause, end: now });
      }
      this.#pause = undefined;
    }
    if (this.#start === undefined) {
      if (isSpeech) this.#start = now;
      return;
    }
    if (now - this.#start > maxSpeech) {
      const cut = longest(this.#pauses);
      this.#close(cut?.start ?? now);
      this.#start = cut?.end;
      this.#pause = undefined;
      this.#pauses = [];
      if (this.#start === undefined) return;
    }
    if (probability >= negativeThreshold) return;
    this.#pause ??= now;
    if (now - this.#pause < minSilence) return;
    if (this.#pause - this.#start > minSpeech) this.#close(this.#pause);
    this.#start = undefined;
    this.#begun = undefined;
    this.#pause = undefined;
    this.#pauses = [];
  }

  /** The speech under way will be one. */
  #begin(): void {
    if (this.#begun !== undefined || this.#start === undefined) return;
    const start = this.#start;
    const { pad } = this.#limits;
    let before = pad;
    const earlier = this.#earlier;
    if (earlier && !earlier.isSettled) {
      const silence = start - earlier.end;
      if (silence < 2 * pad) before = Math.floor(silence / 2);
      this.#settle(earlier, Math.trunc(earlier.end + before));
    }
    this.#begun = Math.trunc(Math.max(0, start - before));
  }

  #close(end: number): void {
    this.#begin();
    this.#earlier = { start: this.#begun ?? 0, end, isSettled: false };
    this.#begun = undefined;
  }

  #settle(earlier: Earlier, end: number): void {
    earlier.isSettled = true;
    this.#settled.push({ start: earlier.start, end });
  }

  /** The end of the speech before, once no speech can begin that close to it. */
  #settleAlone(): void {
    const earlier = this.#earlier;
    if (!earlier || earlier.isSettled) return;
    const { pad } = this.#limits;
    if (Math.min(this.#start ?? Infinity, this.#heard) - earlier.end < 2 * pad) return;
    this.#settle(earlier, Math.trunc(earlier.end + pad));
  }
}

/** The first of the longest. */
function longest(pauses: readonly SampleRange[]): SampleRange | undefined {
  let found: SampleRange | undefined;
  for (const pause of pauses) {
    if (!found || pause.end - pause.start > found.end - found.start) found = pause;
  }
  return found;
}
