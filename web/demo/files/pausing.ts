// Whether a person has paused the transcription of one recording.

/** What can be held up: a transcription. */
export interface Pausable {
  pause(): void;
  resume(): void;
}

export class Pausing {
  readonly #onChange: () => void;
  #work: Pausable | undefined;
  #since: number | undefined;
  #milliseconds = 0;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get isOn(): boolean {
    return this.#since !== undefined;
  }

  /** Whether there is something to hold up. */
  get isPossible(): boolean {
    return this.#work !== undefined;
  }

  /** For how long it was held up in all. */
  get seconds(): number {
    const running = this.#since === undefined ? 0 : performance.now() - this.#since;
    return (this.#milliseconds + running) / 1000;
  }

  turn(isOn: boolean): void {
    if (isOn === this.isOn || !this.#work) return;
    if (isOn) this.#work.pause();
    else this.#work.resume();
    if (this.#since !== undefined) this.#milliseconds += performance.now() - this.#since;
    this.#since = isOn ? performance.now() : undefined;
    this.#onChange();
  }

  /** This is what it holds up from now on. */
  hold(work: Pausable): void {
    this.#work = work;
    if (this.isOn) work.pause();
    this.#onChange();
  }
}
