// The audio of a media element while it plays.
import { invalidOption } from '../../src/api/errors.js';
import { makeContext } from '../../tools/capture/tap.js';
import type { Assets } from '../../src/api/types.js';
import { ContextSound } from './context_sound.js';
import type { MediaClock } from './media_clock.js';
import type { Suspension } from './sound.js';

/** Sound that is under way to the worklet when an element pauses, in seconds. */
const tail = 0.3;

interface Capturing {
  captureStream?(): MediaStream;
}

/** Where browsers capture no element, its sound goes through a context, from then on and for good. */
interface Rerouted {
  readonly context: AudioContext;
  readonly source: MediaElementAudioSourceNode;
}
const rerouted = new WeakMap<HTMLMediaElement, Rerouted>();

function reroute(media: HTMLMediaElement): Rerouted {
  const known = rerouted.get(media);
  if (known) return known;
  const context = makeContext();
  const source = context.createMediaElementSource(media);
  source.connect(context.destination);
  rerouted.set(media, { context, source });
  return { context, source };
}

const captures = (media: HTMLMediaElement): boolean => 'captureStream' in media;

export class ElementSound extends ContextSound {
  readonly #media: HTMLMediaElement;
  readonly #clock: MediaClock;
  #stream: MediaStream | undefined;
  /** Samples that went to the sink. */
  #count = 0;
  /** Samples that still go there: all while it plays. */
  #left = Infinity;
  readonly #events: Readonly<Record<string, () => void>> = {
    playing: () => this.#goOn(),
    pause: () => this.#pause(tail),
    ended: () => this.#pause(tail),
    emptied: () => this.#pause(0),
    seeking: () => this.#pause(0),
    seeked: () => this.#goOn(),
  };
  readonly #onTrack = (): void =>
    void this.#connectTrack().catch((e: unknown) => this.sink?.fail(e));

  constructor(media: HTMLMediaElement, clock: MediaClock, assets: Assets | undefined) {
    super(assets, captures(media) ? undefined : reroute(media).context);
    this.#media = media;
    this.#clock = clock;
  }

  protected override get suspension(): Suspension | undefined {
    return this.#isPlaying ? undefined : 'paused';
  }

  protected override acquire(): Promise<void> {
    return Promise.resolve();
  }

  protected override async connect(): Promise<void> {
    for (const [name, act] of Object.entries(this.#events)) {
      this.#media.addEventListener(name, act);
    }
    if (!this.#isPlaying) this.#left = 0;
    if (captures(this.#media)) {
      try {
        this.#stream = (this.#media as Capturing).captureStream?.();
      } catch (error) {
        throw invalidOption(
          'source',
          `a media element whose file this page may read; set crossorigin on it (${String(error)})`,
          this.#media,
        );
      }
      this.#stream?.addEventListener('addtrack', this.#onTrack);
      await this.#connectTrack();
    } else {
      this.tap.connect(reroute(this.#media).source);
    }
  }

  protected override release(): void {
    for (const [name, act] of Object.entries(this.#events)) {
      this.#media.removeEventListener(name, act);
    }
    this.#stream?.removeEventListener('addtrack', this.#onTrack);
    for (const track of this.#stream?.getTracks() ?? []) track.stop();
  }

  protected override onBlock(samples: Float32Array): void {
    if (this.#left <= 0) return;
    const { currentTime, playbackRate } = this.#media;
    const seconds = samples.length / this.sampleRate;
    if (this.#isPlaying) {
      const begin = currentTime - seconds * playbackRate;
      this.#clock.note(this.#count / this.sampleRate, begin, playbackRate);
    }
    this.#count += samples.length;
    this.#left -= samples.length;
    super.onBlock(samples);
    if (this.#left <= 0) this.sink?.interrupt();
  }

  get #isPlaying(): boolean {
    const { paused, ended, seeking } = this.#media;
    return !paused && !ended && !seeking;
  }

  #pause(seconds: number): void {
    const isHeard = this.#left > 0;
    this.#left = Math.min(this.#left, seconds * this.sampleRate);
    if (isHeard && this.#left <= 0) this.sink?.interrupt();
    this.#clock.interrupt();
    this.tellHindrance();
  }

  #goOn(): void {
    if (this.#isPlaying) this.#left = Infinity;
    this.tellHindrance();
  }

  /** A new file has new tracks, and so has one that is played again. */
  async #connectTrack(): Promise<void> {
    const track = this.#stream?.getAudioTracks().find(({ readyState }) => readyState === 'live');
    if (track) await this.connectStream(new MediaStream([track]));
  }
}
