// The sound of a session as it is captured, kept as a WAV file that grows.
import { wavHeader } from './wav_header.js';

/** Seconds that are handed to the browser at once: from then on they need not be in the page's memory. */
const pieceSeconds = 10;

export class KeptSound {
  readonly #limit: number;
  readonly #pieces: Blob[] = [];
  #piece = new Int16Array(0);
  #filled = 0;
  #rate = 0;
  #bytes = 0;
  #isFull = false;

  /** Not more than `limit` bytes; the sound after that is not kept. */
  constructor(limit = 512 * 2 ** 20) {
    this.#limit = limit;
  }

  get isFull(): boolean {
    return this.#isFull;
  }

  /** Length of the stored audio. */
  get seconds(): number {
    return this.#rate === 0 ? 0 : (this.#bytes / 2 + this.#filled) / this.#rate;
  }

  /** Adds mono samples. The first block sets the file's rate; a block of another rate, as of another microphone, is resampled to it. */
  add(samples: Float32Array | Int16Array, rate: number): void {
    if (this.#rate === 0) {
      this.#rate = rate;
      this.#piece = new Int16Array(Math.max(1, Math.round(rate * pieceSeconds)));
    }
    if (rate !== this.#rate) {
      this.add(atRate(samples, rate, this.#rate), this.#rate);
      return;
    }
    const isWhole = samples instanceof Int16Array;
    for (const sample of samples) {
      if (this.#isFull) return;
      this.#piece[this.#filled] = isWhole
        ? sample
        : Math.round(Math.min(1, Math.max(-1, sample || 0)) * 32_767);
      this.#filled += 1;
      this.#isFull = this.#bytes + this.#filled * 2 >= this.#limit;
      if (this.#filled === this.#piece.length || this.#isFull) this.#handOver();
    }
  }

  /** What is kept until now; undefined while there is nothing. */
  file(name: string): File | undefined {
    if (this.seconds === 0) return undefined;
    this.#handOver();
    const header = wavHeader(this.#bytes / 2, this.#rate);
    return new File([header, ...this.#pieces], name, { type: 'audio/wav' });
  }

  #handOver(): void {
    if (this.#filled === 0) return;
    const blob = new Blob([this.#piece.slice(0, this.#filled)]);
    this.#pieces.push(blob);
    this.#bytes += blob.size;
    this.#filled = 0;
  }
}

/** The samples that are nearest in time. */
function atRate(samples: Float32Array | Int16Array, rate: number, wanted: number) {
  const nearest = new (samples instanceof Int16Array ? Int16Array : Float32Array)(
    Math.round((samples.length * wanted) / rate),
  );
  for (let i = 0; i < nearest.length; ++i) {
    nearest[i] = samples[Math.min(samples.length - 1, Math.round((i * rate) / wanted))]!;
  }
  return nearest;
}
