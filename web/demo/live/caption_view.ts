// The last lines of what is said, in large type. A word's element stays where it is: the text only rolls up, line by line.
import { element, textElement } from '../shell/dom.js';
import type { CaptionWord, Revised, Utterance } from './caption_state.js';
import { goesOn, lackingSpace } from './live_lines.js';

/** Utterances that are kept on the page, and more only if they are in sight. */
const mostShown = 6;

interface ShownWord {
  word: CaptionWord;
  readonly span: HTMLSpanElement;
}

interface ShownUtterance {
  utterance: Utterance;
  /** Has the words. */
  readonly part: HTMLSpanElement;
  /** Before the first word. */
  readonly space: Text;
  /** What it begins, unless it stands in that of another one. */
  readonly block: HTMLParagraphElement;
  /** Whether it stands in the block of the one before: decided when it is first shown, for words must not move afterwards. */
  goesOn?: boolean;
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
  show(utterance: Utterance): void {
    const { key } = utterance;
    const before = this.#shown.get(key);
    const shown = before ?? begin(utterance);
    update(shown, utterance);
    if (!before) {
      this.#shown.set(key, shown);
      this.#arrange();
    }
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
    const put = utterances.map((utterance) => {
      const shown = this.#shown.get(utterance.key) ?? begin(utterance);
      update(shown, utterance);
      return [utterance.key, shown] as const;
    });
    const entries = [...this.#shown];
    const at = entries.findIndex(([key]) => key === marked);
    const kept = utterances.map(({ key }) => key);
    const isOther = ([key]: readonly [string, ShownUtterance]): boolean =>
      !replaced.includes(key) && !kept.includes(key);
    this.#shown.clear();
    for (const [key, shown] of [
      ...entries.slice(0, at).filter(isOther),
      ...put,
      ...entries.slice(at).filter(isOther),
    ]) {
      this.#shown.set(key, shown);
    }
    this.#arrange((key) => kept.includes(key) || key === next);
    const height = this.#roll.scrollHeight;
    this.#rolled = Math.max(
      height - this.box.clientHeight,
      this.#rolled > 0 ? this.#rolled + height - before : 0,
    );
    this.#place(false);
  }

  /** The model took it back. */
  remove(key: string): void {
    this.#shown.delete(key);
    this.#arrange();
  }

  /** The type or the window has changed. */
  fit(): void {
    this.#rollAgain();
  }

  /** Puts each into its block. Those that were `revised` may stand apart from the one before from now on. */
  #arrange(revised: (key: string) => boolean = () => false): void {
    const blocks: { readonly block: HTMLParagraphElement; readonly parts: HTMLElement[] }[] = [];
    let line: Utterance[] = [];
    for (const [key, shown] of this.#shown) {
      const { utterance, part, space, block } = shown;
      if (shown.goesOn === undefined || revised(key)) {
        shown.goesOn = shown.goesOn !== false && goesOn(line, utterance);
      }
      const last = blocks.at(-1);
      const isFirst = !shown.goesOn || !last;
      space.data = isFirst ? '' : lackingSpace(utterance);
      if (isFirst) {
        blocks.push({ block, parts: [part] });
        line = [utterance];
      } else {
        last.parts.push(part);
        line.push(utterance);
      }
    }
    putInto(
      this.#roll,
      blocks.map(({ block }) => block),
    );
    for (const { block, parts } of blocks) putInto(block, parts);
  }

  /** Blocks go as a whole: without its beginning, a block would have other lines. */
  #forgetOld(): void {
    while (this.#shown.size > mostShown) {
      const block = this.#roll.firstElementChild;
      // The last one is in sight, or all of it is hidden.
      if (!block || block === this.#roll.lastElementChild) return;
      const { bottom } = block.getBoundingClientRect();
      if (bottom > this.box.getBoundingClientRect().top) return;
      // What follows moves up by that much, and the roll down: nothing is seen of it.
      const before = this.#roll.scrollHeight;
      for (const [key, { part }] of this.#shown) if (block.contains(part)) this.#shown.delete(key);
      block.remove();
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

function begin(utterance: Utterance): ShownUtterance {
  const [part, space] = [element('span'), document.createTextNode('')];
  part.append(space);
  return { utterance, part, space, block: textElement('p'), words: [] };
}

/** Those and no others, in this order. What stands where it should is not moved. */
function putInto(place: HTMLElement, children: readonly HTMLElement[]): void {
  for (const child of [...place.children] as HTMLElement[]) {
    if (!children.includes(child)) child.remove();
  }
  for (const [at, child] of children.entries()) {
    const there = place.children[at];
    if (there !== child) place.insertBefore(child, there ?? null);
  }
}

function update(shown: ShownUtterance, utterance: Utterance): void {
  shown.utterance = utterance;
  const words: readonly CaptionWord[] = utterance.words;
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
      shown.part.append(span);
    }
  }
}
