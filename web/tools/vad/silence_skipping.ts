// Skips silence in a recording or in live audio before a model gets it.
import { sampleRate } from '../../src/api/generated/whisper.js';
import { asSamples } from '../../src/audio/audio_stream.js';
import { leave } from '../../src/audio/leave.js';
import type {
  HeardAudio,
  SilenceSkipper,
  Skipped,
  SkippingOptions,
  SoundChunks,
} from '../../src/platform/speech.js';
import { RecordingTimes } from './recording_times.js';
import { mostFrames, type DetectorUse, type FrameReader } from './speech_network.js';
import { frameSamples, SpeechRules, type SampleRange, type SpeechLimits } from './speech_rules.js';
import { joined } from '../../src/api/joined.js';

/** Samples that the detector processes at once, and how many such pieces it may be ahead of the model: less than a minute. */
const pieceSamples = mostFrames * frameSamples;
const mostAhead = 7;

/** Skips silence in one recording. */
export class DetectorSkipper implements SilenceSkipper {
  readonly #use: DetectorUse;
  readonly #limits: SpeechLimits;

  constructor(use: DetectorUse, limits: SpeechLimits) {
    this.#use = use;
    this.#limits = limits;
  }

  close(): void {
    this.#use.release();
  }

  async skip(audio: HeardAudio, { clips, mostHeldSeconds }: SkippingOptions): Promise<Skipped> {
    const { pad, minSilence } = this.#limits;
    const skipper = new Skipper(
      new SpeechRules(this.#limits),
      this.#use.frames,
      clipsOf(clips),
      new RecordingTimes(pad),
      minSilence,
    );
    if (!('samples' in audio)) {
      const { chunks, duration } = audio;
      return skipper.skipped({ chunks: skipper.stream(chunks), duration });
    }
    const { samples, isOwn } = audio;
    const duration = samples.length / sampleRate;
    if (duration > mostHeldSeconds) {
      // Its owner may change or transfer it meanwhile.
      const chunks = singleChunk(isOwn ? samples : samples.slice());
      return skipper.skipped({ chunks: skipper.stream(chunks), duration });
    }
    const parts: Float32Array[] = [];
    try {
      for await (const part of skipper.hear(samples)) parts.push(part);
      parts.push(...(await skipper.finish()));
    } finally {
      this.close();
    }
    return skipper.skipped({ samples: joined(parts, Float32Array), isOwn: true });
  }
}

function singleChunk(samples: Float32Array): SoundChunks {
  let left: Float32Array | undefined = samples;
  return {
    next() {
      const value = left;
      left = undefined;
      return Promise.resolve(value ? { done: false, value } : { done: true, value: undefined });
    },
  };
}

/** The last end may be left out. */
function clipsOf(times: readonly number[] = []): SampleRange[] {
  const clips: SampleRange[] = [];
  for (let i = 0; i < times.length; i += 2) {
    const [start = 0, end = Infinity] = [times[i], times[i + 1]];
    clips.push({ start: Math.round(start * sampleRate), end: Math.round(end * sampleRate) });
  }
  return clips.length > 0 ? clips : [{ start: 0, end: Infinity }];
}

/** Holds samples until it is certain what becomes of them: some seconds. */
class Skipper {
  readonly #rules: SpeechRules;
  readonly #frames: FrameReader;
  readonly #clips: readonly SampleRange[];
  readonly #times: RecordingTimes;
  /** Shorter silence stays, at the beginning and at the end too: what a model makes of a recording depends on it. */
  readonly #minSilence: number;
  /** Samples that may still be wanted, from `#heldFrom` on. */
  #held: Float32Array[] = [];
  #heldFrom = 0;
  #count = 0;
  /** All before is given out or left out. */
  #done = 0;

  constructor(
    rules: SpeechRules,
    frames: FrameReader,
    clips: readonly SampleRange[],
    times: RecordingTimes,
    minSilence: number,
  ) {
    this.#rules = rules;
    this.#frames = frames;
    this.#clips = clips;
    this.#times = times;
    this.#minSilence = minSilence;
  }

