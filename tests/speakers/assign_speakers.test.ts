// Words get the speakers whose turns they lie in.
import { describe, expect, test } from '@jest/globals';
import { assignSpeakers } from '../../web/tools/speakers/assign_speakers.js';

const turn = (start: number, end: number, speaker: string) => ({ start, end, speaker });
const found = (...turns: ReturnType<typeof turn>[]) => ({
  turns,
  speakers: [...new Set(turns.map(({ speaker }) => speaker))].map((id) => ({ id, seconds: 1 })),
});
/** A segment of words of half a second each, one after the other from `start`. */
const segment = (start: number, ...words: string[]) => ({
  id: 0,
  start,
  end: start + words.length / 2,
  text: words.join(''),
  tokens: [1, 2],
  tokenProbabilities: [1, 1],
  words: words.map((word, i) => ({
    word,
    start: start + i / 2,
    end: start + i / 2 + 0.5,
    probability: 1,
  })),
});

describe('assignSpeakers()', () => {
  test('a change of speaker ends a segment at a word', () => {
    const transcript = {
      segments: [segment(0, ' yes', ' I', ' do.', ' Why?'), segment(3, ' So.')],
    };
    const made = assignSpeakers(transcript, found(turn(0, 1.4, 'S1'), turn(1.6, 4, 'S2')));
    expect(
      made.segments.map(({ text, start, end, ...rest }) => [text, start, end, rest.speaker]),
    ).toEqual([
      [' yes I do.', 0, 1.5, 'S1'],
      [' Why?', 1.5, 2, 'S2'],
      [' So.', 3, 3.5, 'S2'],
    ]);
    expect(made.segments.map(({ id }) => id)).toEqual([0, 1, 2]);
    expect(made.segments.map(({ tokens }) => tokens)).toEqual([[], [], [1, 2]]);
    expect(made.segments[0]!.words.map((word) => (word as { speaker?: string }).speaker)).toEqual([
      'S1',
      'S1',
      'S1',
    ]);
    expect(made.speakers).toEqual([
      { id: 'S1', seconds: 1 },
      { id: 'S2', seconds: 1 },
    ]);
    // The caller's own is left as it is.
    expect(transcript.segments).toHaveLength(2);
  });

  const speakersOf = (
    words: readonly (readonly [start: number, end: number, word?: string])[],
    ...turns: ReturnType<typeof turn>[]
  ) => {
    const segments = words.map(([start, end, word = 'a']) => ({
      start,
      end,
      text: word,
      words: [{ word, start, end, probability: 1 }],
    }));
    return assignSpeakers({ segments }, found(...turns)).segments.map((each) => each.speaker);
  };

  test('a word is the speaker’s whose turns cover most of it', () => {
    expect(speakersOf([[1, 2]], turn(0, 1.4, 'S1'), turn(1.3, 3, 'S2'))).toEqual(['S2']);
    // In several turns.
    expect(
      speakersOf([[1, 2]], turn(0, 1.3, 'S1'), turn(1.3, 1.7, 'S2'), turn(1.7, 2, 'S1')),
    ).toEqual(['S1']);
  });

  test('without a turn: the nearest within a second, else the speaker of the word before', () => {
    const turns = [turn(0, 1, 'S1'), turn(4, 5, 'S2')];
    expect(speakersOf([[1.5, 1.8]], ...turns)).toEqual(['S1']);
    expect(speakersOf([[3.2, 3.5]], ...turns)).toEqual(['S2']);
    expect(
      speakersOf(
        [
          [0, 1],
          [2.2, 2.8],
          [7, 8],
        ],
        ...turns,
      ),
    ).toEqual(['S1', 'S1', 'S1']);
    // Before all others, the first who speaks.
    expect(
      speakersOf(
        [
          [0, 0.2],
          [9, 9.5],
        ],
        turn(9, 10, 'S1'),
      ),
    ).toEqual(['S1', 'S1']);
    expect(speakersOf([[0, 1]])).toEqual([undefined]);
  });

  test('where two speak at once, it goes on with the neighbour', () => {
    const turns = [turn(0, 3, 'S1'), turn(1, 4, 'S2')];
    const both = [1.5, 2] as const;
    expect(speakersOf([[0, 1], both, [3.2, 4]], ...turns)).toEqual(['S1', 'S1', 'S2']);
    expect(speakersOf([both, [3.2, 4]], ...turns)).toEqual(['S2', 'S2']);
    expect(speakersOf([both], ...turns)).toEqual(['S1']);
  });

  test('where two speak at once, a sentence is the one’s who goes on with it', () => {
    const turns = [turn(0, 2, 'S1'), turn(1, 4, 'S2')];
    const rest = [
      [1.5, 2],
      [2, 2.5],
    ] as const;
    expect(speakersOf([[0, 1, ' Yes.'], [1, 1.5], ...rest], ...turns)).toEqual([
      ...['S1', 'S2', 'S2', 'S2'],
    ]);
    // A closing mark, and another script.
    expect(speakersOf([[0, 1, ' “No!”'], ...rest], ...turns)).toEqual(['S1', 'S2', 'S2']);
    expect(speakersOf([[0, 1, '是。'], ...rest], ...turns)).toEqual(['S1', 'S2', 'S2']);
    // After a pause too.
    expect(speakersOf([[0, 1.2], ...rest], ...turns)).toEqual(['S1', 'S2', 'S2']);
    expect(speakersOf([[0, 1.4], ...rest], ...turns)).toEqual(['S1', 'S1', 'S2']);
  });

  test('a short word stays with its sentence where the turn changes just beside it', () => {
    const turns = [turn(0, 1.1, 'S1'), turn(1.1, 3, 'S2')];
    expect(
      speakersOf(
        [
          [0.5, 0.9, ' so.'],
          [0.95, 1.1, ' The'],
          [1.1, 1.6],
        ],
        ...turns,
      ),
    ).toEqual([...['S1', 'S2', 'S2']]);
    expect(
      speakersOf(
        [
          [0.5, 1.1],
          [1.1, 1.28, ' top.'],
          [1.3, 1.8],
        ],
        ...turns,
      ),
    ).toEqual([...['S1', 'S1', 'S2']]);
    // What another says is his, within a sentence if it is not that short.
    const between = [turn(0, 1, 'S1'), turn(1, 1.45, 'S2'), turn(1.45, 3, 'S1')];
    expect(
      speakersOf(
        [
          [0.5, 1],
          [1, 1.45],
          [1.45, 2],
        ],
        ...between,
      ),
    ).toEqual(['S1', 'S2', 'S1']);
    const reply = [
      [0.5, 0.9, ' so?'],
      [1.1, 1.2, ' Yes.'],
      [1.45, 2],
    ] as const;
    expect(speakersOf(reply, ...between)).toEqual(['S1', 'S2', 'S1']);
  });

  test('words without length, and segments without words', () => {
    expect(speakersOf([[1, 1]], turn(0, 2, 'S1'))).toEqual(['S1']);
    const segments = [
      { start: 0, end: 2, text: 'a' },
      { start: 2, end: 3, text: 'b', words: [] },
    ];
    const made = assignSpeakers({ segments }, found(turn(0, 1.5, 'S1'), turn(2, 3, 'S2')));
    expect(made.segments).toEqual([
      { start: 0, end: 2, text: 'a', speaker: 'S1' },
      { start: 2, end: 3, text: 'b', words: [], speaker: 'S2' },
    ]);
  });

  test('a segment with more text than its words stays whole', () => {
    const odd = { ...segment(0, ' a', ' b', ' c'), text: '[ a b c ]' };
    const made = assignSpeakers({ segments: [odd] }, found(turn(0, 0.5, 'S1'), turn(0.5, 2, 'S2')));
    expect(made.segments).toHaveLength(1);
    expect(made.segments[0]).toMatchObject({ text: '[ a b c ]', speaker: 'S2', tokens: [1, 2] });
  });

  test('refuses what is no transcript, and no turns', () => {
    const nobody = found();
    expect(() => assignSpeakers(null as never, nobody)).toThrow(/transcript\.segments/);
    expect(() => assignSpeakers({} as never, nobody)).toThrow(/transcript\.segments/);
    expect(() => assignSpeakers({ segments: [] }, undefined as never)).toThrow(/found\.turns/);
  });

  test('10,000 words and as many turns', () => {
    const words = Array.from({ length: 10_000 }, (_, i) => [i, i + 0.9] as const);
    const turns = words.map(([start, end], i) => turn(start, end, `S${i % 7}`));
    expect(speakersOf(words, ...turns)).toEqual(turns.map(({ speaker }) => speaker));
  });
});
