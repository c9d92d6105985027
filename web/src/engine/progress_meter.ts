import type { TranscriptionProgress } from '../protocol/engine.js';

/** Progress of a transcription; estimates the remaining time from the mean speed of all windows so far. */
export class ProgressMeter {
  readonly #total: number | undefined;
  readonly #report: (progress: TranscriptionProgress) => void;
  readonly #now: () => number;
  #last = -1;
  /** When audio was given last, and how far it all was then. */
  #given = { milliseconds: 0, loaded: 0 };
  /** When the first window's audio was given, and how far it all was then. */
  #begun: { milliseconds: number; loaded: number } | undefined;

  /** `total`: seconds of audio; undefined for a stream. `now`: milliseconds that never fall. */
  constructor(
    total: number | undefined,
    report: (progress: TranscriptionProgress) => void,
    now: () => number = () => performance.now(),
  ) {
    this.#total = total;
    this.#report = report;
    this.#now = now;
  }

  /** Audio is about to be computed on. The last time before progress is made, that is the first window. */
  audioGiven(loaded: number): void {
    this.#given = { milliseconds: this.#now(), loaded };
  }

  update(loaded: number): void {
    if (loaded <= this.#last) return;
    this.#last = loaded;
    if (loaded > this.#given.loaded) this.#begun ??= this.#given;
    const total = this.#total;
    if (total === undefined) {
      this.#report({ loaded });
      return;
    }
    this.#report({
      loaded,
      total,
      fraction: total > 0 ? Math.min(1, loaded / total) : 1,
      ...this.#remaining(total - loaded, loaded),
    });
  }

  /** The end: only now is a stream's length known. */
  finish(total: number): void {
    if (this.#total !== undefined && this.#last >= this.#total) return;
    this.#report({ loaded: total, total, fraction: 1, remainingSeconds: 0 });
  }

  #remaining(left: number, loaded: number): { remainingSeconds: number } | undefined {
    const begun = this.#begun;
    if (begun === undefined || loaded <= begun.loaded) return undefined;
    const secondsEach = (this.#now() - begun.milliseconds) / 1000 / (loaded - begun.loaded);
    return { remainingSeconds: left * secondsEach };
  }
}
