// Audio from an audio context's worklet: the common part of microphones, tabs, streams and media elements.
import { sourceFailed, SusurrusError } from '../../src/api/errors.js';
import type { Assets } from '../../src/api/types.js';
import { AudioTap, makeContext } from '../../tools/capture/tap.js';
import type { AudioSink, Suspension, Sound, SoundEnd } from './sound.js';
import { workletAddress } from './worklet_address.js';

/** Rates of devices, for browsers that connect a device only to a context with the same rate. */
const usualRates = [48000, 44100, 32000, 24000, 16000, 8000];

/** User gestures after which a browser lets a page start audio. */
const gestures = ['pointerdown', 'pointerup', 'keydown', 'touchend', 'click'];

/** Milliseconds that the sound device may take to start; where there is none, Firefox's contexts never do. */
const startPatience = 5000;

/** Firefox tells whether a context that does not run yet waits for a click, or only for the sound device. */
const mayPlay = (context: AudioContext): boolean =>
  (navigator as Telling).getAutoplayPolicy?.(context) === 'allowed';

interface Telling {
  getAutoplayPolicy?(context: AudioContext): string;
}

export abstract class ContextSound implements Sound {
  readonly isPushed = true;
  readonly ended: Promise<SoundEnd>;
  readonly #worklet: URL;
  readonly #given: AudioContext | undefined;
  #tap: AudioTap;
  #end!: (end: SoundEnd) => void;
  #closing: Promise<void> | undefined;
  /** While the device starts. */
  #waiting: { readonly timer: ReturnType<typeof setTimeout>; isLate: boolean } | undefined;
  #sink: AudioSink | undefined;
  /** The rate that the sink has. */
  #toldRate: number | undefined;
  readonly #onGesture = (): void => void this.resume();
  readonly #onState = (): void => this.tellHindrance();

