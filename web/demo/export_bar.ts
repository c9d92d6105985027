import { byId } from './dom.js';

/** What can be taken away from a transcript. */
export interface Exported {
  /** Name of the files, without extension. */
  name: string;
  text: string;
  json: unknown;
}

/** Copy and save. Files are made in memory; nothing is sent. */
export class ExportBar {
  readonly #bar = byId('export', HTMLElement);
  readonly #copy = byId('copy', HTMLButtonElement);
  #exported: Exported | undefined;

  constructor() {
    this.#copy.addEventListener('click', () => void this.#copyText());
    byId('save_txt', HTMLButtonElement).addEventListener('click', () => {
      if (this.#exported)
        save(`${this.#exported.name}.txt`, 'text/plain', `${this.#exported.text}\n`);
    });
    byId('save_json', HTMLButtonElement).addEventListener('click', () => {
      if (!this.#exported) return;
      save(
        `${this.#exported.name}.json`,
        'application/json',
        `${JSON.stringify(this.#exported.json, null, 2)}\n`,
      );
    });
  }

  /** Offers a transcript, or nothing. */
  offer(exported: Exported | undefined): void {
    this.#exported = exported;
    this.#bar.hidden = !exported;
  }

  async #copyText(): Promise<void> {
    const before = 'Copy';
    try {
      await navigator.clipboard.writeText(this.#exported?.text ?? '');
      this.#copy.textContent = 'Copied';
    } catch {
      this.#copy.textContent = 'The browser said no';
    }
    setTimeout(() => (this.#copy.textContent = before), 1500);
  }
}

function save(name: string, type: string, content: string): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The download has begun when the click returns; the address may go a little later.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
