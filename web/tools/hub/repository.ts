// What a person calls a model, and which repository of the hub that is.
import { invalidOption, SusurrusError } from '../../src/api/errors.js';
import { weightTypes, type WeightType } from '../../src/api/generated/dtypes.js';
import { namesLike } from '../../src/api/near_names.js';

export interface Repository {
  /** "openai/whisper-tiny.en" */
  readonly name: string;
  /** A branch, a tag or a commit. */
  readonly revision: string;
}

/** What loadModel() and the command line take: a repository, perhaps with :TYPE behind it. */
export interface NamedModel {
  readonly repository: Repository;
  readonly dtype?: WeightType;
}

const official = ['tiny', 'base', 'small', 'medium'].flatMap((size) => [size, `${size}.en`]);

/** Short for these repositories, as the reference names its models. */
const short: Readonly<Record<string, string>> = {
  ...Object.fromEntries(official.map((name) => [name, `openai/whisper-${name}`])),
  'large-v1': 'openai/whisper-large',
  'large-v2': 'openai/whisper-large-v2',
  'large-v3': 'openai/whisper-large-v3',
  large: 'openai/whisper-large-v3',
  'large-v3-turbo': 'openai/whisper-large-v3-turbo',
  turbo: 'openai/whisper-large-v3-turbo',
};

/** The repository that `text` names: OWNER/NAME or an official model's name, and @REVISION (main). Undefined if none. */
export function findRepository(text: string): Repository | undefined {
  const [, called = '', revision = 'main'] = /^([^@]+)(?:@(.+))?$/.exec(text) ?? [];
  const name = Object.hasOwn(short, called) ? (short[called] ?? called) : called;
  // What the hub allows; also kept free of anything that a path would take for a folder above.
  const isName = /^[\w-][\w.-]*\/[\w-][\w.-]*$/.test(name) && !name.includes('..');
  const isRevision = /^[\w][\w./-]*$/.test(revision) && !revision.includes('..');
  return isName && isRevision ? { name, revision } : undefined;
}

/** The same, or invalid_argument. */
export function parseRepository(text: string): Repository {
  const found = findRepository(text);
  if (found) return found;
  const [near] = namesLike(text.replace(/@.*/, ''), Object.keys(short));
  const hint = near === undefined ? '' : ` Did you mean '${near}'?`;
  throw new SusurrusError(
    'invalid_argument',
    `'${text}' names no repository: OWNER/NAME[@REVISION], or ${Object.keys(short).join(', ')}.${hint}`,
    { reason: 'option', subject: 'repository', expected: 'OWNER/NAME[@REVISION]', got: text },
  );
}

/** A name with what its caller's options say besides; both may not say the same. */
export function parseNamedModel(
  text: string,
  options: { readonly dtype?: WeightType | undefined; readonly revision?: string | undefined },
): NamedModel {
  const [, called = text, type] = /^(.*):(\w+)$/.exec(text) ?? [];
  const inName = weightTypes.find((one) => one === type);
  const repository = parseRepository(inName === undefined ? text : called);
  const dtype = inName ?? options.dtype;
  const { revision } = options;
  if (revision === undefined) return { repository, ...(dtype && { dtype }) };
  if (called.includes('@') || !findRepository(`${repository.name}@${revision}`)) {
    const expected = called.includes('@') ? 'absent: the name has one' : 'a branch, tag or commit';
    throw invalidOption('revision', expected, revision);
  }
  return { repository: { ...repository, revision }, ...(dtype && { dtype }) };
}

/** Whether `hub` is the address of files, not of a server with the hub's interface. */
export const isTemplate = (hub: string): boolean => /\{(model|name)\}/.test(hub);

/** Whether it is the address of model files, not of folders. */
export const isFileTemplate = (hub: string | URL | undefined): boolean =>
  hub !== undefined && isTemplate(decodeTemplate(hub)) && !String(hub).endsWith('/');

/** A URL object has no braces in its path. */
export const decodeTemplate = (hub: string | URL): string =>
  String(hub).replaceAll('%7B', '{').replaceAll('%7D', '}');

/** The address that a template means: {model} is OWNER/NAME, {name} the second half of it. */
export const fillTemplate = (
  template: string,
  { name, revision }: Repository,
  dtype = 'f16',
): string =>
  template
    .replaceAll('{model}', name)
    .replaceAll('{name}', name.slice(name.indexOf('/') + 1))
    .replaceAll('{revision}', encodeURIComponent(revision))
    .replaceAll('{dtype}', dtype);

/** As people write it: "openai/whisper-tiny@v1", without the usual revision. */
export const titleOf = ({ name, revision }: Repository): string =>
  revision === 'main' ? name : `${name}@${revision}`;
