// Converts every kind of audio for the engine: as a whole, or on demand.
import type {
  AudioInput,
  AudioStream,
  MediaElementLike,
  MediaStreamLike,
  PcmAudio,
  SampleArray,
  Segment,
} from '../api/types.js';
import type { PhaseProgress } from '../api/overall_progress.js';
import { refuseDetached } from '../api/detached.js';
import { invalidOption } from '../api/errors.js';
import { orAborted } from '../api/signals.js';
import { sampleRate } from '../api/generated/whisper.js';
import type { EngineLink } from '../protocol/engine.js';
import type { Platform } from '../platform/platform.js';
import type { SilenceSkipper, Skipped, SkippingOptions } from '../platform/speech.js';
import {
  isAudioBuffer,
  isBytes,
  isMediaElement,
  isMediaStream,
  isMediaTrack,
  isPcm,
  isRecordingStream,
  isSampleStream,
  isFloats,
  isSamples,
  isStream,
  type AnyStream,
} from './audio_kinds.js';
import { asSamples, chunksOf, StreamFeed, type Chunks } from './audio_stream.js';
import { converted, type Converted, type PieceSource } from './conversion.js';
import { decodeFile, type OpenedFile } from './decoded_file.js';
import { collect, openFile } from './encoded_file.js';
import { leave } from './leave.js';
import { asFloats, piecesOf, secondsOf } from './sample_pieces.js';

/**
 * Recordings up to this length are held whole (38 MB) where one engine goes through them. Longer ones are read while it works, so that
 * their length takes no memory.
 */
const heldSeconds = 600;

/** The longest window of any model. */
const windowSeconds = 30;

/** How much of a recording is decoded before the work begins. */
export type Holding =
  /** All of it. */
  | 'whole'
  /** All of a short one; a long one is decoded on demand. */
  | 'short'
  /** Nothing: it is decoded on demand. */
  | 'nothing'
  /** Its first window, and no more is needed. */
  | 'window';

interface Surroundings {
  readonly engine: EngineLink;
  readonly platform: Platform;
  readonly holding: Holding;
  /** Hears what is read, too, and passes it on. */
  readonly tap?: ((opened: OpenedAudio) => OpenedAudio) | undefined;
  readonly signal: AbortSignal | undefined;
  readonly onProgress?: ((event: PhaseProgress) => void) | undefined;
}

/** A recording, or sound that is pulled. */
export type OpenedAudio =
  | { readonly samples: Float32Array; readonly isOwn: boolean }
  | {
      readonly chunks: Chunks;
      readonly duration?: number | undefined;
      /** How many there are, where all are in memory anyway. */
      readonly sampleCount?: number;
    };

/** What is known of the length before the end is heard. */
export interface AudioLength {
  readonly sampleCount?: number;
  /** As its file says, where the samples are not counted. */
  readonly fileSeconds?: number;
}

export function lengthOf(opened: OpenedAudio): AudioLength {
  const count = 'samples' in opened ? opened.samples.length : opened.sampleCount;
  if (count !== undefined) return { sampleCount: count };
  const seconds = 'samples' in opened ? undefined : opened.duration;
  return seconds === undefined ? {} : { fileSeconds: seconds };
}

/** All samples, in pieces of at most `most` where they are in memory. Whoever stops asking lets go of the sound. */
export async function* soundOf(
  opened: OpenedAudio,
  most = Infinity,
): AsyncGenerator<Float32Array, void> {
  if ('samples' in opened) {
    const { samples } = opened;
    for (let at = 0; at < samples.length; at += most) yield samples.subarray(at, at + most);
    return;
  }
  let isOver = false;
  try {
    for (;;) {
      const step = await opened.chunks.next();
      isOver = step.done === true;
      if (step.done) return;
      yield asSamples(step.value);
    }
  } finally {
    if (!isOver) leave(opened.chunks);
  }
}

