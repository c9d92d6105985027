// Which source folder each function of an engine is from, as the linker tells.

/** '<object>' of a link map → 'src/kernels', 'bindings', 'zlib' …; `sources`: paths of the core's sources. */
function placeOf(object, sources) {
  const folderOf = (path) => /(?:^|\/)(src\/\w+|bindings)\/.*/.exec(path)?.[1];
  const [, archive, member] = /([^/]+)\.a\((.+)\.o\)$/.exec(object) ?? [];
  if (archive !== 'libsusurrus_core') {
    return folderOf(object) ?? archive?.replace(/^lib|_.*|-.*/g, '') ?? 'linker';
  }
  // Members of an archive have no folder; a few sources in different ones share their names.
  const folders = sources.filter((path) => path.endsWith(`/${member}`)).map(folderOf);
  return [...new Set(folders)].sort().join(' or ');
}

/**
 * A map that wasm-ld has written → {name of a function: place}, a Map.
 * @type {(text: string, sources: readonly string[]) => Map<string, string>}
 */
export function readLinkMap(text, sources) {
  const places = new Map();
  let section;
  let place;
  for (const line of text.split('\n')) {
    // Address, offset and size; then the section, an object in it, or a name in that, ever further to the right.
    const [, indentation, rest] = /^ *\S+ +\S+ +\S+( +)(\S.*)$/.exec(line) ?? [];
    if (indentation?.length === 1) section = rest;
    if (section !== 'CODE') continue;
    if (indentation.length === 9) place = placeOf(rest.replace(/:\(.*/, ''), sources);
    if (indentation.length !== 17) continue;
    const known = places.get(rest);
    places.set(rest, known === undefined || known === place ? place : `${known} or ${place}`);
  }
  return places;
}
