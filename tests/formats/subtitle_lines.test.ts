import { describe, expect, test } from '@jest/globals';
import { columnsOf } from '../../web/src/writers/columns.js';
import { format } from '../../web/src/writers/format.js';
import type { FormatOptions } from '../../web/src/writers/options.js';
import type { TranscriptLike } from '../../web/src/writers/transcript.js';

const [mark, embedding, popping] = ['\u200F', '\u202B', '\u202C'];

/** Sentences as segments of timed words: as models have them, single characters in scripts without blanks. */
function transcript(
  language: string,
  sentences: readonly string[],
  divide: RegExp = /./gsu,
): TranscriptLike {
  let start = 0;
  const segments = sentences.map((text) => {
    const words = (text.match(divide) ?? []).map((word) => {
      start += 0.25;
      return { word, start: start - 0.25, end: start };
    });
    return { start: words[0]!.start, end: start, text, words };
  });
  return { language, segments };
}

const spaced = /\s*\S+/gu;

/** The lines of each subtitle. */
function subtitles(
  spoken: TranscriptLike,
  options: FormatOptions,
  name: 'srt' | 'vtt' = 'vtt',
): string[][] {
  const blocks = format(spoken, name, options).trim().split('\n\n');
  return blocks.flatMap((block) => {
    const lines = block.split('\n');
    const time = lines.findIndex((line) => line.includes('-->'));
    return time === -1 ? [] : [lines.slice(time + 1)];
  });
}

function linesOf(spoken: TranscriptLike, options: FormatOptions): string[] {
  return subtitles(spoken, options).flat();
}

const japanese = [
  '「準備はいいですか」と彼女が聞いた。',
  '喫茶店でコーヒーを飲みながら、昨日買った本を読みました。',
];
const chinese = ['我们明天上午十点在图书馆门口见面，请不要迟到。', '他说：“今天的天气很好！”'];
const thai = ['วันนี้ฉันไปตลาดเพื่อซื้อผลไม้และผักสด'];
const korean = ['오늘은 도서관에서 책을 읽고 커피를 마셨습니다.'];

