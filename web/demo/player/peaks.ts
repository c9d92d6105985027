// The outline of a recording in few numbers, however long it is: the loudest sample of each of some thousand stretches.

/** Stretches at most; a screen shows fewer. */
const most = 4096;
/** Samples of a stretch to begin with. */
const first = 64;

/** Takes samples piece by piece. When there are too many stretches, two become one. */
export class Peaks {
  readonly #peaks = new Float32Array(most);
  #count = 0;
  /** Seconds of a stretch. */
  #step: number;
  /** Seconds until the stretch under way ends. */
  #left: number;
  #loudest = 0;

  constructor(sampleRate: number) {
    this.#step = first / sampleRate;
    this.#left = this.#step;
  }

  /** Seconds that were taken. */
  get seconds(): number {
    return this.#count * this.#step + (this.#step - this.#left);
  }

  /** Interleaved samples of any rate. */
  add(samples: Float32Array, sampleRate: number, channels: number): void {
    const frame = 1 / sampleRate;
    for (let at = 0; at < samples.length; at += channels) {
      for (let channel = 0; channel < channels; ++channel) {
        const level = Math.abs(samples[at + channel] ?? 0);
        if (level > this.#loudest) this.#loudest = level;
      }
      this.#left -= frame;
      if (this.#left <= frame / 2) this.#endStretch();
    }
  }

  #endStretch(): void {
    this.#peaks[this.#count++] = Math.min(1, this.#loudest);
    this.#loudest = 0;
    if (this.#count === most) {
      for (let i = 0; i < most / 2; ++i) {
        this.#peaks[i] = Math.max(this.#peaks[2 * i] ?? 0, this.#peaks[2 * i + 1] ?? 0);
      }
      this.#count = most / 2;
      this.#step *= 2;
    }
    // What a stretch was too long or too short by, the next one makes good.
    this.#left += this.#step;
  }

  /** The loudest sample in each of `count` parts of `duration` seconds, 0 to 1; 0 where nothing was taken. */
  bars(count: number, duration: number): Float32Array {
    const bars = new Float32Array(count);
    if (!(duration > 0)) return bars;
    const perBar = duration / count / this.#step;
    for (let bar = 0; bar < count; ++bar) {
      const begin = Math.floor(bar * perBar);
      const end = Math.min(this.#count, Math.max(begin + 1, Math.floor((bar + 1) * perBar)));
      for (let i = begin; i < end; ++i) bars[bar] = Math.max(bars[bar] ?? 0, this.#peaks[i] ?? 0);
    }
    return bars;
  }
}
