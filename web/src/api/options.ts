// Options are checked once, before any work. A check is the expected value in words, for the message, and a test.
import { invalidOption } from './errors.js';
import { namesLike } from './near_names.js';

/** `advise` says what is expected in place of a value that was rejected, where the value tells what was meant. */
export type Check = readonly [
  expected: string,
  accepts: (value: unknown) => boolean,
  advise?: (value: unknown) => string,
];
export type Checks = Readonly<Record<string, Check>>;

export const oneOf = (...choices: readonly string[]): Check => [
  choices.map((choice) => `'${choice}'`).join(' or '),
  (value) => choices.includes(value as string),
];
export const flag: Check = ['true or false', (value) => typeof value === 'boolean'];

/** A lone surrogate is no character: UTF-8, which the engine reads, cannot hold it. */
export const isText = (value: unknown): value is string =>
  typeof value === 'string' && !/\p{Surrogate}/u.test(value);
export const text: Check = ['text without lone surrogates', isText];

export const between = (low: number, high: number): Check => [
  `a number from ${low} to ${high}`,
  (value) => typeof value === 'number' && value >= low && value <= high,
];
export const wholeBetween = (low: number, high: number): Check => [
  `a whole number from ${low} to ${high}`,
  (value) => Number.isInteger(value) && (value as number) >= low && (value as number) <= high,
];
export const orNull = ([expected, accepts]: Check): Check => [
  `${expected}, or null`,
  (value) => value === null || accepts(value),
];
export const orAuto = ([expected, accepts]: Check): Check => [
  `${expected}, or 'auto'`,
  (value) => value === 'auto' || accepts(value),
];

/** Engines that transcribe a recording together. */
export const mostWorkers = 16;

export const workersCheck: Check = orAuto(wholeBetween(1, mostWorkers));

/** `what`: the items in words. */
export const listOf = (
  what: string,
  accepts: (item: unknown, index: number, list: readonly unknown[]) => boolean,
  longest = Infinity,
  shortest = 0,
): Check => [
  what,
  (value) =>
    Array.isArray(value) &&
    value.length >= shortest &&
    value.length <= longest &&
    value.every(accepts),
];

export const rankFile: Check = [
  'a path or URL, or the bytes of a .tiktoken file',
  (value) =>
    typeof value === 'string' ||
    value instanceof URL ||
    value instanceof Blob ||
    value instanceof ArrayBuffer ||
    value instanceof Uint8Array,
];

export const textFile: Check = [
  'a path or URL, a Request or Response, a Blob, bytes or a stream of them',
  (value) =>
    typeof value === 'string' ||
    (typeof value === 'object' && value !== null && !Array.isArray(value)),
];

export const filterbankCheck: Check = oneOf('auto', 'embedded', 'whisper');

export const signalCheck: Check = [
  'an AbortSignal',
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    'aborted' in value &&
    'addEventListener' in value,
];
export const progressCheck: Check = ['a function', (value) => typeof value === 'function'];

/** What other libraries call an option that is named otherwise here. */
const otherNames: Readonly<Record<string, string>> = {
  wordtimestamps: "timestamps: 'word'",
  returntimestamps: 'timestamps',
  numbeams: 'beamSize',
  onprogresscallback: 'onProgress',
  progresscallback: 'onProgress',
  abortsignal: 'signal',
};

/** Names of options before 1.0, and what they are called now. */
const renamed: Readonly<Record<string, string>> = {
  audioContext: 'encoderContext',
  normalisation: 'normalization',
  isShown: "mode: 'showing', 'hidden' or 'disabled'",
  followsDevice: 'followDevice',
  loadsAtOnce: 'preload',
};

/** Returns the option that a name in Python's spelling, or a misspelt one, most likely means. */
function nameMeant(name: string, options: readonly string[]): string | undefined {
  const plain = (text: string): string => text.replace(/[^A-Za-z]/g, '').toLowerCase();
  const wanted = plain(name);
  const other = Object.hasOwn(otherNames, wanted) ? otherNames[wanted] : undefined;
  if (other !== undefined && options.includes(other.replace(/:.*/, ''))) return other;
  const exact = options.find((option) => plain(option) === wanted);
  if (exact !== undefined) return exact;
  const [near] = namesLike(wanted, options.map(plain), 1 / 3);
  return options.find((option) => plain(option) === near);
}

/** Rejects what has no options in it: null, which no default stands in for, and texts. */
export function checkObject(options: unknown): asserts options is object {
  if (typeof options !== 'object' || options === null) {
    throw invalidOption('options', 'an object', options);
  }
}

function adviceOn(name: string, options: readonly string[]): string {
  if (Object.hasOwn(renamed, name)) return ` (it is ${renamed[name]} now)`;
  const meant = nameMeant(name, options);
  return meant ? ` (did you mean ${meant}?)` : `; the options here are ${options.join(', ')}`;
}

/** Rejects unknown options and bad values; an undefined option counts as absent. */
export function checkOptions(options: unknown, checks: Checks): void {
  checkObject(options);
  for (const [name, value] of Object.entries(options)) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (!check) {
      throw invalidOption(name, `absent${adviceOn(name, Object.keys(checks))}`, value);
    }
    const [expected, accepts, advise] = check;
    if (value === undefined || accepts(value)) continue;
    throw invalidOption(name, advise?.(value) ?? expected, value);
  }
}
