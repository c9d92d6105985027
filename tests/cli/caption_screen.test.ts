// What susurrus listen writes to a terminal: a small one, which does what terminals do with these texts.
import { describe, expect, test } from '@jest/globals';
import type { LiveText } from '../../web/src/api/types.js';
import { CaptionScreen } from '../../web/cli/caption_screen.js';
import { wrapped } from '../../web/cli/text_width.js';
import { columnsOf } from '../../web/src/writers/columns.js';

/** Control sequences, line ends, and text. */
const parts = /\p{Cc}\[\d*[A-Za-z]|\r|\n|[^\p{Cc}\r\n]+/gu;

/** Lines and a cursor; knows line feeds, cursor up, erasing below and dim text, which is shown in brackets. */
class Terminal {
  columns: number;
  rows: number;
  #lines: string[] = [''];
  #row = 0;

  constructor(columns: number, rows = 24) {
    this.columns = columns;
    this.rows = rows;
  }

  write(text: string): void {
    for (const [part] of text.matchAll(parts)) this.#take(part);
  }

  get screen(): string {
    return this.#lines.join('\n');
  }

  /** Becomes another width, and breaks its lines once more. */
  resize(columns: number): void {
    this.columns = columns;
    this.#lines = this.#lines.flatMap((line) => {
      const plain = line.replaceAll(/[[\]]/g, '');
      if (plain.length <= columns) return [line];
      return plain.match(new RegExp(`.{1,${columns}}`, 'g')) ?? [''];
    });
    this.#row = this.#lines.length - 1;
  }

  #take(part: string): void {
    if (part === '\n') {
      this.#row += 1;
      this.#lines[this.#row] ??= '';
    } else if (part === '\r') {
      // What follows here is always erased.
    } else if (part === '\x1b[J') {
      this.#lines.length = this.#row + 1;
      this.#lines[this.#row] = '';
    } else if (part === '\x1b[2m') this.#append('[');
    else if (part === '\x1b[22m') this.#append(']');
    else if (part.startsWith('\x1b')) {
      const up = /^.\[(\d+)A$/.exec(part)?.[1];
      if (up === undefined || Number(up) > this.#row) throw new Error(`not understood: ${part}`);
      this.#row -= Number(up);
    } else {
      this.#append(part);
    }
  }

  #append(text: string): void {
    const line = `${this.#lines[this.#row] ?? ''}${text}`;
    this.#lines[this.#row] = line;
    if (columnsOf(line.replaceAll(/[[\]]/g, '')) >= this.columns)
      throw new Error(`too wide: ${line}`);
  }
}

let clock = 0;
function text(id: number, words: string, committed: number, type: LiveText['type'] = 'partial') {
  const list = words.match(/ ?[^ ]+/g) ?? [];
  clock += 1;
  return {
    ...{ type, id, time: clock, start: 0, end: clock, text: words, tokens: [] },
    words: list.map((word) => ({ word, start: 0, end: 1, probability: 1 })),
    committed: type === 'final' ? list.length : committed,
  } as LiveText;
}

