// Writes a running session down, so that a reload loses a few seconds of text at most.
import type { CaptionState } from './caption_state.js';
import {
  forgetSession,
  headName,
  openName,
  pieceName,
  writeEntries,
  writeOpen,
  type SessionHead,
} from './checkpoint.js';
import type { TextStore } from '../shell/text_store.js';

/** A piece is written anew until it has this many characters; then the next one begins. */
const pieceLength = 16_384;

/** Milliseconds between two writes. */
export const writeEvery = 3000;

export class Journal {
  readonly #store: TextStore;
  readonly #head: SessionHead;
  readonly #onRefused: (error: unknown) => void;
  #hasHead = false;
  #piece = 0;
  /** Index of the piece's first entry; #written counts the entries written so far. */
  #from = 0;
  #written = 0;
  #lastOpen = '';
  #lastTime = -Infinity;
  #isRefused = false;

  /** `onRefused` is called once, with what the store threw; the session goes on without a copy. */
  constructor(store: TextStore, head: SessionHead, onRefused: (error: unknown) => void) {
    this.#store = store;
    this.#head = head;
    this.#onRefused = onRefused;
  }

  /** Whether there is no copy. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** Something may have changed; `now` in milliseconds. Writes when the last time was long enough ago. */
  note(state: CaptionState, now: number): void {
    if (now - this.#lastTime >= writeEvery) this.write(state, now);
  }

  /** Writes what is new. */
  write(state: CaptionState, now: number): void {
    if (this.#isRefused) return;
    this.#lastTime = now;
    try {
      this.#writeNew(state);
    } catch (error) {
      this.#isRefused = true;
      this.#onRefused(error);
    }
  }

  /** The session is kept elsewhere. */
  forget(): void {
    try {
      forgetSession(this.#store, this.#head.id);
    } catch {
      // What could not be written cannot be removed either.
    }
  }

  #writeNew({ entries, open, heard }: CaptionState): void {
    const { id, ...head } = this.#head;
    if (entries.length === 0 && open.length === 0) return;
    if (!this.#hasHead) {
      this.#store.set(headName(id), JSON.stringify({ version: 1, ...head }));
      this.#hasHead = true;
    }
    if (entries.length > this.#written) {
      const text = writeEntries(entries.slice(this.#from));
      this.#store.set(pieceName(id, this.#piece), text);
      this.#written = entries.length;
      if (text.length >= pieceLength) {
        this.#piece += 1;
        this.#from = entries.length;
      }
    }
    const openText = writeOpen(heard, open);
    if (openText === this.#lastOpen) return;
    this.#store.set(openName(id), openText);
    this.#lastOpen = openText;
  }
}
