// Leaves silence out of a recording, or of sound while it comes, before a model hears it.
import { sampleRate } from '../../src/api/generated/whisper.js';
import { asSamples } from '../../src/audio/audio_stream.js';
import { leave } from '../../src/audio/leave.js';
import type { Platform } from '../../src/platform/platform.js';
import type { HeardAudio, Skipped, SkippingOptions } from '../../src/platform/speech.js';
import { RecordingTimes } from './recording_times.js';
import { FrameHearing, openSpeechNetwork } from './speech_network.js';
import { SpeechRules, type SampleRange } from './speech_rules.js';
import { speechLimits, transcribeDefaults } from './vad_options.js';
import { joined } from '../../src/api/joined.js';

export async function skipSilence(
  platform: Platform,
  audio: HeardAudio,
  { vad, clips, signal }: SkippingOptions,
): Promise<Skipped> {
  const limits = speechLimits(vad, transcribeDefaults);
  const network = await openSpeechNetwork(platform, signal);
  const close = (): void => network.link.close();
  const skipper = new Skipper(
    new SpeechRules(limits),
    new FrameHearing(network, signal),
    clipsOf(clips),
    new RecordingTimes(limits.pad),
    limits.minSilence,
  );
  if ('samples' in audio) {
    try {
      const parts: Float32Array[] = [];
      for await (const part of skipper.hear(audio.samples)) parts.push(part);
      parts.push(...(await skipper.finish()));
      return skipper.skipped({ samples: joined(parts, Float32Array), isOwn: true }, close);
    } finally {
      close();
    }
  }
  const { chunks, duration } = audio;
  return skipper.skipped({ chunks: skipper.stream(chunks), duration }, close);
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
  readonly #frames: FrameHearing;
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
    frames: FrameHearing,
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

  skipped(audio: HeardAudio, close: () => void): Skipped {
    const times = this.#times;
    const count = (): number => this.#count;
    return {
      audio,
      get sampleCount() {
        return count();
      },
      timeOf: (seconds) => times.timeOf(seconds),
      placed: (segment) => times.placed(segment),
      close,
    };
  }

  /** What is certain to be kept by now. */
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

  /** Sound that is pulled, without its silence. */
  stream(chunks: { next(): Promise<IteratorResult<unknown>>; return?(): unknown }): {
    next(): Promise<IteratorResult<unknown>>;
    return(): unknown;
  } {
    const parts = this.#pull(chunks);
    return {
      next: () => parts.next(),
      return: () => {
        // A stream that hangs must not block its reader.
        leave(chunks);
        return parts.return(undefined);
      },
    };
  }

  async *#pull(chunks: {
    next(): Promise<IteratorResult<unknown>>;
  }): AsyncGenerator<Float32Array, undefined> {
    for (;;) {
      const step = await chunks.next();
      if (step.done) break;
      yield* this.hear(asSamples(step.value));
    }
    yield* await this.finish();
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
