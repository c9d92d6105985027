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
    const count = Math.ceil(samples.length / channels);
    for (let at = 0; at < count;) {
      const untilEnd = Math.max(1, Math.ceil(this.#left / frame - 0.5));
      const taken = Math.min(untilEnd, count - at);
      const end = (at + taken) * channels;
      let loudest = this.#loudest;
      for (let i = at * channels; i < end; ++i) {
        const level = Math.abs(samples[i] ?? 0);
        if (level > loudest) loudest = level;
      }
      this.#loudest = loudest;
      this.#left -= taken * frame;
      at += taken;
      if (taken === untilEnd) this.#endStretch();
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
