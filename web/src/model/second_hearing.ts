// Transcribes a stream's sound once more in the background, as a recording: with what comes before and after each word.
import type { LiveRevision, LiveText, ModelInfo, Segment } from '../api/types.js';
import { sampleRate } from '../api/generated/whisper.js';
import { movedBy } from '../api/moved.js';
import { anyOf, onAbort, throwIfAborted } from '../api/signals.js';
import { AudioFeed, type Skipping } from '../audio/audio_feed.js';
import { chunksOf } from '../audio/audio_stream.js';
import { leave } from '../audio/leave.js';
import type { EngineEvent, EngineLink, Settings } from '../protocol/engine.js';
import type { Platform } from '../platform/platform.js';
import type { SilenceSkipper, SpeechChunk } from '../platform/speech.js';
import { ChunkLanguages } from './chunk_languages.js';
import { chunkSettings, detectsOnce } from './chunked_transcription.js';
import { Revisions, type Change } from './revisions.js';

/** Samples before speech with which a stretch begins: more than the detector leaves of a pause. */
const leadSamples = 3 * sampleRate;
/** Samples of silence that end a stretch: what follows is not waited for. */
const longSilence = 5 * sampleRate;
/** Samples that may wait. With more the device is too slow, and they are not heard a second time. */
const mostWaiting = 60 * sampleRate;
/** Seconds of text after which a language that was detected stays. */
const sureSeconds = 15;

/** What a second hearing runs on. */
export interface SecondSurroundings {
  readonly engine: EngineLink;
  readonly platform: Platform;
  /** Those of transcribe() for the stream's options. */
  readonly settings: Settings;
  readonly info: ModelInfo;
  /** Opens the detector with which transcribe() would cut the sound into chunks; absent if it would hear all of it in sequence. */
  readonly openSkipper: Skipping['open'] | undefined;
  /** The number of another transcription of the engine. */
  readonly nextRun: () => number;
  /** Says why nothing is heard a second time. It must not keep the stream alive. */
  readonly warn: (warning: string) => void;
}

export type Revision = Omit<LiveRevision, 'id' | 'time'>;

/** Sound that is heard as a recording: up to the next long silence, or, cut into chunks, as long as the stream is heard. */
interface Stretch {
  readonly sound: WaitingSound;
  readonly leaving: AbortController;
}

/**
 * Hears the sound of a stream as transcribe() would, whenever the engine has nothing else to do, and tells what differs from the texts at
 * once. Positions are samples of the stream.
 */
export class SecondHearing {
  readonly #surroundings: SecondSurroundings;
  readonly #tell: (revisions: readonly Revision[]) => void;
  readonly #revisions = new Revisions();
  readonly #leaving = new AbortController();
  /** Sound that no stretch has yet; it begins at #heldFrom. */
  #held: Float32Array[] = [];
  #heldFrom = 0;
  /** All before was divided into speech and silence. */
  #position = 0;
  #silence = 0;
  /** The one that goes on. */
  #stretch: Stretch | undefined;
  /** Those that are not through. */
  readonly #stretches = new Set<Stretch>();
  /** Their work, one after the other; never rejects. */
  #work: Promise<void> = Promise.resolve();
  /** Seconds of text by language. */
  readonly #languages = new Map<string, number>();
  #hasFailed = false;

  /** `tell` must not keep the stream alive. */
  constructor(surroundings: SecondSurroundings, tell: (revisions: readonly Revision[]) => void) {
    this.#surroundings = surroundings;
    this.#tell = tell;
  }

  /** The next samples, before it is known what is in them. */
  hear(samples: Float32Array): void {
    this.#held.push(samples);
  }

