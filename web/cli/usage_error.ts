// What is wrong with the command line, whether this command or a call of the package finds it.
import { cliOptions } from '../src/api/generated/cli_options.js';
import { SusurrusError } from '../src/node.js';

/** EX_USAGE of sysexits.h: 1 to 9 are groups of the package's errors. */
export const usageStatus = 64;

class UsageError extends SusurrusError {
  /** Keeps the type apart from other errors of the package. */
  readonly isUsage = true;
}

export function usageError(message: string, subject?: string): SusurrusError {
  return new UsageError('invalid_argument', message, {
    reason: 'option',
    ...(subject !== undefined && { subject }),
  });
}

/** `instanceof` is true of every SusurrusError. */
export const isUsageError = (error: unknown): error is UsageError =>
  error instanceof Error && error.constructor === UsageError;

/** Options whose names in the API are not the command line's in camel case. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  languageModel: ['lm'],
  publicKeys: ['public-key'],
  shardSize: ['shard-size', 'size'],
};

const inKebabCase = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** What an option of the API may be called on the command line. */
const flagsOf = (name: string): readonly string[] => {
  if (Object.hasOwn(otherNames, name)) return otherNames[name] ?? [];
  const option = cliOptions.find((each) => each.name === name)?.option;
  return [option ?? inKebabCase(name)];
};

/**
 * An error of the API about an option that this command takes becomes a usage error with the flag's name; others stay as they are.
 * `--force` is a switch that is missing, not a value that is bad.
 */
export function asUsageError(error: unknown, options: Readonly<Record<string, unknown>>): unknown {
  if (!(error instanceof SusurrusError) || isUsageError(error)) return error;
  const { code, details, message } = error;
  const flagOf = (name: string): string | undefined =>
    flagsOf(name).find((each) => Object.hasOwn(options, each));
  const [name = ''] = /^\w+/.exec(details.subject ?? '') ?? [];
  const flag = flagOf(name);
  if (code !== 'invalid_argument' || flag === undefined || flag === 'force') return error;
  // The value that was given stays as it is.
  const end = message.lastIndexOf('; it is ');
  const [said, given] =
    end < 0 ? [message, ''] : [message.slice(0, end), message.slice(end).replace(/\.$/, '')];
  const text = said
    .replace(new RegExp(`(^Option |\\b)${name}\\b`), `--${flag}`)
    .replaceAll(/\b[a-z]+[A-Z]\w*/g, (other) => {
      const known = flagOf(other);
      return known === undefined ? other : `--${known}`;
    })
    .replaceAll(/\bnull\b/g, 'none');
  return usageError(text + given, flag);
}
