// Cuts what is left of a recording into chunks at pauses, for engines that hear one chunk each.
import { sampleRate } from '../../src/api/generated/whisper.js';
import type { SpeechChunk } from '../../src/platform/speech.js';
import { RecordingTimes } from './recording_times.js';
import { frameSamples, type SampleRange, type SpeechLimits } from './speech_rules.js';

/**
 * A chunk has at most 60 s, two of Whisper's windows: the second one knows the text of the first. In an hour of synthesised English
 * (tiny.en), chunks of 60 s had no more errors than the whole in sequence, those of 30 s 4 % more of them.
 */
const usualMostSamples = 60 * sampleRate;
/** Pauses count in the last 10 s of a full chunk, so that every chunk but the last is nearly full. */
const searchedSamples = 10 * sampleRate;
/** Half a second is more than there is inside a phrase: the latest such pause is as good as any, and leaves the fullest chunk. */
const clearPause = 0.5 * sampleRate;
/** Shorter ones are inside words, where lips are closed. The longest of the rest is the most likely to be between words. */
const shortestPause = 0.1 * sampleRate;
/** Where nobody pauses no moment is much better than another: the best of the last 5 s, so that the chunk is nearly full. */
const unpausedSamples = 5 * sampleRate;

/** What is kept of a frame, and the frame's probability. */
interface Span {
  readonly start: number;
  end: number;
  readonly probability: number;
}

/** Quiet spans in a row, from the index `first` on. */
interface Pause {
  readonly first: number;
  spanCount: number;
  sampleCount: number;
  /** The span before which silence was left out. */
  gap: number | undefined;
}

/**
 * Holds the sound of at most one chunk. A chunk is cut when it is full and more follows, by what it holds alone: chunks are the same in
 * however many pieces the sound comes. Nothing is lost or doubled at a cut.
 */
export class ChunkCutter {
  readonly #limits: Pick<SpeechLimits, 'negativeThreshold' | 'pad'>;
  readonly #held: Float32Array;
  #heldCount = 0;
  #spans: Span[] = [];
  /** Probabilities of frames that may still be kept, from `#firstFrame` on. */
  #probabilities: number[] = [];
  #firstFrame = 0;

  constructor(
    limits: Pick<SpeechLimits, 'negativeThreshold' | 'pad'>,
    mostSamples = usualMostSamples,
  ) {
    this.#limits = limits;
    this.#held = new Float32Array(mostSamples);
  }

  /** The probability of the next frame of the recording. */
  hear(probability: number): void {
    this.#probabilities.push(probability);
  }

  /** Takes the next part of the recording that is kept, whose frames were heard. Returns the chunks that are full. */
  keep({ start }: SampleRange, parts: Iterable<Float32Array>): SpeechChunk[] {
    const chunks: SpeechChunk[] = [];
    let at = start;
    for (const part of parts) {
      for (let from = 0; from < part.length;) {
        if (this.#heldCount === this.#held.length)
          chunks.push(this.#cut(this.#bestCut(at), 'amid'));
        const piece = part.subarray(from, from + this.#held.length - this.#heldCount);
        this.#held.set(piece, this.#heldCount);
        this.#heldCount += piece.length;
        this.#hold(at, at + piece.length);
        from += piece.length;
        at += piece.length;
      }
    }
    return chunks;
  }

  /** Nothing before this sample of the recording will be kept any more. */
  forget(before: number): void {
    const frames = Math.floor(before / frameSamples) - this.#firstFrame;
    this.#firstFrame += this.#probabilities.splice(0, Math.max(0, frames)).length;
  }

  /** The recording is over: what is left is the last chunk. */
  finish(): SpeechChunk[] {
    return this.#heldCount > 0 ? [this.#cut(this.#spans.length, 'last')] : [];
  }

  #hold(start: number, end: number): void {
    for (let at = start; at < end;) {
      const frame = Math.floor(at / frameSamples);
      const to = Math.min(end, (frame + 1) * frameSamples);
      const last = this.#spans.at(-1);
      if (last?.end === at && at % frameSamples > 0) last.end = to;
      else {
        const probability = this.#probabilities[frame - this.#firstFrame]!;
        this.#spans.push({ start: at, end: to, probability });
      }
      at = to;
    }
  }

  /** The chunk of the first spans. */
  #cut(spanCount: number, place: 'amid' | 'last'): SpeechChunk {
    const spans = this.#spans.splice(0, spanCount);
    const times = new RecordingTimes(this.#limits.pad);
    let count = 0;
    for (const span of spans) {
      times.add(span);
      count += span.end - span.start;
    }
    if (place === 'amid') times.close();
    const samples = this.#held.slice(0, count);
    this.#held.copyWithin(0, count, this.#heldCount);
    this.#heldCount -= count;
    return {
      samples,
      start: spans[0]!.start / sampleRate,
      end: spans.at(-1)!.end / sampleRate,
      timeOf: (seconds) => times.timeOf(seconds),
      placed: (segment) => times.placed(segment),
    };
  }

  /** How many spans of the full chunk are the chunk; `next` is the sample of the recording that follows. */
  #bestCut(next: number): number {
    const pauses = this.#pauses(next);
    const clear = pauses.findLast(
      ({ gap, sampleCount }) => gap !== undefined || sampleCount >= clearPause,
    );
    const best = clear ?? longest(pauses.filter(({ sampleCount }) => sampleCount >= shortestPause));
    if (!best) return this.#leastProbable();
    // Where silence was left out its middle is there.
    return best.gap ?? best.first + (best.spanCount >> 1);
  }

  /** Pauses in the searched part of the full chunk. Sound before or behind that does not count. */
  #pauses(next: number): Pause[] {
    const pauses: Pause[] = [];
    let open: Pause | undefined;
    const pauseFrom = (first: number): Pause => {
      if (!open) pauses.push((open = { first, spanCount: 0, sampleCount: 0, gap: undefined }));
      return open;
    };
    const first = this.#lastSpans(searchedSamples);
    for (let index = first; index <= this.#spans.length; ++index) {
      const span = this.#spans[index];
      const before = this.#spans[index - 1];
      if (before && before.end !== (span?.start ?? next)) pauseFrom(index).gap = index;
      if (span && span.probability < this.#limits.negativeThreshold) {
        const pause = pauseFrom(index);
        pause.spanCount += 1;
        pause.sampleCount += span.end - span.start;
      } else open = undefined;
    }
    return pauses;
  }

  /** The latest of equals. */
  #leastProbable(): number {
    let best = this.#lastSpans(unpausedSamples);
    for (let index = best; index < this.#spans.length; ++index) {
      if (this.#spans[index]!.probability <= this.#spans[best]!.probability) best = index;
    }
    return best;
  }

  /** The first span of those within the last samples of the chunk. */
  #lastSpans(sampleCount: number): number {
    let index = this.#spans.length;
    for (let count = 0; index > 0; --index) {
      const { start, end } = this.#spans[index - 1]!;
      count += end - start;
      if (count > sampleCount) break;
    }
    return index;
  }
}

/** The latest of the longest. */
function longest(pauses: readonly Pause[]): Pause | undefined {
  let found: Pause | undefined;
  for (const pause of pauses) {
    if (!found || pause.sampleCount >= found.sampleCount) found = pause;
  }
  return found;
}
