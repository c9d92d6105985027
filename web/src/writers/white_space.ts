// White space as Python knows it. JavaScript's \s has U+FEFF in addition, and lacks U+001C to U+001F and U+0085.
const characters =
  '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const around = new RegExp(`^[${characters}]+|[${characters}]+$`, 'g');
const beforeText = new RegExp(`^([${characters}]*)([^\\n]*)(?=\\n?$)`);

/** Without white space at both ends. */
export function strip(text: string): string {
  return text.replace(around, '');
}

/** Underlined, but for the white space before it. A text of several lines stays as it is. */
export function underlined(text: string): string {
  return text.replace(beforeText, '$1<u>$2</u>');
}

/** In one line, for formats that have a line for each piece of text. */
export function inOneLine(text: string): string {
  return strip(text).replaceAll(/\s*[\r\n]+\s*/g, ' ');
}

/** In one line. */
export const inLine = (text: string): string => strip(text).replaceAll(/\s+/gu, ' ');

/** Text behind the name of the one who says it. */
export const saidBy = (speaker: string | undefined, text: string): string =>
  speaker === undefined ? text : `${inLine(speaker)}: ${text}`;
