// The menu behind a Save button: what a transcript can be saved as, with what was chosen last.
import { byId, element } from '../shell/dom.js';
import { remember, remembered } from '../shell/text_store.js';
import { strings } from '../strings.js';
import {
  endingOf,
  formatGroups,
  subtitleRules,
  type SavedFormat,
  type SubtitleRules,
} from './saved_formats.js';

const { save: words } = strings;
const formatKey = 'susurrus.save.format';
const rulesKey = 'susurrus.save.rules';

interface Callbacks {
  readonly onSave: (format: SavedFormat, rules: SubtitleRules) => Promise<void>;
  /** Without it nothing is printed from here. */
  readonly onPrint?: () => void;
}

export class SaveMenu {
  readonly #button: HTMLButtonElement;
  readonly #menu: HTMLElement;
  readonly #note: HTMLElement;
  readonly #label: string;
  readonly #calls: Callbacks;
  readonly #more = item(words.more, 'save-more');
  readonly #moreGroup: HTMLElement;
  #isSaving = false;

  /** The page has a button with this id, and its menu and a place for a note beside it. */
  constructor(id: string, calls: Callbacks) {
    this.#button = byId(id, HTMLButtonElement);
    this.#menu = byId(`${id}_menu`, HTMLElement);
    this.#note = byId(`${id}_note`, HTMLElement);
    this.#label = this.#button.textContent;
    this.#calls = calls;
    this.#moreGroup = this.#group('more');
    this.#fill();
    this.#button.addEventListener('click', () => {
      if (this.#menu.hidden) this.#open();
      else this.#close();
    });
    this.#button.addEventListener('keydown', (event) => {
      if (event.key !== 'ArrowDown') return;
      event.preventDefault();
      this.#open();
    });
    this.#menu.addEventListener('keydown', (event) => this.#onKey(event));
    document.addEventListener('pointerdown', ({ target }) => {
      if (!this.#menu.hidden && !this.#holds(target)) this.#close(false);
    });
    this.#menu.addEventListener('focusout', ({ relatedTarget }) => {
      if (relatedTarget && !this.#holds(relatedTarget)) this.#close(false);
    });
  }

  set hidden(isHidden: boolean) {
    if (isHidden && !this.#menu.hidden) this.#close(false);
    this.#button.hidden = isHidden;
    if (isHidden) this.clear();
  }

  /** What went wrong before is about something else now. */
  clear(): void {
    this.#note.hidden = true;
  }

  #fill(): void {
    this.#more.addEventListener('click', () => {
      this.#unfold(this.#moreGroup.hidden !== false);
      this.#moreGroup.scrollIntoView({ block: 'nearest' });
    });
    const print = item(words.print, 'save-print');
    print.addEventListener('click', () => {
      this.#close();
      this.#calls.onPrint?.();
    });
    this.#menu.append(
      this.#group('text'),
      this.#group('subtitles'),
      this.#group('data'),
      this.#more,
      this.#moreGroup,
      ...(this.#calls.onPrint ? [print] : []),
    );
  }

  #group(name: keyof typeof formatGroups): HTMLElement {
    const group = element('div', 'save-group');
    group.setAttribute('role', 'group');
    group.setAttribute('aria-label', words.groups[name]);
    const title = element('span', 'save-title', words.groups[name]);
    title.setAttribute('aria-hidden', 'true');
    if (name !== 'more') group.append(title);
    if (name === 'subtitles') group.append(this.#rules());
    group.append(...formatGroups[name].map((format) => this.#item(format)));
    return group;
  }

  #item(format: SavedFormat): HTMLElement {
    const made = item(strings.formats[format]);
    made.dataset.format = format;
    const ending = element('small', '', `.${endingOf(format)}`);
    ending.setAttribute('aria-hidden', 'true');
    made.append(ending);
    made.addEventListener('click', () => void this.#save(format));
    return made;
  }

  #rules(): HTMLElement {
    const rules = element('div', 'save-rules');
    rules.setAttribute('role', 'group');
    rules.setAttribute('aria-label', words.rulesLabel);
    for (const rule of subtitleRules) {
      const made = item(words.rules[rule]);
      made.setAttribute('role', 'menuitemradio');
      made.dataset.rules = rule;
      made.addEventListener('click', () => {
        remember(rulesKey, rule);
        this.#mark(rule);
      });
      rules.append(made);
    }
    return rules;
  }

  #open(): void {
    const last = remembered(formatKey);
    this.#menu.hidden = false;
    this.#button.setAttribute('aria-expanded', 'true');
    this.#unfold(formatGroups.more.some((format) => format === last));
    for (const one of this.#items) {
      if (one.dataset.format === undefined) continue;
      if (one.dataset.format === last) one.setAttribute('aria-current', 'true');
      else one.removeAttribute('aria-current');
    }
    this.#mark(chosenRules());
    this.#menu.scrollIntoView({ block: 'nearest' });
    (this.#items.find(({ ariaCurrent }) => ariaCurrent === 'true') ?? this.#items[0])?.focus();
  }

  #close(returns = true): void {
    this.#menu.hidden = true;
    this.#button.setAttribute('aria-expanded', 'false');
    if (returns) this.#button.focus({ preventScroll: true });
  }

  #unfold(isOpen: boolean): void {
    this.#moreGroup.hidden = !isOpen;
    this.#more.setAttribute('aria-expanded', String(isOpen));
  }

  #mark(rules: SubtitleRules): void {
    for (const one of this.#menu.querySelectorAll<HTMLElement>('[data-rules]')) {
      one.setAttribute('aria-checked', String(one.dataset.rules === rules));
    }
  }

  /** Once at a time: what was chosen meanwhile would be saved twice. */
  async #save(format: SavedFormat): Promise<void> {
    this.#close();
    if (this.#isSaving) return;
    this.#isSaving = true;
    this.clear();
    this.#button.setAttribute('aria-busy', 'true');
    this.#button.textContent = words.saving;
    remember(formatKey, format);
    try {
      await this.#calls.onSave(format, chosenRules());
    } catch (error) {
      this.#note.textContent = error instanceof Error ? error.message : String(error);
      this.#note.hidden = false;
    } finally {
      this.#isSaving = false;
      this.#button.removeAttribute('aria-busy');
      this.#button.textContent = this.#label;
    }
  }

  /** All that the keyboard comes to. */
  get #items(): readonly HTMLElement[] {
    return [...this.#menu.querySelectorAll('button')].filter((one) => !one.closest('[hidden]'));
  }

  #holds(target: EventTarget | null): boolean {
    return target instanceof Node && (this.#menu.contains(target) || this.#button === target);
  }

  #onKey(event: KeyboardEvent): void {
    // Letters and arrows are commands of the player elsewhere.
    event.stopPropagation();
    const { key } = event;
    if (key === 'Tab') this.#close();
    if (key === 'Tab' || event.ctrlKey || event.metaKey || event.altKey) return;
    const items = this.#items;
    const at = items.findIndex((one) => one === document.activeElement);
    const go = (to: HTMLElement | undefined): void => {
      event.preventDefault();
      to?.focus();
    };
    if (key === 'Escape') {
      event.preventDefault();
      this.#close();
    } else if (key === 'ArrowDown') go(items[(at + 1) % items.length]);
    else if (key === 'ArrowUp') go(items.at(at - 1));
    else if (key === 'Home') go(items[0]);
    else if (key === 'End') go(items.at(-1));
    else if (key.length === 1 && key !== ' ') {
      const after = [...items.slice(at + 1), ...items.slice(0, at + 1)];
      go(after.find(({ textContent }) => begins(textContent, key)) ?? items[at]);
    }
  }
}

const begins = (text: string, letter: string): boolean =>
  text.toLowerCase().startsWith(letter.toLowerCase());

function item(label: string, className = ''): HTMLButtonElement {
  const made = element('button', `quiet ${className}`.trim());
  made.type = 'button';
  made.tabIndex = -1;
  made.setAttribute('role', 'menuitem');
  made.append(element('span', '', label));
  return made;
}

const chosenRules = (): SubtitleRules =>
  subtitleRules.find((rules) => rules === remembered(rulesKey)) ?? 'plain';
