// susurrus inspect of a TenniS module: the table of its nodes with shapes, weights and cost.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { startCommand } from '../support/command_process.js';
import { modelPath } from '../support/embedded_model.js';
import { floats, ints, tennisNode, writeTennis } from '../support/tennis_writer.js';

const folder = mkdtempSync(join(tmpdir(), 'susurrus-module-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function run(...args: string[]) {
  const command = startCommand('inspect', ...args);
  const status = await command.ended;
  return { status, stdout: command.stdout(), stderr: command.stderr() };
}

/** 6 numbers a row to 2, whose signs are kept apart; `op` is the last node's. */
function perceptron(name: string, declared?: readonly number[], op = 'relu'): string {
  const path = join(folder, name);
  const shape = declared ? [['#shape', ints([declared.length], ...declared)] as const] : [];
  const bytes = writeTennis({
    inputs: [0],
    outputs: [3],
    nodes: [
      tennisNode('<param>', 'x', [], ...shape),
      tennisNode('<const>', 'w', [], ['value', floats([6, 2], ...new Array<number>(12).fill(1))]),
      tennisNode('inner_prod', 'sums', [0, 1]),
      tennisNode(op, 'y', [2]),
    ],
  });
  writeFileSync(path, bytes);
  return path;
}
/** operator, name, inputs, shape, weights, cost, parameters */
const product = (shape: string, cost: number) =>
  new RegExp(`^ +2 +inner_prod +sums +0 1 +${shape} +12 +${cost}$`, 'm');

test('the file states the shapes', async () => {
  const { stdout } = await run(perceptron('stated.tsm', [3, 6]));
  expect(stdout).toMatch(/^ +node +operator +name +inputs +shape +weights +cost +parameters$/m);
  expect(stdout).toMatch(/^ +0 +<param> +x +3×6 +#shape=3,6$/m);
  expect(stdout).toMatch(/^ +1 +<const> +w +6×2 +value=1,1,.*$/m);
  expect(stdout).toMatch(product('3×2', 3 * 6 * 2));
  expect(stdout).toMatch(/^ +3 +relu +y +2 +3×2 +\d+$/m);
  expect(stdout).toMatch(/^cost +\d+ multiply-adds with x 3×6$/m);
  expect(stdout).toMatch(/^to run +\d+ bytes \(weights \d+, activations \d+\)$/m);
});

test('open dimensions are ?, and --shape closes them', async () => {
  const path = perceptron('open.tsm', [-1, 6]);
  expect((await run(path)).stdout).toMatch(product('\\?×2', 12));
  expect((await run(path, '--shape', '5x6')).stdout).toMatch(product('5×2', 60));
  expect((await run(path, '--shape', 'x=?x6')).stdout).toMatch(product('\\?×2', 12));
});

test('where nobody states shapes, the table says how to', async () => {
  const path = perceptron('unstated.tsm');
  const { status, stdout } = await run(path);
  expect(status).toBe(0);
  expect(stdout).toMatch(/^shapes +not known: .*--shape x=/m);
  expect(stdout).toMatch(/^ +2 +inner_prod +sums +0 1$/m);
  expect((await run(path, '--shape', 'x=4x6')).stdout).toMatch(product('4×2', 48));
});

test('an operator that is not run here leaves the rest as it is', async () => {
  const path = perceptron('unknown.tsm', [3, 6], 'yolo');
  const { status, stdout } = await run(path);
  expect(status).toBe(0);
  expect(stdout).toMatch(/^shapes +not known: .*node 3 "y".*yolo/m);
  const asked = await run(path, '--shape', '3x6');
  expect([asked.status, asked.stdout]).toEqual([2, '']);
});

test('as JSON', async () => {
  const { stdout } = await run(perceptron('json.tsm', [3, 6]), '--json');
  const { graph } = JSON.parse(stdout) as {
    graph: { nodes: readonly Record<string, unknown>[]; run: Record<string, unknown> };
  };
  expect(graph.nodes[2]).toMatchObject({
    op: 'inner_prod',
    inputs: [0, 1],
    outputs: [{ type: 'f32', shape: [3, 2] }],
    weights: 12,
    cost: 36,
  });
  expect(graph.run).toMatchObject({ input_shapes: [[3, 6]] });
  expect(graph.run.cost).toBeGreaterThan(36);
  expect(graph.run.run_bytes).toBeGreaterThan(0);
  expect(graph.run.constant_bytes).toBeGreaterThanOrEqual(12 * 4);
});

test.each([
  ['of another input', 'picture=1x6', /the inputs are x/],
  ['too many', ['1x6', '1x6'], /number 2: the inputs are x/],
  ['that is none', '1xten', /not 1xten/],
  ['that does not fit', '3x7', /inner_prod/],
])('a --shape %s is refused', async (_what, shapes, message) => {
  const path = perceptron('refused.tsm', [-1, -1]);
  const { status, stdout, stderr } = await run(
    path,
    ...[shapes].flat().map((shape) => `--shape=${shape}`),
  );
  expect(status).toBeGreaterThan(0);
  expect(stdout).toBe('');
  expect(stderr).toMatch(message);
});

test('a --shape for a file without a graph is refused', async () => {
  const { status, stderr } = await run(modelPath, '--shape', '1x6');
  expect(status).toBe(64);
  expect(stderr).toMatch(/--shape is for TenniS modules/);
});
