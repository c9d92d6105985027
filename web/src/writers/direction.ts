// Right-to-left text in subtitles. The text alone decides: a transcript may hold names and songs of other scripts.

/** A line of right-to-left text as a notation needs it. */
export type MarkLine = (line: string) => string;

const [mark, embedding, endOfEmbedding] = ['\u200F', '\u202B', '\u202C'];

const rightToLeft =
  /(?=\p{L})[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]|[\u05BE\u05C3\u061B-\u061F\u06D4\u200F]/u;
const strong = new RegExp(`${rightToLeft.source}|\\p{L}`, 'gu');
/** What ends a line where it should even if the line is taken for left-to-right: a letter with its marks, or digits. */
const endsSafely = new RegExp(`(?:${rightToLeft.source})\\p{M}*$|\\p{Nd}$`, 'u');
const beginsSafely = new RegExp(`^(?:${rightToLeft.source})`, 'u');
const underlines = /<\/?u>/g;

/** Text of one or more lines; each is marked where the text as a whole is right-to-left. */
export function marked(text: string, markLine: MarkLine): string {
  return isRightToLeft(text) ? text.split('\n').map(markLine).join('\n') : text;
}

/**
 * For WebVTT, where the first letter decides about a line (`unicode-bidi: plaintext`) or, in Chromium, about the whole cue:
 * a mark before a line that begins with a letter of another direction, or has none. Other lines need nothing.
 */
export function firstStrong(line: string): string {
  const [first] = lettersOf(line);
  return first !== undefined && rightToLeft.test(first) ? line : mark + line;
}

/**
 * For readers that take each line for left-to-right unless told, as players of SubRip do: a mark where a line begins or
 * ends with punctuation, which would jump to the other end; an embedding where it has letters of both directions, since
 * its parts would be in the wrong order.
 */
export function leftToRight(line: string): string {
  if (lettersOf(line).some((letter) => !rightToLeft.test(letter))) {
    return embedding + line + endOfEmbedding;
  }
  const shown = line.replaceAll(underlines, '');
  return `${beginsSafely.test(shown) ? '' : mark}${line}${endsSafely.test(shown) ? '' : mark}`;
}

/** By its first letter, or because no fewer letters are right-to-left than not. */
export function isRightToLeft(text: string): boolean {
  if (!rightToLeft.test(text)) return false;
  const letters = lettersOf(text);
  const count = letters.filter((letter) => rightToLeft.test(letter)).length;
  return rightToLeft.test(letters[0]!) || 2 * count >= letters.length;
}

/** The characters that decide about directions, without those of <u>. */
function lettersOf(line: string): readonly string[] {
  return line.replaceAll(underlines, '').match(strong) ?? [];
}
