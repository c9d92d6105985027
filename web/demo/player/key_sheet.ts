// The sheet of keys, and the switch for those that are single letters: they get in the way of people who speak to their computer.
import { byId, element } from '../shell/dom.js';
import { remember, remembered } from '../shell/text_store.js';
import { strings } from '../strings.js';

const setting = 'susurrus.letter_keys';

export class KeySheet {
  readonly #dialog = byId('key_sheet', HTMLDialogElement);
  readonly #letters = byId('letter_keys', HTMLInputElement);

  constructor() {
    byId('key_list', HTMLElement).replaceChildren(
      ...strings.keys.list.flatMap(([keys, meaning]) => {
        const term = element('dt');
        for (const key of keys) term.append(element('kbd', '', key), ' ');
        return [term, element('dd', '', meaning)];
      }),
    );
    this.#letters.checked = remembered(setting) !== 'off';
    this.#letters.addEventListener('change', () =>
      remember(setting, this.#letters.checked ? 'on' : 'off'),
    );
    byId('show_keys', HTMLButtonElement).addEventListener('click', () => this.open());
    byId('close_keys', HTMLButtonElement).addEventListener('click', () => this.#dialog.close());
  }

  get hasLetters(): boolean {
    return this.#letters.checked;
  }

  open(): void {
    if (!this.#dialog.open) this.#dialog.showModal();
  }
}
