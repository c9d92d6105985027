// Which nodes of a graph are weights, and which nodes take them.
import type { GraphDescription } from '../../src/protocol/networks.js';

type Nodes = GraphDescription['nodes'];

/**
 * A node is constant that depends on constants alone: it is worked out once. Constant inputs are the weights of the first node that is
 * not constant and takes them.
 */
export function weightsOf(nodes: Nodes): { constant: boolean; weights: number }[] {
  const known = constantNodes(nodes);
  const counted = new Set<number>();
  return nodes.map(({ inputs }, index) => {
    const constant = known[index] ?? false;
    const own = constant ? [] : inputs.filter((from) => known[from] && !counted.has(from));
    for (const from of own) counted.add(from);
    const weights = [...new Set(own)].reduce((sum, from) => sum + elementCount(nodes[from]), 0);
    return { constant, weights };
  });
}

const elementCount = (node: Nodes[number] | undefined): number =>
  (node?.outputs ?? []).reduce(
    (sum, { shape }) => sum + shape.reduce((product, dim) => product * dim, 1),
    0,
  );

/** Without recursion: a chain may be as long as the file, and nodes may come before their inputs. */
function constantNodes(nodes: Nodes): readonly (boolean | undefined)[] {
  const known: (boolean | undefined)[] = nodes.map(() => undefined);
  for (const root of nodes.keys()) {
    const path = [root];
    for (let at = path.at(-1); at !== undefined; at = path.at(-1)) {
      const { op = '', inputs = [] } = nodes[at] ?? {};
      const open =
        known[at] === undefined ? inputs.filter((from) => known[from] === undefined) : [];
      if (open.length > 0) {
        path.push(...open);
        continue;
      }
      path.pop();
      known[at] ??= op === '<const>' || (inputs.length > 0 && inputs.every((from) => known[from]));
    }
  }
  return known;
}
