// What was deleted a moment ago and can still be brought back. It is gone from storage; only this page holds it, for a while. Recordings
// stay where they are, and other tabs leave them alone.
import { SessionLock } from '../live/session_lock.js';
import type { Deleted } from './kept_transcripts.js';

export interface RecentCalls {
  /** Whether its time may not end now: its row would go under a person's pointer or keyboard. */
  readonly isHeld: (id: string) => boolean;
  /** These can no longer be brought back. */
  readonly onOver: (ids: readonly string[]) => void;
}

/** Milliseconds in which it can be brought back. */
export const undoTime = 8000;

export class RecentlyDeleted {
  readonly #calls: RecentCalls;
  readonly #all = new Map<string, Deleted>();
  readonly #locks = new Map<string, SessionLock>();
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();

  constructor(calls: RecentCalls) {
    this.#calls = calls;
  }

  get all(): readonly Deleted[] {
    return [...this.#all.values()];
  }

  add(deleted: Deleted): void {
    const { id } = deleted;
    this.take(id);
    this.#all.set(id, deleted);
    this.#locks.set(id, new SessionLock(id));
    this.#timers.set(
      id,
      setTimeout(() => {
        this.#timers.delete(id);
        this.settle();
      }, undoTime),
    );
  }

  /** Takes it out, to bring it back, say. */
  take(id: string): Deleted | undefined {
    const deleted = this.#all.get(id);
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
    this.#locks.get(id)?.release();
    this.#locks.delete(id);
    this.#all.delete(id);
    return deleted;
  }

  clear(): void {
    for (const id of [...this.#all.keys()]) this.take(id);
  }

  /** Lets go of those whose time is over; for when none may be held any more. */
  settle(): void {
    const over = [...this.#all.keys()].filter(
      (id) => !this.#timers.has(id) && !this.#calls.isHeld(id),
    );
    for (const id of over) this.take(id);
    if (over.length > 0) this.#calls.onOver(over);
  }
}
