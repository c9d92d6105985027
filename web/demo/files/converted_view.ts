import { byId, element } from '../shell/dom.js';
import { size } from '../shell/format.js';

/** The model that was made of another program's, to be saved. */
export class ConvertedView {
  readonly #card = byId('converted', HTMLElement);
  readonly #link = byId('converted_file', HTMLAnchorElement);
  readonly #warnings = byId('converted_warnings', HTMLElement);

  offer(file: File, warnings: readonly string[]): void {
    if (this.#link.href) URL.revokeObjectURL(this.#link.href);
    this.#link.href = URL.createObjectURL(file);
    this.#link.download = file.name;
    this.#link.textContent = `Save ${file.name} (${size(file.size)})`;
    this.#warnings.replaceChildren(...warnings.map((warning) => element('li', '', warning)));
    this.#card.hidden = false;
  }
}
