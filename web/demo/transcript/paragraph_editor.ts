// A field in place of a paragraph while a person edits it. One at a time.
import { element } from '../shell/dom.js';
import type { ParagraphText } from './paragraph_text.js';

/** What is edited, and where it stands on the page. */
export interface EditedParagraph {
  readonly paragraph: ParagraphText;
  /** Hidden meanwhile. */
  readonly text: HTMLElement;
  readonly label: string;
  /** The segment where editing began. */
  readonly at: number;
}

export interface ParagraphEditorCalls {
  readonly onEdited: (paragraph: ParagraphText, text: string) => void;
  /** Another paragraph begins at letter `caret` of `text`. */
  readonly onSplit: (paragraph: ParagraphText, text: string, caret: number) => void;
  /** It goes on the paragraph before. */
  readonly onJoin: (paragraph: ParagraphText, text: string) => void;
  /** It has ended, and the keyboard's focus with it. */
  readonly onLeft: (paragraph: ParagraphText, at: number) => void;
}

export class ParagraphEditor {
  readonly #calls: ParagraphEditorCalls;
  #open: (EditedParagraph & { readonly field: HTMLTextAreaElement }) | undefined;

  constructor(calls: ParagraphEditorCalls) {
    this.#calls = calls;
  }

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** Where a person writes: the paragraph, and its text before the caret as it is now. */
  get caret(): { readonly paragraph: ParagraphText; readonly before: string } | undefined {
    if (!this.#open || document.activeElement !== this.#open.field) return undefined;
    const { paragraph, field } = this.#open;
    return { paragraph, before: field.value.slice(0, field.selectionEnd) };
  }

  /** Opens a paragraph with letters `from` to `to` marked; one that is open ends as edited. */
  open(edited: EditedParagraph, from: number, to = from): void {
    this.close();
    const field = element('textarea', 'segment-field');
    field.value = edited.paragraph.text;
    field.rows = 1;
    field.dir = 'auto';
    field.setAttribute('aria-label', edited.label);
    field.addEventListener('keydown', (event) => this.#onKey(event, field));
    field.addEventListener('input', () => fit(field));
    field.addEventListener('blur', () => this.close());
    this.#open = { ...edited, field };
    edited.text.hidden = true;
    edited.text.closest('.paragraph')?.classList.add('edited');
    edited.text.after(field);
    fit(field);
    field.focus({ preventScroll: true });
    field.setSelectionRange(from, to);
  }

  /** Ends editing; what was written counts. */
  close(isKept = true): void {
    const open = this.#take();
    if (!open) return;
    if (isKept) this.#calls.onEdited(open.paragraph, open.value);
    if (open.hadFocus) this.#calls.onLeft(open.paragraph, open.at);
  }

  #take() {
    const open = this.#open;
    if (!open) return undefined;
    this.#open = undefined;
    const { text, field, paragraph, at } = open;
    const hadFocus = document.activeElement === field;
    text.hidden = false;
    text.closest('.paragraph')?.classList.remove('edited');
    field.remove();
    return { paragraph, at, hadFocus, value: field.value };
  }

  #onKey(event: KeyboardEvent, field: HTMLTextAreaElement): void {
    const { selectionStart, selectionEnd } = field;
    const isAtStart = selectionStart === 0 && selectionEnd === 0;
    const isJoining = event.key === 'Backspace' && isAtStart;
    // While letters are put together, Enter chooses among them.
    if (event.isComposing || !(event.key === 'Enter' || event.key === 'Escape' || isJoining))
      return;
    event.preventDefault();
    if (event.key === 'Escape' || event.ctrlKey || event.metaKey) {
      this.close(event.key !== 'Escape');
      return;
    }
    const open = this.#take();
    if (!open) return;
    if (isJoining) this.#calls.onJoin(open.paragraph, open.value);
    else {
      const text = `${open.value.slice(0, selectionStart)} ${open.value.slice(selectionEnd)}`;
      this.#calls.onSplit(open.paragraph, text, selectionStart);
    }
  }
}

/** As high as its text. */
function fit(field: HTMLTextAreaElement): void {
  field.style.height = 'auto';
  field.style.height = `${field.scrollHeight + 2}px`;
}
