// TenniS modules on the demo page: their graph as a picture and a table, runs on noise and on recordings.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { limit } from '../support/limits.js';
import { writeOnnx } from '../support/onnx_writer.js';
import { projectRoot } from '../support/shared_folder.js';
import { floats, ints, tennisNode, text, writeTennis } from '../support/tennis_writer.js';
import {
  chooseModel,
  drop,
  longSilence,
  segmentTexts,
  settled,
  shown,
  startStage,
  worked,
} from './browser_page.js';
import type { Stage } from './browser_page.js';

jest.setTimeout(limit(120_000));

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterAll(async () => {
  await stage.close();
});

const detector = readFileSync(join(projectRoot, 'models/vad.tsm'));

/** Two convolutions side by side, whose results are joined; nothing in it is sound. */
const small = (shape: readonly number[] | undefined, last = 'relu'): Uint8Array => {
  const conv = (name: string, filter: number) =>
    tennisNode(
      'conv2d',
      name,
      [0, filter],
      ['format', text('NCHW')],
      ['padding', ints([4, 2], 0, 0, 0, 0, 0, 0, 0, 0)],
      ['stride', ints([4], 1, 1, 1, 1)],
      ['dilation', ints([4], 1, 1, 1, 1)],
    );
  const declared = shape ? [['#shape', ints([shape.length], ...shape)] as const] : [];
  return writeTennis({
    inputs: [0],
    outputs: [6],
    nodes: [
      tennisNode('<param>', 'image', [], ...declared),
      tennisNode('<const>', 'a', [], ['value', floats([2, 3, 1, 1], 1, 1, 1, 2, 2, 2)]),
      tennisNode('<const>', 'b', [], ['value', floats([1, 3, 1, 1], 1, 0, 0)]),
      conv('left', 1),
      conv('right', 2),
      tennisNode('concat', 'both', [3, 4], ['dim', ints([], 1)]),
      tennisNode(last, 'y', [5]),
    ],
  });
};

/** Operator and shape of each box, from top to bottom. */
const boxes = (page: Page) =>
  page.$$eval('#graph .node', (nodes) =>
    nodes.map((node) => [...node.querySelectorAll('text')].map((one) => one.textContent).join(' ')),
  );

const rows = (page: Page, table: string) =>
  page.$$eval(`${table} tbody tr`, (all) =>
    all.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent)),
  );

async function dropped(page: Page, name: string, bytes: Uint8Array): Promise<void> {
  await settled(page);
  await worked(page, () => drop(page, name, bytes));
}

test('a module that is dropped is drawn, with shapes and cost, and listed', async () => {
  const { page, problems } = await stage.open();
  // Its bytes tell, not its name.
  await dropped(page, 'a network', small([-1, 3, 4, 5]));
  await shown(() => page.textContent('#status')).toBe('Ready. a network is loaded.');
  await shown(() => page.textContent('#network_title')).toBe('a network');
  await shown(() => page.textContent('#network_meta')).toMatch(
    /^5 nodes · 9 weights · [\d.]+ multiply-adds a run · \d+ kB of memory$/,
  );
  await shown(() => boxes(page)).toEqual([
    'image ?×3×4×5',
    'conv2d ?×2×4×5',
    'conv2d ?×1×4×5',
    'concat ?×3×4×5',
    'relu ?×3×4×5',
  ]);
  const picture = page.getByRole('img', { name: /graph of 5 nodes, from image \?×3×4×5 to relu/ });
  await shown(() => picture.count()).toBe(1);
  // Every edge ends at the head of a box below the one that it comes from.
  await shown(() => page.locator('#graph .edges path').count()).toBe(5);
  const heights = await page.$$eval('#graph .node .box', (all) =>
    all.map((one) => Number(one.getAttribute('y'))),
  );
  expect(heights[1]).toBe(heights[2]);
  expect(heights[0]! < heights[1]! && heights[2]! < heights[3]!).toBe(true);
  const table = await rows(page, '#graph_table');
  expect(table).toHaveLength(7);
  expect(table[3]).toEqual(['3', 'conv2d', 'left', '0 1', '?×2×4×5', '6', String(4 * 5 * 6)]);
  expect(problems).toEqual([]);
});

test('it is run on zeros, noise, and with other shapes', async () => {
  const { page, problems } = await stage.open();
  await dropped(page, 'small.tsm', small([-1, 3, 4, 5]));
  await page.getByLabel('Values of image').selectOption('zeros');
  await worked(page, () => page.click('#network_inputs button'));
  await shown(() => page.textContent('#status')).toMatch(/^Ran in [\d.e-]+ ms\.$/);
  await shown(() => rows(page, '#network_outputs')).toEqual([
    ['y', '1×3×4×5', '0', '0', '0', '0 0 0 0'],
  ]);
  await page.getByLabel('Values of image').selectOption('noise');
  await page.getByLabel('Shape of image').fill('2 x 3 x 4 x 5');
  await worked(page, () => page.keyboard.press('Enter'));
  const [[, shape, least, greatest] = []] = await rows(page, '#network_outputs');
  expect([shape, least]).toEqual(['2×3×4×5', '0']);
  expect(Number(greatest)).toBeGreaterThan(0.5);
  await shown(async () => (await boxes(page))[0]).toBe('image 2×3×4×5');

  await page.getByLabel('Shape of image').fill('2×4×4×5');
  await worked(page, () => page.click('#network_inputs button'));
  await shown(() => page.textContent('#error_message')).toMatch(/image/);
  expect(problems).toEqual([]);
});

