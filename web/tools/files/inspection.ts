import type { Dimensions } from '../../src/api/types.js';
import type { Inspector } from './files.mjs';
import type { InspectionFacts } from '../../src/protocol/files.js';
import { graphTensors } from './graph_tensors.js';
import { storedMetadata } from './model_metadata.js';

/** Lists longer than this (vocabulary, filterbank) are named by their length. */
const longestList = 32;

/** With `full`, lists of any length. */
export function inspectionFacts(inspector: Inspector, full: boolean): InspectionFacts {
  const { text, conflict } = storedMetadata(inspector);
  const { shards = [], ...facts } = JSON.parse(inspector.facts()) as CoreFacts;
  const metadata = facts.metadata ?? parseExactly(text);
  const names = (flags: string): string[] => flags.split(' ').filter(Boolean);
  const dims = facts.dims && inCamelCase(facts.dims);
  return {
    ...facts,
    flags: names(facts.flags),
    ...(dims && { dims }),
    metadata: (full ? filled(inspector, metadata) : shorten(metadata)) as Record<string, unknown>,
    tensors: facts.tensors ?? graphTensors(facts.graph),
    ...(shards.length > 0 && {
      shards: shards.map(({ file, flags }) => ({ file, flags: names(flags) })),
    }),
    ...(conflict && {
      warnings: [
        ...facts.warnings,
        `${shards[conflict.shard]?.file ?? ''}: its metadata contradict those of the first shard on ${conflict.key}`,
      ],
    }),
  };
}

/** Texts of .april and BW2L files by token id. */
export function tokenTable(inspector: Inspector): readonly string[] | undefined {
  const { metadata } = JSON.parse(inspector.facts()) as CoreFacts;
  if (typeof metadata !== 'object' || metadata === null || !('tokens' in metadata))
    return undefined;
  const { tokens } = metadata;
  return Array.isArray(tokens) ? (tokens as readonly string[]) : undefined;
}

/** JSON whose integers beyond 2^53 become texts of their digits, since numbers would round them. */
export function parseExactly(text: string): unknown {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  const tokens = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
  return JSON.parse(
    text.replace(tokens, (token) =>
      /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token,
    ),
  );
}

/** With the lists of which a header's description gives the lengths alone. */
function filled(inspector: Inspector, metadata: unknown): unknown {
  if (typeof metadata !== 'object' || metadata === null) return metadata;
  const lists: Readonly<Record<string, () => unknown>> = {
    vocab: () => texts(inspector),
    vocabulary: () => texts(inspector),
    mel_filterbank: () => Array.from(inspector.filterbank()),
  };
  return Object.fromEntries(
    Object.entries(metadata).map(([key, value]) => [
      key,
      isLength(value) && Object.hasOwn(lists, key) ? lists[key]?.() : (value as unknown),
    ]),
  );
}

const isLength = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.keys(value).join() === 'length' &&
  !Array.isArray(value);

function texts(inspector: Inspector): string[] {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const bytes = inspector.vocabularyBytes().slice();
  let begin = 0;
  return Array.from(inspector.vocabularyEnds(), (end) => {
    const text = decoder.decode(bytes.subarray(begin, end));
    begin = end;
    return text;
  });
}

/** Flags in one text; what a format does not have is absent. */
type CoreFacts = Omit<InspectionFacts, 'metadata' | 'flags' | 'shards' | 'tensors'> & {
  readonly flags: string;
  readonly metadata?: unknown;
  readonly shards?: readonly { readonly file: string; readonly flags: string }[];
  readonly tensors?: InspectionFacts['tensors'];
};

/** APR2's names as the API has them: n_vocab is nVocab. */
export const inCamelCase = (dims: object): Dimensions =>
  Object.fromEntries(
    Object.entries(dims).map(([name, value]) => [
      name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
      value as number,
    ]),
  ) as unknown as Dimensions;

export const inSnakeCase = (dims: Dimensions): Record<string, number> =>
  Object.fromEntries(
    Object.entries(dims).map(([name, value]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value as number,
    ]),
  );

export function shorten(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.length > longestList ? { length: value.length } : value.map(shorten);
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shorten(item)]));
}
