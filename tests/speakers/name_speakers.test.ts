// Speakers get names, by hand or by their voices.
import { describe, expect, test } from '@jest/globals';
import { identify, renameSpeakers } from '../../web/tools/speakers/name_speakers.js';

/** A voice: `share` of one direction, the rest of another. */
const voice = (direction: number, share = 1): number[] => {
  const vector = new Array<number>(192).fill(0);
  vector[direction] = share;
  vector[191] = Math.sqrt(1 - share * share);
  return vector;
};
const found = {
  duration: 9,
  turns: [
    { start: 0, end: 2, speaker: 'S1' },
    { start: 2, end: 3, speaker: 'S2' },
    { start: 4, end: 9, speaker: 'S3' },
  ],
  speakers: [
    { id: 'S1', seconds: 2, vector: voice(0) },
    { id: 'S2', seconds: 1, vector: voice(1) },
    { id: 'S3', seconds: 5, vector: voice(2) },
  ],
};
const transcript = {
  text: ' a b',
  segments: [
    { text: ' a b', speaker: 'S1', words: [{ word: ' a', speaker: 'S1' }, { word: ' b' }] },
    { text: '' },
  ],
  speakers: [{ id: 'S1', seconds: 1 }],
};

describe('renameSpeakers()', () => {
  test('names turns, segments and words', () => {
    expect(renameSpeakers(found, { S2: 'Ada' }).turns.map(({ speaker }) => speaker)).toEqual([
      'S1',
      'Ada',
      'S3',
    ]);
    expect(renameSpeakers(transcript, { S1: 'Ada' })).toEqual({
      text: ' a b',
      segments: [
        { text: ' a b', speaker: 'Ada', words: [{ word: ' a', speaker: 'Ada' }, { word: ' b' }] },
        { text: '' },
      ],
      speakers: [{ id: 'Ada', seconds: 1 }],
    });
    expect(transcript.segments[0]!.speaker).toBe('S1');
  });

  test('two with one name are one', () => {
    const { speakers, turns } = renameSpeakers(found, { S3: 'S1' });
    expect(speakers.map(({ id, seconds }) => [id, seconds])).toEqual([
      ['S1', 7],
      ['S2', 1],
    ]);
    expect(Math.hypot(...speakers[0]!.vector)).toBeCloseTo(1);
    expect(speakers[0]!.vector[2]! / speakers[0]!.vector[0]!).toBeCloseTo(5 / 2);
    expect(turns.map(({ speaker }) => speaker)).toEqual(['S1', 'S2', 'S1']);
  });

  test('names can be exchanged, and be those of objects', () => {
    const swapped = renameSpeakers(found, { S1: 'S2', S2: 'S1' });
    expect(swapped.speakers.map(({ id }) => id)).toEqual(['S2', 'S1', 'S3']);
    expect(renameSpeakers(found, { S1: 'constructor' }).turns[0]!.speaker).toBe('constructor');
  });

  test('refuses names of nobody, and no names', () => {
    expect(() => renameSpeakers(found, { S4: 'Ada' })).toThrow(/names\.S4.*S1, S2, S3/);
    expect(() => renameSpeakers(found, { S1: ' ' })).toThrow(/names\.S1/);
    expect(() => renameSpeakers({ turns: [] }, {})).toThrow(/transcript with speakers/);
    expect(() => renameSpeakers(null as never, {})).toThrow(/transcript with speakers/);
    expect(() => renameSpeakers(found, null as never)).toThrow(/options/);
  });
});

describe('identify()', () => {
  test('gives each name to the nearest voice, once', () => {
    const known = { Ada: voice(1, 0.9), Grace: voice(2, 0.7), Linus: voice(2, 0.8) };
    expect(identify(found, known).speakers.map(({ id }) => id)).toEqual(['S1', 'Ada', 'Linus']);
    expect(identify(found, known, { maxDistance: 0.15 }).speakers.map(({ id }) => id)).toEqual([
      'S1',
      'Ada',
      'S3',
    ]);
    expect(identify(found, {})).toEqual(found);
  });

  test('refuses vectors of another kind, and speakers without', () => {
    expect(() => identify(found, { Ada: [1, 2] })).toThrow(/known\.Ada.*192 numbers/);
    expect(() => identify(found, { Ada: new Array<number>(192).fill(0) })).toThrow(/known\.Ada/);
    expect(() => identify(found, { Ada: voice(1).fill(NaN, 0, 1) })).toThrow(/known\.Ada/);
    expect(() => identify(transcript, { Ada: voice(1) })).toThrow(/vectors: true/);
    expect(() => identify(found, {}, { maxDistance: NaN })).toThrow(/maxDistance/);
  });
});
