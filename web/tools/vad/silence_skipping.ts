// Skips silence in a recording before a model gets it, as a whole or in chunks.
import { sampleRate } from '../../src/api/generated/whisper.js';
import { asSamples } from '../../src/audio/audio_stream.js';
import { leave } from '../../src/audio/leave.js';
import type {
  Chunked,
  HeardAudio,
  SilenceSkipper,
  Skipped,
  SkippingOptions,
  SoundChunks,
} from '../../src/platform/speech.js';
import { ChunkCutter } from './chunk_cutter.js';
import { RecordingTimes } from './recording_times.js';
import { mostFrames, type DetectorUse, type FrameReader } from './speech_network.js';
import { frameSamples, SpeechRules, type SampleRange, type SpeechLimits } from './speech_rules.js';
import { joined } from '../../src/api/joined.js';

/** Samples that the detector processes at once, and how many such pieces it may be ahead of the model: less than a minute. */
const pieceSamples = mostFrames * frameSamples;
const mostAhead = 7;
/** Fewer before chunks: behind a cut, up to 10 s and a piece are held as well. */
const mostAheadOfChunks = 4;

/** Skips silence in one recording. */
export class DetectorSkipper implements SilenceSkipper {
  readonly #use: DetectorUse;
  readonly #limits: SpeechLimits;
  readonly #mostChunkSamples: number | undefined;

  /** `mostChunkSamples`: of a chunk, where it is not the usual minute. */
  constructor(use: DetectorUse, limits: SpeechLimits, mostChunkSamples?: number) {
    this.#use = use;
    this.#limits = limits;
    this.#mostChunkSamples = mostChunkSamples;
  }

  close(): void {
    this.#use.release();
  }

  async skip(audio: HeardAudio, { clips, mostHeldSeconds }: SkippingOptions): Promise<Skipped> {
    const times = new RecordingTimes(this.#limits.pad);
    const skipper = this.#skipper(new WholeSound(times), clips);
    const skipped = (remaining: HeardAudio): Skipped => ({
      audio: remaining,
      get sampleCount() {
        return skipper.sampleCount;
      },
      timeOf: (seconds) => times.timeOf(seconds),
      placed: (segment) => times.placed(segment),
    });
    if (!('samples' in audio)) {
      const { chunks, duration } = audio;
      return skipped({ chunks: skipper.stream(chunks, mostAhead), duration });
    }
    const { samples } = audio;
    const duration = samples.length / sampleRate;
    if (duration > mostHeldSeconds) {
      return skipped({ chunks: skipper.stream(pulled(audio), mostAhead), duration });
    }
    const parts: Float32Array[] = [];
    try {
      for await (const part of skipper.hear(samples)) parts.push(part);
      parts.push(...(await skipper.finish()));
    } finally {
      this.close();
    }
    return skipped({ samples: joined(parts, Float32Array), isOwn: true });
  }

  chunks(audio: HeardAudio, { clips }: Pick<SkippingOptions, 'clips'>): Chunked {
    const skipper = this.#skipper(new ChunkCutter(this.#limits, this.#mostChunkSamples), clips);
    return {
      get sampleCount() {
        return skipper.sampleCount;
      },
      chunks: loopOver(skipper.stream(pulled(audio), mostAheadOfChunks), () => this.close()),
    };
  }

  #skipper<Out>(kept: KeptSound<Out>, clips: readonly number[] | undefined): Skipper<Out> {
    const { minSilence } = this.#limits;
    return new Skipper(
      new SpeechRules(this.#limits),
      this.#use.frames,
      clipsOf(clips),
      kept,
      minSilence,
    );
  }
}

/** What becomes of the sound that is not skipped. */
interface KeptSound<Out> {
  /** The probability of the next frame of the recording. */
  hear(probability: number): void;
  /** Takes the next range, whose frames were heard; it may continue the last one. */
  keep(range: SampleRange, parts: Iterable<Float32Array>): Iterable<Out>;
  /** Nothing before this sample will be kept any more. */
  forget(before: number): void;
  finish(): Iterable<Out>;
}

/** One after the other, as it comes. */
class WholeSound implements KeptSound<Float32Array> {
  readonly #times: RecordingTimes;

  constructor(times: RecordingTimes) {
    this.#times = times;
  }

  hear(): void {}

  keep(range: SampleRange, parts: Iterable<Float32Array>): Iterable<Float32Array> {
    this.#times.add(range);
    return parts;
  }

  forget(): void {}

