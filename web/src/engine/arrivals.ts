/** Lets work wait until more of a model has arrived. */
export class Arrivals {
  #waiting: (() => void)[] = [];

  /** Resolves when tell() is called next. */
  next(): Promise<void> {
    return new Promise((wake) => this.#waiting.push(wake));
  }

  tell(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}
