/** Holds work up while it is paused. */
export class PauseGate {
  readonly #now: () => number;
  #opening: { readonly promise: Promise<void>; readonly open: () => void } | undefined;
  #pausedSince = 0;
  #pausedMilliseconds = 0;
  /** Called at each change, if set. */
  onChange: ((isPaused: boolean) => void) | undefined;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get isPaused(): boolean {
    return this.#opening !== undefined;
  }

  set isPaused(isPaused: boolean) {
    if (isPaused === this.isPaused) return;
    if (isPaused) {
      let open!: () => void;
      const promise = new Promise<void>((done) => (open = done));
      this.#opening = { promise, open };
      this.#pausedSince = this.#now();
    } else {
      this.#pausedMilliseconds += this.#now() - this.#pausedSince;
      this.#opening?.open();
      this.#opening = undefined;
    }
    this.onChange?.(isPaused);
  }

  /** Milliseconds that went by without a pause. */
  readonly clock = (): number =>
    (this.isPaused ? this.#pausedSince : this.#now()) - this.#pausedMilliseconds;

  /** To await before going on; undefined while nothing is paused. */
  get opening(): Promise<void> | undefined {
    return this.#opening?.promise;
  }
}
