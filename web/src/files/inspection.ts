import type { Inspector } from './files.mjs';
import type { InspectionFacts } from './protocol.js';

/** Lists longer than this (vocabulary, filterbank) are named by their length. */
const longestList = 32;

export function inspectionFacts(inspector: Inspector): InspectionFacts {
  const text = new TextDecoder().decode(inspector.metadataText().slice());
  const { shards = [], ...facts } = JSON.parse(inspector.facts()) as CoreFacts;
  const names = (flags: string): string[] => flags.split(' ').filter(Boolean);
  return {
    ...facts,
    flags: names(facts.flags),
    metadata: shorten(facts.metadata ?? JSON.parse(text)) as Record<string, unknown>,
    tensors: facts.tensors ?? [],
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

function shorten(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.length > longestList ? { length: value.length } : value.map(shorten);
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shorten(item)]));
}
