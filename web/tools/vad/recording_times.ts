// Maps times of the audio without silence to times of the recording.
import type { Segment, Word } from '../../src/api/types.js';
import { sampleRate } from '../../src/api/generated/whisper.js';
import type { SampleRange } from './speech_rules.js';

/** A part of the recording, from `start` to `end`, that begins at sample `kept` of the audio without silence. */
interface Part extends SampleRange {
  readonly kept: number;
}

const framesPerSecond = 100;

export class RecordingTimes {
  readonly #parts: Part[] = [];
  /** Silence on both sides of speech that is not skipped, in samples. */
  readonly #pad: number;
  #kept = 0;
  #isClosed = false;

  constructor(pad: number) {
    this.#pad = pad;
  }

  /** Adds the next part that is not skipped; it may continue the last one. */
  add({ start, end }: SampleRange): void {
    const last = this.#parts.at(-1);
    if (last?.end === start) this.#parts[this.#parts.length - 1] = { ...last, end };
    else this.#parts.push({ start, end, kept: this.#kept });
    this.#kept += end - start;
  }

  /** What comes behind the last part is in other hands: no time is beyond its end. */
  close(): void {
    this.#isClosed = true;
  }

  /** Converts seconds of the audio without silence to seconds of the recording. */
  timeOf(seconds: number): number {
    return this.#in(this.#partAt(seconds * sampleRate, 'end'), seconds);
  }

  placed(segment: Segment): Segment {
    const seek = Math.round(
      this.#in(
        this.#partAt((segment.seek / framesPerSecond) * sampleRate, 'start'),
        segment.seek / framesPerSecond,
      ) * framesPerSecond,
    );
    const { start, end } = this.#span(segment);
    const words = segment.words?.map((word): Word => ({ ...word, ...this.#wordSpan(word) }));
    return { ...segment, seek, start, end, ...(words && { words }) };
  }

  /**
   * Text that begins in the silence after a part is moved to the start of the next one, and text that ends in the silence before a part to
   * the end of the previous one: models' times are only approximate.
   */
  #span({ start, end }: { readonly start: number; readonly end: number }): {
    start: number;
    end: number;
  } {
    let first = this.#partAt(start * sampleRate, 'start');
    let last = Math.max(first, this.#partAt(end * sampleRate, 'end'));
    const own = this.#parts;
    const [firstPart, lastPart] = [own[first], own[last]];
    if (!firstPart || !lastPart) return { start, end };
    if (last > first && this.#endOf(firstPart) - start * sampleRate <= this.#pad) ++first;
    if (last > first && end * sampleRate - lastPart.kept <= this.#pad) --last;
    const begin = this.#in(first, start);
    return { start: begin, end: Math.max(begin, this.#in(last, end)) };
  }

  /** A word is within one part. */
  #wordSpan({ start, end }: Word): { start: number; end: number } {
    const part = this.#partAt(((start + end) / 2) * sampleRate, 'start');
    return { start: this.#in(part, start), end: this.#in(part, end) };
  }

  #endOf(part: Part): number {
    return part.kept + part.end - part.start;
  }

  /** The part that holds a sample; where two parts meet, the one that begins or ends there. */
  #partAt(sample: number, side: 'start' | 'end'): number {
    let [low, high] = [0, this.#parts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      const { kept } = this.#parts[middle]!;
      // Times of models are rounded.
      const isBehind = side === 'start' ? kept <= sample + 1 : kept < sample - 1;
      if (isBehind) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Seconds of the recording, not outside the part. */
  #in(index: number, seconds: number): number {
    const part = this.#parts[index];
    if (!part) return seconds;
    const offset = (part.start - part.kept) / sampleRate;
    const time = Math.min(
      Math.max(seconds, part.kept / sampleRate),
      this.#endOf(part) / sampleRate,
    );
    // Beyond the end of all: as the model has it.
    const isOpen = index === this.#parts.length - 1 && !this.#isClosed;
    return (isOpen ? Math.max(time, seconds) : time) + offset;
  }
}
