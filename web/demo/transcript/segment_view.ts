// One segment in a paragraph: its words, of which one sounds; it can be pressed and moved to with the keyboard.
import { element } from '../shell/dom.js';
import { clock } from '../shell/format.js';
import { strings } from '../strings.js';
import type { HeardWord } from './retimed_words.js';
import type { HeardSegment } from './transcript_document.js';

/** Below this probability a word is marked. */
const unsureBelow = 0.5;

export class SegmentView {
  readonly element = element('span', 'segment words');
  #segment: HeardSegment;
  #isNear = false;
  /** The second that is marked, if any. */
  #markedAt: number | undefined;
  #words: readonly HTMLElement[] = [];
  #soundingWord: HTMLElement | undefined;

  constructor(segment: HeardSegment) {
    this.#segment = segment;
    this.element.setAttribute('role', 'button');
    this.element.tabIndex = -1;
    this.update(segment);
  }

  get segment(): HeardSegment {
    return this.#segment;
  }

  get hasUnsureWords(): boolean {
    return this.#segment.words?.some(isUnsure) ?? false;
  }

  update(segment: HeardSegment): void {
    this.#segment = segment;
    this.#fill();
  }

  /**
   * Near the window each word has an element of its own. Elsewhere the text is one node, which no reader can tell: the words of three hours
   * would take tens of megabytes.
   */
  set isNear(isNear: boolean) {
    if (isNear === this.#isNear) return;
    this.#isNear = isNear;
    this.#fill();
  }

  #fill(): void {
    const { words = [], text } = this.#segment;
    this.#soundingWord = undefined;
    this.#words = [];
    // White space belongs to the words; it is not marked with them.
    const spaces = words.map(({ word }, at) => (at === 0 ? '' : (/^\s*/u.exec(word)?.[0] ?? '')));
    if (words.length === 0) this.element.textContent = text.trim();
    else if (this.#isNear) {
      this.#words = words.map(wordElement);
      const nodes = this.#words.flatMap((word, at) => [spaces[at] ?? '', word]);
      this.element.replaceChildren(...nodes.filter((node) => node !== ''));
    } else {
      this.element.textContent = words
        .map(({ word }, at) => `${spaces[at] ?? ''}${word.trim()}`)
        .join('');
    }
    if (this.#markedAt !== undefined) this.mark(this.#markedAt);
  }

  /** The start of the word that was pressed, or of the segment. */
  startAt(target: EventTarget | null): number {
    const at = this.#words.findIndex((word) => word === target);
    return this.#segment.words?.[at]?.start ?? this.#segment.start;
  }

  /** Where the word that was pressed stands in the text. */
  lettersAt(
    target: EventTarget | null,
  ): { readonly from: number; readonly to: number } | undefined {
    const at = this.#words.findIndex((word) => word === target);
    const word = this.#words[at];
    if (!word) return undefined;
    const range = document.createRange();
    range.setStart(this.element, 0);
    range.setEndBefore(word);
    const from = range.toString().length;
    return { from, to: from + word.textContent.length };
  }

  /** The first word's start after `seconds`, or the last before it; undefined at the end. */
  wordStart(seconds: number, isForward: boolean): number | undefined {
    const starts = this.#segment.words?.map(({ start }) => start) ?? [];
    // Tolerance: players round the time that they are given.
    return isForward
      ? starts.find((start) => start > seconds + 0.01)
      : starts.findLast((start) => start < seconds - 0.3);
  }

  /** Marks the word at `seconds`; without a time, nothing. Returns the word, if it has an element. */
  mark(seconds: number | undefined): HTMLElement | undefined {
    this.#markedAt = seconds;
    const { words = [] } = this.#segment;
    const at = seconds === undefined ? -1 : words.findLastIndex(({ start }) => start <= seconds);
    const sounds = seconds !== undefined && at >= 0 && seconds < (words[at]?.end ?? 0);
    const word = sounds ? this.#words[at] : undefined;
    if (word !== this.#soundingWord) {
      this.#soundingWord?.classList.remove('sounding');
      word?.classList.add('sounding');
      this.#soundingWord = word;
    }
    this.element.classList.toggle('playing', seconds !== undefined);
    if (seconds === undefined) this.element.removeAttribute('aria-current');
    else if (!this.element.hasAttribute('aria-current'))
      this.element.setAttribute('aria-current', 'true');
    return word;
  }
}

function wordElement(word: HeardWord): HTMLElement {
  const span = element('span', 'word', word.word.trim());
  if (isUnsure(word)) span.classList.add('unsure');
  const sure = word.probability === undefined ? '' : strings.editor.sure(word.probability);
  span.title = [clock(word.start), sure].filter(Boolean).join(', ');
  return span;
}

const isUnsure = ({ probability }: { readonly probability?: number }): boolean =>
  probability !== undefined && probability < unsureBelow;
