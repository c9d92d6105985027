// How the help of a command is laid out.
import { shortNames } from './arguments.js';
import type { generalOptions } from './arguments.js';

/** What an option is called and takes, and what it does. */
export type HelpRow = readonly [option: string, text: string];

export interface HelpSection {
  readonly title?: string;
  readonly rows: readonly HelpRow[];
}

/** What the help says of one command. */
export interface CommandHelp {
  /** One line in the list of commands. */
  readonly summary: string;
  /** What stands behind the command's name; several where it is called in several ways. */
  readonly usage: readonly string[];
  /** Paragraphs below the usage. */
  readonly about?: readonly string[];
  readonly sections: readonly HelpSection[];
  /** Command lines, without "susurrus". */
  readonly examples: readonly [string, string];
}

/** No line is wider. */
export const helpWidth = 100;
const indent = 26;

const generalRows: readonly HelpRow[] = [
  ['--quiet', 'write nothing but errors to stderr'],
  ['--help', 'this help'],
] satisfies readonly (readonly [`--${keyof typeof generalOptions}`, string])[];

/** The whole help of a command. */
export function helpOf(
  name: string,
  { summary, usage, about = [], sections, examples }: CommandHelp,
): string {
  const lines = [
    `susurrus ${name}: ${summary}`,
    '',
    ...usage.flatMap((each, i) =>
      hanging(`susurrus ${name} ${each}`, i === 0 ? 'Usage: ' : '       ', '           '),
    ),
    ...about.flatMap((paragraph) => ['', ...wrapped(paragraph, helpWidth)]),
    ...[...sections, { title: 'Every command', rows: generalRows }].flatMap(sectionLines),
    '',
    'Examples:',
    ...examples.map((example) => `  susurrus ${example}`),
  ];
  return `${lines.join('\n')}\n`;
}

/** Rows of names and texts, in two columns. */
export const columns = (rows: readonly HelpRow[], width: number): string[] =>
  rows.flatMap(([name, text]) => hanging(text, `  ${name}`.padEnd(width), ' '.repeat(width)));

function sectionLines({ title = 'Options', rows }: HelpSection): string[] {
  return ['', `${title}:`, ...rows.flatMap(rowLines)];
}

function rowLines([option, text]: HelpRow): string[] {
  const flags = withLetter(option);
  const margin = ' '.repeat(indent);
  if (flags.length < indent - 1) return hanging(text, flags.padEnd(indent), margin);
  const lead = flags.slice(0, flags.search(/\S/));
  return [...hanging(flags.trim(), lead, '          '), ...hanging(text, margin, margin)];
}

/** `  -m, --model FILE`; options without a letter stand below those with one. */
function withLetter(option: string): string {
  const [, name = ''] = /^--([\w-]+)/.exec(option) ?? [];
  const letter = Object.hasOwn(shortNames, name) ? shortNames[name] : undefined;
  return letter === undefined ? `      ${option}` : `  -${letter}, ${option}`;
}

/** Text behind `first`; further lines begin with `margin`. */
function hanging(text: string, first: string, margin: string): string[] {
  return wrapped(text, helpWidth - margin.length, helpWidth - first.length).map(
    (line, i) => `${i === 0 ? first : margin}${line}`,
  );
}

/** Lines of at most `width` characters, the first one of at most `firstWidth`. */
export function wrapped(text: string, width: number, firstWidth = width): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const room = lines.length === 0 ? firstWidth : width;
    if (line !== '' && line.length + 1 + word.length > room) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
