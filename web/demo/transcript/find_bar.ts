// Finds and replaces text in the transcript that is shown.
import { byId } from '../shell/dom.js';
import { strings } from '../strings.js';
import { findText, replacedAt, replacedEverywhere, type Match, type Sought } from './find_text.js';
import type { ParagraphList } from './paragraph_list.js';
import { highlight } from './text_highlight.js';
import type { TranscriptDocument } from './transcript_document.js';

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

  constructor(paragraphs: ParagraphList) {
    this.#paragraphs = paragraphs;
    this.#button.addEventListener('click', () => {
      if (this.#bar.hidden) this.open();
      else this.close();
    });
    this.#bar.addEventListener('submit', (event) => event.preventDefault());
    this.#bar.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') {
        event.stopPropagation();
        this.close();
        this.#button.focus();
      } else if (event.key === 'Enter' && event.target === this.#text && !event.isComposing) {
        event.preventDefault();
        this.#go(event.shiftKey ? -1 : 1);
      }
    });
    for (const field of [this.#text, this.#case]) {
      field.addEventListener('input', () => this.#search(0));
    }
    byId('find_next', HTMLButtonElement).addEventListener('click', () => this.#go(1));
    byId('find_previous', HTMLButtonElement).addEventListener('click', () => this.#go(-1));
    byId('replace', HTMLButtonElement).addEventListener('click', () => this.#replace());
    byId('replace_all', HTMLButtonElement).addEventListener('click', () => this.#replaceAll());
  }

  open(): void {
    this.#bar.hidden = false;
    this.#button.setAttribute('aria-expanded', 'true');
    this.#text.focus();
    this.#text.select();
    this.#search(0);
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
    else if (!this.#bar.hidden) this.#search(isSame ? Math.max(0, this.#at) : 0);
  }

  get #sought(): Sought {
    return { text: this.#text.value, isCaseSensitive: this.#case.checked };
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
    this.#mark();
    const match = this.#matches[this.#at];
    const element = match && this.#paragraphs.view(match.segment)?.element;
    element?.scrollIntoView({ block: 'center' });
  }

  #replace(): void {
    const match = this.#matches[this.#at];
    if (!this.#document || !match) return;
    const written = this.#replacement.value;
    this.#document.edit(replacedAt(this.#document.segments, match, written));
    // What was written may hold what is sought; the next one stands behind it.
    const next = this.#matches.findIndex(
      ({ segment, start }) =>
        segment > match.segment ||
        (segment === match.segment && start >= match.start + written.trim().length),
    );
    this.#at = next === -1 ? Math.min(0, this.#matches.length - 1) : next;
    this.#mark();
  }

  #replaceAll(): void {
    if (!this.#document) return;
    const count = this.#matches.length;
    const texts = replacedEverywhere(
      this.#document.segments,
      this.#sought,
      this.#replacement.value,
    );
    this.#document.edit(texts);
    this.#count.textContent = strings.find.replaced(count);
  }

  #mark(): void {
    const { text } = this.#sought;
    this.#count.textContent =
      text.trim() === '' || this.#bar.hidden
        ? ''
        : strings.find.place(this.#at + 1, this.#matches.length);
    highlight(
      this.#matches.flatMap((match) => {
        const element = this.#paragraphs.view(match.segment)?.element;
        return element ? [{ element, start: match.start, end: match.end }] : [];
      }),
      this.#at,
    );
  }
}
