// A name that can be written over where it stands.
import { textElement } from './dom.js';

interface Callbacks {
  readonly name: () => string;
  /** How the field is called. */
  readonly label: () => string;
  /** A person has written this, which may be as before. */
  readonly onWritten: (name: string) => void;
}

/** Letters that a name may have. */
const mostLetters = 80;

export class NameField {
  readonly #shown: HTMLElement;
  readonly #className: string;
  readonly #calls: Callbacks;
  #field: HTMLInputElement | undefined;
  #returnTo: HTMLElement | undefined;

  /** `shown`: what the field stands in place of. */
  constructor(shown: HTMLElement, className: string, calls: Callbacks) {
    this.#shown = shown;
    this.#className = className;
    this.#calls = calls;
  }

  /** The keyboard goes back to `returnTo` afterwards. */
  open(returnTo: HTMLElement): void {
    this.close();
    const field = textElement('input', this.#className);
    field.value = this.#calls.name();
    field.setAttribute('aria-label', this.#calls.label());
    field.maxLength = mostLetters;
    field.addEventListener('keydown', (event) => {
      // While letters are put together, Enter chooses among them.
      if (event.isComposing || !(event.key === 'Enter' || event.key === 'Escape')) return;
      event.preventDefault();
      this.close(event.key === 'Enter');
    });
    field.addEventListener('blur', () => this.close());
    this.#field = field;
    this.#returnTo = returnTo;
    this.#shown.hidden = true;
    this.#shown.after(field);
    field.focus({ preventScroll: true });
    field.select();
  }

  close(isKept = true): void {
    const field = this.#field;
    if (!field) return;
    this.#field = undefined;
    const hadFocus = document.activeElement === field;
    this.#shown.hidden = false;
    field.remove();
    if (isKept) this.#calls.onWritten(field.value);
    if (hadFocus) this.#returnTo?.focus({ preventScroll: true });
  }
}
