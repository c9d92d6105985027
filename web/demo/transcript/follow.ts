// Keeps what sounds in sight, until the reader scrolls; a button leads back to it.
import { byId } from '../shell/dom.js';

const scrollingKeys = new Set(['PageUp', 'PageDown']);

export class Follow {
  readonly #back = byId('follow', HTMLButtonElement);
  /** What covers the text above: on a small screen the player alone. */
  readonly #covers = [byId('transcript_bar', HTMLElement), byId('player', HTMLElement)];
  #isOn = true;
  #isStaying = false;
  #followed: Element | undefined;

  constructor() {
    this.#back.addEventListener('click', () => {
      this.#turn(true);
      this.#scroll();
      // The button is hidden, and what has the focus gets the keys.
      byId('play', HTMLButtonElement).focus({ preventScroll: true });
    });
    const stop = (): void => {
      if (this.#followed) this.#turn(false);
    };
    window.addEventListener('wheel', stop, { passive: true });
    window.addEventListener('touchmove', stop, { passive: true });
    window.addEventListener('keydown', ({ key }) => {
      if (scrollingKeys.has(key)) stop();
    });
  }

  /** This sounds now, or nothing does. */
  follow(sounding: Element | undefined): void {
    if (sounding === this.#followed) return;
    this.#followed = sounding;
    if (this.#isOn) this.#scroll();
  }

  /**
   * A word was pressed: the page stays while what sounds is in sight at all, or the second press of a double click
   * would meet something else.
   */
  stay(): void {
    this.#isStaying = true;
  }

  /** Another recording is followed from its start. */
  reset(): void {
    this.#followed = undefined;
    this.#turn(true);
  }

  #turn(isOn: boolean): void {
    this.#isOn = isOn;
    this.#isStaying = false;
    this.#back.hidden = isOn;
  }

  /** Only when it is not well in sight: text that moves with every word is hard to read. */
  #scroll(): void {
    if (!this.#followed) return;
    const { top, bottom } = this.#followed.getBoundingClientRect();
    const covered = Math.max(0, ...this.#covers.map((one) => one.getBoundingClientRect().bottom));
    if (top >= covered + 8 && bottom <= innerHeight * 0.85) return;
    if (this.#isStaying && bottom > covered && top < innerHeight) return;
    this.#isStaying = false;
    const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.#followed.scrollIntoView({ block: 'center', behavior: isCalm ? 'auto' : 'smooth' });
  }
}
