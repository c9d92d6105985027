// What was said so far in full, as it grows: final texts line by line, each line with its time.
import { element, textElement } from '../shell/dom.js';
import { strings } from '../strings.js';
import { colourCount } from '../transcript/people.js';
import { languageName } from '../transcript/listening_options.js';
import type { Entry, Gap, Revised, Utterance } from './caption_state.js';
import { lackingSpace, LiveLines, type Line } from './live_lines.js';
import { textOf } from './live_transcript.js';

/** Pixels from the end within which a reader counts as being there. */
const nearEnd = 40;
/** Texts that may wait to be read aloud. */
const mostWaiting = 5;

export class TranscriptLog {
  readonly #region: HTMLElement;
  readonly #list: HTMLOListElement;
  readonly #announcer: HTMLElement;
  #lines = new LiveLines();
  /** One for each line. */
  #items: HTMLLIElement[] = [];
  #people: string[] = [];

  /** `region` scrolls, and is hidden while there is nothing; `announcer` is read aloud. */
  constructor(region: HTMLElement, list: HTMLOListElement, announcer: HTMLElement) {
    this.#region = region;
    this.#list = list;
    this.#announcer = announcer;
    region.hidden = true;
  }

  clear(): void {
    this.#list.replaceChildren();
    this.#lines = new LiveLines();
    this.#items = [];
    this.#people = [];
    this.#announcer.replaceChildren();
    this.#region.hidden = true;
  }

  add(entry: Entry): void {
    const last = this.#items.at(-1);
    const isFurther = this.#lines.add(entry);
    this.#change(() => {
      if (last && isFurther) {
        say(last, entry, true);
      } else {
        const item = itemOf([entry], this.#people);
        this.#items.push(item);
        this.#list.append(item);
        label(item);
      }
    });
    this.#announce(entry.kind === 'gap' ? told(entry) : announced(entry));
  }

  /** Others stand where those stood that were heard again. They are not read aloud once more. */
  revise(revised: Revised): void {
    const { from, before, lines } = this.#lines.revise(revised);
    const itemsBefore = this.#items.slice(from, from + before.length);
    const after = this.#items[from + before.length];
    const shown = lines.map((line) => {
      const at = before.findIndex((one) => isSame(one, line));
      return itemsBefore[at] ?? itemOf(line, this.#people);
    });
    this.#items.splice(from, before.length, ...shown);
    this.#change(() => {
      for (const item of itemsBefore) if (!shown.includes(item)) item.remove();
      let mark = after ?? null;
      for (const item of shown.toReversed()) {
        // Moving one that stands where it should would end a selection in it.
        if (!item.isConnected) this.#list.insertBefore(item, mark);
        mark = item;
      }
    });
    for (const item of [...shown, ...(after ? [after] : [])]) label(item);
    this.#region.hidden = this.#items.length === 0;
  }

  /** Does not scroll away from a reader further up. */
  #change(change: () => void): void {
    const { scrollTop, scrollHeight, clientHeight } = this.#region;
    const wasAtEnd = scrollHeight - scrollTop - clientHeight < nearEnd;
    change();
    this.#region.hidden = false;
    if (wasAtEnd) this.#region.scrollTop = this.#region.scrollHeight;
  }

  #announce(text: string): void {
    this.#announcer.append(textElement('p', '', text));
    while (this.#announcer.childElementCount > mostWaiting) this.#announcer.firstChild?.remove();
  }
}

const isSame = (a: Line, b: Line): boolean =>
  a.length === b.length && a.every((entry, at) => entry === b[at]);

const told = ({ start, end }: Gap): string => strings.live.gap(end - start);

const announced = (utterance: Utterance): string =>
  [utterance.speaker ?? '', textOf(utterance).trim()].filter(Boolean).join(' ');

/** `people`: whose texts there are, in the order in which they are first heard. */
function itemOf(line: Line, people: string[]): HTMLLIElement {
  const [first] = line;
  const item = element('li', first?.kind === 'gap' ? 'gap' : '');
  item.append(element('span', 'times', shortTime(first?.start ?? 0)), textElement('p'));
  if (first?.kind === 'utterance' && first.speaker !== undefined) {
    item.querySelector('p')?.append(nameOf(first.speaker, people), ' ');
  }
  for (const entry of line) say(item, entry, entry !== first);
  return item;
}

/** Adds it to what is said in a line. */
function say(item: HTMLElement, entry: Entry, isFurther: boolean): void {
  const place = item.querySelector('p');
  if (entry.kind === 'gap') {
    place?.append(told(entry));
    return;
  }
  if (entry.language !== undefined) item.dataset.language ??= entry.language;
  const text = textOf(entry);
  const said = element('span', 'said', isFurther ? text.trimEnd() : text.trim());
  place?.append(isFurther ? lackingSpace(entry) : '', said);
}

function nameOf(speaker: string, people: string[]): HTMLElement {
  if (!people.includes(speaker)) people.push(speaker);
  const name = textElement('strong', 'said-by', speaker);
  const colour = people.indexOf(speaker) % colourCount;
  name.style.setProperty('--speaker', `var(--speaker-${colour})`);
  return name;
}

/** Names the language of a text where it is not that of the text before. */
function label(item: HTMLElement): void {
  item.querySelector('.language-label')?.remove();
  const { language } = item.dataset;
  if (language === undefined) return;
  let before = item.previousElementSibling;
  while (before && (before as HTMLElement).dataset.language === undefined) {
    before = before.previousElementSibling;
  }
  const languageBefore = (before as HTMLElement | null)?.dataset.language;
  if (languageBefore === undefined || language === languageBefore) return;
  item.append(element('span', 'language-label', languageName(language)));
}

/** Whole seconds: 0:07, 12:30, 1:02:03. */
export function shortTime(seconds: number): string {
  const whole = Math.floor(Math.max(0, seconds));
  const two = (value: number): string => String(value).padStart(2, '0');
  const minutes = Math.floor(whole / 60);
  return minutes < 60
    ? `${minutes}:${two(whole % 60)}`
    : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(whole % 60)}`;
}
