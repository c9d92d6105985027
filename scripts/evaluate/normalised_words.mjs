import { words } from './word_errors.mjs';

/**
 * Texts as the reference's normaliser for English leaves them, as lists of words; without the reference, words in lower case.
 * @type {(reference: import('../reference/reference_process.mjs').ReferenceProcess | undefined, texts: readonly string[]) =>
 *   Promise<string[][]>}
 */
export async function normalisedWords(reference, texts) {
  if (!reference) return texts.map(words);
  const answer = await reference.need({ command: 'normalise', texts });
  return answer.texts.map((text) => text.split(' ').filter(Boolean));
}
