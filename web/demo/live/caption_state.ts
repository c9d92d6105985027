// What the events of a live model come to: utterances of words, each of them for good or only so far. Knows no page.
import type {
  LiveEvent,
  LiveLanguage,
  LiveSpeakers,
  LiveText,
  RevisedText,
  SpokenText,
  Word,
} from '../../src/index.js';

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
  /** Whose it is, where that was told. */
  readonly speaker?: string;
}

/** Audio that was skipped because the model was too far behind. */
export interface Gap {
  readonly kind: 'gap';
  readonly start: number;
  readonly end: number;
}

export type Entry = Utterance | Gap;

/** The language in use, where the model detected it. */
export interface HeardLanguage {
  /** Its code. */
  readonly language: string;
  /** How sure that is, 0 to 1. */
  readonly probability: number;
  /** The second from which on it was in use, if it followed another one. */
  readonly since?: number;
}

/** What an event changed. */
export type Change =
  | { readonly kind: 'shown'; readonly utterance: Utterance }
  | { readonly kind: 'kept'; readonly utterance: Utterance }
  | { readonly kind: 'removed'; readonly key: string }
  | Revised
  | { readonly kind: 'language'; readonly language: HeardLanguage | undefined }
  | { readonly kind: 'gap'; readonly gap: Gap }
  | { readonly kind: 'lag'; readonly seconds: number }
  | { readonly kind: 'silence' };

/** Utterances that were kept were heard again, or are known to be somebody's, and these take their place. */
export interface Revised {
  readonly kind: 'revised';
  /** The keys of those that were there. */
  readonly replaced: readonly string[];
  /** In order; none if nothing was said. They keep the keys of what was there, as many as they need. */
  readonly utterances: readonly Utterance[];
  /** The key of what follows them; undefined at the end. */
  readonly next: string | undefined;
}

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
  #language: HeardLanguage | undefined;
  /** What the people of each stream are called. */
  readonly #names = new Map<string, string>();

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
    if (!this.#language) return changes;
    this.#language = undefined;
    return [...changes, { kind: 'language', language: undefined }];
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
    if (event.type === 'speakers') return this.#applySpeakers(event);
    if (event.type === 'lag') return this.#applyLag(event);
    if (event.type === 'language') return [this.#applyLanguage(event)];
    if (event.type === 'revised') return this.#replace(event.replaces, event);
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

  #applyLanguage({ id, time, language, probability }: LiveLanguage): Change {
    const before = this.#language;
    const begins = this.#open.get(id)?.start ?? this.#offset + time;
    const since = !before || before.language === language ? before?.since : begins;
    this.#language = { language, probability, ...(since !== undefined && { since }) };
    return { kind: 'language', language: this.#language };
  }

  /** Texts that are known to be somebody's are divided where another one speaks. */
  #applySpeakers({ texts, speakers }: LiveSpeakers): readonly Change[] {
    for (const { id } of speakers) this.#nameOf(id);
    return texts.flatMap((text) => this.#replace(text.ids, text));
  }

  /** Each stream tells its own people apart, and calls the first one S1. */
  #nameOf(id: string): string {
    const own = `${this.#stream}.${id}`;
    const name = this.#names.get(own) ?? `S${this.#names.size + 1}`;
    this.#names.set(own, name);
    return name;
  }

  /**
   * What takes the place of these texts, or of none, and of what took their place before. Their order by time stays; a text that came to
   * nothing has no place yet.
   */
  #replace(
    ids: readonly number[],
    { segments, start: begin }: Pick<SpokenText, 'segments' | 'start'>,
  ): readonly Change[] {
    if (!ids.every((id) => this.#ended.has(id))) return [];
    const keys = ids.map((id) => this.#keyOf(id));
    const own = keys[0] ?? `${this.#stream}.at${begin}`;
    const isReplaced = (entry: Entry): boolean =>
      entry.kind === 'utterance' && (keys.includes(entry.key) || entry.key.startsWith(`${own}+`));
    const replaced = this.#entries.flatMap((entry) =>
      entry.kind === 'utterance' && isReplaced(entry) ? [entry.key] : [],
    );
    const utterances = segments
      .map((segment, i) => this.#utterance(segment, keys[i] ?? `${own}+${i}`))
      .filter(({ words }) => words.length > 0);
    if (replaced.length === 0 && utterances.length === 0) return [];
    const from = utterances[0]?.start ?? 0;
    let at = this.#entries.findIndex(isReplaced);
    if (at < 0) at = this.#entries.findLastIndex(({ start }) => start <= from) + 1;
    const end = Math.max(at, this.#entries.findLastIndex(isReplaced) + 1);
    const between = this.#entries.slice(at, end).filter((entry) => !isReplaced(entry));
    const placed = [...between, ...utterances].sort((a, b) => a.start - b.start);
    this.#entries.splice(at, end - at, ...placed);
    const last = utterances.at(-1);
    const rest = this.#entries.slice(last ? this.#entries.indexOf(last) + 1 : at);
    const next = [...rest, ...this.open].find((entry) => entry.kind === 'utterance');
    return [{ kind: 'revised', replaced, utterances, next: next?.key }];
  }

  #keyOf(id: number): string {
    return `${this.#stream}.${id}`;
  }

  /** Words that were committed stay as they are, whatever the event says of them. */
  #merge(event: LiveText): Utterance {
    const before = this.#open.get(event.id);
    const isFinal = event.type === 'final';
    const kept = before?.words.filter(({ isCommitted }) => isCommitted) ?? [];
    const sure = isFinal ? Infinity : Math.max(0, event.committed || 0);
    return { ...this.#utterance(event, this.#keyOf(event.id), kept, sure), isFinal };
  }

  /** Begins with the words `kept`; the first `sure` ones are for good. */
  #utterance(
    text: RevisedText,
    key: string,
    kept: readonly CaptionWord[] = [],
    sure = Infinity,
  ): Utterance {
    const fresh = wordsOf(text)
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
      start: words[0]?.start ?? this.#offset + text.start,
      end: Math.max(this.#offset + text.end, words.at(-1)?.end ?? 0),
      words,
      isFinal: true,
      ...(text.language !== undefined && { language: text.language }),
      ...(text.speaker !== undefined && { speaker: this.#nameOf(text.speaker) }),
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
function wordsOf({ words, text, start, end }: RevisedText): readonly Word[] {
  if (words.length > 0) return words;
  return text.trim() === '' ? [] : [{ word: text, start, end, probability: 1 }];
}
