import type { Inspector } from './files.mjs';
import type { InspectionFacts } from './protocol.js';

/** Lists longer than this (vocabulary, filterbank) are named by their length. */
const longestList = 32;

export function inspectionFacts(inspector: Inspector): InspectionFacts {
  const text = new TextDecoder().decode(inspector.metadataText().slice());
  const facts = JSON.parse(inspector.facts()) as CoreFacts;
  return {
    ...facts,
    flags: facts.flags.split(' ').filter(Boolean),
    metadata: shorten(JSON.parse(text)) as Record<string, unknown>,
  };
}

/** Flags in one text. */
type CoreFacts = Omit<InspectionFacts, 'metadata' | 'flags'> & { readonly flags: string };

function shorten(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.length > longestList ? { length: value.length } : value.map(shorten);
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shorten(item)]));
}
