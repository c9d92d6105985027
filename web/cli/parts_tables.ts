// What files hold besides tensors, as tables.
import type {
  InspectedLayer,
  InspectedNetwork,
  InspectedSection,
  InspectedValue,
} from '../src/node_files.js';
import { table } from './table.js';
import { printable } from './terminal.js';

export function networkLines(networks: readonly InspectedNetwork[] | undefined): string[] {
  if (!networks) return [];
  const rows = [
    ['name', 'opset', 'nodes', 'weights', 'offset', 'size'],
    ...networks.map(({ name, opset, nodes, weights, offset, size }) => [
      name,
      ...[opset, nodes, weights, offset, size].map(String),
    ]),
  ];
  return [
    `${networks.length} networks`,
    ...table(rows, 1),
    '',
    ...networks.flatMap((network) => [
      `${network.name}: ${network.operators.map(printable).join(' ')}`,
      ...network.inputs.map((value) => `  takes ${valueText(value)}`),
      ...network.outputs.map((value) => `  gives ${valueText(value)}`),
      '',
    ]),
  ];
}

const valueText = ({ name, dtype, shape }: InspectedValue): string =>
  `${printable(name)} ${dtype} ${shape.join('×')}`;

export function sectionLines(sections: readonly InspectedSection[] | undefined): string[] {
  if (!sections) return [];
  const areTyped = sections.some(({ type }) => type !== undefined);
  const rows = [
    ['name', ...(areTyped ? ['type', 'description'] : []), 'offset', 'size'],
    ...sections.map(({ name, type = '', description = '', offset, size }) => [
      ...(areTyped ? [name, type, description] : [name]).map(printable),
      ...[offset, size].map(String),
    ]),
  ];
  return [`${sections.length} sections`, ...table(rows, areTyped ? 3 : 1), ''];
}

export function layerLines(layers: readonly InspectedLayer[] | undefined): string[] {
  if (!layers) return [];
  const rows = [
    ['layer', 'tensors', 'scale', 'offset'],
    ...layers.map(({ arch, tensors, scale, offset }) => [
      printable(arch.replaceAll('\n', ' / ')),
      ...[tensors.length, scale, offset].map(String),
    ]),
  ];
  return [`${layers.length} layers`, ...table(rows, 1), ''];
}
