// The last lines of what is said, in large type. A word's element stays where it is: the text only rolls up, line by line.
import { element, textElement } from '../shell/dom.js';
import type { CaptionWord, Revised, Utterance } from './caption_state.js';

/** Utterances that are kept on the page; those before have rolled out of sight, since each has a line of its own at least. */
const mostShown = 6;

interface ShownWord {
  word: CaptionWord;
  readonly span: HTMLSpanElement;
}

interface ShownUtterance {
  readonly block: HTMLParagraphElement;
  readonly words: ShownWord[];
}

export class CaptionView {
  /** The box that shows some lines; it can be moved into another window. */
  readonly box: HTMLElement;
  readonly #roll = element('div', 'caption-roll');
  readonly #shown = new Map<string, ShownUtterance>();
  /** Pixels that have rolled up. They never come back, else words would jump when a guess gets shorter. */
  #rolled = 0;

  constructor(box: HTMLElement) {
    this.box = box;
    box.append(this.#roll);
    // A larger type or another width has other lines.
    new ResizeObserver(() => this.#rollAgain()).observe(box);
  }

  get isEmpty(): boolean {
    return this.#shown.size === 0;
  }

  clear(): void {
    this.#shown.clear();
    this.#roll.replaceChildren();
    this.#rollAgain();
  }

  /** Shows an utterance as it is now. */
  show({ key, words }: Utterance): void {
    let shown = this.#shown.get(key);
    if (!shown) {
      shown = { block: textElement('p'), words: [] };
      this.#shown.set(key, shown);
      this.#roll.append(shown.block);
    }
    update(shown, words);
    this.#forgetOld();
    this.#rollUp();
  }

  /** Shows others in the place of those that are on the page; what follows them does not move. */
  revise({ replaced, utterances, next }: Revised): void {
    const [first] = replaced;
    const marked = first === undefined ? next : replaced.find((key) => this.#shown.has(key));
    // It has rolled out of sight.
    if (marked === undefined || !this.#shown.has(marked)) return;
    const before = this.#roll.scrollHeight;
    const put = utterances.map(({ key, words }) => {
      const shown = this.#shown.get(key) ?? { block: textElement('p'), words: [] };
      update(shown, words);
      return [key, shown] as const;
    });
    const entries = [...this.#shown];
    const at = entries.findIndex(([key]) => key === marked);
    const kept = utterances.map(({ key }) => key);
    for (const key of replaced) if (!kept.includes(key)) this.remove(key);
    const isOther = ([key]: readonly [string, ShownUtterance]): boolean =>
      !replaced.includes(key) && !kept.includes(key);
    this.#shown.clear();
    for (const [key, shown] of [
      ...entries.slice(0, at).filter(isOther),
      ...put,
      ...entries.slice(at).filter(isOther),
    ]) {
      this.#shown.set(key, shown);
      this.#roll.append(shown.block);
    }
    const height = this.#roll.scrollHeight;
    this.#rolled = Math.max(
      height - this.box.clientHeight,
      this.#rolled > 0 ? this.#rolled + height - before : 0,
    );
    this.#place(false);
  }

  /** The model took it back. */
  remove(key: string): void {
    this.#shown.get(key)?.block.remove();
    this.#shown.delete(key);
  }

  /** The type or the window has changed. */
  fit(): void {
    this.#rollAgain();
  }

  #forgetOld(): void {
    for (const [key, { block }] of this.#shown) {
      if (this.#shown.size <= mostShown) return;
      const { bottom } = block.getBoundingClientRect();
      if (bottom > this.box.getBoundingClientRect().top) return;
      // What follows moves up by that much, and the roll down: nothing is seen of it.
      const before = this.#roll.scrollHeight;
      block.remove();
      this.#shown.delete(key);
      this.#rolled -= before - this.#roll.scrollHeight;
      this.#place(false);
    }
  }

  #rollUp(): void {
    const wanted = this.#roll.scrollHeight - this.box.clientHeight;
    if (wanted <= this.#rolled) return;
    this.#rolled = wanted;
    this.#place(true);
  }

  #rollAgain(): void {
    this.#rolled = Math.max(0, this.#roll.scrollHeight - this.box.clientHeight);
    this.#place(false);
  }

  #place(moves: boolean): void {
    this.#roll.classList.toggle('moves', moves);
    this.#roll.style.transform = `translateY(${-Math.max(0, this.#rolled)}px)`;
    // The next move must not begin with this one.
    if (!moves) this.#roll.getBoundingClientRect();
  }
}

function update(shown: ShownUtterance, words: readonly CaptionWord[]): void {
  for (const { span } of shown.words.splice(words.length)) span.remove();
  for (const [at, word] of words.entries()) {
    const before = shown.words[at];
    if (before?.word === word) continue;
    if (before) {
      if (before.word.text !== word.text) before.span.textContent = word.text;
      if (word.isCommitted) before.span.className = 'committed';
      before.word = word;
    } else {
      const span = element('span', word.isCommitted ? 'committed' : 'provisional', word.text);
      shown.words.push({ word, span });
      shown.block.append(span);
    }
  }
}
