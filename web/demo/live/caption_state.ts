// What the events of a live model come to: utterances of words, each of them for good or only so far. Knows no page.
import type { LiveEvent, LiveText, Word } from '../../src/index.js';

export interface CaptionWord {
  /** Identifies the word's place in the text; stable while the word may change. */
  readonly key: string;
  /** White space included. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly probability: number;
  /** It will never change again; then the object stays the same, too. */
  readonly isCommitted: boolean;
}

export interface Utterance {
  readonly kind: 'utterance';
  readonly key: string;
  readonly start: number;
  readonly end: number;
  readonly words: readonly CaptionWord[];
  readonly isFinal: boolean;
  readonly language?: string;
}

/** Audio that was skipped because the model was too far behind. */
export interface Gap {
  readonly kind: 'gap';
  readonly start: number;
  readonly end: number;
}

export type Entry = Utterance | Gap;

/** What an event changed. */
export type Change =
  | { readonly kind: 'shown'; readonly utterance: Utterance }
  | { readonly kind: 'kept'; readonly utterance: Utterance }
  | { readonly kind: 'removed'; readonly key: string }
  | { readonly kind: 'gap'; readonly gap: Gap }
  | { readonly kind: 'lag'; readonly seconds: number }
  | { readonly kind: 'silence' };

/** From the first event of a session to the last, also of several streams in a row. */
export class CaptionState {
  readonly #entries: Entry[] = [];
  readonly #open = new Map<number, Utterance>();
  readonly #ended = new Set<number>();
  /** Streams so far: each begins its ids anew. */
  #stream = 0;
  #offset = 0;
  #lag = 0;
  #heard = 0;

  /** What is there for good, in order. */
  get entries(): readonly Entry[] {
    return this.#entries;
  }

  /** What may still change: usually one utterance or none. */
  get open(): readonly Utterance[] {
    return [...this.#open.values()];
  }

  /** Seconds that the model is behind. */
  get lag(): number {
    return this.#lag;
  }

  /** Seconds of the session that the model has processed. */
  get heard(): number {
    return this.#heard;
  }

  /** Another stream follows, whose ids and times begin anew: its second 0 is the session's `offset`. Closes what is open. */
  beginStream(offset: number): readonly Change[] {
    const changes = this.close();
    this.#stream += 1;
    this.#ended.clear();
    this.#offset = offset;
    this.#lag = 0;
    return changes;
  }

  /** No more events come: what is open stays as it was seen last. */
  close(): readonly Change[] {
    const changes: Change[] = [];
    for (const [id, utterance] of this.#open) {
      changes.push(this.#keep(id, { ...utterance, isFinal: true, words: committed(utterance) }));
    }
    this.#open.clear();
    return changes;
  }

  apply(event: LiveEvent): readonly Change[] {
    this.#heard = Math.max(this.#heard, this.#offset + event.time);
    if (event.type === 'silence') return [{ kind: 'silence' }];
    if (event.type === 'lag') return this.#applyLag(event);
    if (event.type === 'language' || event.type === 'revised') return [];
    // What comes late, of a text that has ended, changes nothing.
    if (this.#ended.has(event.id)) return [];
    const utterance = this.#merge(event);
    if (utterance.words.length === 0) return this.#drop(event);
    if (event.type === 'final') return [this.#keep(event.id, utterance)];
    this.#open.set(event.id, utterance);
    return [{ kind: 'shown', utterance }];
  }

  #applyLag({ lag, skipped }: Extract<LiveEvent, { type: 'lag' }>): readonly Change[] {
    this.#lag = lag;
    const changes: Change[] = [{ kind: 'lag', seconds: lag }];
    if (skipped && skipped.end > skipped.start) {
      const { start, end } = skipped;
      const gap: Gap = { kind: 'gap', start: this.#offset + start, end: this.#offset + end };
      this.#entries.push(gap);
      changes.push({ kind: 'gap', gap });
    }
    return changes;
  }

  /** Words that were committed stay as they are, whatever the event says of them. */
  #merge(event: LiveText): Utterance {
    const key = `${this.#stream}.${event.id}`;
    const before = this.#open.get(event.id);
    const isFinal = event.type === 'final';
    const kept = before?.words.filter(({ isCommitted }) => isCommitted) ?? [];
    const sure = isFinal ? Infinity : Math.max(0, event.committed || 0);
    const fresh = wordsOf(event)
      .slice(kept.length)
      .map((word, i): CaptionWord => {
        const at = kept.length + i;
        return {
          key: `${key}.${at}`,
          text: word.word,
          start: this.#offset + word.start,
          end: this.#offset + word.end,
          probability: word.probability,
          isCommitted: at < sure,
        };
      });
    const words = [...kept, ...fresh];
    return {
      kind: 'utterance',
      key,
      start: words[0]?.start ?? this.#offset + event.start,
      end: Math.max(this.#offset + event.end, words.at(-1)?.end ?? 0),
      words,
      isFinal,
      ...(event.language !== undefined && { language: event.language }),
    };
  }

  /** The model thought better of it: there is no text. */
  #drop({ id, type }: LiveText): readonly Change[] {
    if (type === 'final') this.#ended.add(id);
    const before = this.#open.get(id);
    if (!before) return [];
    this.#open.delete(id);
    return [{ kind: 'removed', key: before.key }];
  }

  #keep(id: number, utterance: Utterance): Change {
    this.#open.delete(id);
    this.#ended.add(id);
    this.#entries.push(utterance);
    return { kind: 'kept', utterance };
  }
}

const committed = ({ words }: Utterance): readonly CaptionWord[] =>
  words.map((word) => (word.isCommitted ? word : { ...word, isCommitted: true }));

/** A text without words is one word. */
function wordsOf({ words, text, start, end }: LiveText): readonly Word[] {
  if (words.length > 0) return words;
  return text.trim() === '' ? [] : [{ word: text, start, end, probability: 1 }];
}
