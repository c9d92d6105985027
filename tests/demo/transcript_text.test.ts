// Finding and replacing, paragraphs, file names and clocks of the page's transcripts.
import { describe, expect, test } from '@jest/globals';
import { fileName } from '../../web/demo/transcript/file_name.js';
import { findText, replacedAt, replacedEverywhere } from '../../web/demo/transcript/find_text.js';
import { ParagraphText } from '../../web/demo/transcript/paragraph_text.js';
import { paragraphsOf } from '../../web/demo/transcript/paragraphs.js';
import { shortClock, spokenClock } from '../../web/demo/transcript/short_clock.js';
import type { HeardSegment } from '../../web/demo/transcript/transcript_document.js';

const at = (start: number, end: number, text: string, language = 'en'): HeardSegment => ({
  ...{ start, end, text, language },
});

describe('finding', () => {
  const segments = [
    at(0, 1, ' The cat sat. The end.'),
    at(5, 6, ' the   cat (again)'),
    at(10, 11, ' Straße STRASSE $1'),
    at(11, 12, ' goes on.'),
  ];
  const search = (text: string, isCaseSensitive = false) =>
    findText(segments, { text, isCaseSensitive });
  const find = (text: string, isCaseSensitive = false) =>
    search(text, isCaseSensitive).map(({ pieces }) =>
      pieces.map(({ segment, start, end }) => [segment, start, end].join(' ')).join(', '),
    );

  test('finds every place in the text as it is shown', () => {
    expect(find('the')).toEqual(['0 0 3', '0 13 16', '1 0 3']);
    expect(find('The', true)).toEqual(['0 0 3', '0 13 16']);
    expect(find('the cat')).toEqual(['0 0 7', '1 0 9']);
    expect(find('straße')).toEqual(['2 0 6']);
  });

  test('takes signs as they are, and nothing for nothing', () => {
    expect(find('(again)')).toEqual(['1 10 17']);
    expect(find('.')).toEqual(['0 11 12', '0 20 21', '3 7 8']);
    expect(find('$1')).toEqual(['2 15 17']);
    for (const nothing of ['', ' ', '[', '\\']) expect(find(nothing)).toEqual([]);
  });

  test('finds what goes from one segment to the next, not to the next paragraph', () => {
    expect(find('$1  goes')).toEqual(['2 15 17, 3 0 4']);
    expect(find('end. the')).toEqual([]);
    // A space at the end is that between the segments.
    expect(find('$1 ')).toEqual(['2 15 17']);
  });

  test('replaces one place, or all, with the letters that were written', () => {
    const [first] = search('the');
    expect([...replacedAt(first!, 'A')]).toEqual([[0, 'A cat sat. The end.']]);
    const everywhere = (text: string, replacement: string) => [
      ...replacedEverywhere(search(text), { text, isCaseSensitive: false }, replacement),
    ];
    expect(everywhere('cat', "$& $1 $'")).toEqual([
      [0, "The $& $1 $' sat. The end."],
      [1, "the   $& $1 $' (again)"],
    ]);
    expect(everywhere('', 'x')).toEqual([]);
    expect(everywhere('$1 goes', 'went')).toEqual([
      [2, 'Straße STRASSE went'],
      [3, 'on.'],
    ]);
  });
});

describe('a paragraph that is rewritten', () => {
  const rewrite = (texts: readonly string[], text: string, language = 'en') => {
    const segments = texts.map((one, index) => at(index, index + 1, one, language));
    const paragraph = new ParagraphText(
      segments,
      texts.map((_, index) => index),
    );
    return [paragraph.text, ...paragraph.rewritten(text).values()];
  };

  test('leaves words in their segments, and puts new ones where they belong', () => {
    const texts = [' One two', ' three four.', ' Five.'];
    const text = 'One two three four. Five.';
    expect(rewrite(texts, text)).toEqual([text, 'One two', 'three four.', 'Five.']);
    expect(rewrite(texts, 'One two and three four. Five. Six.').slice(1)).toEqual([
      'One two and',
      'three four.',
      'Five. Six.',
    ]);
    expect(rewrite(texts, 'Zero one 2 3 four. Five.').slice(1)).toEqual([
      'Zero one 2',
      '3 four.',
      'Five.',
    ]);
    expect(rewrite(texts, 'One Five.').slice(1)).toEqual(['One', '', 'Five.']);
    expect(rewrite(texts, '').slice(1)).toEqual(['', '', '']);
    expect(rewrite(texts, 'Now One two three four. Five.')[1]).toBe('Now One two');
  });

  test('goes by letters where a script has no spaces', () => {
    const texts = ['你好。', '世界很大。'];
    expect(rewrite(texts, '你好。世界很小。', 'zh')).toEqual([
      '你好。世界很大。',
      '你好。',
      '世界很小。',
    ]);
    expect(rewrite(texts, '你们好。世界 big。', 'zh').slice(1)).toEqual(['你们好。', '世界 big。']);
  });
});

