// Formats that have room for it say who speaks.
import { describe, expect, test } from '@jest/globals';
import { format } from '../../web/src/writers/format.js';
import { formatTurns } from '../../web/src/writers/rttm.js';

const word = (word: string, start: number, speaker?: string) => ({
  word,
  start,
  end: start + 0.5,
  ...(speaker !== undefined && { speaker }),
});
const transcript = {
  segments: [
    {
      ...{ start: 0, end: 1, text: ' Good evening.', speaker: 'Ada' },
      words: [word(' Good', 0, 'Ada'), word(' evening.', 0.5, 'Ada')],
    },
    {
      ...{ start: 1, end: 1.5, text: ' Yes?', speaker: 'R & <D>\nteam' },
      words: [word(' Yes?', 1, 'R & <D>\nteam')],
    },
    { start: 2, end: 2.5, text: ' Hm.', words: [word(' Hm.', 2)] },
  ],
};

describe('format() of a transcript with speakers', () => {
  test('txt and srt name them before the text', () => {
    expect(format(transcript, 'txt')).toBe('Ada: Good evening.\nR & <D> team: Yes?\nHm.\n');
    expect(format(transcript, 'srt')).toContain('00:00:01,000\nAda: Good evening.\n');
    expect(format(transcript, 'srt')).toContain('00:00:01,500\nR & <D> team: Yes?\n');
  });

  test('vtt has voice spans', () => {
    const vtt = format(transcript, 'vtt');
    expect(vtt).toContain('\n<v Ada>Good evening.\n');
    expect(vtt).toContain('\n<v R &amp; &lt;D&gt; team>Yes?\n');
    expect(vtt).toContain('02.500\nHm.\n');
  });

  test('csv has a column more, and json all fields', () => {
    const [head, first, , last] = format(transcript, 'csv').split('\r\n');
    expect(head).toMatch(/,compression_ratio,speaker$/);
    expect(first).toMatch(/,Ada$/);
    expect(last).toMatch(/,$/);
    const plain = { segments: [{ start: 0, end: 1, text: 'a' }] };
    expect(format(plain, 'csv')).not.toContain('speaker');
    const { segments } = JSON.parse(format(transcript, 'json')) as typeof transcript;
    expect(segments[0]).toMatchObject({ speaker: 'Ada', words: [{ speaker: 'Ada' }, {}] });
  });

  test('a subtitle over segments ends where the speaker changes', () => {
    const options = { maxLineWidth: 42, maxLineCount: 2 };
    const lines = format(transcript, 'srt', options).split('\n');
    expect(lines.filter((line) => /[a-z]/i.test(line))).toEqual([
      'Ada: Good evening.',
      'R & <D> team: Yes?',
      'Hm.',
    ]);
  });

  test('a profile counts columns: names are left out, and two speakers have a line each', () => {
    const quick = {
      segments: [
        { start: 0, end: 0.9, text: ' Ready?', speaker: 'S1' },
        { start: 0.9, end: 1.6, text: ' Yes.', speaker: 'S2' },
      ],
    };
    expect(format(quick, 'srt', { profile: 'netflix' })).toContain('\n- Ready?\n- Yes.\n');
  });

  test('right-to-left text keeps its marks behind the name', () => {
    const hebrew = { segments: [{ start: 0, end: 1, text: 'שלום.', speaker: 'S1' }] };
    expect(format(hebrew, 'vtt')).toContain('<v S1>שלום.');
  });

  test('the reference’s own formats do not change', () => {
    expect(format(transcript, 'srt', { compatibility: 'openai' })).not.toContain('Ada');
    expect(format(transcript, 'tsv')).not.toContain('Ada');
  });

  test('refuses a speaker that is no text', () => {
    const wrong = { segments: [{ start: 0, end: 1, text: 'a', speaker: 1 }] };
    expect(() => format(wrong as never, 'txt')).toThrow(/segments\[0\]\.speaker/);
  });
});

describe('formatTurns()', () => {
  test('a line in RTTM for each turn', () => {
    const turns = [
      { start: 0.5121, end: 3.19, speaker: 'S1' },
      { start: 3, end: 3.25, speaker: 'Ada Lovelace' },
    ];
    expect(formatTurns({ turns }, 'my meeting')).toBe(
      'SPEAKER my_meeting 1 0.512 2.678 <NA> <NA> S1 <NA> <NA>\n' +
        'SPEAKER my_meeting 1 3.000 0.250 <NA> <NA> Ada_Lovelace <NA> <NA>\n',
    );
    expect(formatTurns({ turns: [] })).toBe('');
    expect(() => formatTurns(undefined as never)).toThrow(/findSpeakers/);
  });
});