describe('lines of scripts without blanks', () => {
  test('in Japanese are broken between phrases, and subtitles reach over sentences', () => {
    const options = { maxLineWidth: 24, maxLineCount: 2 };
    expect(subtitles(transcript('ja', japanese), options)).toEqual([
      ['「準備はいいですか」と', '彼女が聞いた。喫茶店で'],
      ['コーヒーを飲みながら、', '昨日買った本を'],
      ['読みました。'],
    ]);
  });

  test('in Chinese are broken between words', () => {
    expect(linesOf(transcript('zh', chinese), { maxLineWidth: 20 })).toEqual([
      ...['我们明天上午十点在', '图书馆门口见面，请', '不要迟到。'],
      ...['他说：“今天的天气', '很好！”'],
    ]);
  });

  test('in Thai are broken between words, whose vowels take no columns', () => {
    const lines = linesOf(transcript('th', thai), { maxLineWidth: 14 });
    expect(lines).toEqual(['วันนี้ฉันไปตลาดเพื่อ', 'ซื้อผลไม้และผักสด']);
    expect(lines.map(columnsOf)).toEqual([14, 13]);
  });

  test('in Korean are broken at blanks', () => {
    expect(linesOf(transcript('ko', korean, spaced), { maxLineWidth: 20 })).toEqual([
      ...['오늘은 도서관에서', '책을 읽고 커피를', '마셨습니다.'],
    ]);
    expect(linesOf(transcript('ko', ['커피를(두 잔)마셨다.']), { maxLineWidth: 8 })).toEqual([
      ...['커피를(두', '잔)마셨다.'],
    ]);
    expect(linesOf(transcript('ko', ['가나다라(마바사)아자차카']), { maxLineWidth: 8 })).toEqual([
      ...['가나다라', '(마바사)', '아자차카'],
    ]);
  });

  test.each([
    ['km', 'ខ្ញុំចូលចិត្តអានសៀវភៅនៅពេលល្ងាច', ['ខ្ញុំចូលចិត្តអានសៀវភៅ', 'នៅពេលល្ងាច']],
    ['lo', 'ຂ້ອຍມັກອ່ານປຶ້ມໃນຕອນແລງ', ['ຂ້ອຍມັກອ່ານປຶ້ມໃນ', 'ຕອນແລງ']],
  ])('in %s are broken within a timed word that is a whole sentence', (language, text, lines) => {
    const spoken = transcript(language, [text], /.+/gsu);
    expect(linesOf(spoken, { maxLineWidth: 12 })).toEqual(lines);
    // Its time is divided with it.
    const { segments } = spoken;
    const word = { ...segments[0]!.words![0]!, start: 1, end: 2 };
    const long = { ...spoken, segments: [{ ...segments[0]!, words: [word] }] };
    const share = (1 + lines[0]!.length / text.length).toFixed(3);
    expect(format(long, 'vtt', { maxLineWidth: 12, maxLineCount: 1 })).toBe(
      `WEBVTT\n\n00:01.000 --> 00:0${share}\n${lines[0]}\n\n00:0${share} --> 00:02.000\n${lines[1]}\n\n`,
    );
    const whole = format(long, 'vtt', { highlightWords: true });
    expect(whole).toBe(`WEBVTT\n\n00:01.000 --> 00:02.000\n<u>${text}</u>\n\n`);
  });

  test('may have as many words as are asked for', () => {
    expect(linesOf(transcript('zh', chinese), { maxWordsPerLine: 3 })).toEqual([
      ...['我们明天上午', '十点在', '图书馆门口', '见面，请不要', '迟到。'],
      ...['他说：“今天', '的天气很好！”'],
    ]);
    expect(linesOf(transcript('ja', japanese), { maxWordsPerLine: 3 })).toEqual([
      ...['「準備はいいですか」と彼女が', '聞いた。'],
      ...['喫茶店でコーヒーを飲みながら、', '昨日買った本を', '読みました。'],
    ]);
  });

  test.each([
    ['a long-vowel mark', 'ja', 'スーパーマーケット', 10, ['スーパー', 'マーケット']],
    ['small kana', 'ja', 'シュークリーム', 4, ['シュー', 'ク', 'リー', 'ム']],
    ['an iteration mark', 'ja', '人々々々', 4, ['人々々々']],
    ['marks without end', 'ja', 'ーーーーーーーー', 4, ['ーー', 'ーー', 'ーー', 'ーー']],
    ['a number', 'ja', '今年は2024年です。', 8, ['今年は', '2024年', 'です。']],
    ['a currency', 'zh', '一共￥120元', 8, ['一共', '￥120元']],
    ['quotation marks', 'zh', '他说"你好"吗', 6, ['他说', '"你好"', '吗']],
    ['an English word', 'zh', '我用iPhone', 8, ['我用', 'iPhone']],
    ['an apostrophe', 'zh', "说don't吧", 6, ['说', "don't", '吧']],
    ['a dash of two', 'zh', '走吧——现在', 6, ['走吧——', '现在']],
    ['a rare character', 'zh', '𠮷𠮷', 2, ['𠮷', '𠮷']],
  ])('keep %s where it belongs', (_, language, text, maxLineWidth, lines) => {
    expect(linesOf(transcript(language, [text]), { maxLineWidth })).toEqual(lines);
  });

  test('lose the blanks that they are broken at, and no text', () => {
    const text = '你好　世界 Whisper 很好';
    const lines = linesOf(transcript('zh', [text]), { maxLineWidth: 4 });
    expect(lines).toEqual(['你好', '世界', 'Whisper', '很好']);
    expect(linesOf(transcript('zh', [text]), { maxLineWidth: 42 })).toEqual([text]);
  });

  test('end at a long pause, also within a word', () => {
    const { language, segments } = transcript('zh', ['图书馆门口']);
    const words = segments[0]!.words!.map((word, at) =>
      at < 1 ? word : { ...word, start: word.start + 4, end: word.end + 4 },
    );
    const spoken = { language: language!, segments: [{ ...segments[0]!, words }] };
    expect(subtitles(spoken, { maxLineWidth: 20, maxLineCount: 2 })).toEqual([
      ...[['图'], ['书馆门口']],
    ]);
  });

  test('follow kinsoku where the host knows no words, as Firefox before 125', () => {
    const { Segmenter } = Intl;
    Reflect.deleteProperty(Intl, 'Segmenter');
    try {
      expect(linesOf(transcript('ja', japanese), { maxLineWidth: 16 })).toEqual([
        ...['「準備はいいです', 'か」と彼女が', '聞いた。'],
        ...['喫茶店で', 'コーヒーを', '飲みながら、昨日', '買った本を', '読みました。'],
      ]);
    } finally {
      Object.defineProperty(Intl, 'Segmenter', { value: Segmenter, configurable: true });
    }
  });

  test('do so whatever a transcript calls its language', () => {
    const lines = linesOf(transcript('zh', chinese), { maxLineWidth: 20 });
    for (const language of ['chinese', 'zh_CN', '', '?']) {
      expect(linesOf(transcript(language, chinese), { maxLineWidth: 20 })).toEqual(lines);
    }
  });

  test('are the reference’s on demand', () => {
    const exact = { maxLineWidth: 10, compatibility: 'openai' } as const;
    expect(linesOf(transcript('zh', [chinese[0]!]), exact)).toEqual([
      ...['我们明天上午十点在图', '书馆门口见面，请不要', '迟到。'],
    ]);
  });
});

