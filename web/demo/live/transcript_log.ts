// What was said so far in full, as it grows: a paragraph with its time for each final text.
import { element, textElement } from '../shell/dom.js';
import { strings } from '../strings.js';
import type { Entry } from './caption_state.js';
import { textOf } from './live_transcript.js';

/** Pixels from the end within which a reader counts as being there. */
const nearEnd = 40;
/** Texts that may wait to be read aloud. */
const mostWaiting = 5;

export class TranscriptLog {
  readonly #region: HTMLElement;
  readonly #list: HTMLOListElement;
  readonly #announcer: HTMLElement;

  /** `region` scrolls, and is hidden while there is nothing; `announcer` is read aloud. */
  constructor(region: HTMLElement, list: HTMLOListElement, announcer: HTMLElement) {
    this.#region = region;
    this.#list = list;
    this.#announcer = announcer;
    region.hidden = true;
  }

  clear(): void {
    this.#list.replaceChildren();
    this.#announcer.replaceChildren();
    this.#region.hidden = true;
  }

  add(entry: Entry): void {
    const text = entry.kind === 'gap' ? strings.live.gap(entry.end - entry.start) : textOf(entry);
    const item = element('li', entry.kind === 'gap' ? 'gap' : '');
    item.append(
      element('span', 'times', shortTime(entry.start)),
      textElement('p', '', text.trim()),
    );
    const { scrollTop, scrollHeight, clientHeight } = this.#region;
    const wasAtEnd = scrollHeight - scrollTop - clientHeight < nearEnd;
    this.#list.append(item);
    this.#region.hidden = false;
    // Do not scroll away from a reader further up.
    if (wasAtEnd) this.#region.scrollTop = this.#region.scrollHeight;
    this.#announce(text.trim());
  }

  #announce(text: string): void {
    this.#announcer.append(textElement('p', '', text));
    while (this.#announcer.childElementCount > mostWaiting) this.#announcer.firstChild?.remove();
  }
}

/** Whole seconds: 0:07, 12:30, 1:02:03. */
export function shortTime(seconds: number): string {
  const whole = Math.floor(Math.max(0, seconds));
  const two = (value: number): string => String(value).padStart(2, '0');
  const minutes = Math.floor(whole / 60);
  return minutes < 60
    ? `${minutes}:${two(whole % 60)}`
    : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(whole % 60)}`;
}
