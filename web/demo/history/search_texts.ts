// Looks for words in all transcripts that the browser keeps.
import { patternOf } from '../transcript/find_text.js';
import { TranscriptDocument } from '../transcript/transcript_document.js';
import type { KeptEntry, KeptTranscripts } from './kept_transcripts.js';

/** Where something was found: a line of its text. `found` is empty when only the name has it. */
export interface Finding {
  readonly before: string;
  readonly found: string;
  readonly after: string;
}

/** Letters that are shown before and after what was found. */
const [lettersBefore, lettersAfter] = [30, 110];

export class SearchTexts {
  readonly #keeping: Pick<KeptTranscripts, 'read'>;
  /** By the entries' ids; a text is read again when its revision is another. */
  readonly #texts = new Map<string, { readonly revision: number; readonly text: string }>();

  constructor(keeping: Pick<KeptTranscripts, 'read'>) {
    this.#keeping = keeping;
  }

  /** The entries that have it in their name or text, by their ids. */
  async find(entries: readonly KeptEntry[], sought: string): Promise<Map<string, Finding>> {
    const findings = new Map<string, Finding>();
    const pattern = patternOf({ text: sought.trim(), isCaseSensitive: false });
    if (!pattern) return findings;
    // Nothing is held of a transcript that was deleted.
    const ids = new Set(entries.map(({ id }) => id));
    for (const id of this.#texts.keys()) if (!ids.has(id)) this.#texts.delete(id);
    for (const entry of entries) {
      const text = await this.#textOf(entry);
      const [place] = text.matchAll(pattern);
      if (place) findings.set(entry.id, around(text, place.index, place[0].length));
      else if (entry.name.search(pattern) !== -1) {
        findings.set(entry.id, { before: entry.beginning, found: '', after: '' });
      }
    }
    return findings;
  }

  async #textOf({ id, revision }: KeptEntry): Promise<string> {
    const there = this.#texts.get(id);
    if (there?.revision === revision) return there.text;
    const kept = await this.#keeping.read(id);
    const text = kept ? TranscriptDocument.of(kept.content).paragraphText : '';
    const line = text.replaceAll(/\s+/gu, ' ');
    this.#texts.set(id, { revision: kept?.revision ?? revision, text: line });
    return line;
  }
}

function around(text: string, at: number, length: number): Finding {
  const [from, to] = [Math.max(0, at - lettersBefore), at + length + lettersAfter];
  // A line begins with a whole word.
  const before = text.slice(from, at);
  return {
    before: from === 0 ? before : `… ${before.replace(/^\S*\s+/u, '')}`,
    found: text.slice(at, at + length),
    after: text.slice(at + length, to),
  };
}