  /** So many samples are speech. */
  speech(count: number): void {
    this.#silence = 0;
    this.#position += count;
    if (!this.#stretch) {
      if (this.#hasFailed || this.#leaving.signal.aborted) {
        this.#drop(this.#position);
        return;
      }
      if (!this.#isCut) this.#drop(this.#position - count - leadSamples);
      this.#stretch = this.#begin(this.#heldFrom);
    }
    this.#pass(this.#stretch);
  }

  /** So many samples are not. */
  silence(count: number): void {
    // Where a chunk is cut depends on the silence before it, too.
    if (this.#isCut) {
      this.speech(count);
      return;
    }
    this.#silence += count;
    this.#position += count;
    const stretch = this.#stretch;
    if (stretch) this.#pass(stretch);
    else this.#drop(this.#position - leadSamples);
    if (stretch && this.#silence >= longSilence) this.#end(stretch);
  }

  /** So many samples are left out: nobody hears them. */
  skip(count: number): void {
    if (this.#stretch) this.#end(this.#stretch);
    this.#held = [];
    this.#position += count;
    this.#heldFrom = this.#position;
  }

  /** A final text. */
  said(final: LiveText): void {
    if (!this.#hasFailed) this.#tellAll(this.#revisions.said(final));
  }

  /** Resolves when all was heard and told. */
  finish(): Promise<void> {
    if (this.#stretch) this.#end(this.#stretch);
    return this.#work;
  }

  /** Stops at once. Resolves when the engine has freed the memory. */
  close(): Promise<void> {
    this.#leaving.abort();
    this.#stretch = undefined;
    this.#held = [];
    return this.#work;
  }

  get #isCut(): boolean {
    const { openSkipper, settings } = this.#surroundings;
    return openSkipper !== undefined && settings.conditionOnPreviousText !== true;
  }

  #begin(position: number): Stretch {
    const stretch = { sound: new WaitingSound(), leaving: new AbortController() };
    const { signal } = stretch.leaving;
    this.#stretches.add(stretch);
    this.#work = this.#work.then(async () => {
      try {
        if (this.#leaving.signal.aborted || signal.aborted) return;
        await this.#transcribe(stretch.sound, position / sampleRate, signal);
      } catch (error) {
        if (this.#leaving.signal.aborted || signal.aborted) return;
        this.#hasFailed = true;
        this.#giveUp();
        const why = error instanceof Error ? error.message : String(error);
        this.#surroundings.warn(`A stream's text stays as it was heard at once. ${why}`);
      } finally {
        this.#stretches.delete(stretch);
      }
    });
    return stretch;
  }

  /** The sound up to here. */
  #pass(stretch: Stretch): void {
    while (this.#held.length > 0 && this.#heldFrom < this.#position) {
      const first = this.#held[0]!;
      const part = first.subarray(0, this.#position - this.#heldFrom);
      stretch.sound.push(part);
      this.#heldFrom += part.length;
      if (part.length === first.length) this.#held.shift();
      else this.#held[0] = first.subarray(part.length);
    }
    let waiting = 0;
    for (const { sound } of this.#stretches) waiting += sound.waiting;
    if (waiting > mostWaiting) this.#giveUp();
  }

  #drop(before: number): void {
    while (this.#held[0] && this.#heldFrom + this.#held[0].length <= before) {
      this.#heldFrom += this.#held.shift()!.length;
    }
    const first = this.#held[0];
    if (!first || this.#heldFrom >= before) return;
    this.#held[0] = first.subarray(before - this.#heldFrom);
    this.#heldFrom = before;
  }

  #end({ sound }: Stretch): void {
    sound.end(this.#heldFrom / sampleRate);
    this.#stretch = undefined;
  }

  #giveUp(): void {
    for (const { leaving } of this.#stretches) leaving.abort();
    this.#stretches.clear();
    this.#stretch = undefined;
    this.#revisions.giveUp(this.#position / sampleRate);
  }

  async #transcribe(sound: WaitingSound, begin: number, givenUp: AbortSignal): Promise<void> {
    const { signal, release } = anyOf([this.#leaving.signal, givenUp]);
    try {
      const skipper = this.#isCut ? await this.#surroundings.openSkipper?.(signal) : undefined;
      if (signal.aborted) skipper?.close();
      throwIfAborted(signal);
      await (skipper
        ? this.#transcribeCut(skipper, sound, begin, signal)
        : this.#transcribeWhole(sound, begin, signal));
      this.#tellAll(this.#revisions.finish(sound.endSeconds));
    } finally {
      release();
    }
  }

  async #transcribeCut(
    skipper: SilenceSkipper,
    sound: WaitingSound,
    begin: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { engine, info, settings, nextRun } = this.#surroundings;
    const { chunks } = skipper.chunks({ chunks: chunksOf(sound) }, { clips: undefined });
    const languages = new ChunkLanguages(settings);
    const transcribe = async (chunk: SpeechChunk): Promise<void> => {
      const told = detectsOnce(settings, info) ? languages.told : undefined;
      const request = {
        ...{ samples: chunk.samples, settings: chunkSettings(chunk, settings, told, info) },
        ...{ state: undefined, run: nextRun(), beside: true },
      };
      const onEvent = (event: EngineEvent): void => {
        if (event.type === 'window')
          this.#heard(event, (all) => all.map((one) => chunk.placed(one)), begin);
      };
      languages.add(await engine.call('transcribe', request, { signal, onEvent }));
      this.#tellAll(this.#revisions.heard([], begin + chunk.end));
    };
    const release = onAbort(signal, () => leave(chunks));
    try {
      for await (const chunk of chunks) await transcribe(chunk);
      throwIfAborted(signal);
    } finally {
      release();
    }
  }

  async #transcribeWhole(sound: WaitingSound, begin: number, left: AbortSignal): Promise<void> {
    const { engine, openSkipper, platform, settings, nextRun } = this.#surroundings;
    const skipping: Skipping | undefined = openSkipper && {
      clips: undefined,
      mostHeldSeconds: 0,
      isMeasured: false,
      open: openSkipper,
    };
    const run = nextRun();
    const audio = { stream: sound, sampleRate };
    const feed = new AudioFeed(audio, { engine, platform, holding: 'nothing' }, skipping);
    const { signal, release } = anyOf([left, feed.failed]);
    const onEvent = (event: EngineEvent): void => {
      if (event.type === 'audioWanted') void feed.give(event.sampleCount, run);
      if (event.type === 'window') this.#heard(event, (all) => feed.placed(all), begin);
    };
    try {
      await feed.open(signal, () => undefined);
      const request = {
        ...{ samples: undefined, state: undefined, run, beside: true },
        settings: { ...settings, ...this.#detected(), normalization: 'window', heardAgain: true },
      } as const;
      await engine.call('transcribe', request, { signal, onEvent });
    } catch (error) {
      throw feed.failed.aborted ? feed.failed.reason : error;
    } finally {
      feed.close();
      release();
    }
  }

  #heard(
    window: Extract<EngineEvent, { type: 'window' }>,
    placed: (segments: readonly Segment[]) => readonly Segment[],
    begin: number,
  ): void {
    const [segments, rejected] = [window.segments, window.rejected].map((all) =>
      placed(all).map((segment) => later(segment, begin)),
    ) as [Segment[], Segment[]];
    for (const { language, start, end } of segments) {
      this.#languages.set(language, (this.#languages.get(language) ?? 0) + end - start);
    }
    const ends = [...segments, ...rejected].map(({ end }) => end);
    this.#tellAll(this.#revisions.heard(segments, Math.max(...ends)));
  }

  /** One language for the stream, once there is enough text to be sure. */
  #detected(): Settings {
    const { language = 'auto' } = this.#surroundings.settings;
    if (language !== 'auto') return {};
    const [best] = [...this.#languages].sort(([, a], [, b]) => b - a);
    return best && best[1] >= sureSeconds ? { language: best[0] } : {};
  }

  #tellAll(changes: readonly Change[]): void {
    if (changes.length === 0 || this.#leaving.signal.aborted) return;
    this.#tell(changes.map((change) => ({ type: 'revised', ...change })));
  }
}

/** A segment, and its words, so many seconds later. */
function later(segment: Segment, seconds: number): Segment {
  const moved = movedBy(seconds);
  return { ...moved(segment), ...(segment.words && { words: segment.words.map(moved) }) };
}

/** Sound that waits to be pulled. */
class WaitingSound implements AsyncIterable<Float32Array> {
  readonly #pieces: Float32Array[] = [];
  #wake: (() => void) | undefined;
  #isOver = false;
  /** Samples that wait. */
  waiting = 0;
  /** Seconds of the stream at its end. */
  endSeconds = 0;

  push(samples: Float32Array): void {
    this.#pieces.push(samples);
    this.waiting += samples.length;
    this.#wake?.();
  }

  end(seconds: number): void {
    this.endSeconds = seconds;
    this.#isOver = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Float32Array> {
    for (;;) {
      const piece = this.#pieces.shift();
      if (piece) {
        this.waiting -= piece.length;
        yield piece;
      } else if (this.#isOver) {
        return;
      } else {
        await new Promise<void>((wake) => (this.#wake = wake));
      }
    }
  }
}
