import { SusurrusError } from '../../src/index.js';
import { byId, element } from './dom.js';

/** An error in plain words, with the code and details that a bug report needs. */
export class ErrorView {
  readonly #card = byId('error', HTMLElement);
  readonly #title = byId('error_title', HTMLElement);
  readonly #message = byId('error_message', HTMLElement);
  readonly #details = byId('error_details', HTMLElement);
  readonly #more = byId('error_more', HTMLDetailsElement);

  constructor() {
    byId('error_close', HTMLButtonElement).addEventListener('click', () => {
      this.clear();
      byId('choose', HTMLButtonElement).focus();
    });
  }

  clear(): void {
    this.#card.hidden = true;
  }

  show(title: string, error: unknown): void {
    this.#title.textContent = title;
    this.#message.textContent = error instanceof Error ? error.message : String(error);
    this.#details.replaceChildren();
    this.#more.open = false;
    this.#more.hidden = !(error instanceof SusurrusError);
    if (error instanceof SusurrusError) {
      this.#row('code', error.code);
      for (const [name, value] of Object.entries(error.details)) {
        if (value !== undefined && value !== '') this.#row(name, String(value));
      }
    }
    this.#card.hidden = false;
    // On a telephone it would be below the edge of the screen.
    this.#card.scrollIntoView({ block: 'nearest' });
  }

  #row(name: string, value: string): void {
    const code = element('code', '', value);
    const description = element('dd');
    description.append(code);
    this.#details.append(element('dt', '', name), description);
  }
}
