// Tables beside the picture of a network: its nodes, and what it gave.
import type { ModuleOutput } from '../../src/graph.js';
import { element } from '../shell/dom.js';
import { outputText, shapeText, type ShownGraph } from './shown_graph.js';

/** A row for each node, constants too. */
export function graphRows({ nodes }: ShownGraph): readonly HTMLElement[] {
  return [
    head('node', 'operator', 'name', 'from', 'shape', 'weights', 'cost'),
    body(
      nodes.map((node, index) => [
        String(index),
        node.op,
        node.name,
        node.inputs.join(' '),
        outputText(node),
        ...[node.weights, node.cost].map((number) =>
          number === 0 ? '' : number.toLocaleString('en'),
        ),
      ]),
    ),
  ];
}

/** A row for each output: what is in it. */
export function outputRows(outputs: readonly ModuleOutput[]): readonly HTMLElement[] {
  return [
    head('output', 'shape', 'least', 'greatest', 'mean', 'begins with'),
    body(
      outputs.map(({ name, shape, data }, i) => {
        const values = Array.from(data as ArrayLike<number | bigint>, Number);
        const sum = values.reduce((total, value) => total + value, 0);
        const range = values.reduce<readonly [number, number]>(
          ([least, most], value) => [Math.min(least, value), Math.max(most, value)],
          [Infinity, -Infinity],
        );
        return [
          name || `output ${i + 1}`,
          shapeText(shape),
          ...(values.length > 0 ? [...range, sum / values.length].map(short) : ['', '', '']),
          values.slice(0, 4).map(short).join(' '),
        ];
      }),
    ),
  ];
}

const short = (value: number): string => String(Number(value.toPrecision(4)));

function head(...titles: readonly string[]): HTMLElement {
  const made = element('thead');
  const row = element('tr');
  row.append(
    ...titles.map((title) => {
      const cell = element('th', '', title);
      cell.scope = 'col';
      return cell;
    }),
  );
  made.append(row);
  return made;
}

function body(rows: readonly (readonly string[])[]): HTMLElement {
  const made = element('tbody');
  made.append(
    ...rows.map((cells) => {
      const row = element('tr');
      row.append(...cells.map((text) => element('td', '', text)));
      return row;
    }),
  );
  return made;
}
