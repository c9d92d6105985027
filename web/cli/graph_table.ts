import type { InspectedEnd, InspectedField, InspectedGraph } from '../src/node_files.js';
import type { ModuleDescription, ModuleNode } from '../src/node_graph.js';
import { table } from './table.js';
import { printable } from './terminal.js';

type InspectedNode = InspectedGraph['nodes'][number];

/** Unless everything is wanted, a parameter's values are shown up to this length. */
const longestValue = 40;

/**
 * Inputs, outputs, and one line for each node: operator, name, arguments, where it is known what a run does also shape, weights and
 * cost, and parameters; with `full` values of any length.
 */
export function graphLines(
  { inputs, outputs, nodes }: InspectedGraph,
  run: ModuleDescription | undefined,
  full: boolean,
): string[] {
  const inRun = (index: number): string[] => (run ? runColumns(run.nodes[index]) : []);
  return [
    `${inputs.length} inputs`,
    ...inputs.map(endLine),
    `${outputs.length} outputs`,
    ...outputs.map(endLine),
    '',
    `${nodes.length} nodes`,
    ...table(
      [
        [
          'node',
          'operator',
          'name',
          'inputs',
          ...(run ? ['shape', 'weights', 'cost'] : []),
          'parameters',
        ],
        ...nodes.map(({ op, name, inputs: from, parameters }, node) => [
          String(node),
          printable(op),
          printable(name),
          from.join(' '),
          ...inRun(node),
          parameters.map((parameter) => parameterText(parameter, full)).join('  '),
        ]),
      ],
      run ? 5 : 4,
      run ? 2 : 0,
    ).map((line) => line.trimEnd()),
    '',
  ];
}

/** What a run costs in all, and for which shapes. */
export function runLines(run: ModuleDescription, { inputs }: InspectedGraph): string[] {
  const { cost, runBytes, constantBytes, inputShapes } = run;
  const shapes = inputShapes.map(
    (shape, i) => `${printable(inputs[i]?.name ?? '')} ${shapeText(shape)}`,
  );
  return [
    `cost      ${cost} multiply-adds${shapes.length > 0 ? ` with ${shapes.join(', ')}` : ''}`,
    `to run    ${constantBytes + runBytes} bytes (weights ${constantBytes}, activations ${runBytes})`,
  ];
}

function runColumns(node: ModuleNode | undefined): string[] {
  const { outputs = [], weights = 0, cost = 0 } = node ?? {};
  const shapes = outputs.map(
    ({ type, shape }) => `${shapeText(shape)}${type === 'f32' ? '' : ` ${type}`}`,
  );
  return [shapes.join(', '), weights === 0 ? '' : String(weights), cost === 0 ? '' : String(cost)];
}

const shapeText = (shape: readonly (number | null)[]): string =>
  shape.length === 0 ? 'scalar' : shape.map((dim) => dim ?? '?').join('×');

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