test.each([
  ['Grüß Gott', 9],
  ['Gru\u0308ß', 4],
  ['コーヒー', 8],
  ['ｺｰﾋｰ', 4],
  ['，。', 4],
  ['한국어', 6],
  ['\u1112\u1161\u11AB', 2],
  ['שָׁלוֹם', 4],
  ['हिन्दी', 3],
  ['ខ្ញុំ', 1],
  ['👩‍👩‍👧👍🏽🇩🇪❤️', 8],
  ['', 0],
])('%p takes %i columns', (text, columns) => {
  expect(columnsOf(text)).toBe(columns);
});

describe('right-to-left text', () => {
  const arabic = [' قالت سلمى:', ' هل', ' وصل', ' القطار', ' يا', ' أحمد؟', ' (نعم).'];
  const hebrew = [' WhatsApp', ' היא', ' אפליקציה', ' טובה', ' מאוד', ' בשנת', ' 2024.'];
  const spoken = (language: string, words: readonly string[]): TranscriptLike =>
    transcript(language, [words.join('')], spaced);

  test('has marks in srt where punctuation would jump, and an embedding where scripts meet', () => {
    expect(subtitles(spoken('ar', arabic), { maxLineWidth: 17 }, 'srt')).toEqual([
      ['قالت سلمى: هل وصل', 'القطار يا أحمد؟', `${mark}(نعم).${mark}`],
    ]);
    expect(subtitles(spoken('he', hebrew), { maxLineWidth: 21 }, 'srt')).toEqual([
      [`${embedding}WhatsApp היא אפליקציה${popping}`, `טובה מאוד בשנת 2024.${mark}`],
    ]);
  });

  test('has a mark in vtt only before a line that begins with a letter of another script', () => {
    expect(subtitles(spoken('ar', arabic), { maxLineWidth: 17 })).toEqual([
      ['قالت سلمى: هل وصل', 'القطار يا أحمد؟', '(نعم).'],
    ]);
    expect(subtitles(spoken('he', hebrew), { maxLineWidth: 21 })).toEqual([
      [`${mark}WhatsApp היא אפליקציה`, 'טובה מאוד בשנת 2024.'],
    ]);
  });

  test.each([
    ['שלום, מה שלומך', 'שלום, מה שלומך'],
    ['שלום, מה שלומך?', `שלום, מה שלומך?${mark}`],
    ['- שלום', `${mark}- שלום`],
    ['שנת 2024', 'שנת 2024'],
    ['2024 שנת', `${mark}2024 שנת`],
    ['שָׁלוֹם', 'שָׁלוֹם'],
    ['آیا شما آمدید؟', 'آیا شما آمدید؟'],
    ['کیا آپ آ گئے۔', 'کیا آپ آ گئے۔'],
    ['The word שלום means peace.', 'The word שלום means peace.'],
    ['Hello - world.', 'Hello - world.'],
  ])('without words is marked in srt: %p', (text, expected) => {
    const segments = [{ start: 0, end: 1, text: ` ${text}` }];
    expect(format({ segments }, 'srt')).toBe(`1\n00:00:00,000 --> 00:00:01,000\n${expected}\n\n`);
    expect(format({ segments }, 'vtt')).toContain(`\n${text}\n`);
    expect(format({ segments }, 'srt', { compatibility: 'openai' })).toContain(`\n${text}\n`);
  });

  test('is marked outside of what is underlined', () => {
    const lines = format(spoken('he', ['שלום!']), 'srt', { highlightWords: true }).split('\n');
    expect(lines[2]).toBe(`<u>שלום!</u>${mark}`);
  });

  test('stays as it is in txt, json, csv, tsv and lrc', () => {
    for (const name of ['txt', 'json', 'csv', 'tsv', 'lrc'] as const) {
      const text = format(spoken('ar', arabic), name);
      expect(text).not.toMatch(/[\u200F\u202B\u202C]/);
      expect(text).not.toContain('\\u200f');
    }
  });
});
