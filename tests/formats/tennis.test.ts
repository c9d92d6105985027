// TenniS modules through the package: what inspect says of them, however they arrive.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { builtPackage } from '../support/built_package.js';
import { expectDescribed } from '../support/described_file.js';
import { errorOf } from '../support/embedded_model.js';
import { filesModule } from '../support/files_module.js';
import { projectRoot } from '../support/shared_folder.js';
import {
  floats,
  ints,
  tennisNode,
  text,
  writeTennis,
  type TennisModule,
} from '../support/tennis_writer.js';

type Package = Awaited<ReturnType<typeof builtPackage>>;
let susurrus: Package;
const folder = mkdtempSync(join(tmpdir(), 'susurrus-tennis-'));
beforeAll(async () => {
  susurrus = await builtPackage();
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const small: TennisModule = {
  reservedWord: 0xcafe,
  userBytes: new TextEncoder().encode('made by hand'),
  inputs: [0],
  outputs: [4],
  nodes: [
    tennisNode(
      '<param>',
      'image',
      [],
      ['#shape', ints([4], -1, 1, 2, 2)],
      ['#dtype', ints([], 10)],
    ),
    tennisNode('<const>', 'weight', [], ['value', floats([1, 1, 1, 1], 0.5)]),
    tennisNode(
      'conv2d',
      'conv',
      [0, 1],
      ['format', text('NCHW')],
      ['padding', ints([4, 2], 0, 0, 0, 0, 0, 0, 0, 0)],
      ['stride', ints([4], 1, 1, 1, 1)],
    ),
    tennisNode('<const>', 'pair', [], ['value', ints([2], 7, 8), floats([], 1.5)]),
    tennisNode('relu', 'größe', [2]),
  ],
};

const run = promisify(execFile);
async function cli(...args: string[]): Promise<string> {
  return (await run(process.execPath, [join(projectRoot, 'dist/cli.mjs'), ...args])).stdout;
}

describe('a TenniS module', () => {
  test('is described, however it arrives', async () => {
    const bytes = writeTennis(small);
    const { facts, expected } = await expectDescribed(
      susurrus,
      join(folder, 'small.tsm'),
      'small.tsm',
      bytes,
    );
    expect(facts.graph).toEqual(expected.graph);
  });

  test('gives the bytes of its tensors by their places', async () => {
    const bytes = writeTennis(small);
    const { tensors } = await susurrus.inspect(bytes);
    expect(tensors.map(({ name, dtype, shape }) => [name, dtype, shape])).toEqual([
      ['weight', 'f32', [1, 1, 1, 1]],
      ['pair[0]', 'i32', [2]],
      ['pair[1]', 'f32', []],
    ]);
    const [weight, first, second] = tensors.map(({ offset, size }) =>
      bytes.slice(offset, offset + size),
    );
    expect(new Float32Array(weight!.buffer)).toEqual(Float32Array.of(0.5));
    expect(new Int32Array(first!.buffer)).toEqual(Int32Array.of(7, 8));
    expect(new Float32Array(second!.buffer)).toEqual(Float32Array.of(1.5));
  });

  test('is a readable table', async () => {
    const path = join(folder, 'table.tsm');
    const nodes = [...small.nodes];
    // What would steer a terminal is shown as something else.
    nodes[4] = tennisNode('relu', '\u001b[2Jy', [2]);
    writeFileSync(path, writeTennis({ ...small, nodes }));
    const table = await cli('inspect', path);
    expect(table).toMatch(/^format +TenniS 1$/m);
    expect(table).toMatch(/^ +"reserved_word": 51966,$/m);
    expect(table).toMatch(/^ +"user_bytes": "6d6164652062792068616e640{216}"$/m);
    expect(table).toMatch(/^ +node 0 image f32 -1×1×2×2$/m);
    expect(table).toMatch(/^ +node 4 \uFFFD\[2Jy$/m);
    expect(table).toMatch(
      /^ +2 +conv2d +conv +0 1 +format=NCHW {2}padding=0,0,0,0,0,0,0,0 {2}stride=1,1,1,1$/m,
    );
    expect(table).toMatch(/^ +3 +<const> +pair +value=7,8, 1\.5$/m);
    expect(table).toMatch(/^ +pair\[1\] +f32 +\d+ +4 +4$/m);
    expect(table).toContain('3 tensors (16 bytes stored, 16 in memory)');
    expect(table).not.toContain('\u001b');
  });

  test('that is malformed is refused with its node and place', async () => {
    const nodes = [...small.nodes];
    nodes[2] = { ...nodes[2]!, inputs: [0, 5] };
    const bytes = writeTennis({ ...small, nodes });
    expect(await errorOf(susurrus.inspect(bytes))).toMatchObject({
      code: 'malformed',
      details: {
        reason: 'bad_index',
        subject: 'node 2 "conv": arguments[1]',
        expected: 'another node below 5',
        got: '5',
      },
    });
    const cut = writeTennis(small).slice(0, -3);
    expect(await errorOf(susurrus.inspect(cut))).toMatchObject({
      code: 'truncated_input',
      details: { reason: 'truncated', subject: 'node 4 "größe": arguments' },
    });
    const swapped = writeTennis(small);
    swapped.subarray(4, 8).reverse();
    const error = (await errorOf(susurrus.inspect(swapped))) as Error;
    expect(error).toMatchObject({
      code: 'unknown_format',
      details: { offset: 4, subject: 'code' },
    });
    expect(error.message).toContain('big-endian');
  });

  test('without outputs or operators is described with a warning', async () => {
    const nameless = (inputs: readonly number[], name: string) => ({
      inputs,
      parameters: [['#name', text(name)]] as const,
    });
    const nodes = [...small.nodes];
    nodes[2] = nameless([0, 1], 'conv');
    nodes[4] = nameless([2], 'y');
    const bytes = writeTennis({ ...small, nodes, outputs: [] });
    const { graph, warnings } = await susurrus.inspect(bytes);
    expect(warnings).toEqual([
      'node 2 "conv" and 1 more: without #op, cannot be run',
      'there are no outputs: the module cannot be run',
    ]);
    expect(graph?.nodes[2]).toMatchObject({ op: '', name: 'conv', inputs: [0, 1] });
    expect(graph?.outputs).toEqual([]);
    expect(await errorOf(susurrus.loadModel(bytes))).toMatchObject({ code: 'unsupported_feature' });
  });

  test('is no model that transcribes', async () => {
    const error = (await errorOf(susurrus.loadModel(writeTennis(small)))) as Error;
    expect(error).toMatchObject({ code: 'unsupported_feature' });
    expect(error.message).toMatch(/TenniS module.*openModule/);
  });

  test('of countless fields is listed as far as its size justifies', async () => {
    const nothing = { dtype: 0, shape: [], data: new Uint8Array() };
    const nodes = [...small.nodes];
    nodes[3] = tennisNode(
      '<const>',
      'pair',
      [],
      ['value', ...Array.from({ length: 300_000 }, () => nothing)],
    );
    const facts = await susurrus.inspect(writeTennis({ ...small, nodes }));
    expect(facts.graph?.nodes).toHaveLength(3);
    expect(facts.graph?.outputs).toEqual([{ node: 4, name: 'größe' }]);
    expect(facts.warnings).toEqual(['only the first 3 of 5 nodes are listed']);
  });

  test('takes memory for what is there, not for what it claims', async () => {
    const files = await filesModule();
    const nothing = { dtype: 0, shape: [], data: new Uint8Array() };
    const fields = Array.from({ length: 200_000 }, () => nothing);
    const names = Array.from({ length: 100_000 }, (_, i) => [`p${i}`] as const);
    const nodes = Array.from({ length: 30_000 }, () => tennisNode('x', '', [0]));
    const huge = writeTennis(small);
    // As many inputs as a count can say.
    new DataView(huge.buffer, huge.byteOffset).setInt32(128, 0x7fffffff, true);
    for (const bytes of [
      huge,
      writeTennis({
        ...small,
        nodes: [...small.nodes, tennisNode('x', '', [0], ['a', ...fields])],
      }),
      writeTennis({ ...small, nodes: [...small.nodes, tennisNode('x', '', [0], ...names)] }),
      writeTennis({ ...small, nodes: [...small.nodes, ...nodes] }),
    ]) {
      const before = files.heapStatistics().currentBytes;
      const inspector = new files.Inspector();
      inspector.describeAll();
      files.resetHeapPeak();
      for (let at = 0, error = ''; at < bytes.length && error === '';) {
        const window = inspector.inputWindow(Math.min(bytes.length - at, 60_000));
        window.set(bytes.subarray(at, at + window.length));
        at += window.length;
        error = inspector.push(window.length);
      }
      expect(inspector.finish() === '').toBe(bytes !== huge);
      if (bytes !== huge) JSON.parse(inspector.facts());
      const peak = files.heapStatistics().peakBytes - before;
      expect(peak).toBeLessThan((bytes === huge ? 1 << 20 : 16 << 20) + 4 * bytes.length);
      inspector.delete();
      expect(files.heapStatistics().currentBytes).toBeLessThan(before + 1000);
    }
  });
});