  finish(): Iterable<Float32Array> {
    return [];
  }
}

/** What is pulled of a recording. */
interface Pulled<Out> {
  next(): Promise<IteratorResult<Out, undefined>>;
  return(): unknown;
}

/** A loop over what is pulled, which asks for one after the other; return() does not wait for the one that is asked for. */
function loopOver<Out>(
  pulled: Pulled<Out>,
  whenOver: () => void,
): AsyncGenerator<Out, undefined, void> {
  // A new promise for each step: one that settles at the end alone would hold whatever was raced against it.
  let stop = (): void => undefined;
  const next = (): Promise<IteratorResult<Out, undefined> | undefined> =>
    new Promise((done, failed) => {
      stop = () => done(undefined);
      pulled.next().then(done, failed);
    });
  let isOver = false;
  const over = (isWhole: boolean): void => {
    if (isOver) return;
    isOver = true;
    stop();
    if (!isWhole) leave(pulled);
    whenOver();
  };
  async function* read(): AsyncGenerator<Out, undefined, void> {
    try {
      for (;;) {
        const step = isOver ? undefined : await next();
        if (step?.done) over(true);
        if (!step || step.done) return undefined;
        yield step.value;
      }
    } finally {
      over(false);
    }
  }
  const loop = read();
  const end = loop.return.bind(loop);
  loop.return = (value) => {
    over(false);
    return end(value);
  };
  return loop;
}

/** A recording that its owner may change or transfer meanwhile, or sound that is pulled anyway. */
function pulled(audio: HeardAudio): SoundChunks {
  if (!('samples' in audio)) return audio.chunks;
  return singleChunk(audio.isOwn ? audio.samples : audio.samples.slice());
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
class Skipper<Out> {
  readonly #rules: SpeechRules;
  readonly #frames: FrameReader;
  readonly #clips: readonly SampleRange[];
  readonly #keeping: KeptSound<Out>;
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
    keeping: KeptSound<Out>,
    minSilence: number,
  ) {
    this.#rules = rules;
    this.#frames = frames;
    this.#clips = clips;
    this.#keeping = keeping;
    this.#minSilence = minSilence;
  }

  /** Samples of the recording that have come. */
  get sampleCount(): number {
    return this.#count;
  }

  /** Yields what becomes of the samples that are certain not to be skipped. */
  async *hear(samples: Float32Array): AsyncGenerator<Out> {
    this.#held.push(samples);
    this.#count += samples.length;
    for await (const probabilities of this.#frames.push(samples)) {
      this.#push(probabilities);
      yield* this.#kept();
    }
  }

  async finish(): Promise<Out[]> {
    this.#push(await this.#frames.finish());
    this.#rules.finish(this.#count);
    return [...this.#kept(), ...this.#end(), ...this.#keeping.finish()];
  }

  /** Pulls the audio and skips its silence. The detector is some pieces ahead of the reader, who waits for an answer before he asks again. */
  stream(chunks: SoundChunks, piecesAhead: number): Pulled<Out> {
    let isLeft = false;
    const pieces = this.#pull(chunks, () => isLeft);
    const ahead: Promise<IteratorResult<readonly Out[], undefined>>[] = [];
    let parts: readonly Out[] = [];
    return {
      next: async () => {
        while (parts.length === 0) {
          while (ahead.length <= piecesAhead) {
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
        return { done: false, value: value! };
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
  ): AsyncGenerator<readonly Out[], undefined> {
    while (!isLeft()) {
      const step = await chunks.next();
      if (step.done) {
        yield await this.finish();
        return;
      }
      const samples = asSamples(step.value);
      for (let at = 0; at < samples.length && !isLeft(); at += pieceSamples) {
        const kept: Out[] = [];
        for await (const part of this.hear(samples.subarray(at, at + pieceSamples)))
          kept.push(part);
        yield kept;
      }
    }
  }

  #push(probabilities: Float32Array): void {
    for (const probability of probabilities) {
      this.#keeping.hear(probability);
      this.#rules.push(probability);
    }
  }

  *#kept(): Generator<Out> {
    for (const range of this.#rules.take()) yield* this.#give(range);
    const { underWay, earliest } = this.#rules;
    if (underWay) yield* this.#give(underWay);
    const isSilence = !underWay && earliest - this.#done >= this.#minSilence;
    this.#drop(isSilence ? earliest : this.#done);
  }

  *#end(): Generator<Out> {
    const isShort = this.#count - this.#done < this.#minSilence;
    if (this.#done > 0 && isShort) yield* this.#give({ start: this.#done, end: this.#count });
  }

  *#give({ start, end }: SampleRange): Generator<Out> {
    const isFirst = this.#done === 0;
    const from = isFirst && start < this.#minSilence ? 0 : Math.max(start, this.#done);
    const to = Math.min(end, this.#count);
    if (to <= from) return;
    for (const clip of this.#clips) {
      const part = { start: Math.max(from, clip.start), end: Math.min(to, clip.end) };
      if (part.end <= part.start) continue;
      yield* this.#keeping.keep(part, this.#samples(part));
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
    this.#keeping.forget(before);
    for (;;) {
      const [first] = this.#held;
      if (!first || this.#heldFrom + first.length > before) return;
      this.#heldFrom += first.length;
      this.#held.shift();
    }
  }
}
