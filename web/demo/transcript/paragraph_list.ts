// The text of a transcript in paragraphs, as it grows and changes.
import { byId, element, textElement } from '../shell/dom.js';
import { shortClock } from './short_clock.js';
import { languageName } from './listening_options.js';
import { strings } from '../strings.js';
import { paragraphsOf, spaceBefore } from './paragraphs.js';
import { SegmentView } from './segment_view.js';
import type { DocumentChange, HeardSegment, TranscriptDocument } from './transcript_document.js';

export interface ParagraphCalls {
  /** Play from here, in seconds. */
  readonly onPlay: (start: number) => void;
}

interface Paragraph {
  readonly item: HTMLElement;
  readonly text: HTMLElement;
  readonly time: HTMLButtonElement;
  segments: readonly number[];
}

export class ParagraphList {
  readonly list = byId('segments', HTMLOListElement);
  readonly #legend = byId('unsure_legend', HTMLElement);
  readonly #calls: ParagraphCalls;
  /** By the segments' numbers. */
  #views: SegmentView[] = [];
  #paragraphs: Paragraph[] = [];
  #marked: SegmentView | undefined;
  /** The one that the Tab key comes to. */
  #entry: SegmentView | undefined;

  constructor(calls: ParagraphCalls) {
    this.#calls = calls;
    this.list.addEventListener('focusin', ({ target }) => {
      const view = this.#views.find((one) => one.element === target);
      if (view) this.#enterAt(view);
    });
  }

  /** All of a document. */
  show(document: TranscriptDocument): void {
    this.list.replaceChildren();
    this.#paragraphs = [];
    this.#marked = undefined;
    this.#entry = undefined;
    this.#views = document.segments.map((segment) => new SegmentView(segment));
    this.#layOut(document.segments);
  }

  change(document: TranscriptDocument, { kind, segments }: DocumentChange): void {
    if (kind === 'renewed') this.show(document);
    for (const at of segments) {
      const segment = document.segments[at];
      if (!segment) continue;
      const view = this.#views[at];
      if (view) view.update(segment);
      else this.#views[at] = new SegmentView(segment);
    }
    if (segments.length > 0) this.#layOut(document.segments);
  }

  get count(): number {
    return this.#views.length;
  }

  view(at: number): SegmentView | undefined {
    return this.#views[at];
  }

  /** The number of the segment that an event belongs to. */
  indexOf(target: EventTarget | null): number {
    if (!(target instanceof Element)) return -1;
    const found = target.closest('.segment');
    return found ? this.#views.findIndex((view) => view.element === found) : -1;
  }

  /** The number of the segment that sounds at `seconds`, or the last before. */
  indexAt(seconds: number): number {
    let [low, high] = [0, this.#views.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#views[middle]?.segment.start ?? Infinity) <= seconds) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** The number of the first segment that begins below `top`, in pixels of the window; 0 if none does. */
  firstBelow(top: number): number {
    for (const { item, segments } of this.#paragraphs) {
      // Segments are looked at in sight alone, since those out of sight are not laid out.
      if (item.getBoundingClientRect().bottom <= top) continue;
      const isBelow = (at: number): boolean =>
        (this.#views[at]?.element.getBoundingClientRect().top ?? 0) >= top;
      const found = segments.find(isBelow);
      if (found !== undefined) return found;
    }
    return 0;
  }

  /** Marks what sounds at `seconds`; returns the word or segment. */
  mark(seconds: number): HTMLElement | undefined {
    const view = this.#views[this.indexAt(seconds)];
    const sounding = view && seconds < view.segment.end ? view : undefined;
    if (this.#marked !== sounding) this.#marked?.mark(undefined);
    this.#marked = sounding;
    return sounding && (sounding.mark(seconds) ?? sounding.element);
  }

  /** Paragraphs that are as they were stay, so that nothing jumps and the keyboard focus is not lost. */
  #layOut(segments: readonly HeardSegment[]): void {
    const wanted = paragraphsOf(segments);
    const focused = document.activeElement;
    let same = 0;
    while (same < wanted.length && isSame(wanted[same], this.#paragraphs[same]?.segments)) ++same;
    const growing = this.#paragraphs[same];
    if (growing && isBeginning(growing.segments, wanted[same])) {
      this.#fill(growing, wanted[same] ?? []);
      ++same;
    }
    for (const { item } of this.#paragraphs.splice(same)) item.remove();
    for (const group of wanted.slice(same)) {
      const paragraph = this.#begin(group, segments);
      this.#fill(paragraph, group);
      this.list.append(paragraph.item);
      this.#paragraphs.push(paragraph);
    }
    if (focused instanceof HTMLElement && this.list.contains(focused)) focused.focus();
    if (!this.#entry?.element.isConnected) {
      const first = this.#views[this.#paragraphs[0]?.segments[0] ?? -1];
      if (first) this.#enterAt(first);
    }
    this.#legend.hidden = !this.#views.some(
      (view) => view.element.isConnected && view.hasUnsureWords,
    );
  }

  #begin(group: readonly number[], segments: readonly HeardSegment[]): Paragraph {
    const [first = 0] = group;
    const item = element('li', 'paragraph');
    const time = element('button', 'times');
    time.type = 'button';
    // The segments are what the Tab key comes to.
    time.tabIndex = -1;
    time.addEventListener('click', () =>
      this.#calls.onPlay(this.#views[first]?.segment.start ?? 0),
    );
    const start = segments[first]?.start ?? 0;
    time.textContent = shortClock(start);
    time.setAttribute('aria-label', strings.editor.playFrom(shortClock(start)));
    const text = textElement('p', 'paragraph-text');
    item.append(time, text);
    const language = segments[first]?.language;
    const before = this.#paragraphs.at(-1)?.segments[0];
    const languageBefore = before === undefined ? language : segments[before]?.language;
    if (language !== undefined && language !== languageBefore) {
      item.append(element('span', 'language-label', languageName(language)));
    }
    return { item, text, time, segments: [] };
  }

  #fill(paragraph: Paragraph, group: readonly number[]): void {
    for (const at of group.slice(paragraph.segments.length)) {
      const view = this.#views[at];
      if (!view) continue;
      if (paragraph.text.childNodes.length > 0) paragraph.text.append(spaceBefore(view.segment));
      paragraph.text.append(view.element);
    }
    paragraph.segments = group;
  }

  #enterAt(view: SegmentView): void {
    if (this.#entry) this.#entry.element.tabIndex = -1;
    this.#entry = view;
    view.element.tabIndex = 0;
  }
}

const isSame = (a: readonly number[] | undefined, b: readonly number[] | undefined): boolean =>
  a !== undefined && a.length === b?.length && isBeginning(a, b);

const isBeginning = (a: readonly number[], b: readonly number[] | undefined): boolean =>
  b !== undefined && a.length <= b.length && a.every((one, at) => one === b[at]);
