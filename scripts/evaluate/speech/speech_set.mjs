// Speech whose truth is known: our own sentences in several voices, speeds and noises, alone and joined to recordings longer
// than a window. Needs flite, espeak-ng and sox the first time.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { whisper } from '../../facts/read_facts.mjs';
import { joined } from '../../joined.mjs';
import { withNoise } from './noise.mjs';
import { spoken } from './synthesis.mjs';

const voices = [
  'flite rms',
  'espeak-ng en-us',
  'flite slt',
  'espeak-ng en-gb',
  'flite awb',
  'espeak-ng en-us+f3',
  'flite kal16',
  'espeak-ng en-gb-scotland',
];
const speeds = [1, 0.85, 1.15];
/** Decibels of speech above the noise. */
const noises = [null, 30, 20, 10];
/** How many utterances a recording has; one is 15 to 25 s. */
const lengths = [1, 3, 2, 1, 2];
const pauseSeconds = 0.8;

function withPauses(utterances) {
  const pause = new Float32Array(pauseSeconds * whisper.sampleRate);
  return joined(utterances.flatMap((samples) => [samples, pause]).slice(0, -1));
}

/** Lists of utterances, one for each recording. */
function grouped(lines) {
  const groups = [];
  for (let first = 0; first < lines.length; first += groups.at(-1).length) {
    groups.push(lines.slice(first, first + lengths[groups.length % lengths.length]));
  }
  return groups;
}

/** The paragraphs that are spoken. */
export const evaluatedLines = () =>
  readFileSync(join(import.meta.dirname, 'evaluated.txt'), 'utf8')
    .trim()
    .split('\n');

/**
 * Who says recording number `i`, how fast and in what noise: each voice meets each speed and noise. `decibels`: of speech above
 * the noise, null without noise. `label` says it in words.
 * @typedef {{ voice: string; speed: number; decibels: number | null; colour: 'white' | 'pink'; label: string }} Manner
 * @type {(i: number) => Manner}
 */
export function manner(i) {
  const voice = voices[i % voices.length];
  const speed = speeds[i % speeds.length];
  const decibels = noises[(i + Math.floor(i / voices.length)) % noises.length];
  const colour = Math.floor(i / 5) % 2 === 0 ? 'white' : 'pink';
  const noise = decibels === null ? 'clean' : `${colour} noise ${decibels} dB`;
  return { voice, speed, decibels, colour, label: `${voice}, speed ${speed}, ${noise}` };
}

/** What each recording is made of. @returns {({ name: string; utterances: string[] } & Manner)[]} */
export const speechPlan = () =>
  grouped(evaluatedLines()).map((utterances, i) => ({
    ...manner(i),
    name: `evaluated ${i + 1}: ${manner(i).label}`,
    utterances,
  }));

/**
 * Utterances one after the other, in a manner; the same samples each time for the same seed.
 * @type {(utterances: readonly string[], manner: Manner, seed: string) => Float32Array}
 */
export function said(utterances, { voice, speed, decibels, colour }, seed) {
  const speech = withPauses(utterances.map((utterance) => spoken(utterance, voice, speed)));
  return decibels === null ? speech : withNoise(speech, colour, decibels, seed);
}

/** The recordings, 16 kHz. @returns {{ name: string; samples: Float32Array; truth: string }[]} */
export const speechSet = () =>
  speechPlan().map(({ name, utterances, ...how }, i) => ({
    name,
    samples: said(utterances, how, `evaluated ${i}`),
    truth: utterances.join(' '),
  }));
