import type { InspectedEnd, InspectedField, InspectedGraph } from '../src/node.js';
import { table } from './table.js';
import { printable } from './terminal.js';

type InspectedNode = InspectedGraph['nodes'][number];

/** Unless everything is wanted, a parameter's values are shown up to this length. */
const longestValue = 40;

/** Inputs, outputs, and one line for each node: operator, name, arguments, parameters; with `full` values of any length. */
export function graphLines({ inputs, outputs, nodes }: InspectedGraph, full: boolean): string[] {
  return [
    `${inputs.length} inputs`,
    ...inputs.map(endLine),
    `${outputs.length} outputs`,
    ...outputs.map(endLine),
    '',
    `${nodes.length} nodes`,
    ...table(
      [
        ['node', 'operator', 'name', 'inputs', 'parameters'],
        ...nodes.map(({ op, name, inputs: from, parameters }, node) => [
          String(node),
          printable(op),
          printable(name),
          from.join(' '),
          parameters.map((parameter) => parameterText(parameter, full)).join('  '),
        ]),
      ],
      5,
    ).map((line) => line.trimEnd()),
    '',
  ];
}

function endLine({ node, name, dtype, shape }: InspectedEnd): string {
  return ['  node', node, printable(name), dtype, shape?.join('×')]
    .filter((part) => part !== undefined)
    .join(' ');
}

function parameterText(
  { name, fields }: InspectedNode['parameters'][number],
  full: boolean,
): string {
  const texts = fields.map((field) => fieldText(field, full));
  return `${printable(name)}=${texts.join(', ') || 'nothing'}`;
}

function fieldText({ dtype, shape, value }: InspectedField, full: boolean): string {
  const text = Array.isArray(value) ? value.join(',') : String(value);
  return value === undefined || (!full && text.length > longestValue)
    ? `${dtype}[${shape.join('×')}]`
    : printable(text);
}
