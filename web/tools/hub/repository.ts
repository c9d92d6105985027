// What a person calls a model, and which repository of the hub that is.
import { SusurrusError } from '../../src/api/errors.js';

export interface Repository {
  /** "openai/whisper-tiny.en" */
  readonly name: string;
  /** A branch, a tag or a commit. */
  readonly revision: string;
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
  throw new SusurrusError(
    'invalid_argument',
    `'${text}' names no repository: OWNER/NAME[@REVISION], or ${Object.keys(short).join(', ')}.`,
    { reason: 'option', subject: 'repository', expected: 'OWNER/NAME[@REVISION]', got: text },
  );
}

/** As people write it: "openai/whisper-tiny@v1", without the usual revision. */
export const titleOf = ({ name, revision }: Repository): string =>
  revision === 'main' ? name : `${name}@${revision}`;
