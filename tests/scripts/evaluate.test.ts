import { afterAll, describe, expect, test } from '@jest/globals';
import { cellsOf } from '../../scripts/evaluate/modes/cells.mjs';
import { nothing, soundNames } from '../../scripts/evaluate/modes/nothing_sounds.mjs';
import { withNoise } from '../../scripts/evaluate/speech/noise.mjs';
import { clipPlan } from '../../scripts/evaluate/speech/clip_set.mjs';
import { evaluatedLines, speechPlan } from '../../scripts/evaluate/speech/speech_set.mjs';
import { needSynthesis } from '../../scripts/evaluate/speech/synthesis.mjs';
import { loopedWords, nameSpellings } from '../../scripts/evaluate/spellings.mjs';
import { sentences, story, storyLanguages } from '../../scripts/evaluate/speech/stories.mjs';
import { units } from '../../scripts/evaluate/languages/units.mjs';
import { wavSamples } from '../../scripts/wav_samples.mjs';
import { compareWords } from '../../scripts/evaluate/word_errors.mjs';
import { timeErrors } from '../../scripts/evaluate/word_time_errors.mjs';
import { measured, tables } from '../../scripts/evaluate/word_tables.mjs';

const words = (text: string) => text.split(' ');

describe('word errors', () => {
  test('are substitutions, deletions and insertions', () => {
    const compared = compareWords(words('the old ferry left'), words('an old very fairy left'));
    expect(compared).toMatchObject({ errors: 3, substitutions: 2, deletions: 0, insertions: 1 });
    expect(compareWords(words('a b c'), words('b'))).toMatchObject({
      ...{ errors: 2, substitutions: 0, deletions: 2, insertions: 0, pairs: [[1, 0]] },
    });
  });

  test('are counted apart where the truth is not known', () => {
    const recordings = [{ truth: 'a b c d' }, { truth: undefined }];
    const expected = [words('a b c d'), words('e f')];
    const f32 = [words('a b c x'), words('e f')];
    const heard = [words('a b y x'), words('e')];
    const row = measured(recordings, expected, heard, f32);
    expect(row).toEqual({
      ...{ words: 4, errors: 2, substitutions: 2, deletions: 0, insertions: 0 },
      ...{ unlikeReference: 1, referenceWords: 2, changed: 2, f32Words: 6 },
    });
    const kind = { strategy: 'greedy', variant: 'simd' };
    const rows = [
      { ...kind, dtype: 'f32', ...measured(recordings, expected, f32, f32) },
      { ...kind, dtype: 'q4_0', ...row },
      { strategy: 'beam', variant: 'simd', dtype: 'f32', ...row },
    ];
    const made = tables(rows);
    expect(made['word-errors']).toContain('| f32 | 25.00 % | 50.00 % |');
    expect(made['word-errors']).toContain('| q4_0 | 50.00 % (+25.00) |  |');
    expect(made['word-counts']).toContain(
      '| greedy | simd | q4_0 | 2 of 4 | 2 | 0 | 0 | 2 of 6 | 1 of 2 |',
    );
  });
});

describe('names', () => {
  test('are right, or spelt otherwise, or not heard', () => {
    const said = words('tilda fuhr nach hellwarden und tilda sah hellwarden wo tilda blieb');
    const heard = words('tilda fuhr nach hell warten und til da sah helwarden wo blieb');
    const { said: count, right, spellings } = nameSpellings(said, heard, ['tilda', 'hellwarden']);
    expect([count, right]).toEqual([5, 1]);
    expect([...(spellings.get('tilda') ?? [])]).toEqual(['tilda', 'til da']);
    expect([...(spellings.get('hellwarden') ?? [])]).toEqual(['hell warten', 'helwarden']);
  });

  test('are found between the words around them', () => {
    const said = words('er sah rosalind und ging');
    const { right, spellings } = nameSpellings(said, words('er sah das brot und ging'), [
      'rosalind',
    ]);
    expect([right, spellings.get('rosalind')?.size]).toEqual([0, 0]);
    const behind = nameSpellings(said, words('rosalinde er sah und ging'), ['rosalind']);
    expect(behind.spellings.get('rosalind')?.size).toBe(0);
  });

  test('come at least six times in every story', () => {
    for (const language of storyLanguages) {
      const { names, paragraphs } = story(language);
      const said = units(paragraphs.flat().join(' '));
      const rare = names.filter((name) => {
        const [unit] = units(name);
        return said.filter((word) => word === unit).length < 6;
      });
      expect([language, names.length >= 10, rare]).toEqual([language, true, []]);
    }
  });
});

