// Clocks by which sound arrives and a recogniser works: a virtual one, for runs without waiting, and the real one.

/**
 * @typedef {object} Clock
 * @property {number} now seconds since the sound began
 * @property {boolean} stamps whether what is told during work can be stamped as it comes; else it is stamped when the work is done
 * @property {(time: number) => Promise<void>} until waits, or passes the time
 * @property {(body: () => Promise<void>) => Promise<void>} work does a piece of work, which takes its time
 */

/**
 * Waiting takes no time here; work takes what `stopwatch`, a counter of seconds, says that it took.
 * @implements {Clock}
 */
export class VirtualClock {
  now = 0;
  stamps = false;
  #stopwatch;

  /** @param {() => number} stopwatch */
  constructor(stopwatch) {
    this.#stopwatch = stopwatch;
  }

  async until(time) {
    this.now = Math.max(this.now, time);
  }

  async work(body) {
    const begin = this.#stopwatch();
    await body();
    this.now += this.#stopwatch() - begin;
  }
}

export const wallSeconds = () => performance.now() / 1000;

/** @implements {Clock} */
export class RealClock {
  stamps = true;
  #begin = wallSeconds();

  get now() {
    return wallSeconds() - this.#begin;
  }

  async until(time) {
    // A timer may be early by a millisecond.
    while (this.now < time) {
      await new Promise((done) => setTimeout(done, Math.max(1, 1000 * (time - this.now))));
    }
  }

  async work(body) {
    await body();
  }
}
