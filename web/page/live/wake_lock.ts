// Keeps the screen on, as far as the browser lets a page do that.

/** Nothing here fails: whether the screen stays on is the browser's business. */
export class ScreenLock {
  #sentinel: WakeLockSentinel | undefined;
  #isWanted = false;
  /** The browser lets go when the page is hidden. */
  readonly #onVisibility = (): void => {
    if (document.visibilityState === 'visible') void this.#ask();
  };

  hold(): void {
    if (this.#isWanted || typeof document === 'undefined') return;
    this.#isWanted = true;
    document.addEventListener('visibilitychange', this.#onVisibility);
    void this.#ask();
  }

  letGo(): void {
    if (!this.#isWanted) return;
    this.#isWanted = false;
    document.removeEventListener('visibilitychange', this.#onVisibility);
    void this.#sentinel?.release().catch(() => undefined);
    this.#sentinel = undefined;
  }

  async #ask(): Promise<void> {
    const lock = (navigator as Partial<Pick<Navigator, 'wakeLock'>>).wakeLock;
    try {
      const sentinel = await lock?.request('screen');
      if (this.#isWanted) this.#sentinel = sentinel;
      else await sentinel?.release();
    } catch {
      // No battery left, or not allowed.
    }
  }
}
