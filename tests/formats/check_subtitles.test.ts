import { describe, expect, test } from '@jest/globals';
import { SusurrusError } from '../../web/src/api/errors.js';
import { check } from '../../web/src/writers/check_subtitles.js';
import type { SubtitleReport } from '../../web/src/writers/check_subtitles.js';
import { format } from '../../web/src/writers/format.js';
import type { FormatOptions } from '../../web/src/writers/options.js';
import type { SubtitleProfile } from '../../web/src/writers/subtitle_profiles.js';

const rulesIn = ({ violations }: SubtitleReport): string[] => violations.map(({ rule }) => rule);

/** The error that check() throws. */
function errorOf(subtitles: unknown, profile: unknown = 'plain', options?: unknown): SusurrusError {
  try {
    check(subtitles as string, profile as SubtitleProfile, options as object);
  } catch (error) {
    if (error instanceof SusurrusError) return error;
    throw error;
  }
  throw new Error('check() threw nothing');
}

describe('check() reads', () => {
  const good = '1\n00:00:01,000 --> 00:00:03,000\nGood morning.\n';

  test.each([
    ['SubRip', good],
    ['a byte order mark', `\uFEFF${good}`],
    ['CRLF', good.replaceAll('\n', '\r\n')],
    ['CR', good.replaceAll('\n', '\r')],
    ['no number', good.slice(2)],
    ['dots and no hours', good.replaceAll(',', '.').replaceAll('00:00:0', '00:0')],
    ['WebVTT', `WEBVTT\n\n${good}`],
    ['a header', `WEBVTT - title\nKind: captions\n\n${good}`],
    [
      'a named cue with settings',
      good.replace('1\n', 'intro\n').replace('3,000', '3,000 line:0 align:start'),
    ],
    [
      'notes, styles and regions',
      `WEBVTT\n\nSTYLE\n::cue {}\n\nREGION\nid:a\n\nNOTE\nx --> y\n\n${good}`,
    ],
    ['tags', good.replace('Good', '<i>Go</i><c.red>o</c>d').replace('1\n0', '1\n0')],
  ])('%s', (_, content) => {
    expect(check(content, 'netflix')).toEqual({
      ...{ cues: 1, isValid: true, violations: [], fastShare: 0, badBreakShare: 0 },
    });
  });

  test('nothing as no subtitles', () => {
    for (const content of ['', '\uFEFF', 'WEBVTT', 'WEBVTT\n\nNOTE x\n', '\r\n\r\n']) {
      expect(check(content, 'bbc')).toMatchObject({ cues: 0, isValid: true, fastShare: 0 });
    }
  });

  test('entities of WebVTT as characters', () => {
    const line = '&lt;&amp;&gt;'.repeat(14);
    const cue = `00:01.000 --> 00:07.000\n${line}\n`;
    expect(rulesIn(check(`WEBVTT\n\n${cue}`, 'netflix'))).toEqual([]);
    expect(check(cue, 'netflix').violations).toMatchObject([
      { rule: 'characters', value: 182 },
      {},
    ]);
  });

  test.each([
    ['text', 'Hello.\n', 1],
    ['an HTML page', '\n\n<!DOCTYPE html>\n<html>\n', 3],
    ['a time that is none', `${good}\n2\n00:00:05,000 --> 00:0x:07,000\nText\n`, 6],
    ['sixty seconds', good.replace('01,', '60,'), 2],
    ['an end before its start', good.replace('03,', '00,'), 2],
    ['no end', good.replace(' 00:00:03,000', ''), 2],
    ['no blank line', `${good}2\n00:00:05,000 --> 00:00:07,000\nText\n`, 5],
    ['text behind a blank line', `${good}\nmore\ntext\n`, 5],
    ['CRLF in between', `${good}\n2\n00:00:05 --> 00:00:07\nText\n`.replaceAll('\n', '\r\n'), 6],
  ])('no %s, and names its line', (_, content, line) => {
    expect(errorOf(content)).toMatchObject({
      code: 'malformed',
      details: { reason: 'contradiction', subject: `line ${line}` },
    });
  });

  test('at most 64 MiB', () => {
    expect(errorOf(' '.repeat(2 ** 26 + 1))).toMatchObject({ code: 'limit_exceeded' });
  });

  test('nothing but text, with a known profile and options', () => {
    expect(errorOf(new Uint8Array(3)).details.subject).toBe('subtitles');
    for (const profile of [undefined, 'NETFLIX', 'toString']) {
      expect(errorOf('', profile ?? null).details.subject).toBe('profile');
    }
    expect(errorOf('', 'plain', { lang: 'en' }).details.subject).toBe('lang');
  });
});

