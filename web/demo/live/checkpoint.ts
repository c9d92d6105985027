// How a session is written down while it runs, and read again after a reload. What is damaged is left out; the rest stays.
import type { Entry, Utterance } from './caption_state.js';
import type { TextStore } from '../shell/text_store.js';

export const storePrefix = 'susurrus.live.';

export interface SessionHead {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly began: number;
  /** Names for people, of the model and of where the sound came from. */
  readonly model: string;
  readonly source: string;
}

/** A session that ended without being stopped. */
export interface Checkpoint {
  readonly head: SessionHead;
  readonly entries: readonly Entry[];
  /** Seconds of sound. */
  readonly duration: number;
  /** Pieces that could not be read. */
  readonly damaged: number;
}

/** Names in the store: the head, pieces 0, 1, … of what is there for good, and what is still open. */
export const headName = (id: string): string => `${storePrefix}${id}.head`;
export const pieceName = (id: string, at: number): string => `${storePrefix}${id}.${at}`;
export const openName = (id: string): string => `${storePrefix}${id}.open`;

export const writeEntries = (entries: readonly Entry[]): string =>
  JSON.stringify(entries.map(entryValue));

export const writeOpen = (heard: number, open: readonly Utterance[]): string =>
  JSON.stringify({ heard: round(heard), entries: open.map(entryValue) });

function entryValue(entry: Entry): readonly unknown[] {
  const times = [round(entry.start), round(entry.end)];
  if (entry.kind === 'gap') return times;
  const words = entry.words.map(({ text, start, end, probability }) => [
    text,
    round(start),
    round(end),
    round(probability),
  ]);
  const { language, speaker } = entry;
  return [
    ...times,
    words,
    ...(language || speaker ? [language ?? null] : []),
    ...(speaker ? [speaker] : []),
  ];
}

/** Milliseconds are enough, and short. */
const round = (value: number): number => Math.round(value * 1000) / 1000;

/** The ids of all sessions in the store. */
export function storedSessions(store: TextStore): string[] {
  const ids = store.names(storePrefix).map((name) => name.slice(storePrefix.length));
  return [...new Set(ids.map((name) => name.slice(0, Math.max(0, name.lastIndexOf('.')))))].filter(
    (id) => id !== '',
  );
}

export function readCheckpoint(store: TextStore, id: string): Checkpoint {
  const prefix = `${storePrefix}${id}.`;
  const pieces = store
    .names(prefix)
    .map((name) => name.slice(prefix.length))
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .sort((a, b) => a - b);
  const reader = new Reader();
  for (const at of pieces) reader.read(parsed(store.get(pieceName(id, at))));
  // A piece in between that is gone.
  if (pieces.length > 0) reader.damaged += (pieces.at(-1) ?? 0) + 1 - pieces.length;
  const open = fields(parsed(store.get(openName(id))));
  if (open.entries !== undefined) reader.readOpen(open.entries);
  return {
    head: readHead(parsed(store.get(headName(id))), id),
    entries: reader.entries,
    duration: Math.max(isTime(open.heard) ? open.heard : 0, ...reader.entries.slice(-1).map(endOf)),
    damaged: reader.damaged,
  };
}

/** Takes a session out of the store. */
export function forgetSession(store: TextStore, id: string): void {
  for (const name of store.names(`${storePrefix}${id}.`)) store.remove(name);
}

const endOf = ({ end }: Entry): number => end;

function readHead(value: unknown, id: string): SessionHead {
  const { began, model, source } = fields(value);
  return {
    id,
    began: isTime(began) ? began : 0,
    model: typeof model === 'string' ? model : '',
    source: typeof source === 'string' ? source : '',
  };
}

class Reader {
  readonly entries: Entry[] = [];
  damaged = 0;

  read(value: unknown): void {
    if (!Array.isArray(value)) {
      this.damaged += 1;
      return;
    }
    for (const one of value) {
      const entry = this.#entry(one);
      if (entry) this.entries.push(entry);
      else this.damaged += 1;
    }
  }

  /** What had become final just then is there already. */
  readOpen(value: unknown): void {
    const last = this.entries.at(-1);
    this.read(
      Array.isArray(value) && last
        ? value.filter((one) => !Array.isArray(one) || one[0] !== last.start)
        : value,
    );
  }

  #entry(value: unknown): Entry | undefined {
    if (!Array.isArray(value)) return undefined;
    const [start, end, words, language, speaker] = value as readonly unknown[];
    if (!isTime(start) || !isTime(end) || end < start) return undefined;
    if (value.length === 2) return { kind: 'gap', start, end };
    if (!Array.isArray(words)) return undefined;
    const key = `kept.${this.entries.length}`;
    const read = words.flatMap((word: unknown, i) => {
      if (!Array.isArray(word)) return [];
      const [text, from, to, probability] = word as readonly unknown[];
      if (typeof text !== 'string' || !isTime(from) || !isTime(to)) return [];
      return {
        key: `${key}.${i}`,
        text,
        start: from,
        end: to,
        probability: isTime(probability) ? Math.min(1, probability) : 1,
        isCommitted: true,
      };
    });
    if (read.length < words.length) this.damaged += 1;
    if (read.length === 0) return undefined;
    return {
      kind: 'utterance',
      key,
      start,
      end,
      words: read,
      isFinal: true,
      ...(typeof language === 'string' && { language }),
      ...(typeof speaker === 'string' && { speaker }),
    };
  }
}

const isTime = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0;

function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function parsed(text: string | null): unknown {
  if (text === null) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
