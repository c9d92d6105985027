// How far a text is from what was said, word for word.

/**
 * Words in lower case, without punctuation.
 * @type {(text: string) => string[]}
 */
export function words(text) {
  return text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];
}

/**
 * The cheapest way from `truth` to `heard`: its errors and their kinds, and the pairs of indices [truth, heard] of the words
 * that agree.
 * @type {(truth: readonly string[], heard: readonly string[]) => {
 *   errors: number; substitutions: number; deletions: number; insertions: number; pairs: [number, number][] }}
 */
export function compareWords(truth, heard) {
  const costs = Array.from({ length: truth.length + 1 }, (_, i) =>
    Array.from({ length: heard.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)),
  );
  for (let i = 1; i <= truth.length; ++i) {
    for (let j = 1; j <= heard.length; ++j) {
      costs[i][j] = Math.min(
        costs[i - 1][j - 1] + (truth[i - 1] === heard[j - 1] ? 0 : 1),
        costs[i - 1][j] + 1,
        costs[i][j - 1] + 1,
      );
    }
  }
  const pairs = [];
  let substitutions = 0;
  let [i, j] = [truth.length, heard.length];
  while (i > 0 && j > 0) {
    const isSame = truth[i - 1] === heard[j - 1];
    if (costs[i][j] === costs[i - 1][j - 1] + (isSame ? 0 : 1)) {
      [i, j] = [i - 1, j - 1];
      if (isSame) pairs.unshift([i, j]);
      else ++substitutions;
    } else if (costs[i][j] === costs[i - 1][j] + 1) --i;
    else --j;
  }
  const aligned = pairs.length + substitutions;
  return {
    errors: costs[truth.length][heard.length],
    substitutions,
    deletions: truth.length - aligned,
    insertions: heard.length - aligned,
    pairs,
  };
}
