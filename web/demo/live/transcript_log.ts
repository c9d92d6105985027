// What was said so far in full, as it grows: a paragraph with its time for each final text.
import { element, textElement } from '../shell/dom.js';
import { strings } from '../strings.js';
import { colourCount } from '../transcript/people.js';
import { languageName } from '../transcript/listening_options.js';
import type { Entry, Revised } from './caption_state.js';
import { textOf } from './live_transcript.js';

/** Pixels from the end within which a reader counts as being there. */
const nearEnd = 40;
/** Texts that may wait to be read aloud. */
const mostWaiting = 5;

export class TranscriptLog {
  readonly #region: HTMLElement;
  readonly #list: HTMLOListElement;
  readonly #announcer: HTMLElement;
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
    this.#people = [];
    this.#announcer.replaceChildren();
    this.#region.hidden = true;
  }

  add(entry: Entry): void {
    const item = itemOf(entry, this.#people);
    this.#change(() => this.#list.append(item));
    label(item);
    this.#announce(item.querySelector('p')?.textContent ?? '');
  }

  /** Others stand where those stood that were heard again. They are not read aloud once more. */
  revise({ replaced, utterances, next }: Revised): void {
    const items = replaced.flatMap((key) => this.#itemOf(key) ?? []);
    const following = next === undefined ? undefined : this.#itemOf(next);
    const mark = items[0] ?? following ?? null;
    const fresh = utterances.map((utterance) => itemOf(utterance, this.#people));
    this.#change(() => {
      for (const item of fresh) this.#list.insertBefore(item, mark);
      for (const item of items) item.remove();
    });
    for (const item of fresh) label(item);
    if (following) label(following);
    this.#region.hidden = this.#list.childElementCount === 0;
  }

  /** The newest are at the end. */
  #itemOf(key: string): HTMLElement | undefined {
    let item = this.#list.lastElementChild;
    while (item && (item as HTMLElement).dataset.key !== key) item = item.previousElementSibling;
    return (item as HTMLElement | null) ?? undefined;
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

/** `people`: whose texts there are, in the order in which they are first heard. */
function itemOf(entry: Entry, people: string[]): HTMLLIElement {
  const isGap = entry.kind === 'gap';
  const text = isGap ? strings.live.gap(entry.end - entry.start) : textOf(entry);
  const item = element('li', isGap ? 'gap' : '');
  if (!isGap) {
    item.dataset.key = entry.key;
    if (entry.language !== undefined) item.dataset.language = entry.language;
  }
  item.append(element('span', 'times', shortTime(entry.start)));
  const said = textElement('p', '', text.trim());
  if (!isGap && entry.speaker !== undefined) said.prepend(nameOf(entry.speaker, people), ' ');
  item.append(said);
  return item;
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
  const { language } = item.dataset;
  let before = item.previousElementSibling;
  while (before && (before as HTMLElement).dataset.language === undefined) {
    before = before.previousElementSibling;
  }
  const languageBefore = (before as HTMLElement | null)?.dataset.language;
  item.querySelector('.language-label')?.remove();
  if (language === undefined || languageBefore === undefined || language === languageBefore) return;
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
