// Transcripts that the browser keeps for this page, in IndexedDB. Each write is one step, so that tabs do not undo each other's.
import type { DocumentContent, Unfinished } from '../transcript/transcript_document.js';

/** What the list shows of a transcript. */
export interface KeptEntry {
  readonly id: string;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly created: number;
  readonly changed: number;
  readonly duration?: number;
  /** How it begins. */
  readonly beginning: string;
  /** Counts its writes, whichever tab they come from. */
  readonly revision: number;
  /** Which page's document was written last; absent from entries that older versions of this page wrote. */
  readonly writer?: string;
}

/** What is written: an entry and its content. */
export type Kept = Omit<KeptEntry, 'revision'> & { readonly content: DocumentContent };

/** What was deleted, so that it can be brought back as it was. */
export type Deleted = KeptEntry & {
  readonly content: DocumentContent;
  readonly unfinished?: Unfinished;
};

/**
 * The revision of a write over revision `known` (0: none yet) where `there` is stored by now. Nothing is to be written if another
 * page has written it since ('changed'), if it was deleted ('gone') and not `mayReturn`, or if the same document has written a later
 * state: then its revision is returned.
 */
export function nextRevision(
  there: KeptEntry | undefined,
  kept: Kept,
  known: number,
  mayReturn: boolean,
): number | 'changed' | 'gone' {
  if (!there) return known > 0 && !mayReturn ? 'gone' : known + 1;
  if (there.revision === known) return known + 1;
  // A page that was closed during a write did not learn its end, and the next page may have written its last words for it.
  if (there.writer === undefined || there.writer !== kept.writer) return 'changed';
  return there.changed > kept.changed ? there.revision : there.revision + 1;
}

const database = 'susurrus-transcripts';
/** The list is read without the texts, and they are written without what it takes to go on with them, which is as long again. */
const stores = ['entries', 'contents', 'unfinished'] as const;

type Stores = Readonly<Record<(typeof stores)[number], IDBObjectStore>>;
type KeptUnfinished = { readonly unfinished: Unfinished } | undefined;

export class KeptTranscripts {
  readonly #factory: IDBFactory;
  #opened: Promise<IDBDatabase> | undefined;

  /** Where the browser keeps things; it may refuse at any time. */
  constructor(factory: IDBFactory) {
    this.#factory = factory;
  }

  /** Writes a transcript where `nextRevision` says so; returns what that returns. */
  async write(kept: Kept, known: number, mayReturn: boolean): Promise<number | 'changed' | 'gone'> {
    const { content, ...entry } = kept;
    return this.#run('readwrite', async ({ entries, contents }) => {
      const there = (await answer(entries.get(kept.id))) as KeptEntry | undefined;
      const revision = nextRevision(there, kept, known, mayReturn);
      if (typeof revision !== 'number' || revision === there?.revision) return revision;
      entries.put({ ...entry, revision });
      contents.put({ id: kept.id, content });
      return revision;
    });
  }

  /** The newest first; an entry keeps its place when it changes. */
  async list(): Promise<readonly KeptEntry[]> {
    const all = await this.#run(
      'readonly',
      async ({ entries }) => (await answer(entries.getAll())) as KeptEntry[],
    );
    return all.sort((a, b) => b.created - a.created);
  }

  async read(
    id: string,
  ): Promise<{ readonly content: DocumentContent; readonly revision: number } | undefined> {
    return this.#run('readonly', async ({ entries, contents }) => {
      const [entry, kept] = await both(entries, contents, id);
      return entry && kept && { content: kept.content, revision: entry.revision };
    });
  }

  /** Writes what it takes to go on with a transcript that is kept; undefined when it is finished. */
  async writeUnfinished(id: string, unfinished: Unfinished | undefined): Promise<void> {
    return this.#run('readwrite', async (all) => {
      const there: unknown = await answer(all.entries.get(id));
      if (there && unfinished) all.unfinished.put({ id, unfinished });
      else all.unfinished.delete(id);
    });
  }

  async readUnfinished(id: string): Promise<Unfinished | undefined> {
    return this.#run('readonly', async (all) => {
      const kept = (await answer(all.unfinished.get(id))) as KeptUnfinished;
      return kept?.unfinished;
    });
  }

  /** Returns what it was; undefined when it was gone already. */
  async delete(id: string): Promise<Deleted | undefined> {
    return this.#run('readwrite', async ({ entries, contents, unfinished }) => {
      const rest = (await answer(unfinished.get(id))) as KeptUnfinished;
      const [entry, kept] = await both(entries, contents, id);
      for (const store of [entries, contents, unfinished]) store.delete(id);
      return entry && kept && { ...entry, content: kept.content, ...rest, id };
    });
  }

  /**
   * Restores a deleted transcript, unless a later revision exists because another tab went on editing it. Returns false, without
   * writing, if the existing transcript is not a later revision.
   */
  async restore({ content, unfinished, ...entry }: Deleted): Promise<boolean> {
    return this.#run('readwrite', async (all) => {
      const { entries, contents } = all;
      const there = (await answer(entries.get(entry.id))) as KeptEntry | undefined;
      if (there) return there.revision > entry.revision;
      entries.put(entry);
      contents.put({ id: entry.id, content });
      if (unfinished) all.unfinished.put({ id: entry.id, unfinished });
      return true;
    });
  }

  async deleteAll(): Promise<void> {
    await this.#run('readwrite', (all) => {
      for (const name of stores) all[name].clear();
      return Promise.resolve();
    });
  }

  /** Resolves when what was written is kept. */
  async #run<T>(mode: IDBTransactionMode, work: (stores: Stores) => Promise<T>): Promise<T> {
    const opened = await this.#open();
    const transaction = opened.transaction(stores, mode);
    const done = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(problemOf(transaction.error));
    });
    const store = (name: keyof Stores) => transaction.objectStore(name);
    const working = work({
      entries: store('entries'),
      contents: store('contents'),
      unfinished: store('unfinished'),
    });
    // Half of a write is none.
    working.catch(() => abort(transaction));
    const [result] = await Promise.all([working, done]);
    return result;
  }

  #open(): Promise<IDBDatabase> {
    this.#opened ??= this.#openNow().catch((error: unknown) => {
      // What is refused once may be allowed later.
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  async #openNow(): Promise<IDBDatabase> {
    const request = this.#factory.open(database, 2);
    request.onupgradeneeded = () => {
      const { result } = request;
      for (const name of stores) {
        if (!result.objectStoreNames.contains(name))
          result.createObjectStore(name, { keyPath: 'id' });
      }
    };
    const opened = await answer(request);
    // A later version of the page in another tab, or a person who clears the site's data, shall not have to wait for this tab.
    const forget = (): void => {
      opened.close();
      this.#opened = undefined;
    };
    opened.onversionchange = forget;
    opened.onclose = forget;
    return opened;
  }
}

async function both(
  entries: IDBObjectStore,
  contents: IDBObjectStore,
  id: string,
): Promise<[KeptEntry | undefined, { readonly content: DocumentContent } | undefined]> {
  const found = await Promise.all([answer(entries.get(id)), answer(contents.get(id))]);
  return found as [KeptEntry | undefined, { readonly content: DocumentContent } | undefined];
}

function answer<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(problemOf(request.error));
  });
}

function abort(transaction: IDBTransaction): void {
  try {
    transaction.abort();
  } catch {
    // It has ended by itself.
  }
}

const problemOf = (error: DOMException | null): Error =>
  error ?? new Error('The browser gave up without a reason.');
