import type { Dimensions } from '../api_types.js';
import type { Inspector } from './files.mjs';
import type { InspectionFacts } from './protocol.js';
import { graphTensors } from './graph_tensors.js';

/** Lists longer than this (vocabulary, filterbank) are named by their length. */
const longestList = 32;

export function inspectionFacts(inspector: Inspector): InspectionFacts {
  const text = new TextDecoder().decode(inspector.metadataText().slice());
  const { shards = [], ...facts } = JSON.parse(inspector.facts()) as CoreFacts;
  const names = (flags: string): string[] => flags.split(' ').filter(Boolean);
  const dims = facts.dims && inCamelCase(facts.dims);
  return {
    ...facts,
    flags: names(facts.flags),
    ...(dims && { dims }),
    metadata: shorten(facts.metadata ?? JSON.parse(text)) as Record<string, unknown>,
    tensors: facts.tensors ?? graphTensors(facts.graph),
    ...(shards.length > 0 && {
      shards: shards.map(({ file, flags }) => ({ file, flags: names(flags) })),
    }),
  };
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
