// Writes a running session down, so that a reload loses a few seconds of text at most.
import type { CaptionState, Entry } from './caption_state.js';
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
  /** The index of each piece's first entry. */
  readonly #pieces = [0];
  /** What the pieces have. */
  #written: readonly Entry[] = [];
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
    if (!this.#hasHead) {
      if (entries.length === 0 && open.length === 0) return;
      this.#store.set(headName(id), JSON.stringify({ version: 1, ...head }));
      this.#hasHead = true;
    }
    this.#writeEntries(entries);
    const openText = writeOpen(heard, open);
    if (openText === this.#lastOpen) return;
    this.#store.set(openName(id), openText);
    this.#lastOpen = openText;
  }

  /** From the piece on in which the first change is: the newest, unless a text of an earlier one was heard again. */
  #writeEntries(entries: readonly Entry[]): void {
    const { id } = this.#head;
    const before = this.#written;
    let same = 0;
    while (same < before.length && entries[same] === before[same]) same += 1;
    if (same === before.length && same === entries.length) return;
    const piece = this.#pieces.findLastIndex((from) => from <= same);
    const text = writeEntries(entries.slice(this.#pieces[piece]));
    this.#store.set(pieceName(id, piece), text);
    for (let later = piece + 1; later < this.#pieces.length; ++later) {
      this.#store.remove(pieceName(id, later));
    }
    this.#pieces.length = piece + 1;
    this.#written = [...entries];
    if (text.length >= pieceLength) this.#pieces.push(entries.length);
  }
}
