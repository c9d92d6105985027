// What a run of a TenniS module does, for inspect: shapes, cost, memory.
import { openModule } from '../src/node_graph.js';
import { SusurrusError } from '../src/node.js';
import type { GraphModule, ModuleDescription, OpenShape } from '../src/node_graph.js';
import type { InspectedGraph } from '../src/node_files.js';
import { usageError } from './arguments.js';

/** A run of the module, or why it is not known what one does. */
export interface DescribedRun {
  readonly run?: ModuleDescription;
  readonly unknown?: string;
}

/** A value of --shape: `1x3x224x224` for the next input in order, or `image=1x3x?x?`. */
export interface WantedShape {
  readonly name?: string;
  readonly shape: OpenShape;
}

export function parseShape(text: string): WantedShape {
  const [, name, dims = ''] = /^(?:(.*)=)?([^=]*)$/s.exec(text) ?? [];
  const shape = dims.split(/[x×,]/).map((dim) => {
    if (/^(\?|-1)$/.test(dim)) return null;
    if (!/^\d{1,10}$/.test(dim)) throw usageError(`--shape is like image=1x3x?x224, not ${text}`);
    return Number(dim);
  });
  return { shape, ...(name !== undefined && { name }) };
}

/** Reads the whole file. Throws where --shape was given and cannot be; without it `unknown` has the reason. */
export async function describeRun(
  file: string,
  { inputs }: InspectedGraph,
  wanted: readonly WantedShape[],
  signal: AbortSignal,
): Promise<DescribedRun> {
  const shapes = inOrder(inputs, wanted);
  const open = inputs.find(({ shape }, i) => shape === undefined && shapes[i] === undefined);
  if (open && wanted.length === 0) {
    const example = `--shape ${open.name || 'input'}=1x3x224x224`;
    return { unknown: `the file does not say those of its inputs; ${example} would` };
  }
  let module: GraphModule | undefined;
  try {
    module = await openModule(file, { signal });
    return { run: await module.describe(shapes, { signal }) };
  } catch (error) {
    if (wanted.length > 0 || signal.aborted || !(error instanceof SusurrusError)) throw error;
    return { unknown: error.message };
  } finally {
    module?.dispose();
  }
}

function inOrder(
  inputs: InspectedGraph['inputs'],
  wanted: readonly WantedShape[],
): readonly OpenShape[] {
  const shapes: OpenShape[] = [];
  for (const [i, { name, shape }] of wanted.entries()) {
    const index = name === undefined ? i : inputs.findIndex((input) => input.name === name);
    if (index < 0 || index >= inputs.length) {
      const names = inputs.map((input) => input.name).join(', ') || 'none';
      throw usageError(`--shape ${name ?? `number ${i + 1}`}: the inputs are ${names}`);
    }
    shapes[index] = shape;
  }
  return shapes;
}
