// Short recordings whose truth is known: one to three whole sentences of the speech set, 1 to 25 s, which begin and end with the
// speech. This is what audioContext is for.
import { withNoise } from './noise.mjs';
import { evaluatedLines, noises, speeds, voices } from './speech_set.mjs';
import { spoken } from './synthesis.mjs';

/** How many sentences of a paragraph a clip has, in turn; fewer at the paragraph's end. */
const lengths = [1, 3, 2, 1, 2];
/** How often all sentences are spoken, each time by other voices. */
const rounds = 2;

const sentencesOf = (paragraph) => paragraph.split(/(?<=[.?!])(?<!Mr\.) (?=[A-Z])/);

function clipTexts() {
  const texts = [];
  for (const paragraph of evaluatedLines()) {
    const sentences = sentencesOf(paragraph);
    while (sentences.length > 0) {
      texts.push(sentences.splice(0, lengths[texts.length % lengths.length]).join(' '));
    }
  }
  return texts;
}

/**
 * What each clip is made of.
 * @returns {{ name: string; truth: string; voice: string; speed: number; decibels: number | null;
 *   colour: 'white' | 'pink' }[]}
 */
export function clipPlan() {
  const texts = clipTexts();
  return Array.from({ length: rounds * texts.length }, (_, i) => {
    const turn = i + Math.floor(i / texts.length);
    const voice = voices[turn % voices.length];
    const speed = speeds[turn % speeds.length];
    const decibels = noises[(turn + Math.floor(turn / voices.length)) % noises.length];
    const colour = Math.floor(turn / 5) % 2 === 0 ? 'white' : 'pink';
    const noise = decibels === null ? 'clean' : `${colour} noise ${decibels} dB`;
    const name = `clip ${i + 1}: ${voice}, speed ${speed}, ${noise}`;
    return { name, truth: texts[i % texts.length], voice, speed, decibels, colour };
  });
}

/**
 * The clips, 16 kHz; the same samples each time.
 * @returns {{ name: string; samples: Float32Array; truth: string }[]}
 */
export function clipSet() {
  return clipPlan().map(({ name, truth, voice, speed, decibels, colour }, i) => {
    const speech = spoken(truth, voice, speed);
    const samples = decibels === null ? speech : withNoise(speech, colour, decibels, `clip ${i}`);
    return { name, samples, truth };
  });
}
