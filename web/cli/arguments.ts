import { parseArgs } from 'node:util';
import { namesLike } from '../src/api/near_names.js';
import type { SusurrusError } from '../src/node.js';
import { fromOpenAi } from './openai_flags.js';
import { beQuiet, tell } from './terminal.js';
import { usageError } from './usage_error.js';

export { usageError } from './usage_error.js';

/** Behind an error about a name that is none, for those that are misspelt. */
export function orMeant(name: string, names: readonly string[]): string {
  const [meant] = namesLike(name, names, 1 / 3);
  return meant === undefined ? '' : `; did you mean ${meant}?`;
}

export interface Option {
  readonly type: 'string' | 'boolean';
  readonly multiple?: boolean;
}
export type Options = Readonly<Record<string, Option>>;
type Value<T extends Option> = T['type'] extends 'boolean'
  ? boolean
  : T['multiple'] extends true
    ? readonly string[]
    : string;

interface Parsed<T extends Options> {
  readonly values: { readonly [K in keyof T]?: Value<T[K]> };
  readonly positionals: readonly string[];
}

/** The letter of each option that has one, whichever command takes it. */
export const shortNames: Readonly<Record<string, string>> = {
  model: 'm',
  language: 'l',
  'output-dir': 'o',
  output: 'o',
  format: 'f',
  timestamps: 't',
  verbose: 'v',
  quiet: 'q',
  help: 'h',
};

/** Options by their names in earlier versions. */
const renamed: Readonly<Record<string, string>> = {
  resume: 'skip-existing',
  'audio-context': 'encoder-context',
  normalisation: 'normalization',
};

/** Options whose value may be left out: these words are values, and the first of them is meant without one. */
const optionalValues: Readonly<Record<string, readonly string[]>> = {
  timestamps: ['segment', 'word', 'none'],
};

/** Every command takes these. Help is printed before a command is called. */
export const generalOptions = {
  quiet: { type: 'boolean' },
  help: { type: 'boolean' },
} as const satisfies Options;

/**
 * parseArgs of node:util with our errors; also accepts one letter for some options, and the spellings of the reference's
 * command. Obeys --quiet.
 */
export function parse<const T extends Options>(args: readonly string[], options: T): Parsed<T> {
  const { args: translated, ignored } = fromOpenAi(args, options);
  const { values, positionals } = parsedStrictly(translated, { ...options, ...generalOptions });
  if (values.quiet) {
    // Statistics of tensors go to stdout, those of a transcription to stderr.
    const asked = 'verbose' in options ? ['verbose', 'stats'] : [];
    const loud = asked.find((name) => values[name]);
    if (loud !== undefined) throw usageError(`--quiet and --${loud} exclude each other`, 'quiet');
    beQuiet();
  }
  if (ignored.length > 0) {
    tell(`susurrus: ignored: ${[...new Set(ignored)].join(', ')} (${ignoredBecause})\n`);
  }
  return { values: values as Parsed<T>['values'], positionals };
}

const ignoredBecause = 'the engine runs on the processor, with the weights that --model names';

interface Loose {
  readonly values: Readonly<Record<string, unknown>>;
  readonly positionals: readonly string[];
}

function parsedStrictly(args: readonly string[], options: Options): Loose {
  try {
    return parseArgs({
      args: asParseArgs(args, options),
      options: withLetters(options),
      allowPositionals: true,
      strict: true,
    });
  } catch (error) {
    // "Unknown option '--x'. To specify a positional ...": the first sentence is enough.
    const text = error instanceof Error ? error.message : String(error);
    const problem = (text.split(/\.\s/)[0] ?? text).replace(/\.$/, '');
    const [, unknown] = /^Unknown option '--([^']+)'/.exec(text) ?? [];
    const now =
      unknown !== undefined && Object.hasOwn(renamed, unknown) ? renamed[unknown] : undefined;
    if (now !== undefined && Object.hasOwn(options, now)) {
      throw usageError(`unknown option --${unknown}; it is --${now} now`, unknown);
    }
    const names = Object.keys(options).map((name) => `--${name}`);
    throw usageError(`${problem}${unknown === undefined ? '' : orMeant(`--${unknown}`, names)}`);
  }
}

const withLetters = (options: Options): Record<string, Option & { readonly short?: string }> =>
  Object.fromEntries(
    Object.entries(options).map(([name, option]) => {
      const short = Object.hasOwn(shortNames, name) ? shortNames[name] : undefined;
      return [name, { ...option, ...(short !== undefined && { short }) }];
    }),
  );

/** `--beam_size 5`, `--logprob_threshold -1` and `--highlight_words False` in parseArgs's spelling. */
function asParseArgs(args: readonly string[], options: Options): string[] {
  const result: string[] = [];
  for (let at = 0; at < args.length; ++at) {
    const arg = args[at] ?? '';
    if (arg === '--') return [...result, ...args.slice(at)];
    const next = args[at + 1] ?? '';
    const [, flag, assigned] = /^--([^=]+)(=.*)?$/s.exec(arg) ?? [];
    if (flag === undefined) {
      result.push(...withValueOfLast(arg, next, options));
      continue;
    }
    const name = flag.replaceAll('_', '-');
    const type = Object.hasOwn(options, name) ? options[name]?.type : undefined;
    const value = assigned ?? valueLeftOut(name, next, options);
    const word = value?.slice(1) ?? next;
    if (type === 'boolean' && /^(true|false)$/i.test(word)) {
      if (/^true$/i.test(word)) result.push(`--${name}`);
      if (value === undefined) ++at;
    } else if (type === 'string' && value === undefined && /^-[\d.]/.test(word)) {
      result.push(`--${name}=${word}`);
      ++at;
    } else {
      result.push(`--${name}${value ?? ''}`);
    }
  }
  return result;
}