test('sentences end behind what is quoted in them', () => {
  expect(sentences('„Aus Rom?“, fragte er. „Ja.“ Sie ging.')).toEqual([
    '„Aus Rom?“, fragte er.',
    '„Ja.“',
    'Sie ging.',
  ]);
  expect(sentences('« Tu viens ? » demanda Luc. « Oui. » Ils partirent. ¿Adónde? A Roma.')).toEqual(
    ['« Tu viens ? » demanda Luc.', '« Oui. »', 'Ils partirent.', '¿Adónde?', 'A Roma.'],
  );
});

test('words in loops repeat a sequence that stands four times in a row', () => {
  expect(loopedWords(words('so so so la la la la'))).toBe(3);
  expect(loopedWords(words('x a b a b a b a b y'))).toBe(6);
  expect(loopedWords(words('a b c a b c a b c d'))).toBe(0);
});

describe('word times', () => {
  const heard = (word: string, start: number, end: number) => ({ word, start, end });

  test('are compared where there are marks, for the words that were heard', () => {
    const found = timeErrors(
      [
        ['And', 1, null],
        ['so', 2, 3],
        ['my', 4, 5],
      ],
      [heard(' And', 0.5, 2), heard(' sow', 2, 3), heard(' my,', 4.25, 4.5)],
    );
    expect(found).toEqual([
      { word: 'And', side: 'start', mark: 1, difference: -0.5 },
      { word: 'my', side: 'start', mark: 4, difference: 0.25 },
      { word: 'my', side: 'end', mark: 5, difference: -0.5 },
    ]);
  });

  test('are not those of the same words later on', () => {
    const found = timeErrors([['so', 0, 1]], [heard('So', 0, 1), heard('so', 8, 9)]);
    expect(found.map(({ difference }) => difference)).toEqual([0, 0]);
  });
});

describe('noise', () => {
  const speech = Float32Array.from({ length: 32_000 }, (_, i) => 0.3 * Math.sin(i / 5));
  const power = (samples: Float32Array) =>
    samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
  const added = (samples: Float32Array) => samples.map((sample, i) => sample - (speech[i] ?? 0));

  test.each(['white', 'pink'] as const)('%s: as far below the speech as asked', (colour) => {
    for (const decibels of [10, 30]) {
      const noise = added(withNoise(speech, colour, decibels, 'a'));
      expect(10 * Math.log10(power(speech) / power(noise))).toBeCloseTo(decibels, 2);
    }
  });

  test('depends on the seed alone', () => {
    expect(withNoise(speech, 'pink', 20, 'a')).toEqual(withNoise(speech, 'pink', 20, 'a'));
    expect(withNoise(speech, 'pink', 20, 'a')).not.toEqual(withNoise(speech, 'pink', 20, 'b'));
  });

  test('pink is stronger where it is low', () => {
    // Differences of neighbours hold the high part: twice the power of white noise, less of pink.
    const high = (colour: 'white' | 'pink') => {
      const noise = added(withNoise(speech, colour, 20, 'a'));
      const differences = noise.slice(1).map((sample, i) => sample - (noise[i] ?? 0));
      return power(differences) / power(noise);
    };
    expect(high('white')).toBeCloseTo(2, 1);
    expect(high('pink')).toBeLessThan(1);
  });
});

