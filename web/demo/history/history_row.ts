// A row of the list of earlier transcripts. It is changed where it stands, so that a press or the keyboard's focus is not lost.
import { element, hide, setText, textElement } from '../shell/dom.js';
import { duration, size } from '../shell/format.js';
import { NameField } from '../shell/name_field.js';
import { svg } from '../shell/svg.js';
import { strings } from '../strings.js';
import type { KeptEntry } from './kept_transcripts.js';
import type { Finding } from './search_texts.js';

export interface HistoryRowCalls {
  readonly onOpen: (entry: KeptEntry) => void;
  readonly onRename: (entry: KeptEntry, name: string) => void;
  readonly onDelete: (entry: KeptEntry) => void;
  readonly onUndo: (entry: KeptEntry) => void;
}

interface RowState {
  readonly isShown: boolean;
  readonly isDeleted: boolean;
  readonly finding: Finding | undefined;
  readonly bytes: number | undefined;
}

export class HistoryRow {
  readonly element = element('li', 'history-item');
  readonly #open = element('button', 'history-open');
  readonly #rename = iconButton(
    'history-rename',
    'M12.5 4.5l3 3L7 16H4v-3zM11 6l3 3',
    strings.history.rename,
  );
  readonly #remove = iconButton(
    'history-delete',
    'M3.5 6h13M7.5 6V3.5h5V6M5.2 6l.8 10.5h8L14.8 6M8.5 9v4.5M11.5 9v4.5',
    strings.history.delete,
  );
  /** In place of all else while it can be brought back. */
  readonly #deleted = element('div', 'history-deleted');
  readonly #undo = element('button', 'quiet', strings.history.undo);
  readonly #name = textElement('strong');
  readonly #facts = element('small');
  readonly #beginning = textElement('span', 'history-beginning');
  readonly #field: NameField;
  #entry: KeptEntry;

  constructor(entry: KeptEntry, calls: HistoryRowCalls) {
    this.#entry = entry;
    this.#open.type = 'button';
    this.#undo.type = 'button';
    this.#open.append(this.#name, this.#facts, this.#beginning);
    this.#open.addEventListener('click', () => calls.onOpen(this.#entry));
    this.#field = new NameField(this.#open, 'history-field', {
      name: () => this.#entry.name,
      label: () => strings.transcript.newName,
      onWritten: (name) => calls.onRename(this.#entry, name),
    });
    this.#rename.addEventListener('click', () => this.#field.open(this.#rename));
    this.#remove.addEventListener('click', () => calls.onDelete(this.#entry));
    this.#undo.addEventListener('click', () => calls.onUndo(this.#entry));
    this.#deleted.append(element('span', '', strings.history.deleted), this.#undo);
    this.element.append(this.#open, this.#rename, this.#remove, this.#deleted);
  }

  /** A person at the keyboard may still want it back. */
  get isHeld(): boolean {
    return this.#undo.matches(':focus-visible');
  }

  /** With a finding, its line is shown in place of the beginning; with `bytes`, those of its recording. */
  update(entry: KeptEntry, { isShown, isDeleted, finding, bytes }: RowState): void {
    this.#entry = entry;
    const when = dayAndTime(new Date(entry.created));
    const length = entry.duration === undefined ? '' : duration(entry.duration);
    setText(this.#name, entry.name);
    const room = bytes === undefined ? '' : size(bytes);
    setText(this.#facts, [when, length, room].filter(Boolean).join(' · '));
    this.#beginning.classList.toggle('found', finding !== undefined);
    if (finding) {
      const { before, found, after } = finding;
      this.#beginning.replaceChildren(before, element('mark', '', found), after);
    } else this.#beginning.textContent = entry.beginning;
    this.#rename.setAttribute('aria-label', strings.history.renameOne(entry.name));
    this.#remove.setAttribute('aria-label', strings.history.deleteOne(entry.name));
    this.#undo.setAttribute('aria-label', strings.history.undoOne(entry.name));
    this.#turn(isDeleted);
    if (isShown) this.#open.setAttribute('aria-current', 'true');
    else this.#open.removeAttribute('aria-current');
  }

  /** The row keeps its place and size. */
  #turn(isDeleted: boolean): void {
    const { activeElement } = document;
    const hadFocus = this.element.contains(activeElement);
    this.element.classList.toggle('deleted', isDeleted);
    hide(this.#deleted, !isDeleted);
    if (hadFocus && isDeleted && activeElement !== this.#undo) this.#undo.focus();
    if (hadFocus && !isDeleted && activeElement === this.#undo) this.#open.focus();
  }
}

/** The year where it is another than this one. */
function dayAndTime(date: Date): string {
  const isOld = date.getFullYear() !== new Date().getFullYear();
  return date.toLocaleString([], {
    ...(isOld && { year: 'numeric' }),
    ...{ month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' },
  });
}

/** A button that is less than the title beside it: a picture. Its name for screen readers says of which row it is. */
function iconButton(name: string, picture: string, title: string): HTMLButtonElement {
  const made = element('button', name);
  made.type = 'button';
  made.title = title;
  const attributes = { class: 'icon', viewBox: '0 0 20 20', 'aria-hidden': 'true' };
  made.append(svg('svg', attributes, svg('path', { d: picture })));
  return made;
}
