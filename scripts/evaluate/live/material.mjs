// The sound that live recognisers hear, and when each of its words is said.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { whisper } from '../../facts/read_facts.mjs';
import { joined } from '../../joined.mjs';
import { Random } from '../../reference/random.mjs';
import { wavSamples } from '../../wav_samples.mjs';
import { shared } from '../accuracy/models.mjs';
import { clipPlan } from '../speech/clip_set.mjs';
import { withNoise } from '../speech/noise.mjs';
import { said } from '../speech/speech_set.mjs';
import { sharedRecordings } from '../speech/shared_recordings.mjs';
import { words } from '../word_errors.mjs';
const { sampleRate } = whisper;

/**
 * A piece of speech without a pause of its own: what is said, and the words with their times where they are known.
 * @typedef {{ samples: Float32Array; truth: string; words?: readonly TimedWord[] }} Utterance
 * @typedef {import('./latencies.mjs').TimedWord} TimedWord
 */
/**
 * A recording. `utterances`: where each lies. `truth`: what is said, or, with `isHeard`, what the reference hears.
 * @typedef {{ name: string; kind: 'speech' | 'digits'; samples: Float32Array; truth: string; isHeard: boolean;
 *   words: TimedWord[]; utterances: { start: number; end: number }[] }} Sound
 */

/** Seconds between utterances, and behind the last, where captions go on. */
const pauses = { least: 0.3, most: 3, last: 3 };

/** Decibels of speech above the noise; null: silence between the utterances. */
const levels = [null, 20, 10];

/** Voice, speed and text change from clip to clip; a stride lets a few clips cover all of them. */
const stride = 7;

/** Clean clips of at least so many seconds together, every seventh. @type {(seconds: number) => Utterance[]} */
export function clips(seconds) {
  const plan = clipPlan();
  const chosen = [];
  for (let i = 0, length = 0; length < seconds * sampleRate && i < plan.length; ++i) {
    // The stride is prime to the length of the plan, so every clip comes once.
    const index = (i * stride) % plan.length;
    const { truth, voice, speed } = plan[index];
    const samples = said([truth], { ...plan[index], voice, speed, decibels: null }, '');
    chosen.push({ samples, truth });
    length += samples.length;
  }
  return chosen;
}

/**
 * Utterances with pauses of different lengths between them, the same for the same seed.
 * @type {(utterances: readonly (Utterance & { words: readonly TimedWord[] })[], seed: string) =>
 *   Pick<Sound, 'samples' | 'truth' | 'words' | 'utterances'>}
 */
export function withPauses(utterances, seed) {
  const random = new Random(`live pauses/${seed}`);
  const parts = [];
  const made = { words: [], utterances: [] };
  let at = 0;
  const add = (samples) => {
    parts.push(samples);
    at += samples.length;
  };
  const pause = (seconds) => add(new Float32Array(Math.round(seconds * sampleRate)));
  pause(random.uniform(pauses.least, pauses.most));
  for (const [i, { samples, words: timed }] of utterances.entries()) {
    const begin = at / sampleRate;
    made.words.push(
      ...timed.map(({ word, start, end }) => ({ word, start: begin + start, end: begin + end })),
    );
    made.utterances.push({
      start: begin + (timed[0]?.start ?? 0),
      end: begin + samples.length / sampleRate,
    });
    add(samples);
    const isLast = i === utterances.length - 1;
    pause(isLast ? pauses.last : random.uniform(pauses.least, pauses.most));
  }
  const truth = utterances.map((one) => one.truth).join(' ');
  return { ...made, samples: joined(parts), truth };
}

/** Utterances with the times of their words. @param {(samples: Float32Array, text: string) => Promise<readonly TimedWord[]>} timesOf */
export const timed = async (utterances, timesOf) => {
  const all = [];
  for (const one of utterances) {
    all.push({ ...one, words: one.words ?? (await timesOf(one.samples, one.truth)) });
  }
  return all;
};

/** The synthesised clips, in silence and with noise over all of it. */
async function synthesised(seconds, timesOf) {
  const sound = withPauses(await timed(clips(seconds), timesOf), 'clips');
  return levels.map((decibels) => ({
    ...sound,
    kind: 'speech',
    isHeard: false,
    name: decibels === null ? 'synthesised' : `synthesised, noise ${decibels} dB below`,
    samples:
      decibels === null
        ? sound.samples
        : withNoise(sound.samples, 'pink', decibels, `live ${decibels}`),
  }));
}

/** The second half of `licence` is in another language. */
const licenceSeconds = 29.9;

/**
 * Recordings of people and their transcripts; openai-whisper's output where a recording has no transcript.
 * @type {(timesOf: Parameters<typeof timed>[1]) => Promise<Sound[]>}
 */
export async function people(timesOf) {
  const recordings = sharedRecordings();
  const known = recordings.filter(({ truth }) => truth !== undefined);
  const heard = (file, seconds) => {
    const { samples, referenceWords } = recordings.find(({ name }) => name === file);
    const kept = referenceWords.filter(({ end }) => end <= seconds);
    return {
      samples: samples.subarray(0, seconds * sampleRate),
      truth: kept.map(({ word }) => word).join(''),
      words: kept,
    };
  };
  const of = (name, utterances, isHeard) => ({
    ...withPauses(utterances, name),
    name,
    kind: 'speech',
    isHeard,
  });
  return [
    of('six people', await timed(known, timesOf), false),
    of('lecture', [heard('lecture.wav', 60)], true),
    of('licence', [heard('licence.wav', licenceSeconds)], true),
  ];
}

/** Recordings of digits that the .april model never heard, joined. */
function digits() {
  const folder = join(shared, 'april-digits/eval');
  const { recordings } = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8'));
  const utterances = recordings
    .filter(({ text }) => text)
    .map(({ file, text, digits: timesOfDigits }) => ({
      samples: wavSamples(readFileSync(join(folder, file))),
      truth: text,
      words: words(text).map((word, i) => ({
        word: ` ${word}`,
        start: timesOfDigits[i].start,
        end: timesOfDigits[i].end,
      })),
    }));
  return { ...withPauses(utterances, 'digits'), name: 'digits', kind: 'digits', isHeard: false };
}

/**
 * All sounds. `seconds`: of synthesised speech at each level. `timesOf` returns when each word of a known text is said.
 * @type {(seconds: number, timesOf: (samples: Float32Array, text: string) => Promise<readonly TimedWord[]>) => Promise<Sound[]>}
 */
export const sounds = async (seconds, timesOf) => [
  ...(await synthesised(seconds, timesOf)),
  ...(await people(timesOf)),
  digits(),
];

/** Seconds of speech. @type {(sound: Pick<Sound, 'utterances'>) => number} */
export const speechSeconds = ({ utterances }) =>
  utterances.reduce((sum, { start, end }) => sum + end - start, 0);
