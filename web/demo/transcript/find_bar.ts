// Finds and replaces text in the transcript that is shown.
import { byId } from '../shell/dom.js';
import { strings } from '../strings.js';
import { findText, replacedAt, replacedEverywhere, type Match, type Sought } from './find_text.js';
import type { ParagraphList } from './paragraph_list.js';
import { highlight, rangeOf, type Place } from './text_highlight.js';
import type { TranscriptDocument } from './transcript_document.js';

/** Pixels between a match and what covers the text. */
const margin = 8;

export class FindBar {
  readonly #bar = byId('find_bar', HTMLFormElement);
  readonly #button = byId('find', HTMLButtonElement);
  readonly #text = byId('find_text', HTMLInputElement);
  readonly #replacement = byId('replace_text', HTMLInputElement);
  readonly #case = byId('find_case', HTMLInputElement);
  readonly #count = byId('find_count', HTMLElement);
  readonly #paragraphs: ParagraphList;
  #document: TranscriptDocument | undefined;
  #matches: readonly Match[] = [];
  /** Index of the match that is shown; -1 for none. */
  #at = -1;
  /** The segment from which one seeks: where the reader was, or the last match that was gone to. */
  #from = 0;

  constructor(paragraphs: ParagraphList) {
    this.#paragraphs = paragraphs;
    this.#button.addEventListener('click', () => {
      if (this.#bar.hidden) this.open();
      else this.close();
    });
    this.#bar.addEventListener('submit', (event) => event.preventDefault());
    this.#bar.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.#leave();
      else if (event.key === 'Enter' && event.target === this.#text && !event.isComposing) {
        event.preventDefault();
        this.#go(event.shiftKey ? -1 : 1);
      }
    });
    for (const field of [this.#text, this.#case]) {
      field.addEventListener('input', () => this.#seek());
    }
    byId('find_next', HTMLButtonElement).addEventListener('click', () => this.#go(1));
    byId('find_previous', HTMLButtonElement).addEventListener('click', () => this.#go(-1));
    byId('replace', HTMLButtonElement).addEventListener('click', () => this.#replace());
    byId('replace_all', HTMLButtonElement).addEventListener('click', () => this.#replaceAll());
  }

  open(): void {
    this.#bar.hidden = false;
    this.#from = this.#paragraphs.firstBelow(this.#covered + margin);
    this.#button.setAttribute('aria-expanded', 'true');
    // It sticks to the top of the window; the browser would scroll to where it comes from.
    this.#text.focus({ preventScroll: true });
    this.#text.select();
    this.#seek();
    this.#bar.scrollIntoView({ block: 'nearest' });
  }

  /** Opens with this text in the field. */
  seek(text: string): void {
    this.#text.value = text;
    this.open();
  }

  /** Ends it from the keyboard, which goes on at what was found. */
  #leave(): void {
    const at = this.#matches[this.#at]?.pieces[0]?.segment;
    const found = at === undefined ? undefined : this.#paragraphs.view(at);
    this.close();
    (found?.element ?? this.#button).focus({ preventScroll: true });
  }

  close(): void {
    this.#bar.hidden = true;
    this.#button.setAttribute('aria-expanded', 'false');
    this.#matches = [];
    this.#at = -1;
    this.#mark();
  }

  /** Another document, or the same one changed. */
  show(document: TranscriptDocument | undefined): void {
    const isSame = document === this.#document;
    this.#document = document;
    if (!document) this.close();
    else if (this.#bar.hidden) return;
    else if (isSame) this.#search(Math.max(0, this.#at));
    else this.#seek();
  }

  /** The text is the same, but has other nodes. */
  renew(): void {
    if (this.#matches.length > 0) this.#highlight();
  }

  get #sought(): Sought {
    return { text: this.#text.value, isCaseSensitive: this.#case.checked };
  }

  /** Looks for it from where the reader is, and shows the first match. */
  #seek(): void {
    this.#search(0);
    this.#at = Math.max(
      this.#at,
      this.#matches.findIndex(({ pieces }) => (pieces[0]?.segment ?? 0) >= this.#from),
    );
    this.#mark();
    this.#reveal();
  }

  #search(at: number): void {
    this.#matches = this.#document ? findText(this.#document.segments, this.#sought) : [];
    this.#at = Math.min(at, this.#matches.length - 1);
    this.#mark();
  }

  #go(step: 1 | -1): void {
    const count = this.#matches.length;
    if (count === 0) return;
    this.#at = (this.#at + step + count) % count;
    this.#from = this.#matches[this.#at]?.pieces[0]?.segment ?? 0;
    this.#mark();
    this.#reveal();
  }

  /** What covers the text at the top of the window, in pixels: the player and this bar below it. */
  get #covered(): number {
    return Math.max(0, this.#bar.getBoundingClientRect().bottom);
  }

  /** Brings the match to the middle of what the bar leaves, if it is out of sight. */
  #reveal(tries = 3): void {
    const match = this.#matches[this.#at];
    const [place] = match ? this.#placeOf(match) : [];
    if (!place || tries === 0) return;
    const { top, bottom } = rangeOf(place).getBoundingClientRect();
    const covered = this.#covered;
    if (top < covered + margin || bottom > innerHeight - margin) {
      scrollBy({ top: top - (covered + innerHeight) / 2, behavior: 'instant' });
    }
    // Paragraphs that the next picture shows may turn out higher than they were thought to be.
    requestAnimationFrame(() => setTimeout(() => this.#reveal(tries - 1)));
  }

  /** None where its text is not on the page. */
  #placeOf({ pieces }: Match): Place[] {
    const [first, last] = [pieces[0], pieces.at(-1)];
    if (!first || !last) return [];
    const firstElement = this.#paragraphs.view(first.segment)?.element;
    const lastElement = this.#paragraphs.view(last.segment)?.element;
    if (!firstElement || !lastElement) return [];
    return [{ first: firstElement, start: first.start, last: lastElement, end: last.end }];
  }

  #replace(): void {
    const match = this.#matches[this.#at];
    if (!this.#document || !match) return;
    const written = this.#replacement.value;
    this.#document.edit(replacedAt(match, written));
    // What was written may hold what is sought; the next one stands behind it.
    const first = match.paragraph.group[0] ?? 0;
    const next = this.#matches.findIndex(({ paragraph: { group }, start }) =>
      group[0] === first ? start >= match.start + written.trim().length : (group[0] ?? 0) > first,
    );
    this.#at = next === -1 ? Math.min(0, this.#matches.length - 1) : next;
    this.#mark();
    this.#reveal();
  }

  #replaceAll(): void {
    if (!this.#document) return;
    const count = this.#matches.length;
    this.#document.edit(replacedEverywhere(this.#matches, this.#sought, this.#replacement.value));
    this.#count.textContent = strings.find.replaced(count);
  }

  #mark(): void {
    const { text } = this.#sought;
    this.#count.textContent =
      text.trim() === '' || this.#bar.hidden
        ? ''
        : strings.find.place(this.#at + 1, this.#matches.length);
    this.#highlight();
  }

  #highlight(): void {
    highlight(
      this.#matches.flatMap((match) => this.#placeOf(match)),
      this.#at,
    );
  }
}
