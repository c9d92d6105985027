// The reference's normaliser for English.

/**
 * Texts as it leaves them, as lists of words.
 * @type {(reference: import('../reference/reference_process.mjs').ReferenceProcess, texts: string[]) => Promise<string[][]>}
 */
export async function normalised(reference, texts) {
  const answer = await reference.need({ command: 'normalise', texts });
  return answer.texts.map((text) => text.split(' ').filter(Boolean));
}
