// Subtitles of format(…, {profile}): hard rules on transcripts of every kind, and where they are parted.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { check } from '../../web/src/writers/check_subtitles.js';
import { columnsOf } from '../../web/src/writers/columns.js';
import { format } from '../../web/src/writers/format.js';
import { readSubtitles } from '../../web/src/writers/read_subtitles.js';
import type { SubtitleProfile } from '../../web/src/writers/subtitle_profiles.js';
import type { TranscriptLike } from '../../web/src/writers/transcript.js';
import { sharedJson } from '../support/goldens.js';
import { describeWithShared, projectRoot } from '../support/shared_folder.js';

const widths = { netflix: 42, bbc: 37, plain: 42 };
const profiles: readonly SubtitleProfile[] = ['netflix', 'bbc', 'plain'];

describe('breaks in sentences of six languages', () => {
  const { sentences } = JSON.parse(
    readFileSync(join(projectRoot, 'tests/formats/expected/subtitle_breaks.json'), 'utf8'),
  ) as { sentences: Record<string, string[]> };
  const isSpaced = (language: string): boolean => !['ja', 'zh'].includes(language);

  /** Breaks at the border of a clause or behind punctuation, of a phrase, within a piece that no line holds, and elsewhere. */
  interface Breaks {
    readonly counts: Record<'clause' | 'phrase' | 'forced' | 'other', number>;
    readonly others: string[];
  }

  /** Spoken at 14 columns a second, each word after the other. */
  function spoken(text: string, language: string): TranscriptLike {
    const perCharacter = isSpaced(language) ? 1 / 14 : 1 / 7;
    let end = 1;
    const words = (text.match(isSpaced(language) ? /\s*\S+/gu : /./gsu) ?? []).map((word) => {
      const start = end;
      end += word.length * perCharacter;
      return { word, start, end };
    });
    return { language, segments: [{ start: 1, end, text, words }] };
  }

  /** Fails where the text has changed or a hard rule is violated. */
  function breaksIn(language: string, profile: SubtitleProfile): Breaks {
    const counts = { clause: 0, phrase: 0, forced: 0, other: 0 };
    const others: string[] = [];
    const width = isSpaced(language) ? widths[profile] : 32;
    for (const marked of sentences[language]!) {
      const text = marked.replaceAll(/[|/]/g, '');
      const borders = new Map<number, string>();
      let length = 0;
      for (const each of marked) {
        if (/[|/]/.test(each)) borders.set(length, each);
        else ++length;
      }
      const written = format(spoken(text, language), 'srt', { profile });
      expect(check(written, profile).violations.filter(({ isHard }) => isHard)).toEqual([]);
      const lines = readSubtitles(written).flatMap((cue) => cue.text);
      expect(lines.join(isSpaced(language) ? ' ' : '')).toBe(text);
      let at = 0;
      lines.slice(0, -1).forEach((line, i) => {
        at = text.indexOf(line, at) + line.length;
        const border = borders.get(at);
        const from = Math.max(0, ...[...borders.keys()].filter((each) => each < at));
        const to = Math.min(text.length, ...[...borders.keys()].filter((each) => each > at));
        if (border === '|' || /[,:、，]$/.test(line)) ++counts.clause;
        else if (border === '/') ++counts.phrase;
        else if (columnsOf(text.slice(from, to).trim()) > width) ++counts.forced;
        else {
          ++counts.other;
          others.push(`${line} / ${lines[i + 1]!}`);
        }
      });
    }
    return { counts, others };
  }

  test('there are two hundred', () => {
    expect(Object.values(sentences).flat()).toHaveLength(200);
  });

  /**
   * How many breaks in a hundred are at the border of a clause or behind punctuation, and at any border. More of the first
   * cannot be: where a clause is wider than a line, 72 (BBC 64) are the most with no more breaks than needed.
   */
  const netflix = {
    ...{ en: [67, 96], de: [74, 92], fr: [72, 96] },
    ...{ es: [69, 94], ja: [56, 83], zh: [86, 100] },
  };
  const bbc = {
    ...{ en: [63, 87], de: [63, 80], fr: [60, 88] },
    ...{ es: [64, 95], ja: [56, 83], zh: [86, 100] },
  };
  const least: Record<SubtitleProfile, Record<string, number[]>> = { netflix, bbc, plain: netflix };

  test.each(
    profiles.flatMap((profile) =>
      Object.entries(least[profile]).map(
        ([language, [clauses, borders]]) => [profile, language, clauses!, borders!] as const,
      ),
    ),
  )(
    '%s, %s: %i %% of breaks are where a clause ends, %i %% there or where a phrase does',
    (profile, language, clauses, borders) => {
      const { counts, others } = breaksIn(language, profile);
      const all = counts.clause + counts.phrase + counts.forced + counts.other;
      const good = counts.clause + counts.phrase;
      const isEnough = 100 * counts.clause >= clauses * all && 100 * good >= borders * all;
      expect({ isEnough, counts, others }).toEqual({ isEnough: true, counts, others });
    },
  );

  test.each(profiles)('%s: 96 in 100 breaks that no width forces are at a border', (profile) => {
    const found = Object.keys(sentences).map((language) => breaksIn(language, profile));
    const sum = (kind: keyof Breaks['counts']): number =>
      found.reduce((total, { counts }) => total + counts[kind], 0);
    const good = sum('clause') + sum('phrase');
    // What is wider than a line has to be broken somewhere, which is not counted.
    expect(good / (good + sum('other'))).toBeGreaterThanOrEqual(0.96);
  });

  test('a name stays whole where one segment ends within it', () => {
    const segments = [
      { start: 1, end: 3, text: 'It was the new and very old Dr. Maria' },
      { start: 3, end: 5, text: ' Lopezini, you know.' },
    ];
    const lines = readSubtitles(format({ language: 'en', segments }, 'srt', { profile: 'plain' }));
    expect(lines.flatMap(({ text }) => text).join(' / ')).toContain('Dr. Maria Lopezini,');
  });
});

