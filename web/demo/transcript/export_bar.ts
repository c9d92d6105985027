import { format, transcriptFormats } from '../../src/index.js';
import type { FormatOptions, TranscriptFormat, Transcript } from '../../src/index.js';
import { byId, element } from '../shell/dom.js';

/** What can be taken away from a transcript. */
export interface Exported {
  /** Name of the files, without extension. */
  readonly name: string;
  readonly result: Transcript;
  readonly options: FormatOptions;
}

const labels: Readonly<Record<TranscriptFormat, string>> = {
  txt: 'Text',
  srt: 'Subtitles (SRT)',
  vtt: 'Subtitles (WebVTT)',
  tsv: 'Table (TSV)',
  json: 'Everything (JSON)',
  lrc: 'Lyrics (LRC)',
  csv: 'Table (CSV)',
  verbose_json: 'OpenAI’s verbose JSON',
};

/** Copy and save. Files are made in memory; nothing is sent. */
export class ExportBar {
  readonly #bar = byId('export', HTMLElement);
  readonly #copy = byId('copy', HTMLButtonElement);
  readonly #format = byId('format', HTMLSelectElement);
  #exported: Exported | undefined;

  constructor() {
    this.#format.replaceChildren(
      ...transcriptFormats.map((name) => {
        const option = element('option', '', labels[name]);
        option.value = name;
        return option;
      }),
    );
    this.#copy.addEventListener('click', () => void this.#copyText());
    byId('save', HTMLButtonElement).addEventListener('click', () => this.#save());
  }

  /** Offers a transcript, or nothing. */
  offer(exported: Exported | undefined): void {
    this.#exported = exported;
    this.#bar.hidden = !exported;
  }

  #save(): void {
    const name = transcriptFormats.find((one) => one === this.#format.value);
    if (!this.#exported || !name) return;
    const { result, options } = this.#exported;
    const extension = name === 'verbose_json' ? 'verbose.json' : name;
    save(`${this.#exported.name}.${extension}`, format(result, name, options));
  }

  async #copyText(): Promise<void> {
    const before = 'Copy';
    try {
      await navigator.clipboard.writeText(this.#exported?.result.text.trim() ?? '');
      this.#copy.textContent = 'Copied';
    } catch {
      this.#copy.textContent = 'The browser said no';
    }
    setTimeout(() => (this.#copy.textContent = before), 1500);
  }
}

function save(name: string, content: string): void {
  const type = name.endsWith('json') ? 'application/json' : 'text/plain';
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The download has begun when the click returns; the address may go a little later.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
