// The metadata of a model: those of its file, or of its first shard with what later shards add.
import { SusurrusError } from '../../src/api/errors.js';
import { isObject, type JsonObject } from '../../src/api/json_object.js';
import type { Inspector } from './files.mjs';

/** Keys about the bytes of one file. */
const keysOfOneFile = ['encryption', 'piece_digests', 'model_digest'];
/** Its members are added one by one. */
const settingsKey = 'tokenizer_config';
/** The setting that says how to read the vocabulary of the same file. */
const encodingKey = 'vocab_encoding';

export interface StoredMetadata {
  /** JSON: the file's own text, unless a later shard adds a key. */
  readonly text: string;
  /** The key on which a later shard contradicts the first one, and that shard's number. */
  readonly conflict?: { readonly key: string; readonly shard: number };
}

export function storedMetadata(inspector: Inspector): StoredMetadata {
  const text = new TextDecoder().decode(inspector.metadataText().slice());
  const later = JSON.parse(inspector.laterMetadata()) as readonly JsonObject[];
  if (later.every((shard) => Object.keys(shard).length === 0)) return { text };
  const all = new Map(Object.entries(JSON.parse(text) as JsonObject));
  const added: string[] = [];
  const add = (key: string, value: unknown): void => {
    all.set(key, value);
    added.push(key);
  };
  let conflict: StoredMetadata['conflict'];
  for (const [at, shard] of later.entries()) {
    const known = objectIn(all.get(settingsKey));
    const settings = joinedSettings(shard, all);
    if (!settings) conflict ??= { key: settingsKey, shard: at + 1 };
    else if (!repeats(settings, known)) add(settingsKey, settings);
    for (const [key, value] of Object.entries(shard)) {
      if (keysOfOneFile.includes(key) || key === settingsKey) continue;
      if (!all.has(key)) add(key, value);
      else if (!repeats(value, all.get(key))) conflict ??= { key, shard: at + 1 };
    }
  }
  return {
    text: added.length > 0 ? JSON.stringify(Object.fromEntries(all)) : text,
    ...(conflict && { conflict }),
  };
}

/**
 * The settings with what a later shard's add; undefined where they contradict each other, or where one vocabulary would be read as the
 * other shard's settings say.
 */
function joinedSettings(
  shard: JsonObject,
  all: ReadonlyMap<string, unknown>,
): JsonObject | undefined {
  const [own, known] = [objectIn(shard[settingsKey]), objectIn(all.get(settingsKey))];
  const bringsVocabulary = 'vocab' in shard && !all.has('vocab');
  const unread = (bringsVocabulary ? known : own)[encodingKey];
  if (unread !== undefined && own[encodingKey] !== known[encodingKey]) return undefined;
  const joined = { ...own, ...known };
  return repeats(own, joined) ? joined : undefined;
}

const objectIn = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** Metadata for a copy of the model. Throws `malformed` if shards contradict each other, since a copy cannot say both. */
export function copiedMetadata(inspector: Inspector): string {
  const { text, conflict } = storedMetadata(inspector);
  if (!conflict) return text;
  const { shards } = JSON.parse(inspector.facts()) as {
    readonly shards: readonly { readonly file: string }[];
  };
  const [first = '', file = ''] = [shards[0]?.file, shards[conflict.shard]?.file];
  throw new SusurrusError(
    'malformed',
    `${file}: its metadata contradict those of ${first} on ${conflict.key}.`,
    {
      reason: 'manifest',
      subject: `${file}: ${conflict.key}`,
      expected: `what ${first} says, or nothing`,
    },
  );
}

/** Whether a later shard's value says nothing but what the first one's says: equal, or an object with some of its members. */
function repeats(value: unknown, first: unknown): boolean {
  if (Array.isArray(value)) {
    return (
      Array.isArray(first) &&
      value.length === first.length &&
      value.every((item, i) => repeats(item, first[i]))
    );
  }
  if (!isObject(value)) return value === first;
  return (
    isObject(first) &&
    Object.entries(value).every(
      ([key, item]) => Object.hasOwn(first, key) && repeats(item, first[key]),
    )
  );
}
