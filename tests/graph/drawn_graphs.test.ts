// Graphs of one node, drawn from a fixed seed over every ONNX operator with its attributes, against onnxruntime.
import { beforeAll, expect, test } from '@jest/globals';
import { graphOperators } from '../../scripts/print_operators.mjs';
import { builtPackage } from '../support/built_package.js';
import { runInOnnxruntime, type OnnxRunAnswer } from '../support/onnxruntime.js';
import { writeOnnx, type GraphTensor } from '../support/onnx_writer.js';
import { Draws, type DrawnGraph, type DrawTable } from './drawn/draws.js';
import { elementwise } from './drawn/elementwise.js';
import { quantised } from './drawn/quantised.js';
import { reducing } from './drawn/reducing.js';
import { shaping } from './drawn/shaping.js';
import { windows } from './drawn/windows.js';

const table: DrawTable = { ...elementwise, ...reducing, ...shaping, ...windows, ...quantised };
const ops = Object.keys(table).sort();
const heavy = new Set([...Object.keys(windows), 'Slice', 'Pad', 'LSTM', 'GRU', 'MatMul', 'Gemm']);
const largestDifference = 1e-5;

interface Drawn {
  readonly graph: DrawnGraph;
  readonly file: Uint8Array;
  readonly inputs: Record<string, GraphTensor>;
  answer?: OnnxRunAnswer;
}

function drawn(graph: DrawnGraph, hasTypedLists: boolean): Drawn {
  const inputs: Record<string, GraphTensor> = {};
  const initializers: Record<string, GraphTensor> = {};
  const names = graph.inputs.map((input, i) => {
    if (input === null) return '';
    if ('weight' in input) initializers[`w${i}`] = input.weight;
    else inputs[`x${i}`] = input;
    return 'weight' in input ? `w${i}` : `x${i}`;
  });
  const outputs = Array.from({ length: graph.outputs ?? 1 }, (_, i) => `y${i}`);
  const { op, attributes = {} } = graph;
  const file = writeOnnx(
    {
      nodes: [{ op, inputs: names, outputs, attributes }],
      inputs: Object.entries(inputs).map(([name, { type, shape }]) => ({ name, type, shape })),
      outputs,
      initializers,
      hasTypedLists,
    },
    graph.opset,
  );
  return { graph, file, inputs };
}

const cases = new Map<string, Drawn[]>();
for (const [index, op] of ops.entries()) {
  const draws = new Draws(1000 + index);
  const draw = table[op] as DrawTable[string];
  const count = heavy.has(op) ? 12 : 5;
  cases.set(
    op,
    draws.list(count, () => drawn(draw(draws, op), draws.is(0.3))),
  );
}
const all = [...cases.values()].flat();

let susurrus: Awaited<ReturnType<typeof builtPackage>>;
beforeAll(async () => {
  susurrus = await builtPackage();
  const answers = await runInOnnxruntime(all);
  for (const [i, one] of all.entries()) one.answer = answers[i] as OnnxRunAnswer;
});

/** The largest difference, of numbers above 1 in proportion. */
function differenceOf(got: GraphTensor, wanted: GraphTensor): number {
  let largest = 0;
  for (let i = 0; i < wanted.data.length; ++i) {
    const [a, b] = [Number(got.data[i]), Number(wanted.data[i])];
    if (Object.is(a, b) || a === b) continue;
    const difference = Math.abs(a - b) / Math.max(1, Math.abs(b));
    largest = Math.max(largest, Number.isNaN(difference) ? Infinity : difference);
  }
  return largest;
}

/** For a message: everything about the graph but long lists of elements. */
function described({ graph, inputs }: Drawn): string {
  const shapes = Object.entries(inputs).map(([name, { type, shape }]) => [name, type, ...shape]);
  return JSON.stringify({ ...graph, inputs: shapes }, (_, value: unknown) =>
    typeof value === 'bigint' ? Number(value) : value,
  );
}

test('at least 500 graphs, of every operator that is read', () => {
  expect(ops).toEqual(graphOperators().onnx.map(({ name }) => name));
  expect(all.length).toBeGreaterThanOrEqual(500);
});

test.each(ops)('%s', async (op) => {
  for (const one of cases.get(op) ?? []) {
    const { outputs, problem } = one.answer as OnnxRunAnswer;
    if (!outputs) throw new Error(`onnxruntime: ${problem}: ${described(one)}`);
    const module = await susurrus.openModule(one.file);
    const got = await module.run(one.inputs).catch((error: unknown) => {
      throw new Error(described(one), { cause: error });
    });
    module.dispose();
    const summary = got.map(({ type, shape }) => ({ type, shape }));
    expect({ case: described(one), summary }).toEqual({
      case: described(one),
      summary: outputs.map(({ type, shape }) => ({ type, shape })),
    });
    const differences = outputs.map((wanted, i) => differenceOf(got[i] as GraphTensor, wanted));
    if (!differences.every((difference) => difference <= largestDifference)) {
      throw new Error(`${differences.join(', ')}: ${described(one)}`);
    }
  }
});
