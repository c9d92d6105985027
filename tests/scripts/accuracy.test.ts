import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { missedGoals } from '../../scripts/evaluate/accuracy/goals.mjs';
import { follow, wander } from '../../scripts/evaluate/accuracy/hearing.mjs';
import * as measures from '../../scripts/evaluate/accuracy/measures.mjs';
import { storedValues, writeStoredValues } from '../../scripts/evaluate/accuracy/stored_values.mjs';
import { summarise, untilDifference } from '../../scripts/evaluate/accuracy/summary.mjs';
import { changedWords } from '../../scripts/evaluate/accuracy/words.mjs';
import {
  developersPage,
  pageWith,
  repeatedTables,
  usersPage,
} from '../../scripts/evaluate/update_page.mjs';
import { withOutliers } from '../../scripts/outlier_channels.mjs';
import { builtPackage } from '../support/built_package.js';
import { writeHubFolder } from '../support/hub_folder.js';
import { projectRoot } from '../support/shared_folder.js';

const floats = (...values: number[]) => Float32Array.from(values);

describe('measures', () => {
  test('errors are relative to what is expected', () => {
    expect(measures.relativeError(floats(3, 4), floats(3, 4))).toBe(0);
    expect(measures.relativeError(floats(3, 5), floats(3, 4))).toBeCloseTo(0.2);
    expect(measures.relativeError(floats(0, 0), floats(3, 4))).toBe(1);
  });

  test('large columns and constant parts hide no errors', () => {
    // A column of large numbers that is right, and one around 10 whose changes are half wrong.
    const expected = floats(1000, 11, -1000, 9);
    const actual = floats(1000, 11.5, -1000, 8.5);
    expect(measures.relativeError(actual, expected)).toBeLessThan(1e-3);
    const errors = measures.columnErrors(actual, expected, 2);
    expect(errors[0]).toBe(0);
    expect(errors[1]).toBeCloseTo(0.5);
  });

  test('logits are compared up to a constant', () => {
    const expected = floats(1, 2, 3, 6);
    const same = measures.compareLogits(floats(11, 12, 13, 16), expected);
    expect(same.error).toBeCloseTo(0);
    expect(same.correlation).toBeCloseTo(1);
    expect(same.isSameTop).toBe(true);
    const turned = measures.compareLogits(floats(-1, -2, -3, -6), expected);
    expect(turned.error).toBeCloseTo(2);
    expect(turned.correlation).toBeCloseTo(-1);
    expect(turned.isSameTop).toBe(false);
  });

  test('margins are in deviations', () => {
    expect(measures.margin(floats(0, 0, 0, 4))).toBeCloseTo(4 / Math.sqrt(3));
    expect(measures.margin(floats(0, 4, 0, 4))).toBe(0);
    expect(measures.largest(floats(5, 9, 7), 1)).toBe(0);
    expect(measures.largest(floats(5, 9, 7), 3, (i) => i !== 1)).toBe(2);
  });

  test('greedy tokens count until the first that differs', () => {
    expect(untilDifference([true, true, false, true])).toBe(2);
    expect(untilDifference([true, true])).toBe(2);
  });

  test('changed words are counted of 100 expected', () => {
    const expected = [['one', 'two', 'three'], ['four']];
    expect(changedWords(expected, expected)).toBe(0);
    expect(
      changedWords(
        [
          ['one', 'two'],
          ['four', 'five'],
        ],
        expected,
      ),
    ).toBe(50);
  });

  test('missed goals are named', () => {
    const good = { top1: 1, digitWords: 0, otherWords: 0 };
    const row = (dtype: string, same: Record<string, number>) => ({
      ...{ model: 'm', variant: 'simd', dtype, weights: good },
      same,
    });
    expect(missedGoals([row('q8_0', good), row('q4_0', { top1: 0 })])).toEqual([]);
    expect(missedGoals([row('q8_0', { top1: 0.989 })])).toEqual([
      'm, simd, beside the same values in f32: 98.9 % of the largest logits are kept, of 99',
    ]);
    expect(missedGoals([row('q8_0', { digitWords: 2.1 })])).toHaveLength(1);
  });
});

