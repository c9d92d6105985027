// The choice of how to speak: live captions, or a recording from the microphone.
import { byId } from '../shell/dom.js';

export class SpeakMenu {
  readonly #place = byId('speak', HTMLElement);
  readonly #button = byId('speak_open', HTMLButtonElement);
  readonly #choices = byId('speak_choices', HTMLElement);
  #isRecording = false;

  constructor() {
    this.#button.addEventListener('click', () => this.#show(this.#choices.hidden !== false));
    byId('live_open', HTMLButtonElement).addEventListener('click', () => this.#show(false));
    this.#place.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || this.#choices.hidden || this.#isRecording) return;
      // It closes this alone.
      event.stopPropagation();
      this.#close();
    });
    document.addEventListener('pointerdown', ({ target }) => {
      if (!(target instanceof Node && this.#place.contains(target))) this.#show(false);
    });
    this.#place.addEventListener('focusout', ({ relatedTarget }) => {
      if (relatedTarget instanceof Node && !this.#place.contains(relatedTarget)) this.#show(false);
    });
  }

  /** While it records, Stop stands where the menu was. */
  set isRecording(isRecording: boolean) {
    this.#isRecording = isRecording;
    this.#place.toggleAttribute('data-recording', isRecording);
    if (isRecording) this.#choices.hidden = false;
    else this.#close();
  }

  #close(): void {
    // A button that is disabled or hidden loses it to the page.
    const { activeElement } = document;
    const hadFocus = activeElement === document.body || this.#place.contains(activeElement);
    this.#show(false);
    if (hadFocus) this.#button.focus();
  }

  #show(isShown: boolean): void {
    if (this.#isRecording) return;
    this.#choices.hidden = !isShown;
    this.#button.setAttribute('aria-expanded', String(isShown));
  }
}
