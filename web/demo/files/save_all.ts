// All transcripts of the queue as files, in one archive.
import { format, transcriptFormats } from '../../src/index.js';
import type { FormatOptions, TranscriptLike } from '../../src/index.js';
import { byId, element } from '../shell/dom.js';
import { strings } from '../strings.js';
import { zipArchive } from './zip_archive.js';

/** A transcript that can be saved, also one that ended early. */
export interface SavedText {
  readonly facts: { readonly name: string; readonly task?: FormatOptions['task'] };
  readonly transcript: TranscriptLike;
  readonly isEmpty: boolean;
}

export class SaveAll {
  readonly #bar = byId('queue_export', HTMLElement);
  readonly #format = byId('queue_format', HTMLSelectElement);
  #texts: readonly SavedText[] = [];

  constructor() {
    this.#format.replaceChildren(
      ...transcriptFormats.map((name) => {
        const option = element('option', '', strings.formats[name]);
        option.value = name;
        return option;
      }),
    );
    byId('queue_save', HTMLButtonElement).addEventListener('click', () => this.#save());
  }

  /** Offers those that have text, if there is more than one of them. */
  offer(texts: readonly SavedText[]): void {
    this.#texts = texts.filter(({ isEmpty }) => !isEmpty);
    this.#bar.hidden = this.#texts.length < 2;
  }

  #save(): void {
    const name = transcriptFormats.find((one) => one === this.#format.value) ?? 'txt';
    const ending = name === 'verbose_json' ? 'verbose.json' : name;
    const files = this.#texts.map(({ facts, transcript }) => ({
      name: `${facts.name.replace(/\.[^.]*$/, '')}.${ending}`,
      content: format(transcript, name, facts.task ? { task: facts.task } : {}),
    }));
    const link = document.createElement('a');
    link.href = URL.createObjectURL(zipArchive(files));
    link.download = strings.queue.archive;
    link.click();
    // The download has begun when the click returns; the URL may be revoked a little later.
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }
}
