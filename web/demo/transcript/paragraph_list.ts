// The text of a transcript in paragraphs, as it grows and changes.
import { byId, element, textElement } from '../shell/dom.js';
import { shortClock } from './short_clock.js';
import { languageName } from './listening_options.js';
import { strings } from '../strings.js';
import { paragraphsOf, spaceBefore } from './paragraphs.js';
import { SegmentView } from './segment_view.js';
import { SpeakerLabel } from './speaker_label.js';
import type { Person } from './people.js';
import type { DocumentChange, HeardSegment, TranscriptDocument } from './transcript_document.js';

export interface ParagraphCalls {
  /** Play from here, in seconds. */
  readonly onPlay: (start: number) => void;
  /** A person gets another name. */
  readonly onRename: (from: string, to: string) => void;
  /** These segments are said by somebody else; without a name, by somebody new. */
  readonly onAttribute: (segments: readonly number[], name: string | undefined) => void;
  /** Some text has other nodes now: ranges in it are lost. */
  readonly onOtherNodes: () => void;
}

interface Paragraph {
  readonly item: HTMLElement;
  readonly text: HTMLElement;
  speaker: SpeakerLabel | undefined;
  /** Whether it is in sight or nearly. */
  isNear: boolean;
  /** Their views, and their numbers. */
  views: readonly SegmentView[];
  segments: readonly number[];
}