/** Numbers from 0 to below 1, the same ones for a seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const vocabularies: Readonly<Record<string, readonly string[]>> = {
  en: [
    ' the',
    ' of',
    ' house',
    ' and',
    ' we',
    ' went',
    ' there.',
    ' Maria',
    ' Lopez,',
    ' 25',
    ' years!',
    ' "Yes,"',
  ],
  fr: [' le', ' jardin', " qu'elle", ' est', ' venue', ' ?', ' «', ' oui', ' »', ' de', ' Paris.'],
  ja: [
    '今日',
    'は',
    '、',
    '東京',
    'へ',
    '行きました',
    '。',
    'コーヒー',
    'を',
    '「',
    'はい',
    '」',
    'ー',
  ],
  zh: ['我们', '今天', '，', '去', '图书馆', '。', '因为', '的', '“', '好', '”', 'iPhone'],
  th: ['วันนี้', 'ฉัน', 'ไป', 'ตลาด', 'เพื่อ', 'ซื้อ', 'ผลไม้'],
  ko: [' 오늘은', ' 도서관에서', ' 책을', ' 읽고', ' 커피를', ' 마셨습니다.'],
  ar: [' مرحبا', ' بالعالم', ' هذا', ' كتاب', ' (2024)', ' iPhone', '.', '،'],
  xx: [
    ' 👩‍👩‍👧',
    '👍🏽',
    ' \u200D',
    ' 42',
    ' -->',
    '',
    ' ',
    '\n',
    ' a\u0301',
    ' 我',
    ' كتاب',
    ' 오늘은',
    '…',
    '!',
  ],
  long: [
    ` ${'x'.repeat(60)}`,
    ' a',
    ` ${'語'.repeat(60)}`,
    '、'.repeat(70),
    ` ${'ก'.repeat(60)}`,
    ` ${'-'.repeat(45)}`,
  ],
};

/** Words with gaps, overlaps, no length, times before those of the word before; segments without words or text. */
function randomTranscript(seed: number): TranscriptLike {
  const random = randomFrom(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const language = pick(Object.keys(vocabularies));
  let time = random() < 0.1 ? 10_000 : random() * 3;
  const pace = 10 ** (random() * 3 - 2);
  const hasSpeakers = random() < 0.3;
  const segments = Array.from({ length: Math.floor(random() * 12) }, () => {
    const words = Array.from({ length: Math.floor(random() * 30) }, () => {
      const kind = random();
      if (kind < 0.05) time += random() * 20;
      if (kind > 0.95) time = Math.max(0, time - random() * 3);
      const start = time;
      const length = kind > 0.4 && kind < 0.45 ? 0 : random() * pace;
      time += length * (kind > 0.9 ? 0.2 : 1);
      return {
        word: pick(vocabularies[language]!),
        start,
        end: kind > 0.5 && kind < 0.53 ? Math.max(0, start - 1) : start + length,
      };
    });
    const text = words.map(({ word }) => word).join('');
    const start = words[0]?.start ?? time;
    const end = words.at(-1)?.end ?? time;
    return {
      ...{ start, end, text },
      ...(random() < 0.7 && { words }),
      ...(hasSpeakers && { speaker: pick(['A', 'B', 'C']) }),
    };
  });
  return { ...(language.length === 2 && random() < 0.8 && { language }), segments };
}

/** All that is said, without white space and what subtitles add. */
function lettersOf(text: string): string {
  return text
    .replaceAll('-->', '->')
    .replaceAll(/<\/?b>/g, '')
    .replaceAll(/[\s\u200F\u202B\u202C]/g, '');
}

interface SpokenLetter {
  readonly letter: string;
  /** When what it belongs to is spoken, in milliseconds. */
  readonly start: number;
  readonly end: number;
}

function spokenLetters({ segments }: TranscriptLike): SpokenLetter[] {
  return segments.flatMap(({ text, words = [], start, end }) => {
    const isTimed = words.some(({ word }) => word.trim() !== '');
    return (isTimed ? words : [{ word: text, start, end }]).flatMap((each) =>
      Array.from(lettersOf(each.word)).map((letter, i, { length }) => ({
        ...{ letter, start: each.start * 1000 },
        // Without word times, what is said of a segment ends in proportion.
        end: (isTimed ? each.end : start + ((end - start) * (i + 1)) / length) * 1000,
      })),
    );
  });
}

/**
 * Fails where subtitles violate a hard rule, have another text, or begin before their sound. Returns the share of those
 * that are too fast although the speaker is not.
 */
function fastShareOf(
  transcript: TranscriptLike,
  profile: SubtitleProfile,
  name: 'srt' | 'vtt',
): number {
  const written = format(transcript, name, { profile });
  const { violations } = check(written, profile);
  expect(violations.filter(({ isHard }) => isHard)).toEqual([]);
  const cues = readSubtitles(written);
  const hasSpeakers = transcript.segments.some(({ speaker }) => speaker !== undefined);
  const letters = spokenLetters(transcript);
  let at = 0;
  let fast = 0;
  cues.forEach(({ start, text }, i) => {
    const shown = text.map((line) =>
      lettersOf(hasSpeakers ? line.replace(/^([\u200F\u202B]*)- /, '$1') : line),
    );
    const length = Array.from(shown.join('')).length;
    const said = letters.slice(at, at + length);
    expect(shown.join('')).toBe(said.map(({ letter }) => letter).join(''));
    expect(start).toBeGreaterThanOrEqual(Math.floor(said[0]!.start));
    const violation = violations.find(({ rule, cue }) => rule === 'readingSpeed' && cue === i + 1);
    const { limit = 0 } = violation ?? {};
    const columns = text.reduce((sum, line) => sum + columnsOf(line), 0);
    // Two frames of the sound are the gap; what the subtitle before takes, where it needs its least time, is lost too.
    const sound = said.at(-1)!.end - Math.max(said[0]!.start, start) - 84;
    if (violation && columns * 1000 <= limit * sound) ++fast;
    at += length;
  });
  expect(at).toBe(letters.length);
  return fast / Math.max(1, cues.length);
}

describe('hard rules', () => {
  test.each(profiles)('%s: on transcripts of every kind', (profile) => {
    for (let seed = 1; seed <= 400; ++seed) {
      const transcript = randomTranscript(seed);
      try {
        fastShareOf(transcript, profile, seed % 2 === 0 ? 'srt' : 'vtt');
      } catch (error) {
        throw new Error(`seed ${seed}: ${JSON.stringify(transcript)}`, { cause: error });
      }
    }
  });

  test('a word that is longer than a line stays whole, and check() lists it', () => {
    const word = 'x'.repeat(60);
    const segments = [{ start: 1, end: 9, text: `It is ${word}, you know.` }];
    const written = format({ segments }, 'srt', { profile: 'plain' });
    const { violations } = check(written, 'plain');
    expect(violations.filter(({ rule }) => rule === 'characters')).toMatchObject([
      { rule: 'characters', text: `${word},`, value: 61, limit: 42, isHard: false },
    ]);
  });

  test.each(profiles)(
    '%s: no cue has the end of a sentence and the next after a pause',
    (profile) => {
      const sentence = (text: string, start: number) =>
        (text.match(/\s*\S+/g) ?? []).map((word, i) => ({
          ...{ word, start: start + i * 0.3, end: start + i * 0.3 + 0.3 },
        }));
      // Together they would fit into two lines, or into one.
      for (const [first, second] of [
        ['We went down to the sea.', 'Nobody else was there.'],
        ['He came.', 'Then he left again.'],
      ] as const) {
        const begin = sentence(first, 1);
        const words = [...begin, ...sentence(` ${second}`, begin.at(-1)!.end + 1)];
        const segment = { start: 1, end: words.at(-1)!.end, text: `${first} ${second}`, words };
        const cues = readSubtitles(
          format({ language: 'en', segments: [segment] }, 'srt', { profile }),
        );
        expect(cues.map(({ text }) => text.join(' '))).toEqual([first, second]);
      }
    },
  );

  test('three hours take seconds, with and without word times', () => {
    const words = Array.from({ length: 30_000 }, (_, i) => ({
      ...{ word: i % 12 === 11 ? ' word.' : ' word', start: i * 0.36, end: i * 0.36 + 0.3 },
    }));
    const text = words.map(({ word }) => word).join('');
    const segment = { start: 0, end: 10_800, text };
    for (const each of [segment, { ...segment, words }]) {
      expect(fastShareOf({ language: 'en', segments: [each] }, 'netflix', 'vtt')).toBe(0);
    }
  });
});

const shared = ['golden/writers', 'golden/expected', 'trained/expected'];
describeWithShared(shared, 'transcripts of the reference and of trained models', () => {
  const isTranscript = (value: unknown): value is TranscriptLike =>
    typeof value === 'object' &&
    value !== null &&
    'segments' in value &&
    Array.isArray(value.segments) &&
    (value.segments as Record<string, unknown>[]).every(
      // format() refuses times below zero, which models without training make.
      ({ start, end, text }) => Number(start) >= 0 && Number(end) >= 0 && text !== undefined,
    );
  const transcriptsIn = (value: unknown): TranscriptLike[] => {
    if (isTranscript(value)) return [value];
    if (typeof value !== 'object' || value === null) return [];
    return Object.values(value).flatMap(transcriptsIn);
  };
  const files = [
    'golden/writers/writers.json',
    ...['micro', 'micro-en', 'micro-v3-turbo'].map(
      (name) => `golden/expected/${name}/transcribe.json`,
    ),
    ...['base', 'tiny.en'].map((name) => `trained/expected/${name}.json`),
  ];
  const transcripts = files.flatMap((file) => transcriptsIn(sharedJson(file)));

  test('are there', () => {
    expect(transcripts.length).toBeGreaterThan(20);
  });

  test.each(profiles)(
    '%s: keep the hard rules, and are as fast as the speaker at most',
    (profile) => {
      for (const transcript of transcripts) {
        expect(fastShareOf(transcript, profile, 'srt')).toBe(0);
        expect(fastShareOf(transcript, profile, 'vtt')).toBe(0);
      }
    },
  );
});
