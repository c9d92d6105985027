// How many columns text takes on a terminal, and where it is broken into lines.

const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Takes two columns: East Asian scripts and punctuation, full-width forms, emoji. */
const wide =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Script=Bopomofo}|\p{Script=Yi}|[\u3000-\u303E\uFF01-\uFF60\uFFE0-\uFFE6]|\p{Emoji_Presentation}|\uFE0F/u;
/** Takes none by itself. */
const invisible = /^[\p{M}\p{Cf}\p{Cc}]*$/u;

function characterWidth(character: string): number {
  if (invisible.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

/** Columns that a text takes in one line. */
export function textWidth(text: string): number {
  let width = 0;
  for (const { segment } of characters.segment(text)) width += characterWidth(segment);
  return width;
}

/** What is not broken: a word with the space before it, or a wide character, between which lines may break anywhere. */
function* unbroken(text: string): Generator<string> {
  let word = '';
  for (const { segment } of characters.segment(text)) {
    const isBreak = segment === ' ' || characterWidth(segment) === 2;
    if (isBreak && word !== '' && word !== ' ') {
      yield word;
      word = '';
    }
    word += segment;
    if (characterWidth(segment) === 2) {
      yield word;
      word = '';
    }
  }
  if (word !== '') yield word;
}

/** Lines of at most `columns`, which together are the text but for spaces where it was broken. */
export function wrapped(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  const breakLine = (): void => {
    lines.push(line);
    line = '';
  };
  for (const part of unbroken(text)) {
    if (textWidth(line + part) <= columns) {
      line += part;
      continue;
    }
    if (line !== '') breakLine();
    for (const { segment } of characters.segment(part.replace(/^ /, ''))) {
      // A word that is longer than a line is broken anywhere.
      if (line !== '' && textWidth(line + segment) > columns) breakLine();
      line += segment;
    }
  }
  if (line !== '' || lines.length === 0) lines.push(line);
  return lines;
}