/** 16 kHz mono of a recording, or of its first window. `isOwn`: the array has no other owner. */
export async function wholeSamples(
  audio: AudioInput,
  surroundings: Omit<Surroundings, 'holding'> & { readonly holding: 'whole' | 'window' },
): Promise<{ readonly samples: Float32Array; readonly isOwn: boolean }> {
  const opened = await openAudio(audio, surroundings);
  if ('samples' in opened) return opened;
  await opened.chunks.return?.();
  throw invalidOption('audio', 'a recording; only transcribe() takes streams of samples', audio);
}

export async function openAudio(
  audio: AudioInput | AudioStream,
  surroundings: Surroundings,
): Promise<OpenedAudio> {
  const opened = await open(audio, surroundings);
  return surroundings.tap?.(opened) ?? opened;
}

async function open(
  audio: AudioInput | AudioStream,
  surroundings: Surroundings,
): Promise<OpenedAudio> {
  const { platform, signal, onProgress } = surroundings;
  if (isSamples(audio) || isBytes(audio)) {
    // It was checked before the call waited for its turn; its buffer may have been transferred since.
    refuseDetached(audio, 'audio');
  }
  if (isSamples(audio)) {
    const { length } = audio;
    const isRead = surroundings.holding === 'nothing' || surroundings.holding === 'short';
    if (isRead && length > heldSeconds * sampleRate) {
      return { chunks: copiesOf(audio), duration: length / sampleRate, sampleCount: length };
    }
    return { samples: asFloats(audio), isOwn: !isFloats(audio) };
  }
  if (isPcm(audio)) return hear(inMemory(audio), surroundings);
  if (isAudioBuffer(audio)) {
    const samples = Array.from({ length: audio.numberOfChannels }, (_, i) =>
      audio.getChannelData(i),
    );
    return hear(inMemory({ samples, sampleRate: audio.sampleRate }), surroundings);
  }
  if (isSampleStream(audio)) {
    const { stream, sampleRate: rate, channels = 1 } = audio;
    const chunks = chunksOf(stream);
    const isRecording = isRecordingStream(audio);
    const plainSeconds = isRecording ? audio.duration : undefined;
    const isAsHeard = rate === sampleRate && channels === 1;
    if (isAsHeard && (!isRecording || surroundings.holding === 'nothing')) {
      return { chunks, duration: plainSeconds };
    }
    const pieces = piecesFrom(chunks, rate, channels);
    if (!isRecording) return hearLive(pieces, surroundings);
    return hear({ pieces, isOwn: false, plainSeconds }, surroundings);
  }
  const source = isMediaElement(audio) ? sourceOf(audio) : audio;
  if (isMediaStream(source) || isMediaTrack(source)) {
    return hearLive(await platform.capture(source, signal), surroundings);
  }
  if (isStream(source)) return openStream(source, surroundings);
  const file = await openFile(source, platform, { signal, onProgress });
  return hear(await decodeFile(file, platform, signal), surroundings);
}

const inMemory = (audio: PcmAudio): OpenedFile => ({
  pieces: piecesOf(audio),
  isOwn: false,
  plainSeconds: secondsOf(audio),
});

/** A stream's first chunk tells whether it is of samples or of a file's bytes. */
async function openStream(stream: AnyStream, surroundings: Surroundings): Promise<OpenedAudio> {
  const { platform, signal, onProgress } = surroundings;
  const chunks = chunksOf(stream);
  let first;
  try {
    first = await orAborted(chunks.next(), signal);
    if (!first.done && !(first.value instanceof Uint8Array)) asSamples(first.value);
  } catch (error) {
    leave(chunks);
    throw error;
  }
  if (!first.done && first.value instanceof Uint8Array) {
    const file = await collect(chunks, 'audio', { signal, onProgress, first: first.value });
    return hear(await decodeFile(file, platform, signal), surroundings);
  }
  return { chunks: beginningWith(first, chunks) };
}

function beginningWith(first: IteratorResult<unknown>, rest: Chunks): Chunks {
  let head: IteratorResult<unknown> | undefined = first;
  return {
    next() {
      const step = head;
      head = undefined;
      return step ? Promise.resolve(step) : rest.next();
    },
    return: () => rest.return?.(),
  };
}

