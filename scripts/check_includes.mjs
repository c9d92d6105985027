// What the builds of npm test do not notice, since they compile many files as one: a missing #include, and names that two files
// of test cases would share. Names every type and function that a file of src/ or tests/cpp/ uses although neither it nor a header
// that it reaches has the header.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow } from './check_layers.mjs';
import { isProgram, main, root, StepError } from './toolchain/steps.mjs';

/** Where an #include "…" is looked for. */
const folders = ['src/', 'tests/cpp/'];

/** C++ without comments and the contents of strings. */
const bare = (text) =>
  text
    .replace(/R"\([^]*?\)"/g, '""')
    .replace(/\/\/.*|\/\*[^]*?\*\//g, ' ')
    .replace(/"(?:[^"\\\n]|\\.)*"/g, '""');

/** What a header declares outside of any class, at the beginning of a line; a forward declaration does not count. */
const declaration =
  /^(?:enum )?(?:class|struct) (?:alignas\(\w+\) )?(\w+)(?: final)?(?: : [^;{]*)? \{|^using (\w+) =|^(?!using|struct|class)(?:[\w:<>*&,]+ )+(\w+)\(/gm;

/** Every name that is used without its header, as `file: text`; `sources` are texts by path. */
export function findMissingIncludes(sources = allSources()) {
  const files = new Map();
  const headersOf = new Map();
  for (const [path, source] of Object.entries(sources)) {
    const text = bare(source);
    const includes = [...source.matchAll(/^#include "([^"]+)"/gm)].map(([, header]) =>
      folders.map((folder) => folder + header).find((one) => one in sources),
    );
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
      if (!header || seen.has(header)) continue;
      seen.add(header);
      reach(header, seen);
    }
    return seen;
  };
  const missing = [];
  for (const [path, { text, words }] of files) {
    const reached = [...reach(path, new Set([path]))];
    for (const name of words) {
      // The core cannot mean what the tests have.
      const [header, ...others] = [...(headersOf.get(name) ?? [])].filter(
        (one) => one.startsWith('src/') || !path.startsWith('src/'),
      );
      if (!header || others.length > 0 || reached.includes(header)) continue;
      // A name of a class that it knows, or of its own: declared, or a function's name for what a type stands before.
      if (reached.some((one) => one !== path && files.get(one).words.has(name))) continue;
      const own = /^[A-Z]/.test(name)
        ? `\\b(?:class|struct|using|typename) ${name}\\b`
        : `(?<=[\\w>*&])(?<!\\breturn) ${name}\\b|\\b${name}(?:[,;)]|:[^:])`;
      if (new RegExp(own).test(text)) continue;
      const written = header.slice(folders.find((folder) => header.startsWith(folder)).length);
      missing.push(`${path}: ${name} is used without "${written}"`);
    }
  }
  return missing;
}

/** Every file of test cases outside of a namespace with its name, where others' names could become its own unnoticed. */
export function findSharedNamespaces(sources = allSources()) {
  return Object.entries(sources).flatMap(([path, source]) => {
    const file = /^tests\/cpp\/(?:.*\/)?(\w+_test)\.cc$/.exec(path)?.[1];
    const namespaces = [...source.matchAll(/^namespace (\w\S*) \{$/gm)].map(([, name]) => name);
    const own = `susurrus::testing::${file}`;
    return !file || (namespaces.length > 0 && namespaces.every((name) => name === own))
      ? []
      : [`${path}: its cases belong into namespace ${own}`];
  });
}

function allSources() {
  const paths = folders.flatMap((folder) => filesBelow(folder.slice(0, -1), /\.(h|cc)$/));
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}

if (isProgram(import.meta)) {
  await main(() => {
    const missing = [...findMissingIncludes(), ...findSharedNamespaces()];
    if (missing.length > 0) throw new StepError(missing.join('\n'));
  });
}