describe('paragraphs', () => {
  test('begin at long pauses, and at short ones after a sentence', () => {
    const segments = [
      at(0, 2, ' One.'),
      at(2.1, 4, ' Two'),
      at(5.5, 6, ' goes on.'),
      at(7, 8, ' Three.'),
      at(11, 12, ' four'),
      at(14.6, 15, ' five'),
    ];
    expect(paragraphsOf(segments)).toEqual([[0, 1, 2], [3], [4], [5]]);
  });

  test('go by the words where segments reach to each other', () => {
    const late = { ...at(2, 4, ' Two.'), words: [{ word: ' Two.', start: 3.5, end: 4 }] };
    expect(paragraphsOf([at(0, 2, ' One.'), late])).toEqual([[0], [1]]);
    expect(paragraphsOf([at(0, 2, ' One.'), { ...late, words: [] }])).toEqual([[0, 1]]);
  });

  test('begin where the language changes, and where one becomes too long', () => {
    expect(paragraphsOf([at(0, 2, ' One'), at(2, 3, ' zwei', 'de')])).toEqual([[0], [1]]);
    const long = ` ${'long '.repeat(130)}and`;
    const segments = [at(0, 2, long), at(2, 4, ' over.'), at(4, 5, ' Next.')];
    expect(paragraphsOf(segments)).toEqual([[0, 1], [2]]);
  });

  test('have no segments without text', () => {
    const segments = [at(0, 1, ''), at(1, 2, ' One'), at(2, 3, ' '), at(3, 4, ' two')];
    expect(paragraphsOf(segments)).toEqual([[1, 3]]);
    expect(paragraphsOf([])).toEqual([]);
  });

  test('from one of them on are what they are in the whole, whatever a person chose', () => {
    const segments = Array.from({ length: 60 }, (_, i) => ({
      ...at(i * 2, i * 2 + 1 + ((i * 7) % 10) / 10, i % 5 === 3 ? '' : ` Word${i % 3 ? '' : '.'}`),
      ...(i % 11 === 3 && { begins: i % 2 === 0 }),
    }));
    const whole = paragraphsOf(segments);
    expect(whole.length).toBeGreaterThan(10);
    for (const [number, [from]] of whole.entries()) {
      expect(paragraphsOf(segments, from)).toEqual(whole.slice(number));
    }
  });
});

describe('names of files', () => {
  test.each([
    ['talk.mp3', 'talk'],
    ['Recording at 04:55 PM', 'Recording at 04-55 PM'],
    ['a/b\\c?.wav', 'a-b-c-'],
    ['Dr. Who and the rest', 'Dr. Who and the rest'],
    ['..hidden. .wav', 'hidden'],
    ['con.wav', '_con'],
    ['COM1', '_COM1'],
    ['conference.wav', 'conference'],
    ['\u0000\u001f.ogg', '-'],
    ['  .wav', 'transcript'],
    ['', 'transcript'],
    ['Ünïcödé 日本.m4a', 'Ünïcödé 日本'],
  ])('%j is saved as %j', (recording, name) => {
    expect(fileName(recording)).toBe(name);
  });

  test('are not longer than file systems allow', () => {
    expect(Array.from(fileName('🎧'.repeat(500)))).toHaveLength(60);
  });
});

describe('clocks', () => {
  test.each([
    [0, '0:00', '0 seconds'],
    [-1, '0:00', '0 seconds'],
    [61.9, '1:01', '1 minute 1 second'],
    [3600, '1:00:00', '1 hour'],
    [3725, '1:02:05', '1 hour 2 minutes 5 seconds'],
  ])('%d s is %s, spoken %s', (seconds, short, spoken) => {
    expect(shortClock(seconds)).toBe(short);
    expect(spokenClock(seconds)).toBe(spoken);
  });
});