async function hear(
  { pieces, duration, isOwn, plainSeconds }: OpenedFile,
  surroundings: Surroundings,
): Promise<OpenedAudio> {
  const { engine, signal, onProgress, holding } = surroundings;
  // What a file says of its length only decides how soon the work begins.
  const saidSeconds = duration ?? plainSeconds;
  const isLong = holding === 'short' && (saidSeconds ?? 0) > heldSeconds;
  let isHeld = holding !== 'window';
  const work = converted(pieces, {
    engine,
    signal,
    heldBack: isLong ? 0 : heldSamples(holding),
    givesAway: isOwn,
    onProgress: (loaded) => {
      if (!isHeld || duration === undefined) return;
      onProgress?.({
        phase: 'decode',
        loaded,
        total: duration,
        fraction: Math.min(1, loaded / duration),
      });
    },
  });
  const first = await work.next();
  isHeld = false;
  const samples = first.value?.samples ?? new Float32Array();
  const isLast = first.value?.isLast ?? true;
  if (isLast || holding === 'window') {
    await work.return(undefined);
    return { samples, isOwn: true };
  }
  return { chunks: chunksFrom(work, samples), duration: saidSeconds };
}

function hearLive(pieces: PieceSource, { engine, signal }: Surroundings): OpenedAudio {
  const work = converted(pieces, { engine, signal, heldBack: 0, givesAway: false });
  return { chunks: chunksFrom(work, undefined) };
}

function heldSamples(holding: Holding): number {
  if (holding === 'window') return windowSeconds * sampleRate;
  if (holding === 'nothing') return 0;
  return holding === 'whole' ? Infinity : heldSeconds * sampleRate;
}

/** Samples piece by piece, each its reader's own. */
function copiesOf(samples: SampleArray): Chunks {
  const pieces = piecesOf({ samples, sampleRate });
  return {
    // eslint-disable-next-line @typescript-eslint/require-await -- what it throws is a rejection
    async next() {
      const step = pieces.next();
      if (step.done) return step;
      const { samples: piece } = step.value;
      return { done: false, value: isFloats(samples) ? piece.slice() : piece };
    },
    return: () => pieces.return(undefined),
  };
}

/** The samples alone; `first` was taken before. */
function chunksFrom(
  work: AsyncGenerator<Converted, undefined>,
  first: Float32Array | undefined,
): Chunks {
  let head = first;
  return {
    async next() {
      const samples = head;
      head = undefined;
      if (samples) return { done: false, value: samples };
      const step = await work.next();
      return step.done ? step : { done: false, value: step.value.samples };
    },
    return: () => work.return(undefined),
  };
}

function piecesFrom(chunks: Chunks, rate: number, channels: number): PieceSource {
  return {
    async next() {
      const step = await chunks.next();
      if (step.done) return { done: true, value: undefined };
      const samples = asSamples(step.value);
      return { done: false, value: { samples, sampleRate: rate, channels } };
    },
    return: () => chunks.return?.(),
  };
}

/** What an element plays: a MediaStream, or a file. */
function sourceOf({ currentSrc, src, srcObject }: MediaElementLike): string | MediaStreamLike {
  if (isMediaStream(srcObject)) return srcObject;
  const address = currentSrc || src;
  if (address) return address;
  throw invalidOption('audio', 'a media element with a source', 'an element without one');
}

/** How silence is skipped before the engine gets the audio. */
export interface Skipping extends SkippingOptions {
  /** Whether a recording goes to the engine first, as a whole: its loudness counts for what is left of it. */
  readonly isMeasured: boolean;
  /** Opens the detector; undefined if nothing is to be skipped after all. */
  readonly open: (signal: AbortSignal) => Promise<SilenceSkipper | undefined>;
}

/** The audio of transcribe(): opened when it is the call's turn, then passed on as the engine requests it. */
export class AudioFeed {
  readonly #audio: AudioInput | AudioStream;
  readonly #surroundings: Omit<Surroundings, 'signal' | 'onProgress'>;
  readonly #failed = new AbortController();
  readonly #skipping: Skipping | undefined;
  #feed: StreamFeed | undefined;
  #skipper: SilenceSkipper | undefined;
  #skipped: Skipped | undefined;
  #loudnessSamples = 0;

