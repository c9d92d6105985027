// Keeps the screen on, as far as the browser lets a page do that.

/** Nothing here fails: whether the screen stays on is the browser's business. */
export class ScreenLock {
  #lock: Promise<WakeLockSentinel | undefined> | undefined;
  #isWanted = false;
  /** The browser lets go when the page is hidden. */
  readonly #onVisibility = (): void => {
    if (document.visibilityState === 'visible') this.#ask();
  };

  hold(): void {
    if (this.#isWanted || typeof document === 'undefined') return;
    this.#isWanted = true;
    document.addEventListener('visibilitychange', this.#onVisibility);
    this.#ask();
  }

  release(): void {
    if (!this.#isWanted) return;
    this.#isWanted = false;
    document.removeEventListener('visibilitychange', this.#onVisibility);
    this.#release();
  }

  #ask(): void {
    this.#release();
    const { wakeLock } = navigator as Partial<Pick<Navigator, 'wakeLock'>>;
    // It may refuse, with a weak battery for one.
    this.#lock = wakeLock?.request('screen').catch(() => undefined);
  }

  #release(): void {
    void this.#lock?.then((lock) => lock?.release()).catch(() => undefined);
    this.#lock = undefined;
  }
}
