// Guards #include lines: the builds that npm test makes compile the core a dozen files at a time, and do not notice a missing
// one. Names every type and function that a file of src/ uses although neither it nor a header that it reaches has the header.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow } from './check_layers.mjs';
import { isProgram, main, root, StepError } from './toolchain/steps.mjs';

/** C++ without comments and the contents of strings. */
const bare = (text) =>
  text.replace(/\/\/.*|\/\*[^]*?\*\//g, ' ').replace(/"(?:[^"\\\n]|\\.)*"/g, '""');

/** What a header declares outside of any class, at the beginning of a line; a forward declaration does not count. */
const declaration =
  /^(?:enum )?(?:class|struct) (?:alignas\(\w+\) )?(\w+)(?: final)?(?: : [^;{]*)? \{|^using (\w+) =|^(?!using|struct|class)(?:[\w:<>*&,]+ )+(\w+)\(/gm;

/** Every name that is used without its header, as `file: text`; `sources` are texts by path below src/. */
export function findMissingIncludes(sources = coreSources()) {
  const files = new Map();
  const headersOf = new Map();
  for (const [path, source] of Object.entries(sources)) {
    const text = bare(source);
    const includes = [...source.matchAll(/^#include "([^"]+)"/gm)].map(([, header]) => header);
    const words = [...text.matchAll(/(?<![.>:\w])\w+/g)].map(([word]) => word);
    files.set(path, { includes, text, words: new Set(words) });
    if (!path.endsWith('.h')) continue;
    for (const [, ...names] of text.matchAll(declaration)) {
      const name = names.find(Boolean);
      headersOf.set(name, new Set(headersOf.get(name)).add(path));
    }
  }
  const reach = (path, seen) => {
    for (const header of files.get(path)?.includes ?? []) {
      if (seen.has(header)) continue;
      seen.add(header);
      reach(header, seen);
    }
    return seen;
  };
  const missing = [];
  for (const [path, { text, words }] of files) {
    const reached = [...reach(path, new Set([path]))].filter((header) => files.has(header));
    for (const name of words) {
      const headers = headersOf.get(name);
      if (headers?.size !== 1 || reached.includes([...headers][0])) continue;
      // A name of a class that it knows, or of its own: declared, or a function's name for what a type stands before.
      if (reached.some((header) => header !== path && files.get(header).words.has(name))) continue;
      const own = /^[A-Z]/.test(name)
        ? `\\b(?:class|struct|using|typename) ${name}\\b`
        : `(?<=[\\w>*&])(?<!\\breturn) ${name}\\b|\\b${name}(?:[,;)]|:[^:])`;
      if (new RegExp(own).test(text)) continue;
      missing.push(`src/${path}: ${name} is used without "${[...headers][0]}"`);
    }
  }
  return missing;
}

function coreSources() {
  const paths = filesBelow('src', /\.(h|cc)$/);
  return Object.fromEntries(
    paths.map((path) => [path.slice('src/'.length), readFileSync(join(root, path), 'utf8')]),
  );
}

if (isProgram(import.meta)) {
  await main(() => {
    const missing = findMissingIncludes();
    if (missing.length > 0) throw new StepError(missing.join('\n'));
  });
}
