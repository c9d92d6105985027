// The sound of a MediaStream in a page, as it comes: a bundle of its own, loaded when the first one is given.
import type { MediaStreamLike, MediaStreamTrackLike } from '../../src/api/types.js';
import { sourceFailed } from '../../src/api/errors.js';
import { onAbort } from '../../src/api/signals.js';
import type { DecodedPiece } from '../../src/protocol/audio.js';
import { AudioTap, makeContext } from './tap.js';

/** Seconds of unread audio that are kept; beyond that, audio is lost and the stream fails. */
const mostSeconds = 120;

/** One channel, until all tracks have ended; `worklet` is the package's file. The context has the device's own rate, which the engine resamples. */
export async function* capture(
  source: MediaStreamLike | MediaStreamTrackLike,
  worklet: URL,
  signal: AbortSignal | undefined,
): AsyncGenerator<DecodedPiece, undefined> {
  const stream = streamOf(source);
  if (!stream) {
    throw sourceFailed('audio', 'a MediaStream can be heard in a page only, not in a worker');
  }
  const tracks = stream.getAudioTracks();
  if (tracks.length === 0) throw sourceFailed('audio', 'this MediaStream has no audio track');
  const recorder = new Recorder(tracks, signal);
  try {
    await recorder.start(stream, worklet);
    const { sampleRate } = recorder;
    for (let samples = await recorder.next(); samples; samples = await recorder.next()) {
      yield { samples, sampleRate, channels: 1 };
    }
  } finally {
    await recorder.close();
  }
}

/** Undefined where there are no streams that can be heard. */
function streamOf(source: MediaStreamLike | MediaStreamTrackLike): MediaStream | undefined {
  if (typeof AudioContext === 'undefined' || typeof MediaStream === 'undefined') return undefined;
  if (source instanceof MediaStream) return source;
  return source instanceof MediaStreamTrack ? new MediaStream([source]) : undefined;
}

class Recorder {
  readonly #tracks: readonly MediaStreamTrack[];
  readonly #signal: AbortSignal | undefined;
  readonly #tap: AudioTap;
  readonly #waiting: Float32Array[] = [];
  #waitingCount = 0;
  #wake = (): void => undefined;
  readonly #check = (): void => this.#wake();
  readonly #watch: ReturnType<typeof setInterval>;
  readonly #release: () => void;
  /** To connect, with whatever outcome. */
  #hasTried = false;
  #isClosed = false;

  constructor(tracks: readonly MediaStreamTrack[], signal: AbortSignal | undefined) {
    this.#tracks = tracks;
    this.#signal = signal;
    this.#tap = new AudioTap(makeContext(), (samples) => {
      this.#waiting.push(samples);
      this.#waitingCount += samples.length;
      this.#wake();
    });
    // A track that the page itself stops says nothing.
    this.#watch = setInterval(this.#check, 100);
    this.#release = onAbort(signal, this.#check);
  }

  get sampleRate(): number {
    return this.#tap.context.sampleRate;
  }

  /** Resolves early when it is over before it began: a context may wait for a click that never comes. */
  async start(stream: MediaStream, worklet: URL): Promise<void> {
    const settle = (): void => {
      this.#hasTried = true;
      this.#wake();
    };
    const connected = this.#connect(stream, worklet);
    connected.then(settle, settle);
    while (!this.#hasTried && !this.#isOver) {
      await new Promise<void>((woken) => (this.#wake = woken));
    }
    if (this.#hasTried) await connected;
  }

  async #connect(stream: MediaStream, worklet: URL): Promise<void> {
    const { context } = this.#tap;
    await this.#tap.load(worklet);
    // Without a click or key in the page, the context stays suspended until then.
    if (context.state === 'suspended') await context.resume();
    if (!this.#isClosed) this.#tap.connect(context.createMediaStreamSource(stream));
  }

  /** The next block; undefined once the tracks have ended. */
  async next(): Promise<Float32Array | undefined> {
    while (this.#waiting.length === 0 && !this.#isOver) {
      await new Promise<void>((woken) => (this.#wake = woken));
    }
    const samples = this.#waiting.shift();
    if (samples) this.#waitingCount -= samples.length;
    if (this.#waitingCount > mostSeconds * this.sampleRate) {
      throw sourceFailed(
        'audio',
        `the sound is ahead of the model by more than ${mostSeconds} s; take a smaller model`,
      );
    }
    return samples;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#watch);
    this.#release();
    await this.#tap.context.close();
  }

  get #isOver(): boolean {
    const haveEnded = this.#tracks.every(({ readyState }) => readyState === 'ended');
    return haveEnded || this.#signal?.aborted === true;
  }
}
