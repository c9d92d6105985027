// What a run of a module does, for shapes of which some dimensions may be open.
import { invalidOption } from '../../src/api/errors.js';
import type {
  ModuleDescription,
  ModuleInput,
  ModuleShapes,
  OpenShape,
  TensorType,
} from '../../src/api/types.js';
import type { GraphDescription, TensorFacts } from '../../src/protocol/networks.js';
import { weightsOf } from './weights.js';

export type DescribeGraph = (inputs: readonly TensorFacts[]) => Promise<GraphDescription>;

/** Sizes of an open dimension that are tried, until the network can be run with them: pictures, sound, tokens. */
const triedSizes = [224, 512, 16000, 64, 16, 4, 1];

/** The shapes that the caller gives, else those of the file; in the module's order. */
export function shapesFor(
  inputs: readonly ModuleInput[],
  given: ModuleShapes = {},
): readonly OpenShape[] {
  if (typeof given !== 'object' || (given as unknown) === null) {
    throw invalidOption('shapes', 'shapes by name, or a list of them', given);
  }
  const isList = Array.isArray(given);
  const keys = inputs.map(({ name }, i) => (isList ? String(i) : name));
  for (const key of Object.keys(given)) {
    if (!keys.includes(key)) throw invalidOption(key, 'an input of the module', key);
  }
  const shapes = new Map<string, unknown>(Object.entries(given));
  return inputs.map(({ name, shape: declared }, i) => {
    const shape = shapes.get(keys[i] ?? '') ?? declared;
    if (isShape(shape)) return shape;
    throw invalidOption(
      name || `input ${i}`,
      'a list of dimensions, null where one is open',
      shape,
    );
  });
}

const isShape = (shape: unknown): shape is OpenShape =>
  Array.isArray(shape) &&
  shape.every((dim) => dim === null || (Number.isSafeInteger(dim) && (dim as number) >= 0));

/** Open dimensions are found by planning with two sizes: what differs then is open. */
export async function describeWith(
  inputs: readonly ModuleInput[],
  shapes: readonly OpenShape[],
  describe: DescribeGraph,
): Promise<ModuleDescription> {
  const plan = (batch: number, size: number) => {
    const tried = shapes.map((shape) => filled(shape, batch, size));
    const facts = inputs.map(({ type }, i) => ({
      name: '',
      type: type ?? 'f32',
      shape: tried[i] ?? [],
    }));
    return describe(facts).then((description) => ({ description, tried }));
  };
  if (!shapes.some((shape) => shape.includes(null))) {
    const { description, tried } = await plan(1, 1);
    return joined(description, description, tried);
  }
  const [size, { description, tried }] = await firstThatFits(triedSizes, (one) => plan(1, one));
  const [, other] = await firstThatFits([0, 1, 2], (attempt) =>
    // A network may be made for one row, or for one size of all else.
    plan(attempt === 1 ? 1 : 2, attempt === 2 ? size : 2 * size),
  ).catch((error: unknown) => {
    if (isRefusal(error)) return [0, { description }] as const;
    throw error;
  });
  return joined(description, other.description, tried);
}

const refusals: readonly unknown[] = [
  'shape_mismatch',
  'malformed',
  'limit_exceeded',
  'invalid_argument',
];

/** Errors of a link are of the page's bundle, which has its own class for them. */
const isRefusal = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && refusals.includes(error.code);

async function firstThatFits<T>(
  sizes: readonly number[],
  attempt: (size: number) => Promise<T>,
): Promise<readonly [number, T]> {
  let refusal: unknown;
  for (const size of sizes) {
    try {
      return [size, await attempt(size)];
    } catch (error) {
      if (!isRefusal(error)) throw error;
      refusal ??= error;
    }
  }
  throw refusal;
}

/** The first of several dimensions is taken to count rows of a batch. */
const filled = (shape: OpenShape, batch: number, size: number): readonly number[] =>
  shape.map((dim, axis) => dim ?? (axis === 0 && shape.length > 1 ? batch : size));

function joined(
  { nodes, ...description }: GraphDescription,
  other: GraphDescription,
  inputShapes: readonly (readonly number[])[],
): ModuleDescription {
  const weights = weightsOf(nodes);
  return {
    ...description,
    inputShapes,
    nodes: nodes.map((node, index) => ({
      ...node,
      outputs: node.outputs.map(({ type, shape }, i) => ({
        type: type as TensorType,
        shape: common(shape, other.nodes[index]?.outputs[i]?.shape ?? []),
      })),
      ...weights[index]!,
    })),
  };
}

/** Dimensions that differ are open; all are where ranks differ. */
const common = (shape: readonly number[], other: readonly number[]): OpenShape =>
  shape.map((dim, axis) => (shape.length === other.length && dim === other[axis] ? dim : null));
