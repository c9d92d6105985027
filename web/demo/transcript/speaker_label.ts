// Who speaks in a paragraph: a name that can be changed everywhere, and beside it whose the paragraph is.
import { element, textElement } from '../shell/dom.js';
import { NameField } from '../shell/name_field.js';
import { strings } from '../strings.js';
import { colourCount, type Person } from './people.js';

export interface SpeakerCalls {
  /** The person has another name everywhere. */
  readonly onRename: (from: string, to: string) => void;
  /** The paragraph is somebody else's; without a name, somebody's who is new. */
  readonly onAttribute: (name: string | undefined) => void;
  readonly people: () => readonly Person[];
}

export class SpeakerLabel {
  readonly element = element('div', 'speaker');
  readonly #name = textElement('button', 'speaker-name quiet');
  readonly #choice = element('select', 'speaker-choice');
  readonly #calls: SpeakerCalls;
  readonly #field = new NameField(this.#name, 'speaker-field', {
    name: () => this.#speaker,
    label: () => strings.speakers.newName(this.#speaker),
    onWritten: (name) => this.#calls.onRename(this.#speaker, name),
  });
  #speaker = '';

  constructor(calls: SpeakerCalls) {
    this.#calls = calls;
    this.#name.type = 'button';
    this.#name.title = strings.speakers.renameHint;
    this.#name.addEventListener('click', () => this.#field.open(this.#name));
    this.#choice.title = strings.speakers.attribute;
    // There may be hundreds of paragraphs: the choices are made when they are wanted.
    for (const event of ['pointerdown', 'focus']) {
      this.#choice.addEventListener(event, () => this.#offer());
    }
    this.#choice.addEventListener('change', () => this.#attribute());
    this.element.append(this.#name, this.#choice);
    this.isEntry = false;
  }

  /** Whether the Tab key comes to it. */
  set isEntry(isEntry: boolean) {
    for (const control of [this.#name, this.#choice]) control.tabIndex = isEntry ? 0 : -1;
  }

  focus(): void {
    this.#name.focus({ preventScroll: true });
  }

  show(speaker: string): void {
    const { colour = 0 } = this.#calls.people().find(({ name }) => name === speaker) ?? {};
    this.element.style.setProperty('--speaker', `var(--speaker-${colour % colourCount})`);
    if (speaker === this.#speaker) return;
    this.#speaker = speaker;
    this.#name.textContent = speaker;
    this.#name.setAttribute('aria-label', strings.speakers.rename(speaker));
    this.#choice.setAttribute('aria-label', strings.speakers.attributeFrom(speaker));
    this.#choice.replaceChildren(choiceOf(speaker, speaker));
  }

  #offer(): void {
    const names = this.#calls.people().map(({ name }) => name);
    const offered = Array.from(this.#choice.options, ({ value }) => value);
    // Those that are there stay: this may be called while they are open.
    if (offered.join('\n') === [...names, ''].join('\n')) return;
    this.#choice.replaceChildren(
      ...names.map((name) => choiceOf(name, name)),
      choiceOf('', strings.speakers.somebodyElse),
    );
    this.#choice.value = this.#speaker;
  }

  #attribute(): void {
    const { value } = this.#choice;
    this.#choice.value = this.#speaker;
    this.#calls.onAttribute(value === '' ? undefined : value);
  }
}

function choiceOf(value: string, text: string): HTMLOptionElement {
  const option = element('option', '', text);
  option.value = value;
  return option;
}