  constructor(
    audio: AudioInput | AudioStream,
    surroundings: Omit<Surroundings, 'signal' | 'onProgress'>,
    skipping?: Skipping,
  ) {
    this.#audio = audio;
    this.#surroundings = surroundings;
    this.#skipping = skipping;
  }

  /** Aborted, with the error as its reason, when a stream fails. */
  get failed(): AbortSignal {
    return this.#failed.signal;
  }

  /** Opens the audio. Returns the samples, or undefined if the engine must request them. */
  async open(
    signal: AbortSignal,
    onProgress: (event: PhaseProgress) => void,
  ): Promise<{
    readonly samples: Float32Array | undefined;
    readonly isOwn: boolean;
    readonly expectedSeconds: number | undefined;
    /** The whole recording has it, skipped parts included. */
    readonly length: AudioLength;
    /** Samples that come first, for their loudness. */
    readonly loudnessSamples: number;
  }> {
    const whole = await openAudio(this.#audio, { ...this.#surroundings, signal, onProgress });
    const length = lengthOf(whole);
    const opened = this.#skipping ? await this.#skip(whole, this.#skipping, signal) : whole;
    const loudnessSamples = this.#loudnessSamples;
    const about = { length, loudnessSamples };
    if ('samples' in opened) return { ...opened, ...about, expectedSeconds: undefined };
    const feed = new StreamFeed(opened.chunks, this.#surroundings.engine, this.#failed);
    this.#feed = feed;
    return { samples: undefined, isOwn: false, ...about, expectedSeconds: opened.duration };
  }

  /** Whether silence is skipped; known once the audio is open. */
  get isSkipping(): boolean {
    return this.#skipped !== undefined;
  }

  /** Converts seconds of the engine's audio to seconds of the recording. */
  timeOf(seconds: number): number {
    return this.#skipped?.timeOf(seconds) ?? seconds;
  }

  placed(segments: readonly Segment[]): readonly Segment[] {
    const skipped = this.#skipped;
    return skipped ? segments.map((segment) => skipped.placed(segment)) : segments;
  }

  /** Seconds of the recording, or of the part of a stream that was pulled; undefined if the engine itself knows. */
  get duration(): number | undefined {
    return this.#skipped && this.#skipped.sampleCount / sampleRate;
  }

  /** Pulls so many samples for that transcription of the engine. */
  async give(sampleCount: number, run: number): Promise<void> {
    await this.#feed?.give(sampleCount, run);
  }

  close(): void {
    this.#feed?.close();
    this.#skipper?.close();
  }

  async #skip(opened: OpenedAudio, skipping: Skipping, signal: AbortSignal): Promise<OpenedAudio> {
    const measured = measuredSamples(opened, skipping);
    const audio = measured ? { samples: measured, isOwn: true } : opened;
    try {
      this.#skipper = await skipping.open(signal);
      this.#skipped = await this.#skipper?.skip(audio, skipping);
    } catch (error) {
      if ('chunks' in opened) leave(opened.chunks);
      throw error;
    }
    if (!this.#skipped) return opened;
    if (!measured) return this.#skipped.audio;
    this.#loudnessSamples = measured.length;
    return {
      chunks: behind(measured, this.#skipped.audio),
      duration: measured.length / sampleRate,
    };
  }
}

/** Samples of a recording that is measured, which nobody changes meanwhile. */
function measuredSamples(opened: OpenedAudio, { isMeasured }: Skipping): Float32Array | undefined {
  if (!isMeasured || !('samples' in opened)) return undefined;
  const { samples, isOwn } = opened;
  return isOwn ? samples : samples.slice();
}

/** A recording, then what is left of it. */
function behind(recording: Float32Array, left: OpenedAudio): Chunks {
  const pieces = [recording, ...('samples' in left ? [left.samples] : [])];
  return {
    next() {
      const value = pieces.shift();
      if (value) return Promise.resolve({ done: false, value });
      return 'chunks' in left ? left.chunks.next() : Promise.resolve({ done: true, value });
    },
    return: () => ('chunks' in left ? left.chunks.return?.() : undefined),
  };
}
