// A CPU profile as the share of each source folder.

/** Where the time of a call frame goes. `places`: of the engine's functions. */
function placeOf({ functionName, url }, places) {
  if (url.startsWith('wasm:')) return places.get(functionName) ?? 'wasm';
  if (url === '' && functionName.startsWith('(')) return functionName.slice(1, -1);
  return 'JavaScript';
}

/**
 * Self times in ms of a CPU profile as V8 gives it: {total, places: [{place, ms}], functions: [{place, name, ms}]}, the
 * largest first. Every sample counts as much as the others: a long time between two says that other programs were running.
 */
export function selfTimes({ nodes, samples, timeDeltas }, places) {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const ms = [...timeDeltas].sort((a, b) => a - b)[timeDeltas.length >> 1] / 1000;
  const byPlace = new Map();
  const byFunction = new Map();
  for (const id of samples) {
    const frame = frames.get(id);
    const place = placeOf(frame, places);
    const key = `${place}\n${frame.functionName || '(anonymous)'}`;
    byPlace.set(place, (byPlace.get(place) ?? 0) + ms);
    byFunction.set(key, (byFunction.get(key) ?? 0) + ms);
  }
  const sorted = (map) => [...map].sort(([, a], [, b]) => b - a);
  return {
    total: ms * samples.length,
    places: sorted(byPlace).map(([place, time]) => ({ place, ms: time })),
    functions: sorted(byFunction).map(([key, time]) => {
      const [place, name] = key.split('\n');
      return { place, name, ms: time };
    }),
  };
}

/** ms of places that are none of `expected`. */
export const outside = (times, expected) =>
  times.places
    .filter(({ place }) => !expected.includes(place))
    .reduce((sum, { ms }) => sum + ms, 0);
