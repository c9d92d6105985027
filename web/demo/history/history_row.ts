// A row of the list of earlier transcripts. It is changed where it stands, so that a press or the keyboard's focus is not lost.
import { element } from '../shell/dom.js';
import { duration } from '../shell/format.js';
import { strings } from '../strings.js';
import type { KeptEntry } from './kept_transcripts.js';

export interface HistoryRowCalls {
  readonly onOpen: (entry: KeptEntry) => void;
  readonly onDelete: (entry: KeptEntry) => void;
}

export class HistoryRow {
  readonly element = element('li', 'history-item');
  readonly #open = element('button', 'history-open');
  readonly #remove = element('button', 'history-delete', strings.history.delete);
  readonly #name = element('strong');
  readonly #facts = element('small');
  readonly #beginning = element('span', 'history-beginning');
  #entry: KeptEntry;

  constructor(entry: KeptEntry, calls: HistoryRowCalls) {
    this.#entry = entry;
    this.#open.type = 'button';
    this.#remove.type = 'button';
    this.#open.append(this.#name, this.#facts, this.#beginning);
    this.#open.addEventListener('click', () => calls.onOpen(this.#entry));
    this.#remove.addEventListener('click', () => calls.onDelete(this.#entry));
    this.element.append(this.#open, this.#remove);
  }

  update(entry: KeptEntry, isShown: boolean): void {
    this.#entry = entry;
    const when = new Date(entry.created).toLocaleString([], {
      dateStyle: 'medium',
      timeStyle: 'short',
    });
    const length = entry.duration === undefined ? '' : duration(entry.duration);
    this.#name.textContent = entry.name;
    this.#facts.textContent = [when, length].filter(Boolean).join(' · ');
    this.#beginning.textContent = entry.beginning;
    this.#remove.setAttribute('aria-label', strings.history.deleteOne(entry.name));
    if (isShown) this.#open.setAttribute('aria-current', 'true');
    else this.#open.removeAttribute('aria-current');
  }
}
