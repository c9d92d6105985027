import type { Segment } from '../../src/index.js';
import { element } from '../shell/dom.js';
import { clock } from '../shell/format.js';

/** Below this probability a word is marked. */
const unsureBelow = 0.5;

/** One segment on the page: a button with its times, and its words. */
export class SegmentRow {
  readonly segment: Segment;
  readonly item = element('li', 'segment');
  readonly button = element('button', 'times');
  readonly hasUnsureWords: boolean;
  readonly #words: readonly HTMLElement[];
  #soundingWord: HTMLElement | undefined;

  /** `onPlay` gets seconds: a word to play from, or the segment's start and end. `label` names a change of language. */
  constructor(
    segment: Segment,
    label: string | undefined,
    onPlay: (start: number, end?: number) => void,
  ) {
    this.segment = segment;
    this.button.type = 'button';
    this.button.textContent = `${clock(segment.start)} – ${clock(segment.end)}`;
    this.button.addEventListener('click', () => onPlay(segment.start, segment.end));
    const text = element('p', 'words');
    text.dir = 'auto';
    const words = segment.words ?? [];
    this.hasUnsureWords = words.some(({ probability }) => probability < unsureBelow);
    this.#words = words.map(({ word, start, probability }) => {
      const span = element('span', 'word', word.trim());
      span.addEventListener('click', () => onPlay(start));
      if (probability < unsureBelow) span.classList.add('unsure');
      span.title = `${clock(start)}, ${Math.round(probability * 100)} % sure`;
      return span;
    });
    if (words.length === 0) text.textContent = segment.text.trim();
    this.#words.forEach((span, at) => {
      // White space belongs to the words; it is not marked with them.
      const [space = ''] = at === 0 ? [] : (/^\s*/.exec(words[at]!.word) ?? []);
      text.append(space, span);
    });
    this.item.append(this.button, text);
    if (label) this.item.append(element('span', 'language-label', label));
  }

  /** The first word's start at or after `seconds`, or the last before it; undefined at the end. */
  wordStart(seconds: number, isForward: boolean): number | undefined {
    const starts = this.segment.words?.map(({ start }) => start) ?? [];
    // Tolerance: players round the time that they are given.
    return isForward
      ? starts.find((start) => start > seconds + 0.01)
      : starts.findLast((start) => start < seconds - 0.3);
  }

  /** Marks it and the word that sounds, or nothing of it. */
  mark(seconds: number, isPlaying: boolean): void {
    const { start, end, words } = this.segment;
    const sounds = isPlaying && seconds >= start && seconds < end;
    const at = sounds ? (words?.findLastIndex((word) => word.start <= seconds) ?? -1) : -1;
    const word = at >= 0 && seconds < words![at]!.end ? this.#words[at] : undefined;
    if (word !== this.#soundingWord) {
      this.#soundingWord?.classList.remove('sounding');
      word?.classList.add('sounding');
      this.#soundingWord = word;
    }
    if (this.item.classList.contains('playing') === sounds) return;
    this.item.classList.toggle('playing', sounds);
    if (sounds) this.item.setAttribute('aria-current', 'true');
    else this.item.removeAttribute('aria-current');
  }
}
