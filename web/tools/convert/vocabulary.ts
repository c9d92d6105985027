import { SusurrusError } from '../../src/api/errors.js';
import { parseRanks } from '../../src/sources/vocabulary_file.js';
import type { YieldController } from '../../src/wasm/yield_controller.js';
import { byteLevelText, byteLevelTextOf } from './byte_level_text.js';
import type { OpenedCheckpoint } from './checkpoint.js';
import {
  badFile,
  isId,
  isObject,
  parseJson,
  readJsonObject,
  readSmallFile,
  type JsonObject,
} from './json_files.js';
import { addOfficialTokens } from './official_tokens.js';
import type { SourceFolder } from '../../src/platform/source_folder.js';

/** Byte-level text of every id; '' where an id has none. */
export interface SourceVocabulary {
  readonly tokens: readonly string[];
  readonly warnings: readonly string[];
}

type Entry = readonly [id: number, text: string];

/**
 * The folder's vocabulary: tokenizer.json supersedes vocab.json with added_tokens.json, and these CTranslate2's own lists.
 */
export async function readVocabulary(
  folder: SourceFolder,
  vocabularySize: number,
): Promise<SourceVocabulary | undefined> {
  const entries =
    (await tokenizerEntries(folder)) ?? (await vocabEntries(folder)) ?? (await listEntries(folder));
  return entries && arrange(entries, vocabularySize);
}

/** CTranslate2's vocabulary.json, an array, or vocabulary.txt, a token a line; texts by id. */
async function listEntries(folder: SourceFolder): Promise<Entry[] | undefined> {
  const file = 'vocabulary.json';
  const json = await readSmallFile(folder, file);
  if (json) {
    const list = parseJson(json, file);
    if (!Array.isArray(list) || !list.every((text) => typeof text === 'string')) {
      throw badFile(file, 'it is no list of texts', 'bad_vocabulary');
    }
    return list.map((text, id) => [id, text] as const);
  }
  const lines = await readSmallFile(folder, 'vocabulary.txt');
  if (!lines) return undefined;
  const texts = new TextDecoder().decode(lines).split(/\r?\n/);
  if (texts.at(-1) === '') texts.pop();
  return texts.map((text, id) => [id, text] as const);
}

/** Vocabulary of a `.tiktoken` rank file. */
export async function readRanks(
  text: string,
  file: string,
  vocabularySize: number,
  yielder: YieldController,
): Promise<SourceVocabulary> {
  const ranks = await parseRanks(text, file, yielder);
  const entries = ranks.map(([id, bytes]): Entry => [id, byteLevelText(bytes)]);
  return arrange(entries, vocabularySize);
}

/** Vocabulary in the weights' own file; undefined if it has none. */
export function checkpointVocabulary(
  { core, facts }: OpenedCheckpoint,
  vocabularySize: number,
): SourceVocabulary | undefined {
  const bytes = core.vocabularyBytes();
  let begin = 0;
  const entries = Array.from(core.vocabularyEnds(), (end, id): Entry => {
    const token = bytes.subarray(begin, end);
    begin = end;
    return [id, facts.hasByteLevelText ? new TextDecoder().decode(token) : byteLevelText(token)];
  });
  return entries.length === 0 ? undefined : arrange(entries, vocabularySize);
}

async function tokenizerEntries(folder: SourceFolder): Promise<Entry[] | undefined> {
  const file = 'tokenizer.json';
  const tokenizer = await readJsonObject(folder, file);
  const model = tokenizer?.model;
  if (!isObject(model) || !isObject(model.vocab)) return undefined;
  const entries = textToId(model.vocab, file);
  const { added_tokens: added } = tokenizer ?? {};
  for (const token of Array.isArray(added) ? (added as unknown[]) : []) {
    if (!isObject(token) || !isId(token.id) || typeof token.content !== 'string') {
      throw badFile(file, 'an added token has no id or content', 'bad_vocabulary');
    }
    entries.push([token.id, byteLevelTextOf(token.content)]);
  }
  return entries;
}

async function vocabEntries(folder: SourceFolder): Promise<Entry[] | undefined> {
  const vocab = await readJsonObject(folder, 'vocab.json');
  if (!vocab) return undefined;
  const entries = textToId(vocab, 'vocab.json');
  const config = await readJsonObject(folder, 'tokenizer_config.json');
  for (const [id, token] of Object.entries(
    isObject(config?.added_tokens_decoder) ? config.added_tokens_decoder : {},
  )) {
    if (/^\d+$/.test(id) && isObject(token) && typeof token.content === 'string') {
      entries.push([Number(id), byteLevelTextOf(token.content)]);
    }
  }
  const added = await readJsonObject(folder, 'added_tokens.json');
  for (const [text, id] of textIds(added ?? {}, 'added_tokens.json')) {
    entries.push([id, byteLevelTextOf(text)]);
  }
  return entries;
}

function textIds(object: JsonObject, file: string): (readonly [string, number])[] {
  return Object.entries(object).map(([text, id]) => {
    if (!isId(id)) {
      throw badFile(file, `the id of ${JSON.stringify(text)} is no number`, 'bad_vocabulary');
    }
    return [text, id] as const;
  });
}

function textToId(object: JsonObject, file: string): Entry[] {
  return textIds(object, file).map(([text, id]) => [id, text] as const);
}

/** By id; later entries win. */
function arrange(entries: readonly Entry[], vocabularySize: number): SourceVocabulary {
  const fitting = entries.filter(([id]) => id < vocabularySize);
  const warnings =
    fitting.length < entries.length
      ? [`${entries.length - fitting.length} vocabulary entries beyond the model's are left out`]
      : [];
  const last = fitting.reduce((most, [id]) => Math.max(most, id), -1);
  if (last < 0) {
    throw new SusurrusError('malformed', 'The vocabulary has no token of this model.', {
      reason: 'bad_vocabulary',
      subject: 'vocabulary',
    });
  }
  const tokens = new Array<string>(last + 1).fill('');
  for (const [id, text] of fitting) tokens[id] = text;
  addOfficialTokens(tokens, vocabularySize);
  return { tokens, warnings };
}
