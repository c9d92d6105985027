// All output of the command line goes through here, so that texts from files cannot send control sequences to the terminal.

/** Control characters (C0 and C1), line and paragraph separators, and characters that change the direction of text. */
const steering = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u;
const undirected = '[^\\n\\p{Bidi_Control}]*';
/** What subtitles of right-to-left text have, which ends with its line at most: a mark, or an embedding of one whole line. */
const directing = `\\u200F|^\\u202B(?=${undirected}\\u202C$)|(?=\\u202C$)(?<=^\\u202B${undirected})`;
/**
 * In running text: line breaks (\r\n in CSV) and tabs are its own, and so are joiners, which scripts and emoji need. What stands around
 * a character matters only where it could steer: looking around every one takes minutes in a long line.
 */
const steeringText = new RegExp(
  `(?=${steering.source})(?![\\n\\t]|\\r\\n|${directing})${steering.source}`,
  'gmu',
);
/** In a name, which is one line and shown between others, nothing that cannot be seen. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A name, a key or a message from a file as part of a line: U+FFFD instead of whatever is no visible character. */
export const printable = (text: string): string => text.replace(unseen, '\uFFFD');

/** Text to stdout. */
export function print(text: string): void {
  process.stdout.write(safe(text));
}

/** Lines of textLines() to stdout, with their colours. */
export function printLines(lines: string): void {
  process.stdout.write(lines);
}

/** JSON to stdout: the same value, with control characters escaped (`\u009b`). */
export function printJson(json: string): void {
  process.stdout.write(
    json.replace(
      steeringText,
      (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
  );
}

let quiet = false;

/** From now on stderr gets errors alone. */
export function beQuiet(): void {
  quiet = true;
}

/** Whether only errors may be told. */
export const isQuiet = (): boolean => quiet;

/** Text to stderr, which is no error. */
export function tell(text: string): void {
  if (!quiet) tellAlways(text);
}

/** Text to stderr. */
export function tellAlways(text: string): void {
  process.stderr.write(safe(text));
}

/** Running text as a terminal may have it. */
export const safe = (text: string): string => text.replace(steeringText, '\uFFFD');

/** A colour of text, which every terminal has. */
export type Color = 'red' | 'yellow';
const colorCodes: Readonly<Record<Color, number>> = { red: 31, yellow: 33 };

/** Running text as a terminal may have it, in a colour; in the terminal's own without one. */
export const colored = (text: string, color: Color | undefined): string =>
  color === undefined ? safe(text) : `\x1b[${colorCodes[color]}m${safe(text)}\x1b[39m`;

/** Whether an output may have colours: a terminal, unless NO_COLOR is set; FORCE_COLOR decides before both. */
export function takesColors(
  { isTTY = false }: { readonly isTTY?: boolean },
  { FORCE_COLOR: forced, NO_COLOR: refused = '' }: NodeJS.ProcessEnv,
): boolean {
  if (forced !== undefined) return !/^(0|false)$/i.test(forced);
  return isTTY && refused === '';
}
