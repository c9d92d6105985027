import { byId, setText } from './dom.js';
import { strings } from '../strings.js';
import { duration } from './format.js';
import { ScreenLock } from '../../page/live/wake_lock.js';

/** What goes with a sentence about work. */
export interface BusyCalls {
  /** With it the work can be stopped, by the button. */
  readonly onCancel?: (() => void) | undefined;
  /** With it what comes of the work can be shown. */
  readonly onShow?: (() => void) | undefined;
  /** With it the work can be held up and let go on. */
  readonly pause?: { readonly isOn: boolean; readonly onPress: () => void } | undefined;
  /** Nothing is computed until a person lets it go on. */
  readonly isResting?: boolean | undefined;
  /** What the tab's title says beside the part that is done. */
  readonly title?: string | undefined;
}

/**
 * What the page is doing: a sentence that screen readers hear when the activity changes, and beside it, seen only, a
 * bar that moves and the time that is left; for other tabs' readers the part done is in the title.
 */
export class StatusView {
  readonly #text = byId('status', HTMLElement);
  readonly #remaining = byId('remaining', HTMLElement);
  readonly #bar = byId('progress', HTMLProgressElement);
  readonly #cancel = byId('cancel', HTMLButtonElement);
  readonly #pause = byId('pause', HTMLButtonElement);
  readonly #show = byId('status_show', HTMLButtonElement);
  readonly #awake = new ScreenLock();
  /** The page's own title. */
  readonly #page = document.title;
  #title = '';
  #onCancel: (() => void) | undefined;
  #onShow: (() => void) | undefined;
  #onPause: (() => void) | undefined;

  constructor() {
    this.#cancel.addEventListener('click', () => this.#onCancel?.());
    this.#show.addEventListener('click', () => this.#onShow?.());
    this.#pause.addEventListener('click', () => this.#onPause?.());
  }

  /** Something goes on. */
  busy(text: string, calls: BusyCalls = {}): void {
    const { onCancel, onShow, pause, isResting, title = text } = calls;
    setText(this.#text, text);
    this.#remaining.textContent = '';
    this.#bar.classList.remove('idle');
    this.#bar.removeAttribute('value');
    this.#onCancel = onCancel;
    this.#cancel.hidden = !onCancel;
    if (!onShow && document.activeElement === this.#show) this.#cancel.focus();
    this.#onShow = onShow;
    this.#show.hidden = !onShow;
    if (!pause && document.activeElement === this.#pause) this.#cancel.focus();
    this.#onPause = pause?.onPress;
    this.#pause.hidden = !pause;
    this.#pause.textContent = pause?.isOn ? strings.queue.resume : strings.queue.pause;
    if (isResting) this.#awake.release();
    else this.#awake.hold();
    this.#title = pause?.isOn ? strings.status.pausedTitle(title) : title;
    document.title = this.#title;
    document.documentElement.dataset.state = 'busy';
  }

  /** What goes on waits for the person; nothing moves meanwhile. */
  waits(text: string): void {
    this.#text.textContent = text;
    this.#remaining.textContent = '';
    this.#bar.classList.add('idle');
    this.#bar.value = 0;
  }

  /** Part done, 0 to 1, and the seconds that the rest will take. */
  progress(part: number, remainingSeconds?: number): void {
    this.#bar.value = Math.min(1, Math.max(0, part));
    const percent = strings.status.percent(Math.floor(this.#bar.value * 100));
    document.title = `${percent} · ${this.#title}`;
    const left =
      remainingSeconds === undefined ? [] : [strings.status.left(duration(remainingSeconds))];
    setText(this.#remaining, [percent, ...left].join(' · '));
  }

  idle(text: string): void {
    // Hiding a focused button would lose the keyboard focus.
    const { activeElement } = document;
    const buttons: readonly (Element | null)[] = [this.#cancel, this.#show, this.#pause];
    if (buttons.includes(activeElement)) byId('choose', HTMLButtonElement).focus();
    this.#text.textContent = text;
    this.#remaining.textContent = '';
    this.#bar.classList.add('idle');
    this.#bar.value = 0;
    this.#onCancel = undefined;
    this.#onShow = undefined;
    this.#onPause = undefined;
    this.#pause.hidden = true;
    this.#cancel.hidden = true;
    this.#show.hidden = true;
    this.#awake.release();
    document.title = this.#page;
    document.documentElement.dataset.state = 'idle';
  }
}
