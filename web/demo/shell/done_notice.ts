// Tells a person who is elsewhere that long work is done, where they have asked for that.
import { byId } from './dom.js';
import { strings } from '../strings.js';

/** Milliseconds of work after which somebody may want to go elsewhere. */
const patience = 3000;

export class DoneNotice {
  readonly #button = byId('tell_done', HTMLButtonElement);
  #waiting: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    this.#button.addEventListener('click', () => void this.#ask());
  }

  /** Work goes on; called as often as one likes. */
  begin(): void {
    if (!('Notification' in globalThis) || Notification.permission !== 'default') return;
    this.#waiting ??= setTimeout(() => (this.#button.hidden = false), patience);
  }

  /** It is over. With a text a person who does not see the page is told. */
  end(text?: string): void {
    clearTimeout(this.#waiting);
    this.#waiting = undefined;
    this.#hide();
    if (text === undefined || !('Notification' in globalThis)) return;
    const isSeen = document.visibilityState === 'visible' && document.hasFocus();
    if (!isSeen && Notification.permission === 'granted') void tell(text);
  }

  async #ask(): Promise<void> {
    await Notification.requestPermission();
    // Whoever refuses is not asked again: the browser would not.
    this.#hide();
  }

  #hide(): void {
    // Hiding a focused button would lose the keyboard focus.
    const next = byId('cancel', HTMLButtonElement);
    if (document.activeElement === this.#button) {
      (next.hidden ? byId('choose', HTMLButtonElement) : next).focus();
    }
    this.#button.hidden = true;
  }
}

async function tell(body: string): Promise<void> {
  const options = { body, icon: 'icon.svg', tag: 'done' };
  try {
    const notice = new Notification(strings.page.name, options);
    notice.onclick = () => {
      window.focus();
      notice.close();
    };
  } catch {
    // On telephones it is the service worker's alone to do.
    const { serviceWorker } = navigator as Partial<Pick<Navigator, 'serviceWorker'>>;
    const registration = await serviceWorker?.getRegistration();
    await registration?.showNotification(strings.page.name, options).catch(() => undefined);
  }
}
