import { SusurrusError } from '../../src/index.js';
import { plainProblem } from '../files/plain_problem.js';
import { byId, element } from './dom.js';

/** An error in one plain sentence; the code and details that a bug report needs are folded away. */
export class ErrorView {
  readonly #card = byId('error', HTMLElement);
  readonly #title = byId('error_title', HTMLElement);
  readonly #message = byId('error_message', HTMLElement);
  readonly #details = byId('error_details', HTMLElement);
  readonly #more = byId('error_more', HTMLDetailsElement);
  readonly #retry = byId('error_retry', HTMLButtonElement);
  #onRetry: (() => void) | undefined;

  constructor() {
    byId('error_close', HTMLButtonElement).addEventListener('click', () => this.#leave());
    this.#retry.addEventListener('click', () => {
      this.#leave();
      this.#onRetry?.();
    });
  }

  clear(): void {
    this.#card.hidden = true;
  }

  /** `onRetry`: what a person may have done once more. */
  show(title: string, error: unknown, onRetry?: () => void): void {
    this.#onRetry = onRetry;
    this.#retry.hidden = !onRetry;
    this.#title.textContent = title;
    const sentence = plainProblem(error);
    this.#message.textContent = sentence;
    this.#details.replaceChildren();
    this.#more.open = false;
    if (error instanceof SusurrusError) {
      this.#row('code', error.code);
      for (const [name, value] of Object.entries(error.details)) {
        if (value !== undefined && value !== '') this.#row(name, String(value));
      }
    }
    const { message } = error as Partial<Error>;
    if (message && message !== sentence) this.#row('message', message);
    this.#more.hidden = this.#details.childElementCount === 0;
    this.#card.hidden = false;
    // On a telephone it would be below the edge of the screen.
    this.#card.scrollIntoView({ block: 'nearest' });
  }

  /** What has the focus must not vanish with it. */
  #leave(): void {
    this.clear();
    byId('choose', HTMLButtonElement).focus();
  }

  #row(name: string, value: string): void {
    const code = element('code', '', value);
    const description = element('dd');
    description.append(code);
    this.#details.append(element('dt', '', name), description);
  }
}
