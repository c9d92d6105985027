import type { WrittenTensor } from '../src/node_files.js';
import { table } from './table.js';

/** By the first that fits. */
const kinds: readonly (readonly [pattern: RegExp, kind: string])[] = [
  [/token_embedding/, 'embedding'],
  [/positional_embedding/, 'positions'],
  [/\.conv\d\.weight/, 'convolutions'],
  [/cross_attn\.\w+\.weight/, 'cross-attention'],
  [/\.attn\.\w+\.weight/, 'self-attention'],
  [/\.mlp\.\d\.weight/, 'mlp'],
];

const kindOf = (name: string): string =>
  kinds.find(([pattern]) => pattern.test(name))?.[1] ?? 'vectors';

/** What tensors lost, by kind and type: their number, the errors' mean and the largest. Empty when nothing did. */
export function lossTable(tensors: readonly WrittenTensor[]): string[] {
  const groups = new Map<
    string,
    { readonly cells: readonly string[]; readonly errors: number[] }
  >();
  for (const { name, dtype, relativeError } of tensors) {
    if (relativeError === 0) continue;
    const cells = [kindOf(name), dtype];
    const group = groups.get(cells.join()) ?? { cells, errors: [] };
    group.errors.push(relativeError);
    groups.set(cells.join(), group);
  }
  const rows = [...groups.values()].map(({ cells, errors }) => [
    ...cells,
    `${errors.length}`,
    (errors.reduce((sum, error) => sum + error, 0) / errors.length).toPrecision(2),
    Math.max(...errors).toPrecision(2),
  ]);
  return rows.length === 0
    ? []
    : table([['kind', 'type', 'tensors', 'mean', 'largest'], ...rows], 2);
}
