// How loud samples are, and for how long they have been nothing at all.
import type { SampleArray } from '../../src/api/types.js';

/** In dB below full scale: what a meter shows as silence. */
const quietest = 60;

export class Loudness {
  #level = 0;
  #silentCount = 0;

  /** 0 to 1. */
  get level(): number {
    return this.#level;
  }

  /** How many samples in a row were zero, up to the last one. */
  get silentCount(): number {
    return this.#silentCount;
  }

  hear(samples: SampleArray): void {
    const scale = samples instanceof Int16Array ? 32768 : 1;
    let sum = 0;
    let lastSound = -1;
    for (let i = 0; i < samples.length; ++i) {
      const sample = samples[i] ?? 0;
      if (sample === 0) continue;
      lastSound = i;
      sum += sample * sample;
    }
    this.#silentCount =
      lastSound === -1 ? this.#silentCount + samples.length : samples.length - 1 - lastSound;
    if (samples.length === 0) return;
    const decibels = 10 * Math.log10(sum / samples.length / scale ** 2);
    this.#level = Math.min(1, Math.max(0, 1 + decibels / quietest));
  }
}
