// Which texts of live captions share a line on the demo page.
import { describe, expect, test } from '@jest/globals';
import type { Entry, Revised, Utterance } from '../../web/demo/live/caption_state.js';
import { lackingSpace, linesOf, reviseLines, type Line } from '../../web/demo/live/live_lines.js';

/** A text of one word, whose time reaches to the next one's as that of some models does. */
const said = (
  text: string,
  start: number,
  end: number,
  more: Partial<Pick<Utterance, 'language' | 'speaker'>> = {},
): Utterance => ({
  ...{ kind: 'utterance', key: text, start: start - 0.5, end: end + 5, isFinal: true },
  words: [{ key: text, text: ` ${text}`, start, end, probability: 1, isCommitted: true }],
  ...more,
});

/** The lines' texts. */
const told = (lines: readonly Line[]): string[] =>
  lines.map((line) =>
    line.map((entry) => (entry.kind === 'gap' ? '…' : entry.words[0]!.text)).join(''),
  );

describe('lines of live captions', () => {
  test('M16: a pause of less than a second ends none', () => {
    const entries = [said('in his book.', 0, 2), said('Capital', 2.6, 3), said('is', 4, 5)];
    expect(told(linesOf(entries))).toEqual([' in his book. Capital', ' is']);
  });

  test('end where another one speaks, or in another language; one that is not known yet ends none', () => {
    const languages = ['en', undefined, 'en', undefined, 'de'].map((language, at) =>
      said(`${at}`, at, at + 0.9, language === undefined ? {} : { language }),
    );
    expect(told(linesOf(languages))).toEqual([' 0 1 2 3', ' 4']);
    const people = ['S1', 'S1', 'S2', undefined].map((speaker, at) =>
      said(`${at}`, at, at + 0.9, speaker === undefined ? {} : { speaker }),
    );
    expect(told(linesOf(people))).toEqual([' 0 1', ' 2', ' 3']);
  });

  test('end where something was left out, and once they are long', () => {
    const gap: Entry = { kind: 'gap', start: 1, end: 1.5 };
    expect(told(linesOf([said('before', 0, 1), gap, said('after', 1.5, 2)]))).toEqual([
      ...[' before', '…', ' after'],
    ]);
    const long = 'x'.repeat(599);
    expect(linesOf([said(long, 0, 1), said('b', 1, 2), said('c', 2, 3)])).toHaveLength(2);
  });

  test('a space stands between texts that bring none, but in languages that have none', () => {
    const bare = (language?: string): Utterance => {
      const { words, ...text } = said('a', 0, 1, language === undefined ? {} : { language });
      return { ...text, words: words.map((word) => ({ ...word, text: 'a' })) };
    };
    expect([said('a', 0, 1), bare(), bare('ja')].map(lackingSpace)).toEqual(['', ' ', '']);
  });
});

describe('what is heard again', () => {
  const entries = [
    ...[said('a', 0, 1), said('b', 1.5, 2), said('c', 2.5, 3)],
    ...[said('d', 6, 7), said('e', 7.5, 8), said('f', 20, 21)],
  ];
  const lines = linesOf(entries);

  /** The lines afterwards, and which of them are the same as before. */
  function after(revised: Omit<Revised, 'kind'>): string[] {
    const { from, count, lines: others } = reviseLines(lines, { kind: 'revised', ...revised });
    expect(count).toBeGreaterThan(0);
    return told(lines.toSpliced(from, count, ...others));
  }

  test('the lines before', () => {
    expect(told(lines)).toEqual([' a b c', ' d e', ' f']);
  });

  test('takes its place within a line', () => {
    const utterances = [said('B', 1.5, 2)];
    expect(after({ replaced: ['b'], utterances, next: 'c' })).toEqual([' a B c', ' d e', ' f']);
  });

  test('takes the place of all of a line, and goes on with the one before', () => {
    const utterances = [said('D', 3.5, 7)];
    expect(after({ replaced: ['d', 'e'], utterances, next: 'f' })).toEqual([' a b c D', ' f']);
  });

  test('takes the place of texts of two lines', () => {
    const utterances = [said('C', 2.5, 3), said('D', 3.2, 7)];
    expect(after({ replaced: ['c', 'd'], utterances, next: 'e' })).toEqual([' a b C D e', ' f']);
  });

  test('leaves what was left out where it was', () => {
    const gap: Entry = { kind: 'gap', start: 1, end: 1.5 };
    const before = linesOf([said('a', 0, 1), gap, said('b', 1.5, 2)]);
    const utterances = [said('A', 0, 0.9), said('B', 1.5, 2)];
    const { lines } = reviseLines(before, {
      ...{ kind: 'revised', replaced: ['a', 'b'], next: undefined },
      utterances: utterances.map((one, at) => ({ ...one, start: at * 1.5 })),
    });
    expect(told(lines)).toEqual([' A', '…', ' B']);
  });

  test('is somebody else’s from a word on', () => {
    const utterances = [said('b', 1.5, 1.7), said('B', 1.7, 2, { speaker: 'S2' })];
    expect(after({ replaced: ['b'], utterances, next: 'c' })).toEqual([
      ...[' a b', ' B', ' c', ' d e', ' f'],
    ]);
  });

  test('was nothing', () => {
    expect(after({ replaced: ['a', 'b', 'c'], utterances: [], next: 'd' })).toEqual([
      ...[' d e', ' f'],
    ]);
    expect(after({ replaced: ['f'], utterances: [], next: undefined })).toEqual([' a b c', ' d e']);
  });

  test('comes where nothing was, before what follows or at the end', () => {
    expect(after({ replaced: [], utterances: [said('D', 5, 5.5)], next: 'd' })).toEqual([
      ...[' a b c', ' D d e', ' f'],
    ]);
    expect(after({ replaced: [], utterances: [said('g', 21, 22)], next: 'open' })).toEqual([
      ...[' a b c', ' d e', ' f g'],
    ]);
    expect(
      told(
        reviseLines([], {
          ...{ kind: 'revised', replaced: [], next: undefined },
          utterances: [said('a', 0, 1)],
        }).lines,
      ),
    ).toEqual([' a']);
  });
});
