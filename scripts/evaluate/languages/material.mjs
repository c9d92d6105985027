// What is heard: sentences of one voice, alone, in a row from several openings, louder and quieter, and rows of two languages.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { whisper } from '../../facts/read_facts.mjs';
import { joined } from '../../joined.mjs';
import { wavSamples } from '../../wav_samples.mjs';
import { shared } from '../accuracy/models.mjs';
import { unitName } from './units.mjs';
const { sampleRate } = whisper;

/** A recording and what is said in it. @typedef {{ samples: Float32Array; truth: string }} Said */
/**
 * A voice with what it says: its sentences, which follow one another in recordings.
 * @typedef {{ language: string; voice: string; sentences: readonly Said[] }} Spoken
 */

/** Seconds around sentences: before the first, between two, and behind the last. */
const quiet = { before: 0.5, between: 0.8, behind: 1 };

/** Where the language changes: seconds of quiet between the two. */
export const changes = { 'at a pause': 1.5, 'inside a window': 0.1 };

const silence = (seconds) => new Float32Array(Math.round(seconds * sampleRate));

const texts = JSON.parse(readFileSync(join(import.meta.dirname, 'sentences.json'), 'utf8'));

/** Codes of the languages that have sentences, in the file's order. @type {readonly string[]} */
export const languages = Object.keys(texts.languages);

/** Sentences with blanks between them where the language has blanks. */
const inARow = (sentences, language) =>
  sentences.map(({ truth }) => truth).join(unitName(language) === 'words' ? ' ' : '');

/**
 * Sentences one after the other, from number `opening` on; those before it come last.
 * @type {(spoken: Pick<Spoken, 'language' | 'sentences'>, opening?: number) => Said}
 */
export function recording({ language, sentences }, opening = 0) {
  const order = [...sentences.slice(opening), ...sentences.slice(0, opening)];
  const parts = order.flatMap(({ samples }, i) => [
    silence(i === 0 ? quiet.before : quiet.between),
    samples,
  ]);
  return { samples: joined([...parts, silence(quiet.behind)]), truth: inARow(order, language) };
}

/** A sentence alone. @type {(sentence: Said) => Said} */
export const alone = ({ samples, truth }) => ({
  samples: joined([silence(quiet.before), samples, silence(quiet.behind)]),
  truth,
});

/** @type {(said: Said, decibels: number) => Said} */
export const atLevel = ({ samples, truth }, decibels) => ({
  samples: decibels === 0 ? samples : samples.map((one) => one * 10 ** (decibels / 20)),
  truth,
});

/**
 * The first half of one voice's sentences, then the second half of another's: both parts alone, and together with so many seconds
 * between the last word and the next.
 * @type {(first: Spoken, second: Spoken, seconds: number) => { parts: { language: string; said: Said }[]; whole: Said }}
 */
export function mixed(first, second, seconds) {
  const half = (one, part) => {
    const middle = Math.ceil(one.sentences.length / 2);
    const sentences = part === 0 ? one.sentences.slice(0, middle) : one.sentences.slice(middle);
    return { language: one.language, sentences };
  };
  const halves = [half(first, 0), half(second, 1)];
  const parts = halves.map((one) => ({ language: one.language, said: recording(one) }));
  const [a, b] = parts.map(({ said }) => said);
  const end = a.samples.length - quiet.behind * sampleRate;
  const begin = quiet.before * sampleRate;
  const samples = joined([a.samples.slice(0, end), silence(seconds), b.samples.slice(begin)]);
  return { parts, whole: { samples, truth: `${a.truth} ${b.truth}` } };
}

/**
 * A language's sentences by each voice that can be had.
 * @type {(language: string, voices: import('./voices.mjs').Voices, most?: number) => Promise<Spoken[]>}
 */
export async function spokenIn(language, voices) {
  const { voices: names, sentences, spoken = sentences } = texts.languages[language];
  const made = [];
  for (const voice of names.filter((name) => voices.has(name))) {
    const said = [];
    for (const [i, truth] of sentences.entries()) {
      said.push({ truth, samples: await voices.say(voice, spoken[i]) });
    }
    made.push({ language, voice, sentences: said });
  }
  return made;
}

/** Recordings of people in a language: each is one sentence. @type {(language: string) => Spoken[]} */
export const recordingsOf = (language) =>
  texts.recordings
    .filter((one) => one.language === language)
    .map(({ file, truth }) => {
      const samples = wavSamples(readFileSync(join(shared, 'recordings/audio', file)));
      return { language, voice: `recording ${file}`, sentences: [{ truth, samples }] };
    });
