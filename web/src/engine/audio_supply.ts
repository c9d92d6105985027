// Where a transcription's samples come from: a recording in memory, or a stream that is asked for more.
import { sampleRate } from '../api/generated/whisper.js';
import { checkPiece } from '../api/sample_check.js';

export interface AudioSupply {
  /** Samples in all; undefined while unknown. */
  readonly sampleCount: number | undefined;
  /** Samples so far. */
  readonly heardCount: number;
  /** Samples [begin, end), which is at most a window; fewer where the audio ends. `begin` never falls for a stream. */
  read(begin: number, end: number): Promise<Float32Array> | Float32Array;
}

export function recordingSupply(samples: Float32Array): AudioSupply {
  return {
    sampleCount: samples.length,
    heardCount: samples.length,
    read: (begin, end) => samples.subarray(begin, end),
  };
}

/** Keeps the last range that was asked for, and what it has of an earlier one after it, since the next may overlap them. */
export class StreamSupply implements AudioSupply {
  readonly #want: (sampleCount: number) => void;
  #arrived: ((samples: Float32Array) => void) | undefined;
  #kept = new Float32Array();
  #keptBegin = 0;
  /** Samples that have come so far. */
  #position = 0;
  #isOver = false;

  /** `want` asks for so many samples, which then come through receive(). */
  constructor(want: (sampleCount: number) => void) {
    this.#want = want;
  }

  get sampleCount(): number | undefined {
    return this.#isOver ? this.#position : undefined;
  }
  get heardCount(): number {
    return this.#position;
  }

  /** The next samples. Fewer than were asked for: the stream is over. */
  receive(samples: Float32Array): void {
    this.#arrived?.(samples);
  }

  async read(begin: number, end: number): Promise<Float32Array> {
    const keptEnd = this.#keptBegin + this.#kept.length;
    if (begin >= this.#keptBegin && end <= keptEnd) {
      this.#kept = this.#kept.subarray(begin - this.#keptBegin);
      this.#keptBegin = begin;
      return this.#kept.subarray(0, end - begin);
    }
    const range = new Float32Array(end - begin);
    const put = (samples: Float32Array, at: number): void => {
      const from = Math.max(begin, at);
      const to = Math.min(end, at + samples.length);
      if (from < to) range.set(samples.subarray(from - at, to - at), from - begin);
    };
    put(this.#kept, this.#keptBegin);
    while (this.#position < end && !this.#isOver) {
      // A jump ahead drops what lies between, a piece at a time.
      const count = Math.min(end - this.#position, end - begin);
      const samples = await this.#next(count);
      const before = this.#position;
      checkPiece(samples, 0, samples.length, { sampleRate, channels: 1, before });
      put(samples, this.#position);
      this.#position += samples.length;
      this.#isOver = samples.length < count;
    }
    this.#kept = range.subarray(0, Math.max(0, Math.min(end, this.#position) - begin));
    this.#keptBegin = begin;
    return this.#kept;
  }

  async #next(count: number): Promise<Float32Array> {
    try {
      return await new Promise<Float32Array>((arrived) => {
        this.#arrived = arrived;
        this.#want(count);
      });
    } finally {
      this.#arrived = undefined;
    }
  }
}
