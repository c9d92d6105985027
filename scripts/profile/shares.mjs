// A CPU profile as the share of each source folder.

/** Where the time of a call frame goes. `places`: of the engine's functions. */
function placeOf({ functionName, url }, places) {
  if (url.startsWith('wasm:')) return places.get(functionName) ?? 'wasm';
  if (url === '' && functionName.startsWith('(')) return functionName.slice(1, -1);
  return 'JavaScript';
}

/**
 * Self times in ms of a CPU profile as V8 gives it: {total, places: [{place, ms}], functions: [{place, name, ms}]}, the
 * largest first.
 */
export function selfTimes({ nodes, samples, timeDeltas }, places) {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const byPlace = new Map();
  const byFunction = new Map();
  let total = 0;
  samples.forEach((id, i) => {
    // Time passes until the next sample is taken.
    const ms = (timeDeltas[i + 1] ?? 0) / 1000;
    const frame = frames.get(id);
    const place = placeOf(frame, places);
    const key = `${place}\n${frame.functionName || '(anonymous)'}`;
    total += ms;
    byPlace.set(place, (byPlace.get(place) ?? 0) + ms);
    byFunction.set(key, (byFunction.get(key) ?? 0) + ms);
  });
  const sorted = (map) => [...map].sort(([, a], [, b]) => b - a);
  return {
    total,
    places: sorted(byPlace).map(([place, ms]) => ({ place, ms })),
    functions: sorted(byFunction).map(([key, ms]) => {
      const [place, name] = key.split('\n');
      return { place, name, ms };
    }),
  };
}

/** ms of places that are none of `expected`. */
export const outside = (times, expected) =>
  times.places
    .filter(({ place }) => !expected.includes(place))
    .reduce((sum, { ms }) => sum + ms, 0);
