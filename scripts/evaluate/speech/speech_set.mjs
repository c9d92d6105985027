// Speech whose truth is known: our own sentences in several voices, speeds and noises, alone and joined to recordings longer
// than a window. Needs flite, espeak-ng and sox the first time.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { whisper } from '../../facts/read_facts.mjs';
import { withNoise } from './noise.mjs';
import { spoken } from './synthesis.mjs';

/** File of each part: a line is an utterance. What is calibrated on one is measured on the other. */
const parts = { evaluated: 'evaluated.txt' };

export const voices = [
  'flite rms',
  'espeak-ng en-us',
  'flite slt',
  'espeak-ng en-gb',
  'flite awb',
  'espeak-ng en-us+f3',
  'flite kal16',
  'espeak-ng en-gb-scotland',
];
export const speeds = [1, 0.85, 1.15];
/** Decibels of speech above the noise. */
export const noises = [null, 30, 20, 10];
/** How many utterances a recording has; one is 15 to 25 s. */
const lengths = [1, 3, 2, 1, 2];
const pauseSeconds = 0.8;

function joined(utterances) {
  const pause = new Float32Array(pauseSeconds * whisper.sampleRate);
  const pieces = utterances.flatMap((samples) => [samples, pause]).slice(0, -1);
  const samples = new Float32Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    samples.set(piece, at);
    at += piece.length;
  }
  return samples;
}

/** Lists of utterances, one for each recording. */
function grouped(lines) {
  const groups = [];
  for (let first = 0; first < lines.length; first += groups.at(-1).length) {
    groups.push(lines.slice(first, first + lengths[groups.length % lengths.length]));
  }
  return groups;
}

/** The paragraphs of a part. */
export function evaluatedLines(part = 'evaluated') {
  return readFileSync(join(import.meta.dirname, parts[part]), 'utf8')
    .trim()
    .split('\n');
}

/**
 * What each recording of a part is made of. `decibels`: of speech above the noise, null without noise.
 * @type {(part?: keyof typeof parts) => { name: string; utterances: string[]; voice: string; speed: number;
 *   decibels: number | null; colour: 'white' | 'pink' }[]}
 */
export function speechPlan(part = 'evaluated') {
  return grouped(evaluatedLines(part)).map((utterances, i) => {
    // Each voice meets each speed and noise.
    const voice = voices[i % voices.length];
    const speed = speeds[i % speeds.length];
    const decibels = noises[(i + Math.floor(i / voices.length)) % noises.length];
    const colour = Math.floor(i / 5) % 2 === 0 ? 'white' : 'pink';
    const noise = decibels === null ? 'clean' : `${colour} noise ${decibels} dB`;
    const name = `${part} ${i + 1}: ${voice}, speed ${speed}, ${noise}`;
    return { name, utterances, voice, speed, decibels, colour };
  });
}

/**
 * The recordings of a part, 16 kHz; the same samples each time.
 * @type {(part?: keyof typeof parts) => { name: string; samples: Float32Array; truth: string; voice: string; speed: number;
 *   decibels: number | null }[]}
 */
export function speechSet(part = 'evaluated') {
  return speechPlan(part).map(({ name, utterances, voice, speed, decibels, colour }, i) => {
    const speech = joined(utterances.map((utterance) => spoken(utterance, voice, speed)));
    const samples =
      decibels === null ? speech : withNoise(speech, colour, decibels, `${part} ${i}`);
    return { name, samples, truth: utterances.join(' '), voice, speed, decibels };
  });
}
