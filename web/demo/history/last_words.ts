// Changes that a closing page could not write any more. Before a write, IndexedDB is asked for the stored revision, and a closing page
// gets no answer. localStorage writes at once, and the next page does the rest.
import type { TextStore } from '../shell/text_store.js';
import { newId } from '../transcript/transcript_document.js';
import type { Kept } from './kept_transcripts.js';

/** What KeptTranscripts.write() takes. */
export interface Unwritten {
  readonly kept: Kept;
  readonly known: number;
  readonly mayReturn: boolean;
}

const prefix = 'susurrus-unwritten-';

export class LastWords {
  readonly #store: TextStore;
  /** Each page has its own: another one may take it as soon as it is there. */
  readonly #name = prefix + newId();
  #left: readonly Unwritten[] = [];

  constructor(store: TextStore) {
    this.#store = store;
  }

  /** Stores them if the browser allows it. The page is closing, so a failure cannot be shown. */
  keep(unwritten: readonly Unwritten[]): void {
    this.#set([...this.#left, ...unwritten]);
  }

  /** The page is back, and writes its own itself. */
  drop(): void {
    this.#set(this.#left);
  }

  /** What was taken could not be written now either. */
  giveBack(taken: readonly Unwritten[]): void {
    this.#left = taken;
    this.#set(taken);
  }

  /** Those of pages that have gone. They are the caller's from now on. */
  take(): Unwritten[] {
    try {
      return this.#store.names(prefix).flatMap((name) => {
        const text = this.#store.get(name);
        this.#store.remove(name);
        return text === null ? [] : parsed(text);
      });
    } catch {
      return [];
    }
  }

  #set(all: readonly Unwritten[]): void {
    try {
      if (all.length === 0) this.#store.remove(this.#name);
      else this.#store.set(this.#name, plain(all));
    } catch {
      // As said of keep().
    }
  }
}

/** Whether both say the same, whatever kinds of arrays they hold. */
export const areSame = (a: unknown, b: unknown): boolean => plain(a) === plain(b);

/** As JSON, with arrays in place of typed ones. */
function plain(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    ArrayBuffer.isView(inner) ? Array.from(inner as Float32Array) : inner,
  );
}

function parsed(text: string): Unwritten[] {
  try {
    return JSON.parse(text) as Unwritten[];
  } catch {
    // Another program of this origin has written it.
    return [];
  }
}
