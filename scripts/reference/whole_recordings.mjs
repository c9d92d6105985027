// Cases that are not drawn: each recording as it is, with the reference's own defaults.
import { whisper } from '../facts/read_facts.mjs';

/** @import { DrawnCase } from './draw.mjs' */

/**
 * Two cases of each recording and model: transcribe() with word times, and decode() of its first window, which says the
 * probabilities of all languages if the model has several.
 * @type {(models: readonly { name: string; dims: { n_vocab: number } }[], recordings: readonly { name: string; samples: number }[]) => DrawnCase[]}
 */
export function wholeRecordings(models, recordings) {
  return models.flatMap(({ name: model, dims }) => {
    const isEnglish = dims.n_vocab < whisper.multilingualVocabulary;
    const language = isEnglish ? { language: 'en' } : {};
    return recordings.flatMap(({ name, samples }) => {
      const audio = { parts: [{ recording: name, start: 0, samples }], gain: 1, speed: 1 };
      return [
        { function: 'transcribe', model, audio, options: { ...language, word_timestamps: true } },
        { function: 'decode', model, audio, options: language },
      ];
    });
  });
}
