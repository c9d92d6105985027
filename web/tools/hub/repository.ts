// What a person calls a model, and which repository of the hub that is.
import { invalidOption, SusurrusError } from '../../src/api/errors.js';
import { weightTypes, type WeightType } from '../../src/api/generated/dtypes.js';
import { usualType } from '../../src/sources/model_name.js';
import { namesLike } from '../../src/api/near_names.js';
import { findOfficial, shortNames } from './official_models.js';

export interface Repository {
  /** "openai/whisper-tiny.en" */
  readonly name: string;
  /** The short name that means it, "tiny.en": then other repositories have its weights, too (official_models.ts). */
  readonly short?: string;
  /** A branch, a tag or a commit. */
  readonly revision: string;
}

/** What loadModel() and the command line take: a repository, perhaps with :TYPE behind it. */
export interface NamedModel {
  readonly repository: Repository;
  readonly dtype?: WeightType;
}

/**
 * The repository that `text` names: OWNER/NAME or an official model's name, and @REVISION (main). Undefined if none. Only a short name
 * without a revision stays one.
 */
export function findRepository(text: string): Repository | undefined {
  const [, called = '', revision = 'main'] = /^([^@]+)(?:@(.+))?$/.exec(text) ?? [];
  const official = findOfficial(called);
  if (official && called === text) {
    return { name: official.repository, revision, short: official.short };
  }
  const name = official?.repository ?? called;
  // What the hub allows, without anything that a path would interpret as a parent folder.
  const isName = /^[\w-][\w.-]*\/[\w-][\w.-]*$/.test(name) && !name.includes('..');
  const isRevision = /^[\w][\w./-]*$/.test(revision) && !revision.includes('..');
  return isName && isRevision ? { name, revision } : undefined;
}

/** findRepository(), but throws `invalid_argument` if there is none. */
export function parseRepository(text: string): Repository {
  const found = findRepository(text);
  if (found) return found;
  const [near] = namesLike(text.replace(/@.*/, ''), shortNames);
  const hint = near === undefined ? '' : ` Did you mean '${near}'?`;
  throw new SusurrusError(
    'invalid_argument',
    `'${text}' names no repository: OWNER/NAME[@REVISION], or ${shortNames.join(', ')}.${hint}`,
    { reason: 'option', subject: 'repository', expected: 'OWNER/NAME[@REVISION]', got: text },
  );
}

/** Options that complete a name. */
interface NameOptions {
  readonly dtype?: WeightType | undefined;
  readonly revision?: string | undefined;
  readonly hub?: string | URL | undefined;
}

/** Parses a name with the caller's options, which must not repeat a part of it. On the caller's own hub a short name is OpenAI's repository. */
export function parseNamedModel(text: string, options: NameOptions): NamedModel {
  const [, called = text, type] = /^(.*):(\w+)$/.exec(text) ?? [];
  const inName = weightTypes.find((one) => one === type);
  const { revision, hub } = options;
  const parsed = parseRepository(inName === undefined ? text : called);
  const repository = hub === undefined && revision === undefined ? parsed : ofOpenAi(parsed);
  const dtype = inName ?? options.dtype;
  if (revision === undefined) return { repository, ...(dtype && { dtype }) };
  if (called.includes('@') || !findRepository(`${repository.name}@${revision}`)) {
    const expected = called.includes('@') ? 'absent: the name has one' : 'a branch, tag or commit';
    throw invalidOption('revision', expected, revision);
  }
  return { repository: { ...repository, revision }, ...(dtype && { dtype }) };
}

/** OpenAI's repository itself, where a short name means it. */
export const ofOpenAi = ({ name, revision }: Repository): Repository => ({ name, revision });

/** Whether `hub` is a URL template for files, not a server with the hub's interface. */
export const isTemplate = (hub: string): boolean => /\{(model|name)\}/.test(hub);

/** Whether it is a URL template for model files, not for folders. */
export const isFileTemplate = (hub: string | URL | undefined): boolean =>
  hub !== undefined && isTemplate(decodeTemplate(hub)) && !String(hub).endsWith('/');

/** A URL object has no braces in its path. */
export const decodeTemplate = (hub: string | URL): string =>
  String(hub).replaceAll('%7B', '{').replaceAll('%7D', '}');

/** Fills a URL template: {model} is OWNER/NAME, {name} is its second half. */
export const fillTemplate = (
  template: string,
  { name, revision }: Repository,
  dtype: string = usualType,
): string =>
  template
    .replaceAll('{model}', name)
    .replaceAll('{name}', name.slice(name.indexOf('/') + 1))
    .replaceAll('{revision}', encodeURIComponent(revision))
    .replaceAll('{dtype}', dtype);

/** As people write it: "tiny", "openai/whisper-tiny@v1", without the usual revision. */
export const titleOf = ({ name, revision, short }: Repository): string =>
  short ?? (revision === 'main' ? name : `${name}@${revision}`);
