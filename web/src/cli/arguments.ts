import { parseArgs } from 'node:util';
import { SusurrusError } from '../node.js';

export function usageError(message: string, subject?: string): SusurrusError {
  return new SusurrusError('invalid_argument', `${message} (susurrus --help)`, {
    reason: 'option',
    ...(subject !== undefined && { subject }),
  });
}

type Options = Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>;

interface Parsed<T extends Options> {
  readonly values: { readonly [K in keyof T]?: T[K]['type'] extends 'boolean' ? boolean : string };
  readonly positionals: readonly string[];
}

/** node:util's parseArgs, whose complaints become ours. */
export function parse<const T extends Options>(args: readonly string[], options: T): Parsed<T> {
  try {
    const config = { args: [...args], options, allowPositionals: true, strict: true };
    // parseArgs says the same of its result in types that cannot be named here.
    return parseArgs(config);
  } catch (error) {
    // "Unknown option '--x'. To specify a positional ...": the first sentence says it.
    const text = error instanceof Error ? error.message : String(error);
    throw usageError((text.split('. ')[0] ?? text).replace(/\.$/, ''));
  }
}

/** One of several words, or an error that names the option. */
export function choice<const T extends string>(
  option: string,
  value: string | undefined,
  choices: readonly T[],
): T | undefined {
  if (value === undefined) return undefined;
  const found = choices.find((one) => one === value);
  if (!found) {
    throw usageError(`--${option} is ${choices.join(' or ')}, not '${value}'`, option);
  }
  return found;
}
