// How large captions are written: a few steps, remembered for the next visit.
import type { TextStore } from '../shell/text_store.js';

const name = 'susurrus.captionSize';
const usual = 3;
const largest = 6;

export class TypeSize {
  readonly #store: TextStore;
  #step: number;

  constructor(store: TextStore) {
    this.#store = store;
    this.#step = this.#stored();
  }

  /** 1 to 6. */
  get step(): number {
    return this.#step;
  }

  get canGrow(): boolean {
    return this.#step < largest;
  }

  get canShrink(): boolean {
    return this.#step > 1;
  }

  change(by: 1 | -1): void {
    this.#step = Math.min(largest, Math.max(1, this.#step + by));
    try {
      this.#store.set(name, String(this.#step));
    } catch {
      // It holds for this visit.
    }
  }

  #stored(): number {
    try {
      const step = Number(this.#store.get(name) ?? usual);
      return Number.isInteger(step) && step >= 1 && step <= largest ? step : usual;
    } catch {
      return usual;
    }
  }
}
