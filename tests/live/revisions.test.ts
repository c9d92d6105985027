// What a second hearing changes in texts that were told.
import { describe, expect, test } from '@jest/globals';
import type { LiveText, Segment, Word } from '../../web/src/api/types.js';
import { Revisions, type Change } from '../../web/src/model/revisions.js';

/** Words of half a second, one after the other. */
const wordsOf = (text: string, start: number): Word[] =>
  text.split(' ').map((word, i) => ({
    ...{ word: ` ${word}`, start: start + i / 2, end: start + i / 2 + 0.4 },
    probability: 0.9,
  }));

const final = (id: number, start: number, text: string): LiveText => {
  const words = text === '' ? [] : wordsOf(text, start);
  const end = words.at(-1)?.end ?? start;
  const whole = { text: words.map(({ word }) => word).join(''), words, start, end };
  return { type: 'final', id, time: end, ...whole, committed: words.length, tokens: [] };
};
const segment = (start: number, text: string, language = 'en'): Segment =>
  ({ ...final(0, start, text), language }) as unknown as Segment;

/** Ids that were replaced, and by which texts. */
const told = (changes: readonly Change[]) =>
  changes.map(({ replaces, segments }) => [replaces, segments.map(({ text }) => text)]);

test('texts that are heard in the same way stay', () => {
  const revisions = new Revisions();
  expect(revisions.said(final(0, 0, 'I was there.'))).toEqual([]);
  expect(revisions.said(final(1, 3, 'And you?'))).toEqual([]);
  expect(revisions.heard([segment(0, 'I was there. And you?')], 5)).toEqual([]);
  expect(revisions.finish(5)).toEqual([]);
});

test('a change says which texts it replaces, where they are, and what was heard', () => {
  const revisions = new Revisions();
  revisions.said(final(0, 0, 'So in college.'));
  revisions.said(final(1, 1.6, 'I was a government mayor.'));
  revisions.said(final(2, 5, 'Yes.'));
  const heard = [segment(0, 'So, in college, I was a government major.', 'en'), segment(5, 'Yes.')];
  const changes = revisions.heard(heard, 6);
  expect(revisions.finish(6)).toEqual([]);
  expect(told(changes)).toEqual([[[0, 1], [' So, in college, I was a government major.']]]);
  const [change] = changes;
  expect([change?.start, change?.end]).toEqual([0, 4]);
  const [only] = change?.segments ?? [];
  expect(only).toMatchObject({ start: 0, language: 'en' });
  expect(only?.words.map(({ word }) => word).join('')).toBe(only?.text);
});

test('only what differs is told, in its order', () => {
  const revisions = new Revisions();
  ['one two', 'three fore', 'five six', 'heaven'].forEach((text, i) =>
    revisions.said(final(i, 2 * i, text)),
  );
  const heard = ['one two', 'three four', 'five six', 'seven'];
  const segments = heard.map((text, i) => segment(2 * i, text));
  expect(told(revisions.heard(segments, 9))).toEqual([[[1], [' three four']]]);
  // The last one may go on.
  expect(told(revisions.finish(9))).toEqual([[[3], [' seven']]]);
});

test('text that nobody said is taken back', () => {
  const revisions = new Revisions();
  revisions.said(final(0, 0, 'Thank you.'));
  revisions.said(final(1, 4, 'Good morning.'));
  expect(told(revisions.heard([segment(4, 'Good morning.')], 5))).toEqual([[[0], []]]);
});

test('words that were missed come with the text that they are nearest to', () => {
  const revisions = new Revisions();
  revisions.said(final(0, 0, 'one two'));
  revisions.said(final(1, 6, 'seven'));
  const missed = [segment(0, 'one two three'), segment(5, 'six seven')];
  expect(told(revisions.heard(missed, 8))).toEqual([[[0], [' one two three']]]);
  expect(told(revisions.finish(8))).toEqual([[[1], [' six seven']]]);
});

test('speech that was missed as a whole replaces nothing', () => {
  const revisions = new Revisions();
  expect(revisions.heard([segment(2, 'one two')], 3)).toEqual([]);
  const [change] = revisions.finish(4);
  expect(change).toMatchObject({ start: 2, end: 2.9, replaces: [] });
  expect(change?.segments.map(({ text }) => text)).toEqual([' one two']);
  expect(revisions.finish(5)).toEqual([]);
});

