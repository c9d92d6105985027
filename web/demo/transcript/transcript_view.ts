import type { Decision, Segment, Transcript } from '../../src/index.js';
import { byId, element } from '../shell/dom.js';
import { clock } from '../shell/format.js';
import { languageName } from './listening_options.js';
import { SegmentRow } from './segment_row.js';

const reasons: Readonly<Partial<Record<Decision, string>>> = {
  'dropped:no-speech': 'silence was more probable',
  'dropped:silence': 'it seems invented, in a silence',
  'dropped:past-end': 'it would begin after the end of the recording',
  'dropped:zero-length': 'it would last no time at all',
};

/** The transcript as it grows: a row for each segment, moved through with the arrow keys. */
export class TranscriptView {
  readonly #card = byId('transcript', HTMLElement);
  readonly #title = byId('transcript_title', HTMLElement);
  readonly #meta = byId('transcript_meta', HTMLElement);
  readonly #list = byId('segments', HTMLOListElement);
  readonly #nothing = byId('nothing_heard', HTMLElement);
  readonly #legend = byId('unsure_legend', HTMLElement);
  readonly #dropped = byId('dropped', HTMLDetailsElement);
  readonly #onPlay: (start: number, end?: number) => void;
  #rows: SegmentRow[] = [];
  /** Where playback is, in seconds. */
  #now = 0;

  /** `onPlay` receives the times in seconds at which to start and, if any, to stop. */
  constructor(onPlay: (start: number, end?: number) => void) {
    this.#onPlay = onPlay;
    this.#list.addEventListener('keydown', (event) => this.#move(event));
  }

  hide(): void {
    this.#card.hidden = true;
  }

  start(name: string): void {
    this.#title.textContent = name;
    this.#meta.textContent = '';
    this.#nothing.hidden = true;
    this.#legend.hidden = true;
    this.#dropped.hidden = true;
    this.#dropped.open = false;
    this.#list.replaceChildren();
    this.#rows = [];
    this.#card.hidden = false;
  }

  /** Segments of silence have no text and no row. */
  add(segment: Segment): void {
    if (segment.text.trim() === '') return;
    const before = this.#rows.at(-1)?.segment.language;
    const hasChanged = before !== undefined && before !== segment.language;
    const label = hasChanged ? languageName(segment.language) : undefined;
    const row = new SegmentRow(segment, label, this.#onPlay);
    this.#list.append(row.item);
    this.#rows.push(row);
    if (row.hasUnsureWords) this.#legend.hidden = false;
  }

  /** All is there: `facts` (length, language) go below the title, what was dropped to the end. */
  finish(facts: readonly string[], { rejected }: Transcript): void {
    this.#meta.textContent = facts.filter((fact) => fact !== '').join(' · ');
    this.#nothing.hidden = this.#rows.length > 0;
    const dropped = rejected.filter(({ text }) => text.trim() !== '');
    this.#dropped.hidden = dropped.length === 0;
    const pieces = dropped.length === 1 ? 'One piece' : `${dropped.length} pieces`;
    byId('dropped_title', HTMLElement).textContent = `${pieces} of text left out`;
    byId('dropped_list', HTMLUListElement).replaceChildren(...dropped.map(droppedItem));
  }

  /** It ends here, for this reason. */
  breakOff(reason: string): void {
    this.#meta.textContent = reason;
  }

  /** Marks what sounds at `seconds`, or nothing. */
  mark(seconds: number, isPlaying: boolean): void {
    this.#now = seconds;
    for (const row of this.#rows) row.mark(seconds, isPlaying);
  }

  /** Up and down from segment to segment, left and right from word to word. */
  #move(event: KeyboardEvent): void {
    const at = this.#rows.findIndex((row) => row.button === document.activeElement);
    const row = this.#rows[at];
    if (!row) return;
    const last = this.#rows.length - 1;
    const steps: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: 0,
      End: last,
    };
    const to = steps[event.key];
    if (to !== undefined) {
      event.preventDefault();
      this.#rows[Math.min(Math.max(to, 0), last)]?.button.focus();
    } else if (event.key === 'ArrowRight' || event.key === 'ArrowLeft') {
      event.preventDefault();
      const { start, end } = row.segment;
      const now = this.#now >= start && this.#now < end ? this.#now : start - 0.02;
      this.#onPlay(row.wordStart(now, event.key === 'ArrowRight') ?? start, end);
    }
  }
}

function droppedItem({ start, end, text, decision }: Segment): HTMLElement {
  const item = element('li');
  item.append(
    element('span', 'times', `${clock(start)} – ${clock(end)}`),
    element('q', '', text.trim()),
    element('small', '', reasons[decision] ?? decision),
  );
  return item;
}
