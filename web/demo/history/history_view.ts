// The list of earlier transcripts: open one, delete one, delete all.
import { byId, element } from '../shell/dom.js';
import { duration } from '../shell/format.js';
import { strings } from '../strings.js';
import type { TranscriptDocument } from '../transcript/transcript_document.js';
import { KeptTranscripts, type KeptEntry } from './kept_transcripts.js';
import { Library } from './library.js';

export class HistoryView {
  readonly #card = byId('history', HTMLElement);
  readonly #list = byId('history_list', HTMLUListElement);
  readonly #problem = byId('history_problem', HTMLElement);
  readonly #deleteAll = byId('history_delete_all', HTMLButtonElement);
  readonly #question = byId('history_question', HTMLDialogElement);
  readonly #onOpen: (document: TranscriptDocument) => void;
  readonly #library: Library;
  #shown: TranscriptDocument | undefined;

  /** `onOpen` shows a document. */
  constructor(onOpen: (document: TranscriptDocument) => void) {
    this.#onOpen = onOpen;
    const channel =
      'BroadcastChannel' in globalThis ? new BroadcastChannel('susurrus-transcripts') : undefined;
    this.#library = new Library(
      new KeptTranscripts(indexedDB),
      {
        onChange: () => {
          this.#problem.hidden = true;
          void this.#show();
        },
        onProblem: (error) => this.#say(error),
        nameOfCopy: strings.history.copyOf,
      },
      channel,
    );
    this.#deleteAll.addEventListener('click', () => this.#question.showModal());
    this.#question.addEventListener('keydown', (event) => {
      // Escape closes the question; it would stop the work under way, too.
      if (event.key === 'Escape') event.stopPropagation();
    });
    this.#question.addEventListener('close', () => {
      if (this.#question.returnValue === 'delete') {
        void this.#try(() => this.#library.deleteAll());
      }
      this.#question.returnValue = '';
    });
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'hidden') void this.#library.flush();
    });
    window.addEventListener('pagehide', () => void this.#library.flush());
    void this.#show();
  }

  /** Keeps a document from its first words on. */
  keep(document: TranscriptDocument): void {
    this.#library.keep(document);
  }

  /** Resolves when all that there is has been kept. */
  written(): Promise<void> {
    return this.#library.flush();
  }

  /** Marks the document that is on the page. */
  set shown(document: TranscriptDocument | undefined) {
    this.#shown = document;
    void this.#show();
  }

  async #show(): Promise<void> {
    await this.#try(async () => {
      const entries = await this.#library.list();
      const focused = document.activeElement;
      const hadFocus = this.#list.contains(focused) || focused === this.#deleteAll;
      this.#card.hidden = entries.length === 0 && this.#problem.hidden;
      this.#deleteAll.hidden = entries.length < 2;
      this.#list.replaceChildren(...entries.map((entry) => this.#item(entry)));
      if (hadFocus && !focused?.isConnected) this.#list.querySelector('button')?.focus();
    });
  }

  #item(entry: KeptEntry): HTMLElement {
    const item = element('li', 'history-item');
    const open = element('button', 'history-open');
    open.type = 'button';
    const when = new Date(entry.created).toLocaleString([], {
      dateStyle: 'medium',
      timeStyle: 'short',
    });
    const length = entry.duration === undefined ? '' : duration(entry.duration);
    open.append(
      element('strong', '', entry.name),
      element('small', '', [when, length].filter(Boolean).join(' · ')),
      element('span', 'history-beginning', entry.beginning),
    );
    if (entry.id === this.#shown?.facts.id) open.setAttribute('aria-current', 'true');
    open.addEventListener('click', () => void this.#open(entry));
    const remove = element('button', 'history-delete', strings.history.delete);
    remove.type = 'button';
    remove.setAttribute('aria-label', strings.history.deleteOne(entry.name));
    remove.addEventListener('click', () => void this.#try(() => this.#library.delete(entry.id)));
    item.append(open, remove);
    return item;
  }

  #open(entry: KeptEntry): Promise<void> {
    return this.#try(async () => {
      const document = await this.#library.open(entry.id);
      if (document) this.#onOpen(document);
      else await this.#show();
    });
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
    this.#problem.hidden = false;
    this.#card.hidden = false;
  }
}