test('a text waits until the second hearing is through with it, and may come after that', () => {
  const revisions = new Revisions();
  expect(revisions.heard([segment(0, 'one too three')], 2)).toEqual([]);
  // The first half of it is heard, and the rest is another window's.
  expect(revisions.said(final(0, 0, 'one two three for five'))).toEqual([]);
  expect(revisions.heard([segment(1.5, 'four five')], 3)).toEqual([]);
  const changes = revisions.said(final(1, 4, 'six'));
  expect(told(changes)).toEqual([[[0], [' one too three', ' four five']]]);
  expect(told(revisions.finish(5))).toEqual([[[1], []]]);
});

test('words beyond the last text wait for the next one', () => {
  const revisions = new Revisions();
  revisions.said(final(0, 0, 'the cat'));
  expect(revisions.heard([segment(0, 'the cat sat on the cat')], 4)).toEqual([]);
  expect(revisions.said(final(1, 1, 'sat on a cat'))).toEqual([]);
  expect(told(revisions.finish(4))).toEqual([[[1], [' sat on the cat']]]);
});

test('words are matched, not times: those of the two hearings differ', () => {
  const revisions = new Revisions();
  revisions.said(final(0, 0, 'left auxiliary'));
  revisions.said(final(1, 1, 'right auxiliary'));
  expect(revisions.heard([segment(0.7, 'left auxiliary right auxiliary')], 4)).toEqual([]);
  expect(revisions.finish(4)).toEqual([]);
});

test('what ends with the second hearing belongs to the last text', () => {
  const revisions = new Revisions();
  revisions.said(final(0, 0, 'one two'));
  expect(revisions.heard([segment(0, 'one two three')], 0.5)).toEqual([]);
  expect(told(revisions.finish(1))).toEqual([[[0], [' one two three']]]);
  // The next stretch has nothing of it.
  expect(revisions.said(final(1, 9, 'ten'))).toEqual([]);
  expect(revisions.heard([segment(9, 'ten')], 10)).toEqual([]);
});

test('given up, texts stay, also those that end later', () => {
  const revisions = new Revisions();
  revisions.said(final(0, 0, 'one too'));
  revisions.heard([segment(0, 'one two')], 0.5);
  revisions.giveUp(4);
  expect(revisions.said(final(1, 2, 'three for'))).toEqual([]);
  expect(revisions.heard([], 5)).toEqual([]);
  revisions.said(final(2, 6, 'sex'));
  revisions.heard([segment(6, 'six')], 7);
  expect(told(revisions.finish(7))).toEqual([[[2], [' six']]]);
});

describe('any two hearings', () => {
  /** mulberry32 */
  const random = (seed: number) => () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };

  test.each(Array.from({ length: 40 }, (_, seed) => seed))('become the second one (%i)', (seed) => {
    const next = random(seed);
    const vocabulary = ['a', 'b', 'c', 'd', 'e'];
    const truth = Array.from({ length: 40 }, () => vocabulary[Math.floor(5 * next())]!);
    const heardTexts: Segment[] = [];
    const finals: LiveText[] = [];
    for (let at = 0; at < truth.length;) {
      const count = Math.min(truth.length - at, 1 + Math.floor(6 * next()));
      const words = truth.slice(at, at + count).flatMap((word) => {
        const chance = next();
        if (chance < 0.1) return [];
        return chance < 0.2 ? ['x'] : chance < 0.25 ? [word, word] : [word];
      });
      if (words.length > 0) finals.push(final(finals.length, at / 2, words.join(' ')));
      at += count;
    }
    for (let at = 0; at < truth.length;) {
      const count = Math.min(truth.length - at, 1 + Math.floor(9 * next()));
      heardTexts.push(segment(at / 2, truth.slice(at, at + count).join(' ')));
      at += count;
    }
    const revisions = new Revisions();
    const shown: { id?: number; text: string }[] = [];
    const apply = (changes: readonly Change[]): void => {
      for (const { replaces, segments } of changes) {
        const at =
          replaces.length > 0 ? shown.findIndex(({ id }) => id === replaces[0]) : shown.length;
        expect(shown.slice(at, at + replaces.length).map(({ id }) => id)).toEqual(replaces);
        shown.splice(at, replaces.length, ...segments.map(({ text }) => ({ text })));
      }
    };
    while (finals.length + heardTexts.length > 0) {
      if (heardTexts.length === 0 || (finals.length > 0 && next() < 0.5)) {
        const text = finals.shift()!;
        shown.push({ id: text.id, text: text.text });
        apply(revisions.said(text));
      } else {
        const text = heardTexts.shift()!;
        apply(revisions.heard([text], text.end));
      }
    }
    apply(revisions.finish(30));
    expect(shown.map(({ text }) => text).join('')).toBe(truth.map((word) => ` ${word}`).join(''));
  });
});
