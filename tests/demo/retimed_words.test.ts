// Edited text keeps the times of what stays and shares those of what it replaces.
import { describe, expect, test } from '@jest/globals';
import { retimedWords, type HeardWord } from '../../web/demo/transcript/retimed_words.js';

const word = (text: string, start: number, end: number): HeardWord => ({
  word: text,
  start,
  end,
  probability: 0.4,
});

const sentence = [
  word(' The', 1, 1.2),
  word(' quick', 1.2, 1.6),
  word(' brown', 1.8, 2),
  word(' fox.', 2, 2.5),
];
const span = { start: 1, end: 3 };

const round = (seconds: number) => Math.round(seconds * 1000) / 1000;
const timesOf = (words: readonly HeardWord[]) =>
  words.map(({ word: text, start, end }) => [text, round(start), round(end)]);

describe('words of an edited text', () => {
  test('are the same when nothing changed but white space', () => {
    expect(retimedWords(sentence, '  The quick\n brown   fox. ', span)).toEqual(sentence);
  });

  test('take the time of the word that they replace, and are sure', () => {
    const words = retimedWords(sentence, 'The slow brown fox.', span);
    expect(timesOf(words)).toEqual([
      [' The', 1, 1.2],
      [' slow', 1.2, 1.6],
      [' brown', 1.8, 2],
      [' fox.', 2, 2.5],
    ]);
    expect(words.map(({ probability }) => probability)).toEqual([0.4, 1, 0.4, 0.4]);
  });

  test('share the time of fewer or more words by their length', () => {
    expect(timesOf(retimedWords(sentence, 'The redder fox.', span))).toEqual([
      [' The', 1, 1.2],
      [' redder', 1.2, 2],
      [' fox.', 2, 2.5],
    ]);
    const middle = round(1.8 + (0.2 * 5) / 9);
    expect(timesOf(retimedWords(sentence, 'The quick light grey fox.', span))).toEqual([
      [' The', 1, 1.2],
      [' quick', 1.2, 1.6],
      [' light', 1.8, middle],
      [' grey', middle, 2],
      [' fox.', 2, 2.5],
    ]);
  });

  test('fill the pause where nothing stood, and move nothing', () => {
    expect(timesOf(retimedWords(sentence, 'The quick, brown fox. Yes', span))).toEqual([
      [' The', 1, 1.2],
      [' quick,', 1.2, 1.6],
      [' brown', 1.8, 2],
      [' fox.', 2, 2.5],
      [' Yes', 2.5, 3],
    ]);
    const and = timesOf(retimedWords(sentence, 'The quick and brown fox.', span))[2];
    expect(and).toEqual([' and', 1.6, 1.8]);
    // Between words without a pause there is no time to give.
    const very = timesOf(retimedWords(sentence, 'The very quick brown fox.', span))[1];
    expect(very).toEqual([' very', 1.2, 1.2]);
  });

  test.each(['', 'fox', 'fox The', 'a b c d e f g', 'The The quick quick', 'fox. fox.'])(
    'of %j are in order, within the segment, and put together are the text',
    (text) => {
      const words = retimedWords(sentence, text, span);
      expect(words.map((one) => one.word).join('')).toBe(text === '' ? '' : ` ${text}`);
      const times = words.flatMap(({ start, end }) => [start, end]);
      expect(times).toEqual([...times].sort((a, b) => a - b));
      expect(times.filter((time) => time < 1 || time > 3)).toEqual([]);
    },
  );

  test('keep no white space before the first one where there was none', () => {
    const words = [word('Hello', 0, 1), word(' world', 1, 2)];
    const edited = retimedWords(words, 'Goodbye world', { start: 0, end: 2 });
    expect(edited.map((one) => one.word)).toEqual(['Goodbye', ' world']);
  });

  test('of a word made of two keep the half that stays', () => {
    const words = [word(' well', 0, 1), word('-known', 1, 2), word(' man', 2, 3)];
    expect(timesOf(retimedWords(words, 'well-read man', { start: 0, end: 3 }))).toEqual([
      [' well', 0, 1],
      ['-read', 1, 2],
      [' man', 2, 3],
    ]);
    expect(timesOf(retimedWords(words, 'well man', { start: 0, end: 3 }))).toEqual([
      [' well', 0, 1],
      [' man', 2, 3],
    ]);
  });

  test('of Chinese are letters, in the place of those that went', () => {
    const words = [word('你', 0, 1), word('好', 1, 2), word('世界', 2, 3), word('。', 3, 3.2)];
    const whole = { start: 0, end: 3.2 };
    expect(timesOf(retimedWords(words, '你们世界。', whole))).toEqual([
      ['你', 0, 1],
      ['们', 1, 2],
      ['世界', 2, 3],
      ['。', 3, 3.2],
    ]);
    const mixed = retimedWords(words, '再见 OK。', whole);
    expect(mixed.map((one) => one.word).join('')).toBe('再见 OK。');
  });

  test('come for a segment that had none', () => {
    expect(timesOf(retimedWords([], 'new words', { start: 4, end: 5 }))).toEqual([
      ['new', 4, round(4 + 3 / 8)],
      [' words', round(4 + 3 / 8), 5],
    ]);
  });

  test('of a passage too long to compare are found by its ends', () => {
    const many = Array.from({ length: 3000 }, (_, at) => word(` w${at}`, at, at + 1));
    const text = many.map(({ word: one }, at) => (at % 2 || at === 0 ? one : ` x${at}`)).join('');
    const words = retimedWords(many, text, { start: 0, end: 3000 });
    expect(words).toHaveLength(3000);
    expect([words[0], words.at(-1)]).toEqual([many[0], many.at(-1)]);
  });
});
