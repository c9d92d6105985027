// Keeps the screen from going dark while the page works: phones stop pages behind a dark screen.

/** What a browser gives to keep the screen lit; absent in some. */
interface Lock {
  release(): Promise<void>;
}

interface Screen {
  readonly wakeLock?: { request(type: 'screen'): Promise<Lock> };
}

export class WakeLock {
  readonly #screen = navigator as Screen;
  #isWanted = false;
  #lock: Promise<Lock | undefined> | undefined;

  constructor() {
    // The browser takes it away from a hidden page.
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState !== 'visible') return;
      this.#lock = undefined;
      this.#update();
    });
  }

  /** Whether there is work to stay awake for. */
  set isWanted(isWanted: boolean) {
    this.#isWanted = isWanted;
    this.#update();
  }

  #update(): void {
    if (this.#isWanted) {
      // It may refuse, with a weak battery for one; then the work goes on as long as the screen does.
      this.#lock ??= this.#screen.wakeLock?.request('screen').catch(() => undefined);
      return;
    }
    const held = this.#lock;
    this.#lock = undefined;
    void held?.then((lock) => lock?.release()).catch(() => undefined);
  }
}
