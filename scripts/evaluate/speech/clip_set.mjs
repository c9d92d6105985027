// Short recordings whose truth is known: one to three whole sentences of the speech set, 1 to 25 s, which begin and end with the
// speech. This is what encoderContext is for.
import { evaluatedLines, manner, said } from './speech_set.mjs';

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

/** What each clip is made of. @returns {({ name: string; truth: string } & import('./speech_set.mjs').Manner)[]} */
export function clipPlan() {
  const texts = clipTexts();
  return Array.from({ length: rounds * texts.length }, (_, i) => {
    const how = manner(i + Math.floor(i / texts.length));
    return { ...how, name: `clip ${i + 1}: ${how.label}`, truth: texts[i % texts.length] };
  });
}

/** The clips, 16 kHz. @returns {{ name: string; samples: Float32Array; truth: string }[]} */
export const clipSet = () =>
  clipPlan().map(({ name, truth, ...how }, i) => ({
    name,
    truth,
    samples: said([truth], how, `clip ${i}`),
  }));
