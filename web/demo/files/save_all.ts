// All transcripts of the queue as files, in one archive.
import { Zip, ZipDeflate, ZipPassThrough } from 'fflate';
import { byId } from '../shell/dom.js';
import { strings } from '../strings.js';
import { fileName } from '../transcript/file_name.js';
import { SaveMenu } from '../transcript/save_menu.js';
import {
  contentOf,
  download,
  endingOf,
  type SavedFormat,
  type SavedText,
  type SubtitleRules,
} from '../transcript/saved_formats.js';

export type { SavedText };

export class SaveAll {
  readonly #bar = byId('queue_export', HTMLElement);
  readonly #menu = new SaveMenu('queue_save', {
    onSave: async (format, rules) => {
      download(strings.queue.archive, await archive(this.#texts, format, rules));
    },
  });
  #texts: readonly SavedText[] = [];

  /** Offers those that have text, if there is more than one of them. */
  offer(texts: readonly SavedText[]): void {
    this.#texts = texts.filter(({ isEmpty }) => !isEmpty);
    this.#bar.hidden = this.#texts.length < 2;
    this.#menu.hidden = this.#bar.hidden;
  }
}

/** One file after the other, so that the page can be used meanwhile; what is done is the browser's to keep, in memory or not. */
async function archive(
  texts: readonly SavedText[],
  format: SavedFormat,
  rules: SubtitleRules,
): Promise<Blob> {
  const parts: Blob[] = [];
  let written: Uint8Array<ArrayBuffer>[] = [];
  let failure: Error | null = null;
  const zip = new Zip((error, bytes) => {
    failure ??= error;
    written.push(bytes);
  });
  const settle = (): void => {
    if (failure) throw failure;
    parts.push(new Blob(written));
    written = [];
  };
  const taken = new Set<string>();
  for (const text of texts) {
    const content = await contentOf(text, format, rules);
    const name = freeName(fileName(text.facts.name), endingOf(format), taken);
    // A Word file is an archive itself.
    const file = format === 'docx' ? new ZipPassThrough(name) : new ZipDeflate(name);
    zip.add(file);
    file.push(new Uint8Array(await content.arrayBuffer()), true);
    settle();
  }
  zip.end();
  settle();
  return new Blob(parts, { type: 'application/zip' });
}

/** Two files may have the same name: the second is called "a (2).txt". */
function freeName(stem: string, ending: string, taken: Set<string>): string {
  let free = stem;
  for (let i = 2; taken.has(free.toLowerCase()); ++i) free = `${stem} (${i})`;
  taken.add(free.toLowerCase());
  return `${free}.${ending}`;
}
