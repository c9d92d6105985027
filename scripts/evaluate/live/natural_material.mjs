// Recordings of people who talk: some whose words are known, others that are compared with the model's own offline text; and stories
// that are told in several languages.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { whisper } from '../../facts/read_facts.mjs';
import { findOnPath, StepError } from '../../toolchain/steps.mjs';
import { wavSamples } from '../../wav_samples.mjs';
import {
  halfMinutes,
  renderedConversations,
  voiceFacts,
  voicesFolder,
} from '../speech/conversations.mjs';
import { stories } from '../speech/stories.mjs';
import { people } from './material.mjs';
import { turnsOf } from './turns.mjs';
const { sampleRate } = whisper;

/**
 * A recording. With `truth` its words are known, of people with their times and utterances. `language`: unless English.
 * @typedef {{ set: 'known' | 'meetings' | 'conversations' | 'stories'; name: string; samples: Float32Array; truth?: string; language?: string;
 *   words?: readonly import('./latencies.mjs').TimedWord[]; utterances?: readonly { start: number; end: number }[] }} Natural
 */

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

/**
 * The half-minutes alone. `turns`: when somebody talks.
 * @type {() => (Natural & { turns: import('./turns.mjs').Turn[] })[]}
 */
export function meetings() {
  return halfMinutes().map((name) => ({
    set: 'meetings',
    name,
    samples: flacSamples(join(voicesFolder, 'meetings', `${name}.flac`)),
    turns: turnsOf(readFileSync(join(voicesFolder, 'meetings', `${name}.rttm`), 'utf8')),
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

/** @type {(minutes: number) => Promise<Natural[]>} */
async function conversations(minutes) {
  const names = chosenConversations(voiceFacts('recipes.json'), minutes);
  const rendered = await renderedConversations(names, () => pythonWith('numpy', 'soundfile'));
  if (!rendered) {
    console.error(
      'Conversations are left out: no Python here has numpy and soundfile, which render them. SUSURRUS_LIVE_PYTHON names one.',
    );
    return [];
  }
  return rendered.map(({ name, wav }) => ({
    set: 'conversations',
    name,
    samples: wavSamples(readFileSync(wav)),
  }));
}

/** @type {(paragraphs: number) => Natural[]} */
const told = (paragraphs) =>
  stories(paragraphs).map(({ name, language, samples, truth }) => ({
    ...{ set: 'stories', name, language, samples, truth },
  }));

/**
 * Which recordings there are: conversations for about so many minutes, so many paragraphs of each story.
 * @type {(how: { conversations: number; stories: number }, timesOf: Parameters<typeof people>[0]) => Promise<Natural[]>}
 */
export const naturalSounds = async ({ conversations: minutes, stories: paragraphs }, timesOf) => [
  ...(await knownWords(timesOf)),
  ...meetings(),
  ...(minutes > 0 ? await conversations(minutes) : []),
  ...(paragraphs > 0 ? told(paragraphs) : []),
];
