// Conversations of known voices, rendered from recordings of people, with the truth about who speaks when.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root, run, step, StepError } from '../../toolchain/steps.mjs';
import { shared } from '../accuracy/models.mjs';

export const voicesFolder = join(shared, 'speakers');

/** A file of facts about voices. */
export function voiceFacts(...names) {
  const path = join(voicesFolder, ...names);
  if (!existsSync(path)) {
    throw new StepError(
      `${path} is wanted, and is not there.`,
      'SUSURRUS_SHARED names its folder.',
    );
  }
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** Those of the joined recording are left out: it repeats them. @type {() => string[]} */
export const halfMinutes = () =>
  Object.entries(voiceFacts('meetings', 'meetings.json'))
    .filter(([, { parts }]) => parts === undefined)
    .map(([name]) => name);

const folder = join(root, 'build/evaluate/conversations');
const endings = ['wav', 'rttm'];
const pathOf = (name, ending) => join(folder, `${name}.${ending}`);

/**
 * Paths of the conversations, rendered once by a Python with numpy and soundfile, which checks the digests of their samples.
 * `needPython` may resolve to undefined where there is none: so does this then.
 * @type {(names: readonly string[], needPython: () => Promise<string | undefined> | string | undefined) =>
 *   Promise<{ name: string; wav: string; rttm: string }[] | undefined>}
 */
export async function renderedConversations(names, needPython) {
  const missing = names.filter((name) => !endings.every((each) => existsSync(pathOf(name, each))));
  if (missing.length > 0) {
    const python = await needPython();
    if (!python) return undefined;
    const unfinished = join(folder, 'unfinished');
    mkdirSync(unfinished, { recursive: true });
    const script = join(voicesFolder, 'make_conversations.py');
    const sources = ['recipes.json', 'voices'].map((name) => join(voicesFolder, name));
    await step(`rendering ${missing.length} conversations`, () =>
      run(python, ['-B', script, 'render', ...sources, unfinished, ...missing], {
        what: 'make_conversations.py',
      }),
    );
    for (const name of missing) {
      for (const ending of endings) {
        renameSync(join(unfinished, `${name}.${ending}`), pathOf(name, ending));
      }
    }
    rmSync(unfinished, { recursive: true });
  }
  return names.map((name) => ({
    name,
    wav: pathOf(name, 'wav'),
    rttm: pathOf(name, 'rttm'),
  }));
}
