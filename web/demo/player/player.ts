import { byId } from '../shell/dom.js';

/** Plays the recording or a part of it, from memory (a blob: address). */
export class Player {
  readonly #audio = byId('audio', HTMLAudioElement);
  readonly #onTime: (seconds: number, playing: boolean) => void;
  #address = '';
  #stopAt = Infinity;

  /** `onTime` receives the position of playback, about once a frame while it plays. */
  constructor(onTime: (seconds: number, playing: boolean) => void) {
    this.#onTime = onTime;
    this.#audio.addEventListener('play', () => this.#watch());
    this.#audio.addEventListener('seeking', () => {
      // The user moved the slider: the requested part no longer applies.
      if (this.#audio.currentTime > this.#stopAt) this.#stopAt = Infinity;
    });
    this.#audio.addEventListener('pause', () => {
      this.#stopAt = Infinity;
      this.#tell();
    });
  }

  load(recording: Blob): void {
    this.#audio.pause();
    const before = this.#address;
    this.#address = URL.createObjectURL(recording);
    this.#audio.src = this.#address;
    if (before) URL.revokeObjectURL(before);
  }

  /** Plays from `start` to `end`, in seconds, or on. Rejects when the browser cannot play the recording. */
  async play(start: number, end = Infinity): Promise<void> {
    this.#audio.currentTime = start;
    this.#stopAt = end;
    await this.#audio.play();
  }

  pause(): void {
    this.#audio.pause();
  }

  #watch(): void {
    if (this.#audio.paused) return;
    if (this.#audio.currentTime >= this.#stopAt) {
      this.#audio.pause();
      return;
    }
    this.#tell();
    requestAnimationFrame(() => this.#watch());
  }

  #tell(): void {
    this.#onTime(this.#audio.currentTime, !this.#audio.paused && !this.#audio.ended);
  }
}