describe('the ways to hear sound in which nobody speaks', () => {
  const titles = (asked: Parameters<typeof cellsOf>[0]) =>
    cellsOf(asked).map(({ model, mode, detector = '' }) => `${model} ${mode} ${detector}`.trim());

  test('are ten of base and two of tiny.en, with the detector first', () => {
    const all = titles({ model: 'base,tiny.en', detector: 'with,without' });
    expect(all).toHaveLength(24);
    expect(all[0]).toBe('base auto with');
    expect(all[11]).toBe('tiny.en live-en with');
    expect(all[12]).toBe('base auto without');
  });

  test('take their options from their names', () => {
    const modes = 'per-window,openai,live-ja';
    const cells = cellsOf({ model: 'base', modes, detector: 'with,without' });
    expect(cells).toEqual([
      ...cellsOf({ model: 'base', modes, detector: 'with' }),
      ...cellsOf({ model: 'base', modes: 'per-window,live-ja', detector: 'without' }),
    ]);
    expect(cells.map(({ isLive, options }) => ({ isLive, ...options }))).toEqual([
      { isLive: false, language: 'per-window' },
      { isLive: false, compatibility: 'openai' },
      { isLive: true, language: 'ja' },
      { isLive: false, language: 'per-window', vad: false },
      { isLive: true, language: 'ja', vad: false },
    ]);
  });

  test.each([
    [{ model: 'huge' }, '--model: not huge but of tiny.en, base.'],
    [{ modes: 'en,fast' }, '--modes: not fast but of auto'],
    [{ modes: '' }, '--modes: not nothing but of auto'],
    [{ detector: 'on' }, '--detector: not on but of with, without.'],
  ])('are refused by name: %j', (asked, message) => {
    expect(() => cellsOf({ model: 'base', detector: 'with', ...asked })).toThrow(message);
  });
});

describe('sounds without speech', () => {
  test.each(soundNames)('%s: the same each time, and not clipped', (name) => {
    const samples = nothing(name, 4);
    expect(samples).toHaveLength(64_000);
    expect(nothing(name, 4)).toEqual(samples);
    expect(samples.every((sample) => Math.abs(sample) <= 1)).toBe(true);
    expect(samples.some((sample) => sample !== 0)).toBe(name !== 'digital silence');
  });

  test('noise is as loud as its name says', () => {
    for (const name of soundNames.filter((one) => one.includes('noise'))) {
      const samples = nothing(name, 4);
      const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
      const decibels = Number(name.match(/−(\d+) dB/)?.[1]);
      expect(Math.abs(10 * Math.log10(power) + decibels)).toBeLessThan(1);
    }
  });
});

describe('speech', () => {
  const plan = speechPlan();

  test('is more than 3000 words, each utterance once', () => {
    const utterances = plan.flatMap((recording) => recording.utterances);
    expect(words(utterances.join(' ')).length).toBeGreaterThan(3000);
    expect(new Set(utterances).size).toBe(utterances.length);
    expect(new Set(plan.map(({ name }) => name)).size).toBe(plan.length);
  });

  test('has every voice in every noise', () => {
    const kinds = new Set(plan.map(({ voice, decibels }) => `${voice} ${decibels}`));
    const voices = new Set(plan.map(({ voice }) => voice));
    expect(voices.size).toBe(8);
    expect(kinds.size).toBe(4 * voices.size);
    expect(new Set(plan.map(({ colour }) => colour)).size).toBe(2);
  });

  test('has clips of whole sentences: all of the text twice, by other voices', () => {
    const clips = clipPlan();
    const text = evaluatedLines().join(' ');
    expect(clips.map(({ truth }) => truth).join(' ')).toBe(`${text} ${text}`);
    expect(new Set(clips.map(({ truth, voice }) => truth + voice)).size).toBe(clips.length);
    for (const { truth } of clips) expect(truth).toMatch(/^[A-Z].*[.?!]$/);
    expect(clips.every(({ truth }) => !truth.endsWith('Mr.'))).toBe(true);
  });

  test('reads plain WAV files whose length is not known', () => {
    const header = Buffer.alloc(44);
    header.write('RIFF\xff\xff\xff\xffWAVEfmt ', 'latin1');
    header.write('data\xff\xff\xff\xff', 36, 'latin1');
    const data = Buffer.from(Int16Array.of(0, 16384, -32768, 8192).buffer);
    expect(wavSamples(Buffer.concat([header, data]))).toEqual(Float32Array.of(0, 0.5, -1, 0.25));
  });

  describe('without its programs', () => {
    const path = process.env.PATH;
    afterAll(() => {
      process.env.PATH = path;
    });

    test('says which packages are missing', () => {
      process.env.PATH = '';
      expect(needSynthesis).toThrow(/flite, espeak-ng, sox/);
    });
  });
});
