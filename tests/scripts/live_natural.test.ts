// What npm run evaluate:live measures of people who talk, on events made by hand.
import { describe, expect, test } from '@jest/globals';
import { noTime } from '../../scripts/evaluate/live/hear.mjs';
import { shownLatencies, utterancesOf } from '../../scripts/evaluate/live/latencies.mjs';
import { measureNatural, type MeasuredNatural } from '../../scripts/evaluate/live/natural.mjs';
import { chosenConversations } from '../../scripts/evaluate/live/natural_material.mjs';
import { naturalTables } from '../../scripts/evaluate/live/natural_tables.mjs';
import { Screen } from '../../scripts/evaluate/live/screen.mjs';
import { followed } from '../../scripts/evaluate/live/transcript.mjs';
import { turnsOf, wordsOutside } from '../../scripts/evaluate/live/turns.mjs';

/** " the old ferry" at one word a second from `start` on, each 0.5 s long. */
const timed = (text: string, start = 0) =>
  text
    .split(' ')
    .filter(Boolean)
    .map((word, i) => ({ word: ` ${word}`, start: start + i, end: start + i + 0.5 }));

const written = (words: readonly { word: string }[]) => words.map(({ word }) => word).join('');

const event = (type: 'partial' | 'final', id: number, said: string, start = 0) => {
  const words = timed(said, start);
  const committed = type === 'final' ? words.length : 0;
  return { type, id, words, text: written(words), committed };
};

const revised = (replaces: number[], said: string, start = 0) => {
  const words = timed(said, start);
  const segment = { text: written(words), start, end: start + words.length, words };
  return { type: 'revised', start, end: segment.end, replaces, segments: [segment] };
};

type Delivery = Parameters<typeof followed>[0][number];
/** Each event a second after the one before. */
const everySecond = (...events: object[]) =>
  events.map((one, at) => ({ at, event: one }) as Delivery);

describe('a word is on the screen', () => {
  function since(...texts: string[]) {
    const screen = new Screen();
    for (const [at, text] of texts.entries()) screen.see(at, timed(text));
    return screen.words.map(({ word, at }) => `${word} ${at}`).join(', ');
  }

  test.each<[string, string[], string]>([
    ['since it came', ['the', 'the old', 'the old ferry'], 'the 0, old 1, ferry 2'],
    ['since it became right', ['the odd', 'the old'], 'the 0, old 1'],
    ['since it came again', ['the old', 'the', 'the old'], 'the 0, old 2'],
    ['whatever comes before it', ['old ferry', 'the old ferry'], 'the 1, old 0, ferry 0'],
    ['whatever changes before it', ['a old', 'the red old ferry'], 'the 1, red 1, old 0, ferry 1'],
    [
      'in the earliest place',
      ['the red', 'an old the the ferry'],
      'an 1, old 1, the 0, the 1, ferry 1',
    ],
    ['with any capitals and punctuation', ['The ferry.', 'the Ferry,'], 'the 0, ferry 0'],
    ['not without text', ['the', ''], ''],
  ])('%s', (_, texts, expected) => {
    expect(since(...texts)).toBe(expected);
  });

  test('while it moves from one event to the next of a moment', () => {
    const { screen } = followed([
      { at: 0, event: event('partial', 0, 'the old ferry') as never },
      { at: 1, event: event('final', 0, 'the old') as never },
      { at: 1, event: event('partial', 1, 'ferry', 2) as never },
    ]);
    expect(screen.words.map(({ at }) => at)).toEqual([0, 0, 0]);
  });

  test('for as long as it took from its end in the sound, if it was said', () => {
    const { screen } = followed(
      everySecond(
        event('partial', 0, 'the'),
        event('partial', 0, 'the odd'),
        event('partial', 0, 'the old'),
        event('final', 0, 'the old fairy'),
      ),
    );
    expect(shownLatencies(timed('the old ferry'), screen.words)).toEqual([-0.5, 0.5]);
  });
});

test('utterances lie between pauses of half a second', () => {
  const words = [
    { word: 'a', start: 1, end: 1.2 },
    { word: 'b', start: 1.5, end: 2 },
    { word: 'c', start: 2.5, end: 3 },
  ];
  expect(utterancesOf(words)).toEqual([
    { start: 1, end: 2 },
    { start: 2.5, end: 3 },
  ]);
  expect(utterancesOf([])).toEqual([]);
});

