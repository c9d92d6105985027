// A network as a picture: nodes from top to bottom, constants left out.
import type { ModuleNode } from '../../src/graph.js';
import { boxHeight, layOut, type Point } from './graph_layout.js';
import { count } from '../shell/format.js';
import { outputText, type ShownGraph } from './shown_graph.js';
import { svg } from '../shell/svg.js';

/** Larger pictures cannot be read, and browsers draw them slowly. */
const mostBoxes = 1500;
const letterWidth = 7.4;
const leastWidth = 72;
const longestText = 26;

interface Drawn {
  readonly node: ModuleNode;
  readonly kind: 'input' | 'output' | 'inner';
  /** Indices into the drawn nodes. */
  readonly inputs: readonly number[];
  readonly lines: readonly [string, string];
  readonly width: number;
}

/** Undefined where there is too much to be drawn. */
export function graphPicture(graph: ShownGraph): SVGSVGElement | undefined {
  const drawn = drawnNodes(graph);
  if (drawn.length > mostBoxes) return undefined;
  const { width, height, boxes, edges } = layOut(drawn);
  const size = [width, height].map(Math.ceil);
  const most = Math.max(1, ...drawn.map(({ node }) => node.cost));
  return svg(
    'svg',
    {
      role: 'img',
      'aria-label': label(graph, drawn.length),
      viewBox: `0 0 ${size.join(' ')}`,
      width: size[0]!,
      height: size[1]!,
    },
    svg('g', { class: 'edges' }, ...edges.map(edge)),
    ...drawn.map((one, i) => box(one, boxes[i]!, one.node.cost / most)),
  );
}

/** What depends on constants alone, and what nothing needs, is left out. */
function drawnNodes({ nodes, inputs, outputs, run }: ShownGraph): readonly Drawn[] {
  const shown = nodes.flatMap((node, index) =>
    node.constant || (run && node.outputs.length === 0) ? [] : [index],
  );
  const places = new Map(shown.map((index, i) => [index, i]));
  return shown.map((index) => {
    const node = nodes[index]!;
    const lines = [title(node), cut(outputText(node))] as const;
    const longest = Math.max(...lines.map(({ length }) => length));
    return {
      node,
      kind: inputs.includes(index) ? 'input' : outputs.includes(index) ? 'output' : 'inner',
      inputs: [...new Set(node.inputs.flatMap((input) => places.get(input) ?? []))],
      lines,
      width: Math.max(leastWidth, 24 + letterWidth * longest),
    };
  });
}

const cut = (text: string): string =>
  text.length > longestText ? `${text.slice(0, longestText - 1)}…` : text;

const title = ({ op, name }: ModuleNode): string => cut(op === '<param>' ? name || 'input' : op);

function label({ nodes, inputs, outputs }: ShownGraph, boxes: number): string {
  const ends = (indices: readonly number[]): string =>
    indices
      .map((index) => nodes[index])
      .map((node) => (node ? `${title(node)} ${outputText(node)}`.trim() : ''))
      .join(', ');
  return `The network as a graph of ${boxes} nodes, from ${ends(inputs)} to ${ends(outputs)}. The table below has all of it.`;
}

function box(
  { node, kind, lines: [first, second], width }: Drawn,
  { x, y }: Point,
  costShare: number,
): SVGGElement {
  const left = x - width / 2;
  const about = [
    `${node.op} ${node.name}`.trim(),
    outputText(node),
    ...(node.weights > 0 ? [`${count(node.weights)} weights`] : []),
    ...(node.cost > 0 ? [`${count(node.cost)} multiply-adds`] : []),
  ];
  const text = (at: number, className: string, content: string): SVGTextElement =>
    svg('text', { x, y: y + at, class: className, 'text-anchor': 'middle' }, content);
  return svg(
    'g',
    { class: `node ${kind}` },
    svg('title', {}, about.filter(Boolean).join('\n')),
    svg('rect', { class: 'box', x: left, y, width, height: boxHeight, rx: 8 }),
    ...(costShare > 0.005
      ? [
          svg('rect', {
            class: 'cost',
            x: left + 8,
            y: y + boxHeight - 5,
            width: Math.max(2, (width - 16) * costShare),
            height: 3,
            rx: 1.5,
          }),
        ]
      : []),
    ...(second
      ? [text(18, 'op', first), text(33, 'shape', second)]
      : [text(boxHeight / 2 + 4, 'op', first)]),
  );
}

/** Curved between layers, straight through one. */
function edge(points: readonly Point[]): SVGPathElement {
  const [start, ...others] = points;
  let from = start!;
  let path = `M${from.x} ${from.y}`;
  for (const to of others) {
    const middle = (from.y + to.y) / 2;
    path += from.x === to.x ? `V${to.y}` : `C${from.x} ${middle} ${to.x} ${middle} ${to.x} ${to.y}`;
    from = to;
  }
  // A small head.
  return svg('path', { d: `${path}m-3.5 -5.5l3.5 5.5l3.5 -5.5` });
}
