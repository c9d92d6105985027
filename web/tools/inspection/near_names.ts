/** Longer names are compared by their ends, which is where they differ. */
const longest = 128;
const most = 3;
/** Pairs of characters that are compared, of the first names; a file may have many long ones, and nothing else runs meanwhile. */
const mostPairs = 1 << 22;

/** Names that might have been meant, the likeliest first. */
export function namesLike(name: string, names: readonly string[]): string[] {
  const wanted = name.slice(-longest);
  let pairs = 0;
  const isCompared = (candidate: string): boolean =>
    (pairs += wanted.length * Math.min(candidate.length, longest)) <= mostPairs;
  return names
    .filter(isCompared)
    .map((candidate) => ({ candidate, distance: distanceOf(wanted, candidate.slice(-longest)) }))
    .filter(({ candidate, distance }) => distance <= Math.max(name.length, candidate.length) / 2)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, most)
    .map(({ candidate }) => candidate);
}

/** How many characters to insert, remove or replace. */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 0; i < a.length; ++i) {
    const next = [i + 1];
    for (let j = 0; j < b.length; ++j) {
      const [above = 0, left = 0, corner = 0] = [row[j + 1], next[j], row[j]];
      next.push(Math.min(above + 1, left + 1, corner + (a[i] === b[j] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
