import type { InspectedTensor } from '../../src/api/types.js';

/**
 * How a name is looked up: as that of a tensor, of several the last, which is the one that counts where such files are run; else,
 * of a network, `#7` is the value of node 7, and `#7[1]` its second one. Returns the index, or -1.
 */
export function tensorFinder(tensors: readonly InspectedTensor[]): (name: string) => number {
  const byName = new Map(tensors.map(({ name }, at) => [name, at]));
  return (name) => {
    const found = byName.get(name);
    if (found !== undefined) return found;
    const [, node, index = '0'] = /^#(\d+)(?:\[(\d+)\])?$/.exec(name) ?? [];
    if (node === undefined) return -1;
    const first = tensors.findIndex((tensor) => tensor.node === Number(node));
    const at = first + Number(index);
    return first >= 0 && tensors[at]?.node === Number(node) ? at : -1;
  };
}
