import type { Segment } from '../src/index.js';
import { byId, element } from './dom.js';
import { clock } from './format.js';

/** The transcript as it grows: one button for each segment, moved through with the arrow keys. */
export class TranscriptView {
  readonly #card = byId('transcript', HTMLElement);
  readonly #title = byId('transcript_title', HTMLElement);
  readonly #meta = byId('transcript_meta', HTMLElement);
  readonly #list = byId('segments', HTMLOListElement);
  readonly #nothing = byId('nothing_heard', HTMLElement);
  readonly #onPlay: (segment: Segment) => void;
  #rows: { segment: Segment; button: HTMLButtonElement }[] = [];

  /** `onPlay` is told when a segment is pressed. */
  constructor(onPlay: (segment: Segment) => void) {
    this.#onPlay = onPlay;
    this.#list.addEventListener('keydown', (event) => this.#move(event));
  }

  get segments(): Segment[] {
    return this.#rows.map((row) => row.segment);
  }

  start(name: string): void {
    this.#title.textContent = name;
    this.#meta.textContent = '';
    this.#nothing.hidden = true;
    this.#list.replaceChildren();
    this.#rows = [];
    this.#card.hidden = false;
  }

  add(segment: Segment): void {
    const text = segment.text.trim();
    const button = element('button', 'segment');
    button.type = 'button';
    button.append(
      element('span', 'times', `${clock(segment.start)} – ${clock(segment.end)}`),
      element('span', 'words', text),
    );
    button.addEventListener('click', () => this.#onPlay(segment));
    const item = element('li');
    item.append(button);
    this.#list.append(item);
    this.#rows.push({ segment, button });
  }

  /** `facts` go below the title: length, language. */
  finish(facts: string[], complete: boolean): void {
    this.#meta.textContent = facts.join(' · ');
    this.#nothing.hidden = !complete || this.#rows.length > 0;
  }

  /** Marks the segment that sounds at `seconds`, or none. */
  mark(seconds: number, playing: boolean): void {
    for (const { segment, button } of this.#rows) {
      const sounds = playing && seconds >= segment.start && seconds < segment.end;
      if (button.classList.contains('playing') === sounds) continue;
      button.classList.toggle('playing', sounds);
      if (sounds) button.setAttribute('aria-current', 'true');
      else button.removeAttribute('aria-current');
    }
  }

  #move(event: KeyboardEvent): void {
    const at = this.#rows.findIndex((row) => row.button === document.activeElement);
    if (at < 0) return;
    const last = this.#rows.length - 1;
    const steps: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: 0,
      End: last,
    };
    const to = steps[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.#rows[Math.min(Math.max(to, 0), last)]?.button.focus();
  }
}
