/**
 * Texts as the reference's normaliser for English leaves them, as lists of words.
 * @type {(reference: import('../reference/reference_process.mjs').ReferenceProcess, texts: readonly string[]) =>
 *   Promise<string[][]>}
 */
export async function normalisedWords(reference, texts) {
  const answer = await reference.need({ command: 'normalise', texts });
  return answer.texts.map((text) => text.split(' ').filter(Boolean));
}
