// Copy, save and print what is there: at any time, also of a transcript that ended early. Files are made in memory; nothing is sent.
import { byId } from '../shell/dom.js';
import { strings } from '../strings.js';
import { fileName } from './file_name.js';
import { SaveMenu } from './save_menu.js';
import { contentOf, download, endingOf } from './saved_formats.js';
import type { TranscriptDocument } from './transcript_document.js';

export class ExportBar {
  readonly #bar = byId('export', HTMLElement);
  readonly #copy = byId('copy', HTMLButtonElement);
  readonly #saving = new SaveMenu('save', {
    onSave: async (format, rules) => {
      const document = this.#document;
      if (!document) return;
      const content = await contentOf(document, format, rules);
      download(`${fileName(document.facts.name)}.${endingOf(format)}`, content);
    },
    onPrint: () => print(),
  });
  #document: TranscriptDocument | undefined;

  constructor() {
    this.#copy.addEventListener('click', () => void this.#copyText());
  }

  /** Offers a document as soon as it has text; one that ended without text can only be transcribed again. */
  offer(document: TranscriptDocument | undefined): void {
    if (document !== this.#document) this.#saving.clear();
    this.#document = document;
    const isEmpty = document?.isEmpty ?? true;
    this.#bar.hidden = isEmpty && document?.isGrowing !== false;
    this.#copy.hidden = isEmpty;
    this.#saving.hidden = isEmpty;
  }

  async #copyText(): Promise<void> {
    try {
      await navigator.clipboard.writeText(this.#document?.paragraphText ?? '');
      this.#copy.textContent = strings.transcript.copied;
    } catch {
      this.#copy.textContent = strings.transcript.notCopied;
    }
    setTimeout(() => (this.#copy.textContent = strings.transcript.copy), 1500);
  }
}