describe('check() lists', () => {
  const at = (start: string, end: string, text = 'Text.'): string =>
    `00:00:${start} --> 00:00:${end}\n${text}\n\n`;

  test('each hard rule, with numbers, times and the line', () => {
    const content = [
      at('01.000', '01.500'),
      at('02.000', '09.500'),
      at('09.550', '11.000'),
      at('10.000', '12.000'),
      at('09.900', '13.000'),
      at('20.000', '22.000', 'One\ntwo\nthree'),
      at('30.000', '36.000', 'word '.repeat(9)),
    ].join('');
    expect(check(content, 'netflix').violations).toEqual([
      ...[
        { rule: 'shortest', cue: 1, start: 1, end: 1.5, line: 1, value: 0.5, limit: 0.834 },
        { rule: 'longest', cue: 2, start: 2, end: 9.5, line: 4, value: 7.5, limit: 7 },
        { rule: 'gap', cue: 3, start: 9.55, end: 11, line: 7, value: 0.05, limit: 0.084 },
        { rule: 'overlap', cue: 4, start: 10, end: 12, line: 10, value: 1, limit: 0 },
        { rule: 'order', cue: 5, start: 9.9, end: 13, line: 13, value: 9.9, limit: 10 },
      ].map((each) => ({ ...each, text: 'Text.', isHard: true })),
      ...[{ rule: 'lines', cue: 6, start: 20, end: 22, line: 16, value: 3, limit: 2 }].map(
        (each) => ({ ...each, text: 'One\ntwo\nthree', isHard: true }),
      ),
      ...[{ rule: 'characters', cue: 7, start: 30, end: 36, line: 21, value: 44, limit: 42 }].map(
        (each) => ({ ...each, text: 'word '.repeat(9).trim(), isHard: true }),
      ),
    ]);
  });

  test('what is recommended, as shares too', () => {
    const fast = at('01.000', '02.000', 'This has more than twenty letters.');
    const open = at('02.300', '05.000', 'We all went to see the\nold house by the river.');
    const report = check(fast + open, 'netflix');
    expect(report).toMatchObject({ isValid: true, fastShare: 0.5, badBreakShare: 0.5 });
    expect(report.violations).toEqual([
      expect.objectContaining({ rule: 'readingSpeed', value: 34, limit: 20, isHard: false }),
      expect.objectContaining({ rule: 'openGap', cue: 2, value: 0.3, isHard: false }),
      expect.objectContaining({
        rule: 'break',
        text: 'We all went to see the / old house by the river.',
      }),
    ]);
  });

  test('breaks by the language that the text, or the caller, says', () => {
    const german = at('01.000', '05.000', 'Wir sahen uns dann am\nAbend in der Stadt.');
    expect(rulesIn(check(german, 'plain'))).toEqual(['break']);
    expect(rulesIn(check(german, 'plain', { language: 'en' }))).toEqual([]);
  });

  test('gaps that close in the profile without one', () => {
    const content = at('01.000', '03.000') + at('03.000', '05.000');
    expect(rulesIn(check(content, 'plain'))).toEqual([]);
    expect(rulesIn(check(content, 'bbc'))).toEqual(['gap']);
  });

  test('full-width lines of more than sixteen characters', () => {
    const line = '我们明天上午十点在图书馆门口见面';
    expect(rulesIn(check(at('01.000', '06.000', line), 'netflix'))).toEqual([]);
    const longer = check(at('01.000', '06.000', `${line}吧`), 'netflix');
    expect(longer.violations).toMatchObject([{ rule: 'characters', value: 34, limit: 32 }]);
  });
});

describe('format() with a profile', () => {
  const segments = [
    { start: 1, end: 2, text: ' Are you coming?', speaker: 'A' },
    { start: 2, end: 3, text: ' In a minute.', speaker: 'B' },
  ];

  test('gives each of two speakers a line with a dash', () => {
    expect(format({ language: 'en', segments }, 'vtt', { profile: 'netflix' })).toBe(
      'WEBVTT\n\n00:01.000 --> 00:03.000\n- Are you coming?\n- In a minute.\n\n',
    );
  });

  test('marks right-to-left text', () => {
    const hebrew = [{ start: 1, end: 3, text: ' שלום עולם.' }];
    expect(format({ segments: hebrew }, 'srt', { profile: 'bbc' })).toContain(
      '\nשלום עולם.\u200F\n',
    );
  });

  test('closes gaps below half a second, and leaves longer ones', () => {
    const each = (start: number, end: number) => ({
      start,
      end,
      text: ' This is a whole sentence of the talk, you see.',
    });
    const written = format({ segments: [each(1, 4), each(4.4, 8), each(12, 15)] }, 'vtt', {
      profile: 'netflix',
    });
    expect(written.match(/\S+ --> \S+/g)).toEqual([
      '00:01.000 --> 00:04.316',
      '00:04.400 --> 00:08.000',
      '00:12.000 --> 00:15.000',
    ]);
  });

  test('refuses options that contradict it', () => {
    const refused: FormatOptions[] = [
      { maxLineWidth: 42 },
      { maxLineCount: 2 },
      { maxWordsPerLine: 2 },
      { highlightWords: true },
      { compatibility: 'openai' },
    ];
    for (const options of refused) {
      expect(() => format({ segments }, 'srt', { profile: 'bbc', ...options })).toThrow(
        /profile must be/,
      );
    }
    expect(() => format({ segments }, 'srt', { profile: 'hbo' as 'bbc' })).toThrow(/'netflix' or/);
  });

  test('leaves other notations as they are', () => {
    for (const name of ['txt', 'tsv', 'json', 'lrc', 'csv'] as const) {
      expect(format({ segments }, name, { profile: 'bbc' })).toBe(format({ segments }, name));
    }
  });
});
