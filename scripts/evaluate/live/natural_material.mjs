// Recordings of people who talk: some whose words are known, others that are compared with the model's own offline text.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { whisper } from '../../facts/read_facts.mjs';
import { findOnPath, root, run, step, StepError } from '../../toolchain/steps.mjs';
import { wavSamples } from '../../wav_samples.mjs';
import { shared } from '../accuracy/models.mjs';
import { people } from './material.mjs';
import { turnsOf } from './turns.mjs';
const { sampleRate } = whisper;

/**
 * A recording. With `truth` its words are known, with their times and utterances.
 * @typedef {{ set: 'known' | 'meetings' | 'conversations'; name: string; samples: Float32Array; truth?: string;
 *   words?: readonly import('./latencies.mjs').TimedWord[]; utterances?: readonly { start: number; end: number }[] }} Natural
 */

const speakers = join(shared, 'speakers');

/** Those of the recordings of people in which somebody talks. */
const known = ['six people', 'lecture'];

/** @type {(timesOf: Parameters<typeof people>[0]) => Promise<Natural[]>} */
const knownWords = async (timesOf) =>
  (await people(timesOf))
    .filter(({ name }) => known.includes(name))
    .map((sound) => ({ ...sound, set: 'known' }));

function flacSamples(path) {
  if (!findOnPath('sox')) throw new StepError('There is no sox here, which reads FLAC.');
  const { status, stdout, stderr } = spawnSync(
    'sox',
    [path, '-D', '-r', String(sampleRate), '-c', '1', '-b', '16', '-t', 'wav', '-'],
    { maxBuffer: 1 << 28 },
  );
  if (status !== 0) throw new StepError(`sox cannot read ${path}: ${stderr}`);
  return wavSamples(stdout);
}

/** A file of facts about voices. */
function facts(...names) {
  const path = join(speakers, ...names);
  if (!existsSync(path)) {
    throw new StepError(
      `${path} is wanted, and is not there.`,
      'SUSURRUS_SHARED names its folder.',
    );
  }
  return JSON.parse(readFileSync(path, 'utf8'));
}

/**
 * The half-minutes alone: they come again in the joined recording. `turns`: when somebody talks.
 * @type {() => (Natural & { turns: import('./turns.mjs').Turn[] })[]}
 */
export function meetings() {
  return Object.entries(facts('meetings', 'meetings.json'))
    .filter(([, { parts }]) => parts === undefined)
    .map(([name]) => ({
      set: 'meetings',
      name,
      samples: flacSamples(join(speakers, 'meetings', `${name}.flac`)),
      turns: turnsOf(readFileSync(join(speakers, 'meetings', `${name}.rttm`), 'utf8')),
    }));
}

/**
 * Names of whole conversations, in their order, until there are so many minutes.
 * @type {(recipes: Readonly<Record<string, { samples: number }>>, minutes: number) => string[]}
 */
export function chosenConversations(recipes, minutes) {
  const chosen = [];
  let left = minutes * 60 * sampleRate;
  for (const [name, { samples }] of Object.entries(recipes)) {
    if (left <= 0) break;
    chosen.push(name);
    left -= samples;
  }
  return chosen;
}

/** A Python that has these packages, or undefined. */
function pythonWith(...packages) {
  const python = process.env.SUSURRUS_LIVE_PYTHON ?? findOnPath('python3') ?? findOnPath('python');
  if (!python) return undefined;
  return spawnSync(python, ['-c', `import ${packages.join()}`]).status === 0 ? python : undefined;
}

/** Rendered once, into build/evaluate/conversations. @type {(minutes: number) => Promise<Natural[]>} */
async function conversations(minutes) {
  const names = chosenConversations(facts('recipes.json'), minutes);
  const folder = join(root, 'build/evaluate/conversations');
  const path = (name) => join(folder, `${name}.wav`);
  const missing = names.filter((name) => !existsSync(path(name)));
  if (missing.length > 0) {
    const python = pythonWith('numpy', 'soundfile');
    if (!python) {
      console.error(
        'Conversations are left out: no Python here has numpy and soundfile, which render them. SUSURRUS_LIVE_PYTHON names one.',
      );
      return [];
    }
    const unfinished = join(folder, 'unfinished');
    mkdirSync(unfinished, { recursive: true });
    const script = join(speakers, 'make_conversations.py');
    const sources = ['recipes.json', 'voices'].map((name) => join(speakers, name));
    await step(`rendering ${missing.length} conversations`, () =>
      run(python, ['-B', script, 'render', ...sources, unfinished, ...missing], {
        what: 'make_conversations.py',
      }),
    );
    for (const name of missing) renameSync(join(unfinished, `${name}.wav`), path(name));
    rmSync(unfinished, { recursive: true });
  }
  return names.map((name) => ({
    set: 'conversations',
    name,
    samples: wavSamples(readFileSync(path(name))),
  }));
}

/**
 * Which recordings there are: conversations for about so many minutes.
 * @type {(minutes: number, timesOf: Parameters<typeof people>[0]) => Promise<Natural[]>}
 */
export const naturalSounds = async (minutes, timesOf) => [
  ...(await knownWords(timesOf)),
  ...meetings(),
  ...(minutes > 0 ? await conversations(minutes) : []),
];