/** `=segment` for `--timestamps` where none of its values follows. */
function valueLeftOut(name: string, next: string, options: Options): string | undefined {
  const values = Object.hasOwn(optionalValues, name) ? optionalValues[name] : undefined;
  if (!values || !Object.hasOwn(options, name) || values.includes(next)) return undefined;
  return `=${values[0] ?? ''}`;
}

/** `-t` and `-vt` in the same way. Switches alone stand before the last of several letters. */
function withValueOfLast(arg: string, next: string, options: Options): readonly string[] {
  const [, before = '', last] = /^-([a-z]*)([a-z])$/.exec(arg) ?? [];
  const named = (letter: string): string =>
    Object.keys(options).find((name) => shortNames[name] === letter) ?? '';
  const name = named(last ?? '');
  const value = last === undefined ? undefined : valueLeftOut(name, next, options);
  const areSwitches = Array.from(before).every(
    (letter) => options[named(letter)]?.type === 'boolean',
  );
  if (value === undefined || !areSwitches) return [arg];
  return [...(before === '' ? [] : [`-${before}`]), `--${name}${value}`];
}

/** One of several words, or an error that names the option. */
export function choice<const T extends string>(
  option: string,
  value: string | undefined,
  choices: readonly T[],
): T | undefined {
  if (value === undefined) return undefined;
  const found = choices.find((one) => one === value);
  if (!found) throw refused(option, choices.join(' or '), value);
  return found;
}

/** The type of weights among `types`, under either of its names. */
export function weightType<const T extends string>(
  { dtype, quantize }: { readonly dtype?: string; readonly quantize?: string },
  types: readonly T[],
): T | undefined {
  if (dtype !== undefined && quantize !== undefined) {
    throw usageError('--quantize is another name of --dtype: give one of them', 'quantize');
  }
  const type = dtype ?? quantize;
  if (type === 'int8' && !types.some((one) => one === type)) {
    throw usageError('int8 is a type of APR1: give --format apr1 too, or --dtype q8_0', 'dtype');
  }
  return choice('dtype', type, types);
}

/** For choice(). */
export const filterbankChoices = ['auto', 'embedded', 'whisper'] as const;

/** How an option's text becomes its value. */
export type Reader = (text: string, option: string) => unknown;

export const asText: Reader = (text) => text;

export function asNumber(text: string, option: string): number {
  const value = text.trim() === '' ? NaN : Number(text);
  if (Number.isNaN(value)) throw refused(option, 'a number', text);
  return value;
}

/** An option that has a value; how large the number may be, the API says. */
export function numberOrAuto<Name extends string>(
  values: { readonly [_ in Name]?: string | undefined },
  option: Name,
): number | 'auto' {
  const text = values[option] ?? '';
  return text === 'auto' ? text : asNumber(text, option);
}

/** `500M`, `2G`, `1.5GiB` or a plain number of bytes; a K is 1024. */
export function asByteCount(text: string, option: string): number {
  const [, digits, unit = ''] = /^(\d+(?:\.\d+)?)([KMG]?)(?:i?B)?$/i.exec(text) ?? [];
  if (digits === undefined) throw refused(option, 'a number of bytes such as 500M', text);
  return Math.floor(Number(digits) * 1024 ** ['', 'K', 'M', 'G'].indexOf(unit.toUpperCase()));
}

export const asNumbers = (text: string, option: string): number[] =>
  text.split(',').map((one) => asNumber(one, option));

/** What `read` makes of it, or null for the word none. */
export const orNone =
  (read: Reader): Reader =>
  (text, option) =>
    /^none$/i.test(text) ? null : read(text, option);

export const asTruth: Reader = (text, option) => {
  if (!/^(true|false)$/i.test(text)) throw refused(option, 'true or false', text);
  return /^true$/i.test(text);
};

/**
 * The options that were given, read, under their names in the API: `--beam-size 5` is `{beamSize: 5}`. Ranges are checked
 * by the API itself.
 */
export function readOptions(
  values: Readonly<Record<string, unknown>>,
  readers: Readonly<Record<string, Reader>>,
): Record<string, unknown> {
  const given = Object.entries(readers).flatMap(([option, read]) => {
    const text = values[option];
    return typeof text === 'string' ? [[inCamelCase(option), read(text, option)] as const] : [];
  });
  return Object.fromEntries(given);
}

/** The table that parse() wants, of options with a value each. */
export function withValues<T extends string>(
  readers: Readonly<Record<T, Reader>>,
): Readonly<Record<T, { readonly type: 'string' }>> {
  const entries = Object.keys(readers).map((option) => [option, { type: 'string' }]);
  return Object.fromEntries(entries) as Record<T, { type: 'string' }>;
}

function inCamelCase(option: string): string {
  return option.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

function refused(option: string, expected: string, value: string): SusurrusError {
  return usageError(`--${option} is ${expected}, not '${value}'`, option);
}