  /**
   * With a context whose rate is the device's own, as far as that is known. It is made at once, in the click that asked for it. One that is
   * given stays open afterwards.
   */
  constructor(assets: Assets | undefined, given?: AudioContext) {
    if (typeof AudioContext === 'undefined' || typeof AudioWorkletNode === 'undefined') {
      throw new SusurrusError(
        'unsupported_environment',
        'Sound of devices and tabs can be heard in a page only, in a browser with audio worklets.',
        { reason: 'environment', subject: 'AudioWorklet' },
      );
    }
    this.#worklet = workletAddress(assets);
    this.ended = new Promise((done) => (this.#end = done));
    this.#given = given;
    this.#tap = this.#tapOn(given ?? makeContext());
  }

  get sampleRate(): number {
    return this.#tap.context.sampleRate;
  }

  async open(sink: AudioSink): Promise<number> {
    this.#sink = sink;
    await Promise.all([this.#tap.load(this.#worklet), this.acquire()]);
    if (this.isClosed) return this.sampleRate;
    await this.connect();
    this.tellHindrance();
    await this.resume();
    this.#toldRate = this.sampleRate;
    return this.sampleRate;
  }

  async resume(): Promise<void> {
    const { context } = this.#tap;
    if (this.isClosed || context.state === 'running') return;
    // It may stay pending until the user clicks.
    context.resume().catch(() => undefined);
    await Promise.resolve();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Asks for the source of the audio. */
  protected abstract acquire(): Promise<void>;
  /** Connects it; called again after a change. */
  protected abstract connect(): Promise<void>;
  /** Releases the source, also before acquire() resolves. */
  protected abstract release(): void;

  protected get isClosed(): boolean {
    return this.#closing !== undefined;
  }

  protected get sink(): AudioSink | undefined {
    return this.#sink;
  }

  protected get tap(): AudioTap {
    return this.#tap;
  }

  /** Another reason why there is no audio. */
  protected get suspension(): Suspension | undefined {
    return undefined;
  }

  /** Called with each block, before the sink has it. */
  protected onBlock(samples: Float32Array): void {
    void this.#sink?.hear(samples);
  }

  protected end(end: SoundEnd): void {
    // The worklet's pending samples go first.
    void this.close().then(() => this.#end(end));
  }

  /** Connects a stream, and where the browser wants that, in a context of the device's rate. */
  protected async connectStream(stream: MediaStream): Promise<void> {
    if (this.isClosed) return;
    const first = this.#tap;
    if (this.#connects(first, stream)) return;
    // Pending samples of the old context must come before samples at another rate.
    await first.finish();
    const told = stream.getAudioTracks()[0]?.getSettings().sampleRate;
    for (const sampleRate of [...(told === undefined ? [] : [told]), ...usualRates]) {
      if (await this.#connectsAt(sampleRate, stream)) {
        await this.#leaveContext(first.context);
        return;
      }
    }
    throw sourceFailed('audio', 'the browser connects this device to no audio context of any rate');
  }

  /** Connects in a context of this rate; also returns true if the source was closed meanwhile. */
  async #connectsAt(sampleRate: number, stream: MediaStream): Promise<boolean> {
    const tap = this.#tapOn(makeContext({ sampleRate }));
    await tap.load(this.#worklet);
    const isWanted = !this.isClosed;
    if (isWanted && this.#connects(tap, stream)) {
      this.#tap = tap;
      this.#tellRate();
      return true;
    }
    await this.#leaveContext(tap.context);
    return !isWanted;
  }

  /** The first rate is returned by open() itself. */
  #tellRate(): void {
    if (this.#toldRate === undefined || this.#toldRate === this.sampleRate) return;
    this.#toldRate = this.sampleRate;
    this.#sink?.changeRate(this.sampleRate);
  }

  /** False where the device has another rate than the context, which Firefox refuses. */
  #connects(tap: AudioTap, stream: MediaStream): boolean {
    try {
      tap.connect(tap.context.createMediaStreamSource(stream));
      return true;
    } catch (error) {
      if (error instanceof DOMException && error.name === 'NotSupportedError') return false;
      throw error;
    }
  }

  protected tellHindrance(): void {
    if (this.isClosed) return;
    const { state } = this.#tap.context;
    const isWaiting = state === 'suspended';
    for (const name of gestures) {
      if (isWaiting) document.addEventListener(name, this.#onGesture, { capture: true });
      else document.removeEventListener(name, this.#onGesture, { capture: true });
    }
    if (isWaiting && mayPlay(this.#tap.context)) {
      this.#awaitDevice();
      return;
    }
    this.#leaveWaiting();
    if (isWaiting) this.#sink?.suspend('needs-click');
    else this.#sink?.suspend(state === 'running' ? this.suspension : 'interrupted');
  }

  /** It may still start later, and is heard then. */
  #awaitDevice(): void {
    this.#waiting ??= {
      isLate: false,
      timer: setTimeout(() => {
        if (this.#waiting) this.#waiting.isLate = true;
        this.tellHindrance();
      }, startPatience),
    };
    if (this.#waiting.isLate) this.#sink?.suspend('interrupted');
    else this.#sink?.restart();
  }

  #leaveWaiting(): void {
    clearTimeout(this.#waiting?.timer);
    this.#waiting = undefined;
  }

  #tapOn(context: AudioContext): AudioTap {
    context.addEventListener('statechange', this.#onState);
    return new AudioTap(context, (samples) => {
      this.onBlock(samples);
    });
  }

  async #close(): Promise<void> {
    this.#leaveWaiting();
    for (const name of gestures) {
      document.removeEventListener(name, this.#onGesture, { capture: true });
    }
    await this.#tap.finish();
    this.release();
    await this.#leaveContext(this.#tap.context);
  }

  async #leaveContext(context: AudioContext): Promise<void> {
    context.removeEventListener('statechange', this.#onState);
    if (context !== this.#given && context.state !== 'closed') await context.close();
  }
}
