import { byId } from './dom.js';

/**
 * What the page is doing: a sentence that screen readers hear when the activity changes, and a bar that only moves.
 */
export class StatusView {
  readonly #text = byId('status', HTMLElement);
  readonly #bar = byId('progress', HTMLProgressElement);
  readonly #cancel = byId('cancel', HTMLButtonElement);
  #onCancel: (() => void) | undefined;

  constructor() {
    this.#cancel.addEventListener('click', () => this.#onCancel?.());
    document.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.#onCancel?.();
    });
  }

  /** Something goes on; with `onCancel` it can be stopped (button or Escape). */
  busy(text: string, onCancel?: () => void): void {
    this.#text.textContent = text;
    this.#bar.classList.remove('idle');
    this.#bar.removeAttribute('value');
    this.#onCancel = onCancel;
    this.#cancel.hidden = !onCancel;
    document.documentElement.dataset.state = 'busy';
  }

  /** Part done, 0 to 1. */
  progress(part: number): void {
    this.#bar.value = Math.min(1, Math.max(0, part));
  }

  idle(text: string): void {
    // A button that is about to vanish must not take the keyboard's place with it.
    if (document.activeElement === this.#cancel) byId('choose', HTMLButtonElement).focus();
    this.#text.textContent = text;
    this.#bar.classList.add('idle');
    this.#bar.value = 0;
    this.#onCancel = undefined;
    this.#cancel.hidden = true;
    document.documentElement.dataset.state = 'idle';
  }
}
