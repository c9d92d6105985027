import { describe, expect, test } from '@jest/globals';
import type { Transcript } from '../../web/src/api/types.js';
import { SusurrusError } from '../../web/src/api/errors.js';
import { format, transcriptFormats } from '../../web/src/writers/format.js';
import { languageNames } from '../../web/src/api/generated/languages.js';
import type { FormatOptions, TranscriptFormat } from '../../web/src/writers/options.js';
import { clock, toMilliseconds } from '../../web/src/writers/time.js';
import type { TranscriptLike } from '../../web/src/writers/transcript.js';
import { sharedJson } from '../support/goldens.js';
import { describeWithShared } from '../support/shared_folder.js';

const goldenPath = 'golden/writers/writers.json';

interface Golden {
  readonly results: Readonly<Record<string, TranscriptLike>>;
  readonly cases: readonly {
    readonly result: string;
    readonly writer: TranscriptFormat;
    readonly options: Readonly<Record<string, unknown>>;
    readonly expected: string;
  }[];
  readonly format_timestamp: readonly {
    readonly seconds: number;
    readonly default: string;
    readonly always_hours_comma: string;
    readonly tsv_ms: number;
  }[];
}

/** `max_line_width` → `maxLineWidth`. */
function ourOptions(options: Readonly<Record<string, unknown>>): FormatOptions {
  return Object.fromEntries(
    Object.entries(options).map(([name, value]) => [
      name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );
}

describeWithShared([goldenPath], 'writers against the reference', () => {
  const { results, cases, format_timestamp: times } = sharedJson(goldenPath) as Golden;

  test.each(cases)('$writer of $result with $options', (golden) => {
    const transcript = results[golden.result]!;
    const before = structuredClone(transcript);
    const options = ourOptions(golden.options);
    const exact = { ...options, compatibility: 'openai' } as const;
    expect(format(transcript, golden.writer, exact)).toBe(golden.expected);
    // Else lines of Chinese are broken between words.
    const isBroken = golden.result === 'words_zh' && Object.keys(options).length > 0;
    if (!isBroken) expect(format(transcript, golden.writer, options)).toBe(golden.expected);
    expect(transcript).toEqual(before);
  });

  test('all cases are there', () => {
    expect(cases).toHaveLength(91);
    expect(times).toHaveLength(40);
  });

  test.each(times)('$seconds s', ({ seconds, ...expected }) => {
    const milliseconds = toMilliseconds(seconds);
    expect({
      default: clock(milliseconds, { mark: '.', hasHours: false }),
      always_hours_comma: clock(milliseconds, { mark: ',', hasHours: true }),
      tsv_ms: milliseconds,
    }).toEqual(expected);
  });
});

const specialPath = 'golden/tokenizer/special.json';
describeWithShared([specialPath], 'names of languages', () => {
  test('are the reference’s', () => {
    const { languages_in_order: pairs } = sharedJson(specialPath) as {
      languages_in_order: [string, string][];
    };
    expect(Object.fromEntries(pairs)).toEqual(languageNames);
  });
});

/** A transcript as transcribe() gives it. */
function transcript(words = true): Transcript {
  const facts = {
    tokenProbabilities: [0.5, 1],
    temperature: 0,
    avgLogprob: -0.25,
    compressionRatio: 1,
    noSpeechProb: 0.00001,
    encoderContext: 1500,
    language: 'de',
    decision: 'retried:repetition',
    attempts: [
      {
        temperature: 0,
        avgLogprob: -3,
        noSpeechProb: 0,
        compressionRatio: 3.5,
        encoderContext: 500,
        decision: 'retried:repetition',
        text: ' la la',
      },
    ],
  } as const;
  const first = { id: 0, seek: 0, start: 0.5, end: 2, text: ' Grüß "Gott",', tokens: [1, 2] };
  const second = { id: 1, seek: 0, start: 61.005, end: 62, text: ' du\nda', tokens: [3, 4] };
  return {
    text: ' Grüß "Gott", du\nda',
    language: 'de',
    duration: 63,
    segments: [
      {
        ...first,
        ...facts,
        ...(words && {
          words: [
            { word: ' Grüß', start: 0.5, end: 1, probability: 1 },
            { word: ' "Gott",', start: 1.25, end: 2, probability: 0.5 },
          ],
        }),
      },
      {
        ...second,
        ...facts,
        ...(words && { words: [{ word: ' du\nda', start: 61.005, end: 62, probability: 0.5 }] }),
      },
    ],
    rejected: [{ ...first, ...facts, id: 2, decision: 'dropped:no-speech' }],
  };
}

describe('json', () => {
  test('has every field, in the reference’s names and notation', () => {
    const result = transcript();
    const text = format(result, 'json');
    expect(text).toMatch(/^[ -~]+$/);
    expect(text).toContain('"text": " Gr\\u00fc\\u00df \\"Gott\\", du\\nda", "language": "de", ');
    expect(text).toContain('"duration": 63.0, "segments": [{"id": 0, "seek": 0, "start": 0.5, ');
    expect(text).toContain('"token_probabilities": [0.5, 1.0], "temperature": 0.0, ');
    expect(text).toContain('"no_speech_prob": 1e-05, ');
    expect(text).toContain('"words": [{"word": " Gr\\u00fc\\u00df", "start": 0.5, "end": 1.0, ');
    const read = JSON.parse(text) as Record<string, Record<string, unknown>[]>;
    expect(Object.keys(read)).toEqual(['text', 'language', 'duration', 'segments', 'rejected']);
    expect(read.rejected![0]).toMatchObject({ decision: 'dropped:no-speech', avg_logprob: -0.25 });
    expect(read.segments![0]!.attempts).toEqual([
      {
        temperature: 0,
        avg_logprob: -3,
        no_speech_prob: 0,
        compression_ratio: 3.5,
        encoder_context: 500,
        decision: 'retried:repetition',
        text: ' la la',
      },
    ]);
  });

  test('says how probable the language is, and how much text is in each; verbose_json as OpenAI', () => {
    const heard: Transcript = {
      ...transcript(),
      languageProbability: 1,
      languages: [{ language: 'de', seconds: 3 }],
    };
    expect(format(heard, 'json')).toContain(
      '"language_probability": 1.0, "languages": [{"language": "de", "seconds": 3.0}]',
    );
    expect(format(heard, 'verbose_json')).toBe(format(transcript(), 'verbose_json'));
  });

  test('read again gives the same in every format', () => {
    const result = transcript();
    const again = JSON.parse(format(result, 'json')) as TranscriptLike;
    for (const name of transcriptFormats) {
      expect(format(again, name)).toBe(format(result, name));
    }
  });

  test.each([
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [1.5e-10, '1.5e-10'],
    [1e15, '1000000000000000.0'],
    [1e16, '1e+16'],
    [1.2345e100, '1.2345e+100'],
    [-0, '-0.0'],
    [0.1, '0.1'],
    [Math.fround(0.1), '0.10000000149011612'],
    [NaN, 'null'],
    [-Infinity, 'null'],
  ])('writes the floating-point number %p as Python does', (value, expected) => {
    const segments = [{ start: 0, end: 0, text: '', avg_logprob: value }];
    expect(format({ segments }, 'json')).toContain(`"avg_logprob": ${expected}}`);
  });

  test('escapes what is not ASCII, and control characters', () => {
    const segments = [{ start: 0, end: 0, text: '\u0001\b\x7fé😀\ud800"\\/' }];
    expect(format({ segments }, 'json')).toContain(
      String.raw`"\u0001\b\u007f\u00e9\ud83d\ude00\ud800\"\\/"`,
    );
  });
});

describe('csv', () => {
  test('quotes as RFC 4180 says', () => {
    expect(format(transcript(), 'csv')).toBe(
      'start,end,text,language,decision,temperature,avg_logprob,no_speech_prob,compression_ratio\r\n' +
        '0.5,2,"Grüß ""Gott"",",de,retried:repetition,0,-0.25,0.00001,1\r\n' +
        '61.005,62,"du\nda",de,retried:repetition,0,-0.25,0.00001,1\r\n',
    );
  });

  test('leaves empty what a transcript does not say', () => {
    const segments = [{ start: 1, end: 2, text: ' a' }];
    expect(format({ segments }, 'csv').split('\r\n')[1]).toBe('1,2,a,,,,,,');
  });

  test('writes no text that a spreadsheet would run, where that is asked for', () => {
    const texts = ['=1+2', '+a', '-b', '@c', 'd=e', ' =f', '="x",y'];
    const segments = texts.map((text, i) => ({ start: i, end: i + 1, text, language: '\t=g' }));
    segments.push({ start: 7, end: 8, text: 'h', language: '\r=i' });
    const cells = (options?: FormatOptions): string[] =>
      format({ segments }, 'csv', options)
        .split('\r\n')
        .slice(1, -1)
        .map((row) => row.replace(/,*$/, ''));
    expect(cells()[0]).toBe('0,1,=1+2,\t=g');
    expect(cells({ escapeFormulas: true })).toEqual([
      ...["0,1,'=1+2,'\t=g", "1,2,'+a,'\t=g", "2,3,'-b,'\t=g", "3,4,'@c,'\t=g"],
      ...["4,5,d=e,'\t=g", "5,6,'=f,'\t=g", `6,7,"'=""x"",y",'\t=g`, `7,8,h,"'\r=i"`],
    ]);
  });
});

describe('lrc', () => {
  test('has a line for each segment', () => {
    expect(format(transcript(false), 'lrc')).toBe('[00:00.50]Grüß "Gott",\n[01:01.00]du da\n');
  });

  test('has the time of each word on demand', () => {
    expect(format(transcript(), 'lrc', { highlightWords: true })).toBe(
      '[00:00.50]<00:00.50>Grüß <00:01.25>"Gott",<00:02.00>\n[01:01.00]<01:01.00>du da<01:02.00>\n',
    );
  });

  test('breaks lines as subtitles do, and counts an hour as 60 minutes', () => {
    expect(format(transcript(), 'lrc', { maxLineWidth: 5 })).toBe(
      '[00:00.50]Grüß\n[00:01.25]"Gott",\n[01:01.00]du da\n',
    );
    expect(format({ segments: [{ start: 6000.5, end: 6001, text: 'late' }] }, 'lrc')).toBe(
      '[100:00.50]late\n',
    );
  });
});

describe('verbose_json', () => {
  test('is what OpenAI’s service answers', () => {
    const answer: unknown = JSON.parse(format(transcript(), 'verbose_json'));
    expect(answer).toEqual({
      task: 'transcribe',
      language: 'german',
      duration: 63,
      text: 'Grüß "Gott", du\nda',
      segments: [
        {
          id: 0,
          seek: 0,
          start: 0.5,
          end: 2,
          text: ' Grüß "Gott",',
          tokens: [1, 2],
          temperature: 0,
          avg_logprob: -0.25,
          compression_ratio: 1,
          no_speech_prob: 0.00001,
        },
        expect.objectContaining({ id: 1, start: 61.005 }),
      ],
      words: [
        { word: 'Grüß', start: 0.5, end: 1 },
        { word: '"Gott",', start: 1.25, end: 2 },
        { word: 'du\nda', start: 61.005, end: 62 },
      ],
    });
  });

  test('says that a translation is English, and has no words where there are none', () => {
    const answer: unknown = JSON.parse(
      format(transcript(false), 'verbose_json', { task: 'translate' }),
    );
    expect(answer).toMatchObject({ task: 'translate', language: 'english' });
    expect(answer).not.toHaveProperty('words');
  });
});

describe('text', () => {
  test('loses the white space that Python strips, and no other', () => {
    const segments = [{ start: 0, end: 1, text: '\x1c\x85\u3000 a\ufeff \u2029' }];
    expect(format({ segments }, 'txt')).toBe('a\ufeff\n');
  });

  test('counts columns or, as the reference, characters, not UTF-16 units', () => {
    const words = [' 😀😀', ' 😀😀'].map((word) => ({ word, start: 0, end: 1 }));
    const segments = [{ start: 0, end: 1, text: ' 😀😀 😀😀', words }];
    const vtt = (options: FormatOptions): string => format({ segments }, 'vtt', options);
    expect(vtt({ maxLineWidth: 9 })).toContain('\n😀😀 😀😀\n');
    expect(vtt({ maxLineWidth: 8 })).toContain('\n😀😀\n😀😀\n');
    const compatibility = 'openai';
    expect(vtt({ maxLineWidth: 5, compatibility })).toContain('\n😀😀 😀😀\n');
    expect(vtt({ maxLineWidth: 4, compatibility })).toContain('\n😀😀\n😀😀\n');
  });

  test('is in cues of segments as soon as one segment has no words', () => {
    const [first, second] = transcript().segments;
    const { words, ...wordless } = second!;
    expect(words).toHaveLength(1);
    const mixed = { segments: [first!, wordless] };
    expect(format(mixed, 'srt', { maxWordsPerLine: 1 })).toContain('\nGrüß "Gott",\n');
    expect(format(mixed, 'srt', { maxWordsPerLine: 1 })).toContain('\ndu\nda\n');
  });
});

describe('an error', () => {
  const segment = { start: 0, end: 1, text: 'a' };
  test.each<[string, unknown, unknown, unknown, string]>([
    ['an unknown format', { segments: [] }, 'docx', {}, 'format'],
    ['a name every object has', { segments: [] }, 'toString', {}, 'format'],
    ['an unknown option', { segments: [] }, 'srt', { width: 3 }, 'width'],
    ['no characters', { segments: [] }, 'srt', { maxLineWidth: 0 }, 'maxLineWidth'],
    ['half a line', { segments: [] }, 'srt', { maxLineCount: 1.5 }, 'maxLineCount'],
    ['words as text', { segments: [] }, 'srt', { maxWordsPerLine: '3' }, 'maxWordsPerLine'],
    ['1 for true', { segments: [] }, 'srt', { highlightWords: 1 }, 'highlightWords'],
    ['a foreign rule', { segments: [] }, 'srt', { compatibility: 'all' }, 'compatibility'],
    ['no such task', { segments: [] }, 'verbose_json', { task: 'sing' }, 'task'],
    ['nothing', null, 'txt', {}, 'transcript'],
    ['no segments', { text: 'a' }, 'txt', {}, 'transcript.segments'],
    ['a number for a text', { segments: [], text: 3 }, 'txt', {}, 'transcript.text'],
    ['no duration', { segments: [], duration: NaN }, 'txt', {}, 'transcript.duration'],
    [
      ...(['no text', { segments: [segment, { ...segment, text: null }] }, 'txt', {}] as const),
      'transcript.segments[1].text',
    ],
    [
      ...(['a time before 0', { segments: [{ ...segment, start: -1 }] }, 'txt', {}] as const),
      'transcript.segments[0].start',
    ],
    [
      ...([
        'a word without end',
        { segments: [{ ...segment, words: [{ word: 'a', start: 0 }] }] },
        'txt',
        {},
      ] as const),
      'transcript.segments[0].words[0].end',
    ],
  ])('names %s', (_, bad, name, options, subject) => {
    let error: unknown;
    try {
      format(bad as TranscriptLike, name as TranscriptFormat, options as FormatOptions);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(SusurrusError);
    expect(error).toMatchObject({
      code: 'invalid_argument',
      details: { reason: 'option', subject },
    });
  });
});