describe('revised text', () => {
  const finals = [
    event('final', 0, 'the old'),
    event('final', 1, 'fairy', 2),
    event('final', 2, 'left', 3),
  ];

  test('stands in the place of the finals, and is no retraction', () => {
    const seen = followed(
      everySecond(...finals, revised([0, 1], 'the old ferry'), event('partial', 3, 'now', 4)),
    );
    expect(seen.revisedText).toBe(' the old ferry left now');
    expect(seen.text).toBe(' the old fairy left now');
    expect(seen).toMatchObject({ retracted: 0, faults: [] });
    expect(seen.revisedScreen.words.map(({ at }) => at)).toEqual([0, 0, 3, 2, 4]);
    expect(seen.screen.words.map(({ at }) => at)).toEqual([0, 0, 1, 2, 4]);
    expect(seen.commits.map(({ word }) => word).join('')).toBe(' the old fairy left');
  });

  test('can be revised again, by the ids that it replaced', () => {
    const seen = followed(
      everySecond(...finals, revised([0, 1], 'an old ferry'), revised([1, 2], 'the ferry left')),
    );
    expect(seen.revisedText).toBe(' the ferry left');
    expect(seen.faults).toEqual([]);
  });

  test('may take all words away, or add some where no final was', () => {
    expect(followed(everySecond(...finals, revised([1], ''))).revisedText).toBe(' the old left');
    expect(followed(everySecond(...finals, revised([], 'red', 2))).revisedText).toBe(
      ' the old red fairy left',
    );
  });

  test('of a segment without words is its text', () => {
    const { segments, ...rest } = revised([1], 'ferry', 2);
    const seen = followed(
      everySecond(...finals, {
        ...{ ...rest, segments: segments.map(({ text, start, end }) => ({ text, start, end })) },
      }),
    );
    expect(seen.revisedText).toBe(' the old ferry left');
  });

  test('in the place of no final is a fault', () => {
    expect(followed(everySecond(...finals, revised([7], 'x'))).faults).toEqual([
      'revised at 3.00: there is no final 7',
    ]);
  });

  test('is none without such events', () => {
    expect(followed(everySecond(...finals)).revisedText).toBeUndefined();
  });
});

const measured = (
  sound: { set: string; name?: string; language?: string },
  ...events: object[]
) => {
  const { language: told = 'en' } = sound;
  const system = {
    words: (_: Float32Array, language = 'en') =>
      Promise.resolve(timed(language === 'en' ? 'the old ferry left' : 'die alte Fähre')),
    open: (onEvent: (event: never) => void, language = 'en') =>
      Promise.resolve({
        feed: () => Promise.resolve(),
        end: () => {
          for (const one of language === told ? events : []) onEvent(one as never);
          return Promise.resolve();
        },
        processorSeconds: () => 0,
      }),
    offline: () => Promise.resolve(''),
    close: () => undefined,
  };
  const whole = { name: 'one', samples: new Float32Array(16_000), ...sound };
  return measureNatural(system, whole as never, { clockOf: noTime, blockSeconds: 1 });
};

const meeting = { set: 'meetings' };
const talk = {
  set: 'known',
  truth: 'The old ferry, left us.',
  words: timed('The old ferry, left us.'),
  utterances: [{ start: 0, end: 5 }],
};

describe('what is counted', () => {
  test('with known words: errors offline and live', async () => {
    const figures = await measured(talk, event('final', 0, 'an old ferry'));
    expect(figures).toMatchObject({ words: 5, offlineErrors: 1, liveErrors: 3 });
    expect(figures.speechSeconds).toBe(5);
    expect(figures.revised).toBeUndefined();
  });

  test('in the language of a story, which has a table of its own', async () => {
    const story = { set: 'stories', language: 'de', truth: 'Die alte Fähre.' };
    const figures = await measured(story, event('final', 0, 'die alte Fee'));
    expect(figures).toMatchObject({ words: 3, offlineErrors: 0, liveErrors: 1 });
    const row = { model: 'base, q8_0', variant: 'simd', clock: 'processor', sounds: [figures] };
    expect(Object.keys(naturalTables([row]))).toEqual(['live-stories']);
  });

  test('without: words unlike the offline text, by its times', async () => {
    const figures = await measured(meeting, event('final', 0, 'an old ferry'));
    expect(figures).toMatchObject({ words: 4, offlineErrors: 0, liveErrors: 2 });
    expect(figures.rights).toEqual([1 - 1.5, 1 - 2.5]);
  });

  test('revised text by itself', async () => {
    const finals = event('final', 0, 'an old ferry');
    const figures = await measured(meeting, finals, revised([0], 'the old ferry left'));
    expect(figures).toMatchObject({ liveErrors: 2, revised: { errors: 0 } });
    expect(figures.revised?.rights).toHaveLength(4);
  });
});

