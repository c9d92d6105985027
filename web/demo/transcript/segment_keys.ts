// What keys do on the text: from segment to segment, from word to word, play, edit.
import type { ParagraphList } from './paragraph_list.js';
import type { SegmentView } from './segment_view.js';

export interface SegmentKeyCalls {
  readonly onPlay: (start: number) => void;
  readonly onEdit: (at: number) => void;
  /** Where playback is, in seconds. */
  readonly now: () => number;
}

export class SegmentKeys {
  readonly #paragraphs: ParagraphList;
  readonly #calls: SegmentKeyCalls;

  constructor(paragraphs: ParagraphList, calls: SegmentKeyCalls) {
    this.#paragraphs = paragraphs;
    this.#calls = calls;
    paragraphs.list.addEventListener('keydown', (event) => {
      const at = paragraphs.indexOf(event.target);
      const view = paragraphs.view(at);
      if (!view || event.ctrlKey || event.metaKey || event.altKey) return;
      if (!this.#act(event.key, at, view)) return;
      event.preventDefault();
      // The player has other uses for these keys.
      event.stopPropagation();
    });
  }

  /** Whether the key means anything here. */
  #act(key: string, at: number, view: SegmentView): boolean {
    if (key === 'ArrowDown') this.#focus(at + 1, 1);
    else if (key === 'ArrowUp') this.#focus(at - 1, -1);
    else if (key === 'Home') this.#focus(0, 1);
    else if (key === 'End') this.#focus(this.#paragraphs.count - 1, -1);
    else if (key === 'Enter' || key === ' ') this.#calls.onPlay(view.segment.start);
    else if (key === 'F2') this.#calls.onEdit(at);
    else if (key === 'ArrowRight' || key === 'ArrowLeft')
      return this.#playWord(view, key === 'ArrowRight');
    else return false;
    return true;
  }

  /** Segments without text are not on the page. */
  #focus(from: number, step: 1 | -1): void {
    for (let at = from; at >= 0 && at < this.#paragraphs.count; at += step) {
      const element = this.#paragraphs.view(at)?.element;
      if (!element?.isConnected) continue;
      element.focus();
      return;
    }
  }

  #playWord(view: SegmentView, isForward: boolean): boolean {
    const { start, end, words } = view.segment;
    if (!words) return false;
    const now = this.#calls.now();
    const from = now >= start && now < end ? now : start - 0.02;
    this.#calls.onPlay(view.wordStart(from, isForward) ?? start);
    return true;
  }
}
