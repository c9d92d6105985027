import type { Inspector } from './engine.mjs';
import { asText } from './glue.js';
import type { InspectionFacts } from './protocol.js';

/** Lists longer than this (vocabulary, filterbank) are named by their length. */
const longestList = 32;

export function inspectionFacts(inspector: Inspector): InspectionFacts {
  const text = new TextDecoder().decode(inspector.metadataText().slice());
  return {
    format: inspector.format(),
    version: inspector.version(),
    flags: inspector.flagNames().split(' ').filter(Boolean),
    byteCount: inspector.byteCount(),
    metadata: shorten(JSON.parse(text)) as Record<string, unknown>,
    tensors: Array.from({ length: inspector.tensorCount() }, (_, i) => {
      const tensor = inspector.tensor(i);
      return {
        name: asText(tensor.name),
        dtype: asText(tensor.dtype),
        shape: inspector.tensorShape(i),
        offset: tensor.offset,
        size: tensor.storedByteCount,
        rawSize: tensor.rawByteCount,
      };
    }),
    warnings: inspector.warnings(),
  };
}

function shorten(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.length > longestList ? { length: value.length } : value.map(shorten);
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shorten(item)]));
}
