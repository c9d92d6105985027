// Words that the digits model writes down, and how many of them another format changes.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareWords, words } from '../word_errors.mjs';
import { shared } from './models.mjs';

/** Digits, and sounds of which only one holds digits: on other words the model invents some. */
const folders = { digits: 'digits-model/eval', others: 'recordings/audio' };

/** Each recording, with one attempt a window: lists of lists of words, `digits` and `others`. */
export async function heardWords(model) {
  const heard = {};
  for (const [name, folder] of Object.entries(folders)) {
    const files = readdirSync(join(shared, folder)).filter((file) => file.endsWith('.wav'));
    heard[name] = [];
    for (const file of files.sort()) {
      const sound = readFileSync(join(shared, folder, file));
      const options = { temperature: 0, compatibility: 'openai' };
      heard[name].push(words((await model.transcribe(sound, options)).text));
    }
  }
  return heard;
}

/**
 * Words that are others, too many or missing of 100 in `expected`, a list of lists of words.
 * @type {(actual: readonly (readonly string[])[], expected: readonly (readonly string[])[]) => number}
 */
export function changedWords(actual, expected) {
  const errors = expected.map((text, i) => compareWords(text, actual[i]).errors);
  const count = expected.flat().length;
  return (100 * errors.reduce((sum, one) => sum + one, 0)) / count;
}
