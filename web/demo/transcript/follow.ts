// Keeps what sounds in sight, until the reader scrolls.
import { byId } from '../shell/dom.js';

const scrollingKeys = new Set(['PageUp', 'PageDown']);

export class Follow {
  readonly #button = byId('follow', HTMLButtonElement);
  readonly #player = byId('player', HTMLElement);
  #followed: Element | undefined;

  constructor() {
    this.#button.addEventListener('click', () => {
      this.#show(!this.isOn);
      if (this.isOn) this.#scroll();
    });
    const stop = (): void => {
      if (this.#followed) this.#show(false);
    };
    window.addEventListener('wheel', stop, { passive: true });
    window.addEventListener('touchmove', stop, { passive: true });
    window.addEventListener('keydown', ({ key }) => {
      if (scrollingKeys.has(key)) stop();
    });
  }

  get isOn(): boolean {
    return this.#button.getAttribute('aria-pressed') === 'true';
  }

  /** This sounds now, or nothing does. */
  follow(sounding: Element | undefined): void {
    if (sounding === this.#followed) return;
    this.#followed = sounding;
    if (this.isOn) this.#scroll();
  }

  #show(isOn: boolean): void {
    this.#button.setAttribute('aria-pressed', String(isOn));
  }

  /** Only when it is not well in sight: text that moves with every word is hard to read. */
  #scroll(): void {
    if (!this.#followed) return;
    const { top, bottom } = this.#followed.getBoundingClientRect();
    const covered = Math.max(0, this.#player.getBoundingClientRect().bottom);
    if (top >= covered + 8 && bottom <= innerHeight * 0.85) return;
    const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.#followed.scrollIntoView({ block: 'center', behavior: isCalm ? 'auto' : 'smooth' });
  }
}