describe('tables', () => {
  const row = (...sounds: MeasuredNatural[]) => ({
    ...{ model: 'tiny.en, q8_0', variant: 'simd', clock: 'processor', sounds },
  });
  /** Cells by heading, of each line. */
  const cellsOf = (table = '') => {
    const [headings = [], , ...lines] = table.split('\n').map((line) => line.split(' | '));
    return lines.map((cells) =>
      Object.fromEntries(headings.map((one, i) => [one.replace('| ', ''), cells[i]])),
    );
  };

  test('of known words have a line for each recording, and one for all', async () => {
    const one = await measured(talk, event('final', 0, 'an old ferry'));
    const other = await measured({ ...talk, name: 'two' }, event('final', 0, 'the old ferry left'));
    const tables = naturalTables([row(one, other)]);
    expect(Object.keys(tables)).toEqual(['live-known']);
    expect(cellsOf(tables['live-known'])).toMatchObject([
      { recording: 'one', words: '5', 'errors live': '3 (60.0 %)', 'points more': '+40.0' },
      { recording: 'two', 'errors live': '1 (20.0 %)', 'points more': '+0.0' },
      { recording: 'together', words: '10', 'errors offline': '2 (20.0 %)', text: 'live' },
    ]);
  });

  test('of words unlike offline text sum the recordings, and have revised lines only where something was', async () => {
    const one = await measured(meeting, event('final', 0, 'an old ferry'));
    const finals = event('final', 0, 'an old ferry');
    const better = await measured(meeting, finals, revised([0], 'the old ferry left'));
    const chat = await measured({ set: 'conversations' }, finals);
    const tables = naturalTables([row(one, better, chat)]);
    expect(Object.keys(tables)).toEqual(['live-unlike']);
    expect(cellsOf(tables['live-unlike'])).toMatchObject([
      { recordings: 'meetings: 2', text: 'live', 'unlike offline': '4 (50.0 %)' },
      { recordings: 'meetings: 2', text: 'revised', 'unlike offline': '2 (25.0 %)' },
      { recordings: 'conversations: 1', text: 'live', 'words offline': '4' },
    ]);
  });

  test('are none without recordings', () => {
    expect(naturalTables([row()])).toEqual({});
  });
});

test('conversations are whole, in their order, until there are enough minutes', () => {
  const recipes = {
    a: { samples: 4 * 960_000 },
    b: { samples: 4 * 960_000 },
    c: { samples: 960_000 },
  };
  expect(chosenConversations(recipes, 1)).toEqual(['a']);
  expect(chosenConversations(recipes, 4)).toEqual(['a']);
  expect(chosenConversations(recipes, 5)).toEqual(['a', 'b']);
  expect(chosenConversations(recipes, 67)).toEqual(['a', 'b', 'c']);
  expect(chosenConversations(recipes, 0)).toEqual([]);
});

test('words between the turns of a recording are those whose middle is far from every turn', () => {
  const turns = turnsOf(
    'SPEAKER dev00 1 1.000 2.000 <NA> <NA> MEE009 <NA> <NA>\n' +
      ';; a comment\n' +
      'SPEAKER dev00 1 1.500 0.500 <NA> <NA> MEE012 <NA> <NA>\r\n' +
      'SPEAKER dev00 1 8.000 1.000 <NA> <NA> MEE012 <NA> <NA>\n',
  );
  expect(turns).toEqual([
    { start: 1, end: 3, speaker: 'MEE009' },
    { start: 1.5, end: 2, speaker: 'MEE012' },
    { start: 8, end: 9, speaker: 'MEE012' },
  ]);
  const middles = [0.25, 0.5, 2.5, 3.5, 3.75, 7.25, 7.5, 9.75];
  const words = middles.map((middle) => ({ start: middle - 0.25, end: middle + 0.25 }));
  const outside = wordsOutside(words, turns, 0.5).map(({ start }) => start + 0.25);
  expect(outside).toEqual([0.25, 3.75, 7.25, 9.75]);
  expect(wordsOutside(words, [], 0.5)).toHaveLength(words.length);
});
