import { expect, test } from '@jest/globals';
import { measureSlowness, slownessFrom, slownessOf } from '../../scripts/toolchain/slowness.mjs';
import { budgetTable, machineLine, timeTable } from '../../scripts/toolchain/time_table.mjs';
import { limit } from '../support/limits.js';

test('limits grow with what the machine takes, never below theirs, and not without end', () => {
  expect([1, 225, 300, 450, 1125, 1e9].map(slownessOf)).toEqual([1, 1, 1.4, 2, 5, 8]);
});

test('one odd run out of five does not count', () => {
  const durations = [450, 1, 900_000, 450, 460];
  let time = 0;
  let runs = 0;
  const work = (): void => {
    time += durations[runs++]!;
  };
  expect(measureSlowness(() => time, work)).toBe(2);
  expect(runs).toBe(5);
});

test('suites read it from the environment', () => {
  const texts = [undefined, '', '0.5', 'fast', '1', '2.5', '100'];
  expect(texts.map(slownessFrom)).toEqual([1, 1, 1, 1, 1, 2.5, 8]);
  const before = process.env.SUSURRUS_TEST_SLOWNESS;
  try {
    process.env.SUSURRUS_TEST_SLOWNESS = '3';
    expect(limit(60_000)).toBe(180_000);
    process.env.SUSURRUS_TEST_SLOWNESS = '1.1';
    expect(limit(50_000)).toBe(55_000);
    delete process.env.SUSURRUS_TEST_SLOWNESS;
    expect(limit(60_000)).toBe(60_000);
  } finally {
    if (before !== undefined) process.env.SUSURRUS_TEST_SLOWNESS = before;
  }
});

test('the table has the steps in order and the ten slowest suites', () => {
  const suites = Array.from({ length: 12 }, (_, i) => ({ name: `suite ${i}`, seconds: i }));
  const steps = [
    { name: 'build', seconds: 100.25 },
    { name: 'nothing', seconds: 0.1 },
    { name: 'lint', seconds: 2 },
  ];
  const table = timeTable(steps, suites);
  expect(table.slice(0, 5)).toEqual([
    'Steps',
    '   100.3 s  build',
    '     2.0 s  lint',
    'Slowest suites',
    '    11.0 s  suite 11',
  ]);
  expect(table).toHaveLength(14);
  expect(table.at(-1)).toBe('     2.0 s  suite 2');
  expect(timeTable([], [])).toEqual([]);
});

test('the processor time of a part stands beside its budget, and what is beyond it is said', () => {
  const step = (part: string, processor: number) => ({ name: part, part, seconds: 1, processor });
  const steps = [step('build', 100), step('lint', 0.2), step('fuzzing', 30), step('build', 50)];
  expect(budgetTable(steps, 0.25, { build: 0.5, fuzzing: 0.2 })).toEqual([
    'Processor time, also in thousands of a piece of work of 250 ms, and its budget',
    '   150.0 s    0.60 of 0.5  TOO MUCH: build  build',
    '    30.0 s    0.12 of 0.2    fuzzing',
  ]);
  expect(budgetTable([], 0.25)).toEqual([]);
});

test('how busy the machine was is a line of its own', () => {
  const line = machineLine({ busy: 100, all: 400 }, { busy: 250, all: 600 });
  expect(line).toMatch(/^ {3}150\.0 s {2}of all processors \(75 %\)/);
  expect(machineLine({ busy: 1, all: 2 }, { busy: 1, all: 2 })).toContain('(0 %)');
});
