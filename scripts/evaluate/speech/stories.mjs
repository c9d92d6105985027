// Stories whose names come again and again, each told by several readers: sentences in their order with a reader's pauses. A story is a
// file of stories/: its names in the first line, then a paragraph a line. What was said once is kept in build/evaluate/speech.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { whisper } from '../../facts/read_facts.mjs';
import { joined } from '../../joined.mjs';
import { findOnPath, root, StepError } from '../../toolchain/steps.mjs';

const texts = join(import.meta.dirname, 'stories');
const folder = join(root, 'build/evaluate/speech');

/** Voices of SVOX Pico by language. */
const voices = { de: 'de-DE', en: 'en-GB', es: 'es-ES', fr: 'fr-FR' };
/** One voice a language, so readers differ in pace and pitch. */
const readers = [
  { speed: 1, pitch: 1 },
  { speed: 0.9, pitch: 0.8 },
];
/** Seconds between sentences, one after the other, and between paragraphs. */
const pauses = [0.5, 0.8, 0.4, 0.7, 0.9, 0.6];
const paragraphPause = 1.2;

/** Codes of the languages that have a story. @type {readonly string[]} */
export const storyLanguages = readdirSync(texts)
  .map((name) => name.replace(/\.txt$/, ''))
  .sort();

/** @type {(language: string) => { names: string[]; paragraphs: string[][] }} Paragraphs in sentences. */
export function story(language) {
  const [names, ...paragraphs] = readFileSync(join(texts, `${language}.txt`), 'utf8')
    .trim()
    .split('\n');
  return { names: names.split(' '), paragraphs: paragraphs.map(sentences) };
}

/**
 * A text cut behind sentences; a question that is quoted within a sentence does not end it.
 * @type {(text: string) => string[]}
 */
export const sentences = (text) =>
  text.split(/(?<=[.?!](?:\s?[»“”"])?)\s+(?=[„«"¿¡]*\s?\p{Lu})/u).map((one) => one.trim());

const pathOf = (said) =>
  join(
    folder,
    `${createHash('sha256').update(JSON.stringify(said)).digest('hex').slice(0, 24)}.pico`,
  );

/** Says what is not kept. */
function say(all) {
  const missing = all.filter((one) => !existsSync(pathOf(one)));
  if (missing.length === 0) return;
  const python =
    process.env.SUSURRUS_VOICES_PYTHON ?? findOnPath('python3') ?? findOnPath('python');
  mkdirSync(folder, { recursive: true });
  const to = (one) => `${pathOf(one)}.${process.pid}`;
  const { status, stderr, error } = spawnSync(python, [join(import.meta.dirname, 'pico.py')], {
    input: JSON.stringify(missing.map((one) => ({ ...one, to: to(one) }))),
    encoding: 'utf8',
  });
  if (status !== 0) {
    throw new StepError(
      `The stories were not said: ${error?.message ?? stderr}`,
      'pip install py-nanotts has the voices; SUSURRUS_VOICES_PYTHON names a Python that has it.',
    );
  }
  for (const one of missing) renameSync(to(one), pathOf(one));
}

function samplesOf(said) {
  const bytes = readFileSync(pathOf(said));
  return Float32Array.from(
    { length: bytes.length >> 1 },
    (_, i) => bytes.readInt16LE(2 * i) / 32768,
  );
}

/**
 * Recordings of about ten minutes, one for each language and reader; shorter with fewer paragraphs.
 * @type {(most?: number) => { name: string; language: string; names: string[]; samples: Float32Array; truth: string }[]}
 */
export function stories(most = Infinity) {
  const silence = (seconds) => new Float32Array(Math.round(seconds * whisper.sampleRate));
  return storyLanguages.flatMap((language) => {
    const { names, paragraphs: all } = story(language);
    const paragraphs = all.slice(0, most);
    return readers.map((reader, number) => {
      const spoken = paragraphs.map((lines) =>
        lines.map((text) => ({ text, voice: voices[language], ...reader })),
      );
      say(spoken.flat());
      let count = 0;
      const parts = spoken.flatMap((lines) => [
        ...lines.flatMap((line, i) => [
          ...(i === 0 ? [] : [silence(pauses[count++ % pauses.length])]),
          samplesOf(line),
        ]),
        silence(paragraphPause),
      ]);
      return {
        ...{ name: `${language}, reader ${number + 1}`, language, names },
        ...{ samples: joined(parts), truth: paragraphs.flat().join(' ') },
      };
    });
  });
}
