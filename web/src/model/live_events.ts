// Events of a live transcription, until they are read.
import type { LiveEvent } from '../api/types.js';

/** Events that wait to be read. */
const mostWaiting = 1000;

/** Where many events wait, newer ones take the places of those that they make stale: a reader who is away costs no memory. */
export class EventQueue {
  readonly #events: LiveEvent[] = [];
  readonly #readers: (() => void)[] = [];
  #isOver = false;

  add(events: readonly LiveEvent[]): void {
    for (const event of events) {
      if (this.#events.length >= mostWaiting) this.#dropStale(event);
      this.#events.push(event);
    }
    this.#wake();
  }

  /** No more will come; what waits may still be read. */
  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  /** Undefined at the end. */
  async next(): Promise<LiveEvent | undefined> {
    for (;;) {
      const event = this.#events.shift();
      if (event || this.#isOver) return event;
      await new Promise<void>((wake) => this.#readers.push(wake));
    }
  }

  /** Drops one event of the current utterance that `newer` makes stale. */
  #dropStale(newer: LiveEvent): void {
    for (let at = this.#events.length - 1; at >= 0; --at) {
      const event = this.#events[at]!;
      if (event.type === 'final') return;
      if (isStale(event, newer)) {
        this.#events.splice(at, 1);
        return;
      }
    }
  }

  #wake(): void {
    for (const wake of this.#readers.splice(0)) wake();
  }
}

function isStale(event: LiveEvent, newer: LiveEvent): boolean {
  if (event.type === 'lag') return newer.type === 'lag' && !event.skipped;
  const isText = newer.type === 'partial' || newer.type === 'final';
  return event.type === 'partial' && isText && event.id === newer.id;
}
