// Copy and save what is there: at any time, also of a transcript that ended early. Files are made in memory; nothing is sent.
import { format, transcriptFormats } from '../../src/index.js';
import { byId, element } from '../shell/dom.js';
import { strings } from '../strings.js';
import { fileName } from './file_name.js';
import type { TranscriptDocument } from './transcript_document.js';

export class ExportBar {
  readonly #bar = byId('export', HTMLElement);
  readonly #copy = byId('copy', HTMLButtonElement);
  readonly #format = byId('format', HTMLSelectElement);
  readonly #saving = byId('save', HTMLButtonElement);
  #document: TranscriptDocument | undefined;

  constructor() {
    this.#format.replaceChildren(
      ...transcriptFormats.map((name) => {
        const option = element('option', '', strings.formats[name]);
        option.value = name;
        return option;
      }),
    );
    this.#copy.addEventListener('click', () => void this.#copyText());
    this.#saving.addEventListener('click', () => this.#save());
  }

  /** Offers a document as soon as it has text; one that ended without text can only be transcribed again. */
  offer(document: TranscriptDocument | undefined): void {
    this.#document = document;
    const isEmpty = document?.isEmpty ?? true;
    this.#bar.hidden = isEmpty && document?.isGrowing !== false;
    for (const control of [this.#copy, this.#format, this.#saving]) control.hidden = isEmpty;
  }

  #save(): void {
    const name = transcriptFormats.find((one) => one === this.#format.value);
    if (!this.#document || !name) return;
    const { transcript, facts } = this.#document;
    const extension = name === 'verbose_json' ? 'verbose.json' : name;
    const content = format(transcript, name, facts.task ? { task: facts.task } : {});
    save(`${fileName(facts.name)}.${extension}`, content);
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

function save(name: string, content: string): void {
  const type = name.endsWith('json') ? 'application/json' : 'text/plain';
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The download has begun when the click returns; the URL may be revoked a little later.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
