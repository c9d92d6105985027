/** Longer names are compared by their ends, which is where they differ. */
const longest = 128;
const most = 3;
/** Pairs of characters that are compared, of the first names; a file may have many long ones, and nothing else runs meanwhile. */
const mostPairs = 1 << 22;

/** Names that might have been meant, the likeliest first: at most that part of their characters is another. */
export function namesLike(name: string, names: readonly string[], part = 1 / 2): string[] {
  const wanted = name.slice(-longest);
  let pairs = 0;
  const isCompared = (candidate: string): boolean =>
    (pairs += wanted.length * Math.min(candidate.length, longest)) <= mostPairs;
  return names
    .filter(isCompared)
    .map((candidate) => ({ candidate, distance: distanceOf(wanted, candidate.slice(-longest)) }))
    .filter(({ candidate, distance }) => distance <= Math.max(name.length, candidate.length) * part)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, most)
    .map(({ candidate }) => candidate);
}

/** How many characters to insert, remove or replace. */
function distanceOf(a: string, b: string): number {
  // Distances of the current row up to column j, and of the row above from there on.
  const row = Uint16Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 0; i < a.length; ++i) {
    const unit = a.charCodeAt(i);
    let corner = i;
    let left = (row[0] = i + 1);
    for (let j = 0; j < b.length; ++j) {
      const above = row[j + 1] ?? 0;
      const replaced = corner + (unit === b.charCodeAt(j) ? 0 : 1);
      left = row[j + 1] = Math.min(above + 1, left + 1, replaced);
      corner = above;
    }
  }
  return row[b.length] ?? 0;
}
