// Which strings name a model, and which are addresses of one.
import { describe, invalidOption, SusurrusError } from '../api/errors.js';
import { weightTypes, type WeightType } from '../api/generated/dtypes.js';
import { oneOf, type Check } from '../api/options.js';
import type { LoadOptions } from '../api/types.js';

/** The name of the model inside the package, which knows ten words and is for tests. */
export const embeddedName = 'digits';

/** Type of the large weights if a model's name comes without one. */
export const usualType: WeightType = 'q8_0';

const type = new RegExp(`:(${weightTypes.join('|')})$`);
const name = /^[\w-][\w.-]*(\/[\w-][\w.-]*)?(@\w[\w./-]*)?$/;
/** Three letters or more: `.apr`, `.json`; but not `.en`, which ends the names of English-only models. */
const fileEnding = /\.[a-z]\w{2,}$/i;

/**
 * Whether a string names a model: NAME or OWNER/NAME, then perhaps @REVISION, then perhaps :TYPE. Everything else is an address:
 * what begins with `/`, `./`, `../` or a scheme, has more slashes, a query or other characters, or ends like a file.
 */
export function isModelName(text: string): boolean {
  const called = text.replace(type, '');
  return name.test(called) && !fileEnding.test(called) && !called.includes('..');
}

export const hubOptionChecks = {
  dtype: oneOf(...weightTypes),
  revision: ['a branch, tag or commit', (value) => typeof value === 'string'],
  hub: ['a URL', (value) => (typeof value === 'string' && value !== '') || value instanceof URL],
  token: ['a string', (value) => typeof value === 'string' && value !== ''],
} satisfies Record<string, Check>;

/** Rejects options of names for a model that is not given by its name; `dtype` may be that of an .april file. */
export function refuseHubOptions(options: LoadOptions, mayHaveType = false): void {
  for (const option of Object.keys(hubOptionChecks) as (keyof typeof hubOptionChecks)[]) {
    if (options[option] === undefined || (option === 'dtype' && mayHaveType)) continue;
    if (option === 'dtype') throw typeOfFile(options.dtype);
    throw invalidOption(option, 'absent: the model is not given by a name', options[option]);
  }
}

/** The error for a type of weights that is asked of a file. */
export const typeOfFile = (dtype: unknown): SusurrusError =>
  new SusurrusError(
    'invalid_argument',
    `Option dtype is ${describe(dtype)}, but dtype is for models by name: a file has its own type of weights. Leave dtype out.`,
    { reason: 'option', subject: 'dtype', expected: 'absent', got: describe(dtype) },
  );

/** The options without the type of weights. */
export const withoutType = <Options extends Pick<LoadOptions, 'dtype'>>(
  options: Options,
): Omit<Options, 'dtype'> =>
  Object.fromEntries(Object.entries(options).filter(([name]) => name !== 'dtype')) as Omit<
    Options,
    'dtype'
  >;
