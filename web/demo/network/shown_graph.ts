// What the page shows of a network: with what a run does, or, where that is not known, what the file says.
import type { InspectedGraph } from '../../src/files.js';
import type { ModuleDescription, ModuleNode, OpenShape } from '../../src/graph.js';

export interface ShownGraph {
  readonly nodes: readonly ModuleNode[];
  readonly inputs: readonly number[];
  readonly outputs: readonly number[];
  readonly run?: ModuleDescription;
}

export const withRun = (run: ModuleDescription): ShownGraph => ({
  nodes: run.nodes,
  inputs: run.inputs,
  outputs: run.outputs,
  run,
});

export const withoutRun = ({ nodes, inputs, outputs }: InspectedGraph): ShownGraph => ({
  nodes: nodes.map(({ op, name, inputs: from }) => {
    return {
      op,
      name,
      inputs: from,
      outputs: [],
      cost: 0,
      weights: 0,
      constant: op === '<const>',
    };
  }),
  inputs: inputs.map(({ node }) => node),
  outputs: outputs.map(({ node }) => node),
});

/** "1×3×?×224" */
export const shapeText = (shape: OpenShape): string =>
  shape.length === 0 ? 'one number' : shape.map((dim) => dim ?? '?').join('×');

/** The shapes that a node gives, with types other than f32. */
export const outputText = ({ outputs }: ModuleNode): string =>
  outputs
    .map(({ type, shape }) => `${shapeText(shape)}${type === 'f32' ? '' : ` ${type}`}`)
    .join(', ');