  skipped(audio: HeardAudio): Skipped {
    const times = this.#times;
    const count = (): number => this.#count;
    return {
      audio,
      get sampleCount() {
        return count();
      },
      timeOf: (seconds) => times.timeOf(seconds),
      placed: (segment) => times.placed(segment),
    };
  }

  /** Yields the samples that are certain not to be skipped. */
  async *hear(samples: Float32Array): AsyncGenerator<Float32Array> {
    this.#held.push(samples);
    this.#count += samples.length;
    for await (const probabilities of this.#frames.push(samples)) {
      for (const probability of probabilities) this.#rules.push(probability);
      yield* this.#kept();
    }
  }

  async finish(): Promise<Float32Array[]> {
    for (const probability of await this.#frames.finish()) this.#rules.push(probability);
    this.#rules.finish(this.#count);
    return [...this.#kept(), ...this.#end()];
  }

  /** Pulls the audio and skips its silence. The detector is some pieces ahead of the reader. */
  stream(chunks: SoundChunks): SoundChunks {
    let isLeft = false;
    const pieces = this.#pull(chunks, () => isLeft);
    const ahead: Promise<IteratorResult<readonly Float32Array[], undefined>>[] = [];
    let parts: readonly Float32Array[] = [];
    return {
      next: async () => {
        while (parts.length === 0) {
          while (ahead.length <= mostAhead) {
            const piece = pieces.next();
            // The reader gets the error when it reaches this piece.
            piece.catch(() => undefined);
            ahead.push(piece);
          }
          const step = await ahead.shift()!;
          if (step.done) return step;
          parts = step.value;
        }
        const [value, ...rest] = parts;
        parts = rest;
        return { done: false, value };
      },
      return: () => {
        isLeft = true;
        // A stream that hangs must not block its reader.
        leave(chunks);
        return pieces.return(undefined);
      },
    };
  }

  /** Yields the part of each piece that is not skipped: often nothing. */
  async *#pull(
    chunks: SoundChunks,
    isLeft: () => boolean,
  ): AsyncGenerator<readonly Float32Array[], undefined> {
    while (!isLeft()) {
      const step = await chunks.next();
      if (step.done) {
        yield await this.finish();
        return;
      }
      const samples = asSamples(step.value);
      for (let at = 0; at < samples.length && !isLeft(); at += pieceSamples) {
        const kept: Float32Array[] = [];
        for await (const part of this.hear(samples.subarray(at, at + pieceSamples)))
          kept.push(part);
        yield kept;
      }
    }
  }

  *#kept(): Generator<Float32Array> {
    for (const range of this.#rules.take()) yield* this.#give(range);
    const { underWay, earliest } = this.#rules;
    if (underWay) yield* this.#give(underWay);
    const isSilence = !underWay && earliest - this.#done >= this.#minSilence;
    this.#drop(isSilence ? earliest : this.#done);
  }

  *#end(): Generator<Float32Array> {
    const isShort = this.#count - this.#done < this.#minSilence;
    if (this.#done > 0 && isShort) yield* this.#give({ start: this.#done, end: this.#count });
  }

  *#give({ start, end }: SampleRange): Generator<Float32Array> {
    const isFirst = this.#done === 0;
    const from = isFirst && start < this.#minSilence ? 0 : Math.max(start, this.#done);
    const to = Math.min(end, this.#count);
    if (to <= from) return;
    for (const clip of this.#clips) {
      const part = { start: Math.max(from, clip.start), end: Math.min(to, clip.end) };
      if (part.end <= part.start) continue;
      this.#times.add(part);
      yield* this.#samples(part);
    }
    this.#done = to;
  }

  *#samples({ start, end }: SampleRange): Generator<Float32Array> {
    let at = this.#heldFrom;
    for (const samples of this.#held) {
      const part = samples.subarray(Math.max(0, start - at), Math.max(0, end - at));
      if (part.length > 0) yield part;
      at += samples.length;
    }
  }

  #drop(before: number): void {
    for (;;) {
      const [first] = this.#held;
      if (!first || this.#heldFrom + first.length > before) return;
      this.#heldFrom += first.length;
      this.#held.shift();
    }
  }
}