describe('captions on a terminal', () => {
  test('what is provisional is dim, and replaced; what is final stays', () => {
    const terminal = new Terminal(40);
    const screen = new CaptionScreen(terminal, true);
    screen.show(text(0, ' thanks for', 0));
    expect(terminal.screen).toBe('[thanks for]');
    screen.show(text(0, ' think of four', 2));
    expect(terminal.screen).toBe('think of[ four]');
    screen.show(text(0, ' think of forty two.', 4, 'final'));
    screen.show(text(1, '', 0));
    screen.show(text(1, ' Then', 0));
    expect(terminal.screen).toBe('think of forty two.\n[Then]');
    screen.end();
    expect(terminal.screen).toBe('think of forty two.\n[Then]\n');
  });

  test('long text is broken between words; lines that are certain are not written again', () => {
    const terminal = new Terminal(12);
    const screen = new CaptionScreen(terminal, true);
    screen.show(text(0, ' one two three four five', 0));
    expect(terminal.screen).toBe('[one two]\n[three four]\n[five]');
    screen.show(text(0, ' one two three fourteen six', 3));
    expect(terminal.screen).toBe('one two\nthree\n[fourteen]\n[six]');
    let written = '';
    const write = terminal.write.bind(terminal);
    terminal.write = (text) => {
      written += text;
      write(text);
    };
    screen.show(text(0, ' one two three fourteen sixty six.', 3, 'final'));
    expect(written).not.toContain('one');
    expect(terminal.screen).toBe('one two\nthree\nfourteen\nsixty six.\n');
  });

  test('a terminal that becomes narrower or wider keeps what is certain, once', () => {
    const terminal = new Terminal(20);
    const screen = new CaptionScreen(terminal, false);
    screen.show(text(0, ' First.', 1, 'final'));
    screen.show(text(1, ' one two three four five six', 0));
    expect(terminal.screen).toBe('First.\none two three four\nfive six');
    terminal.resize(9);
    screen.aside(() => undefined);
    expect(terminal.screen).toBe('First.\none two\nthree\nfour\nfive six');
    terminal.resize(40);
    screen.show(text(1, ' one two three four five six.', 6, 'final'));
    expect(terminal.screen).toBe('First.\none two three four five six.\n');
  });

  test('more text than the terminal has lines scrolls, and is not written twice', () => {
    const terminal = new Terminal(6, 3);
    const screen = new CaptionScreen(terminal, false);
    const words = ['aaaa', 'bbbb', 'cccc', 'dddd', 'eeee'];
    for (let count = 1; count <= words.length; ++count) {
      screen.show(text(0, ` ${words.slice(0, count).join(' ')}`, 0));
    }
    screen.show(text(0, ` ${words.join(' ')}`, 5, 'final'));
    expect(terminal.screen).toBe(`${words.join('\n')}\n`);
  });

  test('something else is written above what is under way', () => {
    const terminal = new Terminal(40);
    const screen = new CaptionScreen(terminal, false);
    screen.show(text(0, ' so far', 0));
    screen.aside(() => terminal.write('2 s behind\n'));
    expect(terminal.screen).toBe('2 s behind\nso far');
  });

  test('text cannot steer the terminal, and is one line', () => {
    const terminal = new Terminal(40);
    const screen = new CaptionScreen(terminal, true);
    screen.show(text(0, ' a\x1b[2Jb\nc\u202e', 0, 'final'));
    expect(terminal.screen).toBe('a\uFFFD[2Jb c\uFFFD\n');
  });

  test('a final text without words leaves no line', () => {
    const terminal = new Terminal(40);
    const screen = new CaptionScreen(terminal, false);
    screen.show(text(0, ' hm', 0));
    screen.show(text(0, '', 0, 'final'));
    expect(terminal.screen).toBe('');
  });
});

describe('widths', () => {
  test.each([
    ['abc', 3],
    ['日本語', 6],
    ['한국어', 6],
    ['ｆｕ', 4],
    ['e\u0301', 1],
    ['👍🏽', 2],
    ['👩‍👩‍👧', 2],
    ['❤\uFE0F', 2],
    ['\u200D', 0],
    ['สวัสดี', 4],
    ['', 0],
  ])('%s takes %i', (sample, width) => {
    expect(columnsOf(sample)).toBe(width);
  });

  test('wide characters are never cut in half, words only where they are longer than a line', () => {
    expect(wrapped('日本語です', 5)).toEqual(['日本', '語で', 'す']);
    expect(wrapped('これは a test です', 8)).toEqual(['これは a', 'test で', 'す']);
    expect(wrapped('extraordinarily so', 6)).toEqual(['extrao', 'rdinar', 'ily so']);
    expect(wrapped('a  b', 10)).toEqual(['a  b']);
    expect(wrapped('', 10)).toEqual(['']);
  });
});
