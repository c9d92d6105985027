// A CPU profile as the share of each source folder.

/**
 * @typedef {{
 *   total: number;
 *   places: { place: string; ms: number }[];
 *   functions: { place: string; name: string; ms: number }[];
 * }} Times
 */
/**
 * @typedef {{
 *   nodes: { id: number; callFrame: { functionName: string; url: string }; children?: number[] }[];
 *   samples: number[];
 *   timeDeltas: number[];
 * }} Profile
 */

const isOurs = (place) => /^(src\/|bindings)/.test(place);

/** Where the time of a call frame goes. `places`: places of the engine's functions. */
function placeOf({ functionName, url }, places) {
  if (url.startsWith('wasm:')) return places.get(functionName) ?? 'wasm';
  if (url === '' && functionName.startsWith('(')) return functionName.slice(1, -1);
  return 'JavaScript';
}

/** The place of each node. A library function counts for the function of ours that called it. */
function placesOfNodes(nodes, places) {
  const found = new Map();
  const children = new Set(nodes.flatMap((node) => node.children ?? []));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const visit = (node, caller) => {
    let place = placeOf(node.callFrame, places);
    const isLibrary = node.callFrame.url.startsWith('wasm:') && !isOurs(place);
    if (isLibrary && isOurs(caller)) place = caller;
    found.set(node.id, place);
    for (const id of node.children ?? []) visit(byId.get(id), place);
  };
  for (const node of nodes) if (!children.has(node.id)) visit(node, '');
  return found;
}

/**
 * Self times in ms of a CPU profile as V8 gives it: {total, places: [{place, ms}], functions: [{place, name, ms}]}, the
 * largest first. Every sample counts as much as the others: a long time between two says that other programs were running.
 * @type {(profile: Profile, places: Map<string, string>) => Times}
 */
export function selfTimes({ nodes, samples, timeDeltas }, places) {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const placeOfNode = placesOfNodes(nodes, places);
  const ms = [...timeDeltas].sort((a, b) => a - b)[timeDeltas.length >> 1] / 1000;
  const byPlace = new Map();
  const byFunction = new Map();
  for (const id of samples) {
    const place = placeOfNode.get(id);
    const key = `${place}\n${frames.get(id).functionName || '(anonymous)'}`;
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

/**
 * ms of places that are none of `expected`.
 * @type {(times: Times, expected: readonly string[]) => number}
 */
export const outside = (times, expected) =>
  times.places
    .filter(({ place }) => !expected.includes(place))
    .reduce((sum, { ms }) => sum + ms, 0);
