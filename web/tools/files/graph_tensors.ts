import type { InspectedGraph, InspectedTensor } from '../../src/api/types.js';

/** The tensors of a network are the values of its constants: named like their node, with an index where there are several. */
export function graphTensors(graph: InspectedGraph | undefined): readonly InspectedTensor[] {
  return (graph?.nodes ?? []).flatMap(({ op, name, parameters }, node) =>
    op === '<const>'
      ? (parameters.find((parameter) => parameter.name === 'value')?.fields ?? []).map(
          ({ dtype, shape, offset, size }, i, { length }) => ({
            name: length > 1 ? `${name}[${i}]` : name,
            dtype,
            shape,
            offset,
            size,
            rawSize: size,
            node,
          }),
        )
      : [],
  );
}