test('without shapes, or with an unknown operator, the graph is there all the same', async () => {
  const { page, problems } = await stage.open();
  await dropped(page, 'bare.tsm', small(undefined));
  await shown(() => boxes(page)).toEqual(['image', 'conv2d', 'conv2d', 'concat', 'relu']);
  await shown(() => page.textContent('#network_note')).toMatch(/not known.*image/);
  await page.getByLabel('Shape of image').fill('1x3x2x2');
  await worked(page, () => page.click('#network_inputs button'));
  await shown(async () => (await boxes(page)).at(-1)).toBe('relu 1×3×2×2');
  await dropped(page, 'odd.tsm', small([1, 3, 2, 2], 'yolo'));
  await shown(async () => (await boxes(page)).at(-1)).toBe('yolo');
  await shown(() => page.textContent('#network_note')).toMatch(/not known.*yolo/);
  expect(problems).toEqual([]);
});

test('M13: an ONNX network that is dropped is drawn and run as a module is; one that cannot run says which step', async () => {
  const { page, problems } = await stage.open();
  const network = (op: string) =>
    writeOnnx({
      inputs: [{ name: 'x', type: 'f32', shape: [1, 4] }],
      nodes: [{ op, name: 'last', inputs: ['x'], outputs: ['y'] }],
      outputs: ['y'],
    });
  await dropped(page, 'net.onnx', network('Relu'));
  await shown(() => page.textContent('#network_title')).toBe('net.onnx');
  await shown(async () => (await boxes(page)).at(-1)).toMatch(/^relu 1×4$/i);
  await worked(page, () => page.click('#network_inputs button'));
  await shown(async () => (await rows(page, '#network_outputs')).length).toBe(1);
  await dropped(page, 'odd.onnx', network('Einsum'));
  await shown(() => page.textContent('#error_title')).toBe('odd.onnx could not be loaded');
  await shown(() => page.textContent('#error_message')).toBe(
    'This page cannot run a network with this step: node 0 "last" (Einsum).',
  );
  await shown(() => page.textContent('#network_title')).toBe('net.onnx');
  expect(problems).toEqual([]);
});

test('the detector is offered; it hears the sample frame by frame, and silence', async () => {
  const { page, problems } = await stage.open();
  await settled(page);
  await worked(page, () => chooseModel(page, 'vad.tsm'));
  await settled(page);
  await shown(() => page.textContent('#status')).toBe('Ready. vad.tsm is loaded.');
  await shown(() => page.isHidden('.more-options')).toBe(true);
  await worked(page, () => page.click('#sample'));
  await shown(() => page.textContent('#status')).toMatch(/^Done: 10 s of sound in /);
  const ranges = await page.locator('#network_ranges li').allTextContents();
  // Two sentences with a pause before 6.7 s; speech begins within the first half second.
  expect(ranges.length).toBeGreaterThan(1);
  expect(ranges[0]).toMatch(/^0:00\.[0-4]\d – /);
  expect(ranges.some((range) => /^0:06\.[6-8]\d – /.test(range))).toBe(true);
  const label = await page.getAttribute('#network_curve svg', 'aria-label');
  expect(label).toContain(ranges[0]?.replace('–', 'to'));

  await worked(page, () => drop(page, 'silence.wav', longSilence(3)));
  await shown(() => page.locator('#network_ranges li').count()).toBe(0);
  await shown(() => page.isVisible('#network_nothing')).toBe(true);
  expect(problems).toEqual([]);
});

test('a network that takes no sound says so, and a recogniser takes its place', async () => {
  const { page, problems } = await stage.open();
  await dropped(page, 'small.tsm', small([1, 3, 4, 5]));
  await worked(page, () => page.click('#sample'));
  await shown(() => page.textContent('#status')).toMatch(/takes no sound/);
  await worked(page, () => chooseModel(page, 'digits.apr'));
  await settled(page);
  await shown(() => page.isHidden('#network')).toBe(true);
  await shown(() => page.isVisible('.more-options')).toBe(true);
  await worked(page, () => page.click('#sample'));
  await shown(async () => (await segmentTexts(page)).length).toBeGreaterThan(0);
  expect(problems).toEqual([]);
});

test('a damaged module leaves the one before it in use', async () => {
  const { page } = await stage.open();
  await dropped(page, 'vad.tsm', detector);
  await worked(page, () => drop(page, 'cut.tsm', detector.subarray(0, 5000)));
  await shown(() => page.textContent('#error_title')).toBe('cut.tsm could not be loaded');
  await shown(() => page.textContent('#status')).toBe('The model from before is still there.');
  await shown(() => page.textContent('#network_title')).toBe('vad.tsm');
  await worked(page, () => page.click('#network_inputs button'));
  await shown(() => rows(page, '#network_outputs')).toHaveLength(2);
});
