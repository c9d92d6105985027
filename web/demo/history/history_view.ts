// The list of earlier transcripts: open one, delete one and bring it back, delete all.
import { byId, hide } from '../shell/dom.js';
import { pageStore } from '../shell/text_store.js';
import { strings } from '../strings.js';
import type { TranscriptDocument } from '../transcript/transcript_document.js';
import { HistoryRow } from './history_row.js';
import { KeptTranscripts, type KeptEntry } from './kept_transcripts.js';
import { LastWords } from './last_words.js';
import { Library } from './library.js';
import { RecentlyDeleted } from './recently_deleted.js';
import { SearchTexts } from './search_texts.js';

export interface HistoryCalls {
  /** A person wants an earlier transcript, which is being read until this is called with false. */
  readonly onOpening: (isOpening: boolean) => void;
  /** Shows it, at what was looked for in all of them. */
  readonly onOpen: (document: TranscriptDocument, sought: string) => void;
  /** It was deleted, or all were. */
  readonly onDeleted: (id: string | undefined) => void;
  /** Whether a person wants recordings to be kept with their transcripts. */
  readonly keepsRecordings: () => boolean;
}

export class HistoryView {
  readonly #card = byId('history', HTMLElement);
  readonly #list = byId('history_list', HTMLUListElement);
  readonly #problem = byId('history_problem', HTMLElement);
  readonly #recordingProblem = byId('recording_problem', HTMLElement);
  readonly #said = byId('history_said', HTMLElement);
  readonly #deleteAll = byId('history_delete_all', HTMLButtonElement);
  readonly #question = byId('history_question', HTMLDialogElement);
  readonly #search = byId('history_search', HTMLInputElement);
  readonly #notFound = byId('history_not_found', HTMLElement);
  readonly #calls: HistoryCalls;
  readonly #library: Library;
  readonly #texts: SearchTexts;
  /** By the entries' ids. */
  readonly #rows = new Map<string, HistoryRow>();
  readonly #recent = new RecentlyDeleted({
    isHeld: (id) =>
      this.#isPointedAt || this.#undoing.has(id) || (this.#rows.get(id)?.isHeld ?? false),
    onOver: (ids) => {
      void this.#show();
      void this.#library.sweep(ids);
    },
  });
  /** Ids of those that are being brought back. */
  readonly #undoing = new Set<string>();
  /** Rows that go would move others under the pointer. */
  #isPointedAt = false;
  #shown: TranscriptDocument | undefined;
  /** Counts what was begun to be shown: a slow search shows nothing after a later one. */
  #turn = 0;
  /** The entry that was asked for last, while it is read. */
  #opening: KeptEntry | undefined;

  constructor(calls: HistoryCalls) {
    this.#calls = calls;
    const channel =
      'BroadcastChannel' in globalThis ? new BroadcastChannel('susurrus-transcripts') : undefined;
    const keeping = new KeptTranscripts(indexedDB);
    this.#texts = new SearchTexts(keeping);
    this.#library = new Library(
      keeping,
      {
        onChange: () => {
          hide(this.#problem, true);
          void this.#show();
        },
        onProblem: (error) => this.#say(error),
        nameOfCopy: strings.history.copyOf,
      },
      channel,
      {
        isOn: () => this.#calls.keepsRecordings(),
        onKept: (notKept) => {
          hide(this.#recordingProblem, notKept === undefined);
          this.#recordingProblem.textContent =
            notKept === undefined ? '' : strings.history.recordingNotKept(notKept);
        },
      },
    );
    this.#search.addEventListener('input', () => void this.#show());
    this.#search.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape') return;
      this.#search.value = '';
      void this.#show();
    });
    this.#deleteAll.addEventListener('click', () => this.#question.showModal());
    this.#question.addEventListener('close', () => {
      if (this.#question.returnValue === 'delete') void this.#try(() => this.#deleteThemAll());
      this.#question.returnValue = '';
    });
    this.#list.addEventListener('pointerenter', () => (this.#isPointedAt = true));
    this.#list.addEventListener('pointerleave', () => {
      this.#isPointedAt = false;
      this.#recent.settle();
    });
    // Where the focus goes is known a moment later.
    this.#list.addEventListener('focusout', () => setTimeout(() => this.#recent.settle()));
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'hidden') void this.#library.flush();
    });
    const lastWords = new LastWords(pageStore);
    window.addEventListener('pagehide', () => {
      lastWords.keep(this.#library.unwritten);
      void this.#library.flush();
    });
    window.addEventListener('pageshow', ({ persisted }) => {
      if (persisted) lastWords.drop();
    });
    void this.#try(() => this.#settle(lastWords)).then(() => this.#library.sweep());
    void this.#show();
  }

  async #settle(lastWords: LastWords): Promise<void> {
    const taken = lastWords.take();
    try {
      await this.#library.settle(taken);
    } catch (error) {
      lastWords.giveBack(taken);
      throw error;
    }
  }

  /** Keeps a document from its first words on. */
  keep(document: TranscriptDocument): void {
    this.#library.keep(document);
  }

  /** Resolves when all that there is has been kept. */
  written(): Promise<void> {
    return this.#library.flush();
  }

  /** How many are kept. */
  async count(): Promise<number> {
    return (await this.#library.list()).length;
  }

  /** Deletes all, for good. */
  async deleteAll(): Promise<void> {
    await this.#deleteThemAll();
  }

  /** Whether something cannot be kept, and would be lost with the page. */
  get isUnkept(): boolean {
    return !this.#problem.hidden && this.#library.unwritten.length > 0;
  }

  /** Marks the document that is on the page. */
  set shown(document: TranscriptDocument | undefined) {
    this.#shown = document;
    // Whatever came to be shown meanwhile is newer than what is still being read.
    this.#endOpening();
    void this.#show();
  }

  /** That of the transcript that is shown, once a person wants it kept. */
  async keepShownRecording(): Promise<void> {
    if (this.#shown) await this.#library.keepRecording(this.#shown);
  }

  async #show(): Promise<void> {
    const turn = ++this.#turn;
    await this.#try(async () => {
      const [kept, bytes] = await Promise.all([this.#library.list(), this.#library.recordings()]);
      const sought = this.#sought;
      const findings = sought === '' ? undefined : await this.#texts.find(kept, sought);
      if (turn !== this.#turn) return;
      // A deleted transcript that is back needs no Undo: another tab went on editing it.
      for (const { id } of kept) this.#recent.take(id);
      const deleted = new Set<KeptEntry>(this.#recent.all);
      const entries = [...kept, ...deleted].sort((a, b) => b.created - a.created);
      const focused = document.activeElement;
      const hadFocus = this.#list.contains(focused) || focused === this.#deleteAll;
      hide(this.#card, entries.length === 0 && this.#problem.hidden);
      hide(this.#deleteAll, kept.length < 2);
      hide(this.#search, kept.length < 2 && sought === '');
      hide(this.#notFound, findings?.size !== 0);
      this.#keepingPlace(() => {
        for (const [id, row] of this.#rows) {
          if (entries.some((entry) => entry.id === id)) continue;
          row.element.remove();
          this.#rows.delete(id);
        }
        entries.forEach((entry, at) => {
          const { id } = entry;
          const row = this.#row(entry);
          row.update(entry, {
            isShown: id === this.#shown?.facts.id,
            isDeleted: deleted.has(entry),
            finding: findings?.get(id),
            bytes: bytes.get(id),
          });
          const { element } = row;
          hide(element, findings?.has(id) === false && !deleted.has(entry));
          // Moving an element that stands where it should would take its focus.
          if (this.#list.children[at] !== element) {
            this.#list.insertBefore(element, this.#list.children[at] ?? null);
          }
        });
      });
      if (hadFocus && !focused?.isConnected) this.#list.querySelector('button')?.focus();
    });
  }

  get #sought(): string {
    return this.#search.value.trim();
  }

  /** What is under the pointer stays there, whatever comes or goes above it. */
  #keepingPlace(change: () => void): void {
    const row = this.#list.querySelector(':scope > :hover');
    const before = row?.getBoundingClientRect().top;
    change();
    if (row?.isConnected && before !== undefined) {
      scrollBy({ top: row.getBoundingClientRect().top - before, behavior: 'instant' });
    }
  }

  #row(entry: KeptEntry): HistoryRow {
    const row =
      this.#rows.get(entry.id) ??
      new HistoryRow(entry, {
        onOpen: (one) => void this.#open(one),
        onRename: (one, name) => void this.#try(() => this.#rename(one, name)),
        onDelete: (one) => void this.#try(() => this.#delete(one)),
        onUndo: ({ id }) => void this.#try(() => this.#undo(id)),
      });
    this.#rows.set(entry.id, row);
    return row;
  }

  async #rename({ id, name: before }: KeptEntry, name: string): Promise<void> {
    if (name !== before) await this.#library.rename(id, name);
  }

  async #delete({ id, name }: KeptEntry): Promise<void> {
    const deleted = await this.#library.delete(id);
    this.#calls.onDeleted(id);
    if (!deleted) return;
    this.#recent.add(deleted);
    this.#said.textContent = strings.history.wasDeleted(name);
    await this.#show();
  }

  async #undo(id: string): Promise<void> {
    const deleted = this.#recent.all.find((one) => one.id === id);
    if (!deleted || this.#undoing.has(id)) return;
    this.#undoing.add(id);
    try {
      // Until it is listed again, or if that fails, its row stays as it is.
      await this.#library.restore(deleted);
      this.#said.textContent = strings.history.isBack(deleted.name);
    } finally {
      this.#undoing.delete(id);
    }
  }

  async #deleteThemAll(): Promise<void> {
    await this.#library.deleteAll();
    this.#calls.onDeleted(undefined);
    this.#recent.clear();
    await this.#show();
  }

  /** The one that was asked for last is shown, whichever is read first. */
  async #open(entry: KeptEntry): Promise<void> {
    this.#opening = entry;
    this.#list.setAttribute('aria-busy', 'true');
    this.#calls.onOpening(true);
    const isWanted = (): boolean => this.#opening === entry;
    await this.#try(async () => {
      const document = await this.#library.open(entry.id);
      if (!document) await this.#show();
      else if (isWanted()) this.#calls.onOpen(document, this.#sought);
    });
    if (isWanted()) this.#endOpening();
  }

  #endOpening(): void {
    if (!this.#opening) return;
    this.#opening = undefined;
    this.#list.removeAttribute('aria-busy');
    this.#calls.onOpening(false);
  }

  async #try(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#say(error);
    }
  }

  /** Storage that is full or refused takes nothing else of the page away. */
  #say(error: unknown): void {
    const isFull = error instanceof Error && error.name === 'QuotaExceededError';
    this.#problem.textContent = isFull ? strings.history.full : strings.history.refused;
    hide(this.#problem, false);
    hide(this.#card, false);
  }
}