describe('hearing', () => {
  /** Logits that depend on all tokens since encode(). */
  class Counting {
    #sum = 0;
    encode(samples: Float32Array): Float32Array {
      return samples;
    }
    logits(tokens: readonly number[], appends: boolean): Float32Array {
      if (!appends) this.#sum = 0;
      for (const token of tokens) this.#sum += token;
      return Float32Array.from({ length: 5 }, (_, i) => -Math.abs(i - (this.#sum % 4)));
    }
  }
  const windows = [floats(1, 2), floats(3, 4)];

  test('wanders without going back, and can be followed', () => {
    const { heard, histories } = wander(new Counting(), windows, [1, 2], 4, 4);
    expect(histories[0]).toEqual(histories[1]);
    expect(new Set(histories[0]).size).toBe(3);
    expect(heard.map(({ logits }) => logits.length)).toEqual([4, 4]);
    const followed = follow(new Counting(), windows, [1, 2], histories);
    expect(followed).toEqual(heard);
    const { top1, greedy, encoder, positions } = summarise(followed, heard, 2);
    expect({ top1, greedy, encoder, positions }).toEqual({
      ...{ top1: 1, greedy: 1, encoder: 0, positions: 8 },
    });
    const strayed = follow(new Counting(), windows, [1, 3], histories);
    expect(summarise(strayed, heard, 2).top1).toBeLessThan(1);
  });
});

describe('stored values', () => {
  const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'));
  const ramp = Array.from({ length: 32 }, (_, i) => (i - 16) / 8);

  // Blocks that ggml writes for the ramp, or for (8i − 127) / 64.
  test.each([
    ['q4_0', '0034809191a2a2b3b3c4c4d5d5e6e6f7f7f8', ramp, 0.25],
    ['q4_1', '223400c080809191a2a2b3b3c4c4d5d5e6e6f7f7', ramp, 0.26],
    ['q5_0', '00300000ffff00112233445566778899aabbccddeeff', ramp, 0],
    ['q5_1', '003000c00000ffff00112233445566778899aabbccddeeff', ramp, 0],
    [
      'q8_0',
      '002481899199a1a9b1b9c1c9d1d9e1e9f1f901091119212931394149515961697179',
      ramp.map((value) => value + 1 / 64),
      0,
    ],
  ])('%s', (dtype, hex, expected, step) => {
    const values = storedValues(dtype, bytes(hex), 32);
    values.forEach((value, i) => {
      expect(Math.abs(value - expected[i]!)).toBeLessThanOrEqual(step / 2 + 1e-3);
    });
    if (step === 0) expect([...values]).toEqual(expected);
  });

  test.each([
    ['f32', '0000c03f', 1.5],
    ['f16', '003e', 1.5],
    ['f16', '0180', -(2 ** -24)],
    ['bf16', 'c0bf', -1.5],
  ])('%s %s', (dtype, hex, value) => {
    expect(storedValues(dtype, bytes(hex), 1)[0]).toBe(value);
  });

  test.each(['bf16', 'f16', 'q8_0', 'q5_1', 'q5_0', 'q4_1', 'q4_0'] as const)(
    'of a file in %s are the weights of an f32 file',
    async (dtype) => {
      const { convertModel, inspect } = await builtPackage();
      const folder = mkdtempSync(join(tmpdir(), 'susurrus-values-'));
      try {
        const path = (name: string) => join(folder, name);
        const hub = writeHubFolder(path('hub'));
        await convertModel(hub, path('stored.apr'), { dtype, compress: 'none' });
        const { tensors } = await inspect(path('stored.apr'));
        writeStoredValues(path('stored.apr'), tensors, hub, path('values'));
        await convertModel(path('values'), path('f32.apr'), { dtype: 'f32', compress: 'none' });
        // Values that are whole levels already are stored as they are.
        await convertModel(path('values'), path('again.apr'), { dtype, compress: 'none' });
        expect(readFileSync(path('again.apr'))).toEqual(readFileSync(path('stored.apr')));
        const exact = await inspect(path('f32.apr'));
        expect(exact.tensors.every((tensor) => tensor.dtype === 'f32')).toBe(true);
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  );
});

describe('outlier channels', () => {
  const state = 64;
  const ones = (name: string, shape: number[]) => ({
    ...{ name, shape },
    fill: (values: Float32Array) => void values.fill(1),
  });
  const tensors = [0, 1].flatMap((layer) => [
    ones(`model.encoder.layers.${layer}.fc1.weight`, [4 * state, state]),
    ones(`model.encoder.layers.${layer}.fc2.weight`, [state, 4 * state]),
    ones(`model.encoder.layers.${layer}.fc2.bias`, [state]),
    ones(`model.encoder.layers.${layer}.final_layer_norm.weight`, [state]),
  ]);
  const filled = (random: () => number) =>
    withOutliers(tensors, state, { encoder: 2, decoder: 2 }, random).map(({ shape, fill }) => {
      const values = new Float32Array(shape.reduce((product, side) => product * side, 1));
      fill(values, random);
      return values;
    });
  const seeded = () => {
    let state = 1;
    return () => (state = (state * 48271) % 2147483647) / 2 ** 30 - 1;
  };

  test('are a handful, scaled by 50 to 500 in the last block and less before', () => {
    const values = filled(seeded());
    expect(values[0]!.every((value) => value === 1)).toBe(true);
    const scaled = (vector: Float32Array) => [...vector].filter((value) => value !== 1);
    for (const index of [2, 3, 6, 7]) {
      const isLast = index > 3;
      const [least, most] = isLast ? [50, 500] : [Math.sqrt(50), Math.sqrt(500)];
      const factors = scaled(values[index]!);
      expect(factors).toHaveLength(5);
      for (const factor of factors) {
        expect(factor).toBeGreaterThanOrEqual(Math.fround(least));
        expect(factor).toBeLessThanOrEqual(Math.fround(most));
      }
    }
    // A channel's row of weights is scaled as its bias is.
    const [weight, bias] = [values[5]!, values[6]!];
    expect(weight.every((value, i) => value === bias[Math.floor(i / (4 * state))])).toBe(true);
  });

  test('are the same for the same numbers', () => {
    expect(filled(seeded())).toEqual(filled(seeded()));
  });
});

describe('the documents', () => {
  const textOf = (path: string) => readFileSync(join(projectRoot, path), 'utf8');
  /** Generated tables by name. */
  const tablesOf = (path: string): Readonly<Record<string, string>> =>
    Object.fromEntries(
      [...textOf(path).matchAll(/<!-- ([\w-]+) -->\n\n(.*?)\n\n<!-- \/\1 -->/gs)].map(
        ([, name = '', table = '']) => [name, table],
      ),
    );

  test('the page for users repeats tables of the page for developers as they are', async () => {
    const all = tablesOf(developersPage);
    const repeated = repeatedTables(all);
    expect(Object.keys(repeated)).toEqual(['word-errors']);
    expect(tablesOf(usersPage)).toEqual(repeated);
    expect(await pageWith(repeated, usersPage)).toBe(textOf(usersPage));
    const other = { 'word-errors': '| weights |\n| ------- |\n| f32     |' };
    expect(await pageWith(repeatedTables(other), usersPage)).toContain(other['word-errors']);
  });

  test('every table of the evaluation has its place', async () => {
    const names = [
      'encoder-context',
      'formats',
      'live',
      'live-known',
      'live-recordings',
      'live-unlike',
      'modes',
      'nothing',
    ];
    const all = tablesOf(developersPage);
    expect(Object.keys(all)).toEqual(
      expect.arrayContaining([...names, 'word-counts', 'word-errors', 'word-times']),
    );
    await expect(pageWith({ nowhere: '' })).rejects.toThrow('no place for nowhere');
  });
});