export class ParagraphList {
  readonly list = byId('segments', HTMLOListElement);
  readonly #legend = byId('unsure_legend', HTMLElement);
  readonly #calls: ParagraphCalls;
  /** By the segments' numbers. */
  #views: SegmentView[] = [];
  #paragraphs: Paragraph[] = [];
  #people: readonly Person[] = [];
  readonly #byItem = new WeakMap<Element, Paragraph>();
  /** Paragraphs that have come near or gone, until their words are told. */
  readonly #moved = new Set<Paragraph>();
  readonly #sight = new IntersectionObserver((entries) => this.#onMoved(entries), {
    rootMargin: '100% 0px',
  });
  #marked: SegmentView | undefined;
  /** The one that the Tab key comes to. */
  #entry: SegmentView | undefined;

  constructor(calls: ParagraphCalls) {
    this.#calls = calls;
    this.list.addEventListener('focusin', ({ target }) => {
      const view = this.#views.find((one) => one.element === target);
      if (view) this.#enterAt(view);
    });
    document.addEventListener('selectionchange', () => this.#tellNear());
  }

  /** All of a document. */
  show(document: TranscriptDocument): void {
    this.list.replaceChildren();
    this.#sight.disconnect();
    this.#moved.clear();
    this.#paragraphs = [];
    this.#marked = undefined;
    this.#entry = undefined;
    this.#views = document.segments.map((segment) => new SegmentView(segment));
    this.#people = document.people;
    this.#layOut(document.segments);
  }

  change(document: TranscriptDocument, { kind, segments }: DocumentChange): void {
    if (kind === 'renewed') this.show(document);
    this.#people = document.people;
    if (kind === 'told') {
      // A segment that was divided goes on as its first part, where the keyboard may be.
      const before = new Map(this.#views.map((view) => [view.segment.start, view]));
      this.#views = document.segments.map((one) => {
        const view = before.get(one.start) ?? new SegmentView(one);
        before.delete(one.start);
        return view;
      });
    }
    if (kind === 'edited' && document.segments.length !== this.#views.length) {
      // Some were divided or put together again; all others keep their elements.
      const before = new Map(this.#views.map((view) => [view.segment, view]));
      this.#views = document.segments.map((one) => before.get(one) ?? new SegmentView(one));
    }
    for (const at of segments) {
      const segment = document.segments[at];
      if (!segment) continue;
      const view = this.#views[at];
      if (view) view.update(segment);
      else this.#views[at] = new SegmentView(segment);
    }
    if (segments.length === 0) return;
    // A transcript grows at its end: the paragraphs before the last stay what they are, however many hours they are.
    const settled = kind === 'added' ? this.#paragraphs.length - 1 : 0;
    this.#layOut(document.segments, Math.max(0, settled));
  }

  get count(): number {
    return this.#views.length;
  }

  view(at: number): SegmentView | undefined {
    return this.#views[at];
  }

  /** The paragraph of segment number `at`: its segments and its text on the page. */
  paragraphOf(at: number): Pick<Paragraph, 'segments' | 'text'> | undefined {
    return this.#paragraphs.find(({ segments }) => segments.includes(at));
  }

  /** Who speaks in the paragraph of segment number `at`. */
  speakerOf(at: number): SpeakerLabel | undefined {
    return this.#paragraphs.find(({ segments }) => segments.includes(at))?.speaker;
  }

  /** The number of the last segment in the paragraph before segment number `at`. */
  lastBefore(at: number): number | undefined {
    return this.#paragraphs.findLast(({ segments }) => (segments[0] ?? 0) < at)?.segments.at(-1);
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

  #onMoved(entries: readonly IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of entries) {
      const paragraph = this.#byItem.get(target);
      if (!paragraph || paragraph.isNear === isIntersecting) continue;
      paragraph.isNear = isIntersecting;
      this.#moved.add(paragraph);
    }
    this.#tellNear();
  }

  /** Text that a person has marked keeps its nodes meanwhile: the mark would be lost with them. */
  #tellNear(): void {
    if (this.#moved.size === 0) return;
    const marked = getSelection();
    for (const paragraph of this.#moved) {
      if (marked?.isCollapsed === false && marked.containsNode(paragraph.item, true)) continue;
      for (const view of paragraph.views) view.isNear = paragraph.isNear;
      this.#moved.delete(paragraph);
    }
    this.#calls.onOtherNodes();
  }

  /**
   * Paragraphs that are as they were stay, so that nothing jumps and the keyboard focus is not lost; the first `settled` of them are not
   * looked at.
   */
  #layOut(segments: readonly HeardSegment[], settled = 0): void {
    const changing = this.#paragraphs.splice(settled);
    const before = new Map(changing.map((one) => [one.views[0], one]));
    const focused = document.activeElement;
    let last = this.#paragraphs.at(-1)?.views[0]?.segment;
    const laidOut = paragraphsOf(segments, changing[0]?.segments[0]).map((group) => {
      const views = group.flatMap((at) => this.#views[at] ?? []);
      const [first] = views;
      const paragraph = before.get(first) ?? this.#begin(first, last);
      before.delete(first);
      this.#fill(paragraph, views);
      paragraph.segments = group;
      last = first?.segment;
      return paragraph;
    });
    this.#paragraphs.push(...laidOut);
    for (const [at, paragraph] of laidOut.entries()) {
      this.#showSpeaker(paragraph, this.#paragraphs[settled + at - 1]);
    }
    for (const { item } of before.values()) {
      this.#sight.unobserve(item);
      item.remove();
    }
    for (const [at, { item }] of laidOut.entries()) {
      // Moving an element that stands where it should would take its focus.
      const there = this.list.children[settled + at] ?? null;
      if (there !== item) this.list.insertBefore(item, there);
    }
    if (focused instanceof HTMLElement && this.list.contains(focused)) focused.focus();
    if (!this.#entry?.element.isConnected) {
      const first = this.#paragraphs[0]?.views[0];
      if (first) this.#enterAt(first);
    }
    const hasUnsure = laidOut.some(({ views }) => views.some((view) => view.hasUnsureWords));
    this.#legend.hidden = !hasUnsure && (settled === 0 || this.#legend.hidden);
  }

  #begin(first: SegmentView | undefined, before: HeardSegment | undefined): Paragraph {
    const item = element('li', 'paragraph');
    const time = element('button', 'times');
    time.type = 'button';
    // The segments are what the Tab key comes to.
    time.tabIndex = -1;
    time.addEventListener('click', () => this.#calls.onPlay(first?.segment.start ?? 0));
    const start = first?.segment.start ?? 0;
    time.textContent = shortClock(start);
    time.setAttribute('aria-label', strings.editor.playFrom(shortClock(start)));
    const text = textElement('p', 'paragraph-text');
    item.append(time, text);
    const language = first?.segment.language;
    if (language !== undefined && before && language !== before.language) {
      item.append(element('span', 'language-label', languageName(language)));
    }
    const paragraph: Paragraph = {
      item,
      text,
      speaker: undefined,
      isNear: false,
      views: [],
      segments: [],
    };
    this.#byItem.set(item, paragraph);
    this.#sight.observe(item);
    return paragraph;
  }

  #showSpeaker(paragraph: Paragraph, before: Paragraph | undefined): void {
    const name = paragraph.views[0]?.segment.speaker;
    const goesOn = name !== undefined && name === before?.views[0]?.segment.speaker;
    paragraph.item.classList.toggle('spoken', name !== undefined);
    paragraph.item.classList.toggle('goes-on', goesOn);
    if (name === undefined) {
      paragraph.speaker?.element.remove();
      paragraph.speaker = undefined;
      return;
    }
    paragraph.speaker ??= this.#beginSpeaker(paragraph);
    paragraph.speaker.show(name);
    paragraph.speaker.isEntry = this.#entry !== undefined && paragraph.views.includes(this.#entry);
  }

  #beginSpeaker(paragraph: Paragraph): SpeakerLabel {
    const label = new SpeakerLabel({
      onRename: this.#calls.onRename,
      onAttribute: (name) => this.#calls.onAttribute(paragraph.segments, name),
      people: () => this.#people,
    });
    paragraph.text.before(label.element);
    return label;
  }

  #fill(paragraph: Paragraph, views: readonly SegmentView[]): void {
    const isGrowing = paragraph.views.every((view, at) => view === views[at]);
    if (!isGrowing) paragraph.text.replaceChildren();
    for (const view of isGrowing ? views.slice(paragraph.views.length) : views) {
      if (paragraph.text.childNodes.length > 0) paragraph.text.append(spaceBefore(view.segment));
      paragraph.text.append(view.element);
    }
    for (const view of views) view.isNear = paragraph.isNear;
    paragraph.views = views;
  }

  #enterAt(view: SegmentView): void {
    if (this.#entry) this.#entry.element.tabIndex = -1;
    this.#entry = view;
    view.element.tabIndex = 0;
    for (const { speaker, views } of this.#paragraphs) {
      if (speaker) speaker.isEntry = views.includes(view);
    }
  }
}
