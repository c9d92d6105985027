// A vocabulary as the hub has one: tokenizer.json, and the files that it superseded.
import type { YieldController } from '../../src/wasm/yield_controller.js';
import { mergedParts } from './byte_pairs.js';
import { isId } from './json_files.js';

/** Byte-level text of every id (byte_level_text.ts); '' where an id has none. Control tokens are what follows `<|endoftext|>`. */
export type Tokens = readonly string[];

export interface TextFile {
  readonly name: string;
  readonly text: string;
}

const endOfText = '<|endoftext|>';

const isControl = (text: string): boolean => /^<\|.*\|>$/.test(text);

/** Ids of control tokens by their text. */
export function controlTokens(tokens: Tokens): ReadonlyMap<string, number> {
  const begin = tokens.indexOf(endOfText);
  return new Map(
    tokens
      .map((text, id) => [text, id] as const)
      .filter(([text, id]) => isControl(text) && id >= begin),
  );
}

/**
 * The merges that lead to each token: its id is its rank, so that it is made of the two parts that the tokens before it leave.
 * `ordinary` ends before the control tokens.
 */
export async function mergesOf(ordinary: Tokens, yielder: YieldController): Promise<string[]> {
  const ranks = firstIds(ordinary);
  const merges: string[] = [];
  for (const [id, text] of ordinary.entries()) {
    await yielder.step();
    if (text.length < 2 || ranks.get(text) !== id) continue;
    const parts = await mergedParts(text, ranks, id, yielder);
    if (parts.length === 2) merges.push(parts.join(' '));
  }
  return merges;
}

/** Where several tokens have the same text, only the first can be meant by it. */
function firstIds(tokens: Tokens): ReadonlyMap<string, number> {
  const ids = new Map<string, number>();
  for (const [id, text] of tokens.entries()) if (!ids.has(text)) ids.set(text, id);
  return ids;
}

export async function tokenizerFiles(
  tokens: Tokens,
  yielder: YieldController,
): Promise<readonly TextFile[]> {
  const controls = controlTokens(tokens);
  const end = controls.get(endOfText) ?? tokens.length;
  const ordinary = tokens.slice(0, end);
  const vocab = firstIds(tokens.slice(0, end + 1));
  const merges = await mergesOf(ordinary, yielder);
  const added = tokens.flatMap((content, id) =>
    id < end || content === '' ? [] : [addedToken(id, content)],
  );
  const json = JSON.stringify;
  return [
    { name: 'tokenizer.json', text: json(tokenizer(vocab, merges, added, controls)) },
    { name: 'tokenizer_config.json', text: json(tokenizerConfig(added), null, 2) },
    { name: 'vocab.json', text: json(Object.fromEntries(vocab)) },
    { name: 'merges.txt', text: ['#version: 0.2', ...merges, ''].join('\n') },
  ];
}

interface AddedToken {
  readonly id: number;
  readonly content: string;
  readonly special: boolean;
}

function addedToken(id: number, content: string): AddedToken {
  const flags = { single_word: false, lstrip: false, rstrip: false, normalized: false };
  return { id, content, ...flags, special: isControl(content) };
}

function tokenizer(
  vocab: ReadonlyMap<string, number>,
  merges: readonly string[],
  added: readonly AddedToken[],
  controls: ReadonlyMap<string, number>,
) {
  const byteLevel = { type: 'ByteLevel', trim_offsets: true, use_regex: true };
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: added,
    normalizer: null,
    pre_tokenizer: { ...byteLevel, add_prefix_space: false },
    post_processor: template(controls),
    decoder: { ...byteLevel, add_prefix_space: true },
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: '',
      end_of_word_suffix: '',
      fuse_unk: false,
      vocab: Object.fromEntries(vocab),
      merges,
    },
  };
}

/** What stands around a text that is given to the decoder. */
function template(controls: ReadonlyMap<string, number>) {
  const around = ['<|startoftranscript|>', '<|notimestamps|>', endOfText];
  if (!around.every((text) => isId(controls.get(text)))) return null;
  const [start, notimestamps, end] = around.map((id) => ({ SpecialToken: { id, type_id: 0 } }));
  const sequence = (id: string) => ({ Sequence: { id, type_id: 0 } });
  return {
    type: 'TemplateProcessing',
    single: [start, notimestamps, sequence('A'), end],
    pair: [start, notimestamps, sequence('A'), sequence('B'), end],
    special_tokens: Object.fromEntries(
      around.map((text) => [text, { id: text, ids: [controls.get(text)], tokens: [text] }]),
    ),
  };
}

function tokenizerConfig(added: readonly AddedToken[]) {
  return {
    tokenizer_class: 'WhisperTokenizer',
    processor_class: 'WhisperProcessor',
    add_prefix_space: false,
    errors: 'replace',
    bos_token: endOfText,
    eos_token: endOfText,
    pad_token: endOfText,
    unk_token: endOfText,
    added_tokens_decoder: Object.fromEntries(
      added.map(({ id, ...token }) => [String(id), token] as const),
    ),
  };
}
