// Plays one recording, audio or video, from memory (a blob: URL), and says where it is.

export interface PlaybackCalls {
  /** Where it is: on every frame while it plays, and when it jumps. */
  readonly onTime: (seconds: number, isPlaying: boolean) => void;
  /** It began or stopped, its length became known, or another recording is in. */
  readonly onState: () => void;
  /** It cannot be played, or may not be without a press. */
  readonly onProblem: (error: unknown) => void;
  /** It does play: the time goes on. */
  readonly onPlaying: () => void;
}

export class Playback {
  readonly element: HTMLVideoElement;
  readonly #calls: PlaybackCalls;
  #address = '';
  #isWatching = false;

  constructor(element: HTMLVideoElement, calls: PlaybackCalls) {
    this.element = element;
    this.#calls = calls;
    element.addEventListener('play', () => {
      calls.onState();
      if (!this.#isWatching) this.#watch();
    });
    for (const name of ['pause', 'ended', 'seeked'] as const) {
      element.addEventListener(name, () => this.#tell());
    }
    for (const name of ['pause', 'ended', 'durationchange', 'loadedmetadata', 'ratechange']) {
      element.addEventListener(name, () => calls.onState());
    }
    for (const name of ['playing', 'timeupdate'] as const) {
      element.addEventListener(name, () => {
        if (this.isPlaying && !element.seeking) calls.onPlaying();
      });
    }
    element.addEventListener('error', () => {
      if (this.#address) calls.onProblem(element.error);
    });
  }

  /** Another recording, or none. */
  load(recording: Blob | undefined): void {
    this.element.pause();
    const before = this.#address;
    this.#address = recording ? URL.createObjectURL(recording) : '';
    if (recording) this.element.src = this.#address;
    else this.element.removeAttribute('src');
    // Lets go of the file that was there before.
    if (!recording && before) this.element.load();
    if (before) URL.revokeObjectURL(before);
    this.#calls.onState();
  }

  get hasRecording(): boolean {
    return this.#address !== '';
  }

  get isPlaying(): boolean {
    return !this.element.paused && !this.element.ended;
  }

  get seconds(): number {
    return this.element.currentTime;
  }

  /** Seconds; 0 as long as it is not known. */
  get duration(): number {
    const { duration } = this.element;
    return Number.isFinite(duration) ? duration : 0;
  }

  get speed(): number {
    return this.element.playbackRate;
  }

  set speed(speed: number) {
    this.element.defaultPlaybackRate = speed; // what the next recording begins with
    this.element.playbackRate = speed;
  }

  play(from?: number): void {
    if (!this.hasRecording) return;
    if (from !== undefined) this.element.currentTime = from;
    this.element.play().catch((error: unknown) => {
      // Another press while this one was still starting is no problem.
      if (!(error instanceof Error && error.name === 'AbortError')) this.#calls.onProblem(error);
    });
  }

  pause(): void {
    this.element.pause();
  }

  toggle(): void {
    if (this.isPlaying) this.pause();
    else this.play();
  }

  seek(seconds: number): void {
    if (!this.hasRecording) return;
    const end = this.duration || Infinity;
    this.element.currentTime = Math.min(Math.max(0, seconds), end);
    this.#tell();
  }

  #watch(): void {
    this.#isWatching = this.isPlaying;
    if (!this.#isWatching) return;
    this.#tell();
    requestAnimationFrame(() => this.#watch());
  }

  #tell(): void {
    this.#calls.onTime(this.element.currentTime, this.isPlaying);
  }
}
