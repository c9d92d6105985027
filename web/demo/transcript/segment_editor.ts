// A field in place of a segment while a person edits it. One at a time.
import { element } from '../shell/dom.js';
import { clock } from '../shell/format.js';
import { strings } from '../strings.js';
import type { SegmentView } from './segment_view.js';

export class SegmentEditor {
  readonly #onEdited: (at: number, text: string) => void;
  #open:
    | { readonly view: SegmentView; readonly at: number; readonly field: HTMLTextAreaElement }
    | undefined;

  constructor(onEdited: (at: number, text: string) => void) {
    this.#onEdited = onEdited;
  }

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** Opens segment number `at`; one that is open ends as edited. */
  open(view: SegmentView, at: number): void {
    if (this.#open?.view === view) return;
    this.close();
    const field = element('textarea', 'segment-field');
    field.value = view.segment.text.trim();
    field.rows = 1;
    field.dir = 'auto';
    field.setAttribute('aria-label', strings.editor.textAt(clock(view.segment.start)));
    field.addEventListener('keydown', (event) => this.#onKey(event));
    field.addEventListener('input', () => fit(field));
    field.addEventListener('blur', () => this.close());
    this.#open = { view, at, field };
    view.element.hidden = true;
    view.element.after(field);
    fit(field);
    field.focus();
  }

  /** Ends editing; what was written counts. */
  close(isKept = true): void {
    const open = this.#open;
    if (!open) return;
    this.#open = undefined;
    const { view, at, field } = open;
    const hadFocus = document.activeElement === field;
    view.element.hidden = false;
    field.remove();
    if (isKept) this.#onEdited(at, field.value);
    if (hadFocus && view.element.isConnected) view.element.focus({ preventScroll: true });
  }

  #onKey(event: KeyboardEvent): void {
    // While letters are put together, Enter chooses among them.
    if (event.isComposing || (event.key !== 'Enter' && event.key !== 'Escape')) return;
    event.preventDefault();
    // Escape would stop the work under way.
    event.stopPropagation();
    this.close(event.key === 'Enter');
  }
}

/** As high as its text. */
function fit(field: HTMLTextAreaElement): void {
  field.style.height = 'auto';
  field.style.height = `${field.scrollHeight + 2}px`;
}
