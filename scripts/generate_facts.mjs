// Makes of the tables in scripts/facts what C++ and TypeScript include, and tables of docs/api.md and docs/errors.md:
//
//   node scripts/generate_facts.mjs
//
// The build, lint and jest call it first. Only files whose contents change are written, so that nothing is built again
// needlessly.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cppFiles } from './facts/cpp.mjs';
import { errorTable } from './facts/error_texts.mjs';
import { beamTable, markdownTables } from './facts/option_texts.mjs';
import { typescriptFiles } from './facts/typescript.mjs';
import { isProgram, root } from './toolchain/steps.mjs';

const madeFolders = { 'build/generated': cppFiles, 'web/src/api/generated': typescriptFiles };

/**
 * Path from the root → contents of every file that is made.
 * @type {() => Readonly<Record<string, string>>}
 */
export const factFiles = () =>
  Object.fromEntries(
    Object.entries(madeFolders).flatMap(([folder, files]) =>
      Object.entries(files()).map(([path, text]) => [`${folder}/${path}`, text]),
    ),
  );

/** @type {() => void} */
export function generateFacts() {
  const files = factFiles();
  for (const [path, text] of Object.entries(files)) {
    const to = join(root, path);
    if (existsSync(to) && readFileSync(to, 'utf8') === text) continue;
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, text);
  }
  // What is no longer made must not be included.
  for (const folder of new Set(Object.keys(files).map((path) => dirname(path)))) {
    for (const name of readdirSync(join(root, folder))) {
      if (!(`${folder}/${name}` in files)) rmSync(join(root, folder, name));
    }
  }
}

const renews = 'npm run format renews them. -->';
/**
 * What stands between which marks of each document.
 * @type {Readonly<Record<string, readonly { begin: string; end: string; text: () => string }[]>>}
 */
const documents = {
  'docs/api.md': [
    {
      begin: `<!-- Options, from scripts/facts/options.json: ${renews}`,
      end: '<!-- End of the options. -->',
      text: markdownTables,
    },
    {
      begin: `<!-- Options, from scripts/facts/beam_options.json: ${renews}`,
      end: '<!-- End of the beam options. -->',
      text: beamTable,
    },
  ],
  'docs/errors.md': [
    {
      begin: '<!-- error codes -->',
      end: '<!-- /error codes -->',
      text: errorTable,
    },
  ],
};

function withTable(document, { begin, end, text }) {
  const [before, rest] = document.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`A document has lost the mark ${begin}`);
  return `${before}${begin}\n\n${text()}\n\n${end}${after}`;
}

/**
 * A document's text with the tables that the facts make.
 * @type {(path: string, text: string) => Promise<string>}
 */
export async function withTables(path, text) {
  const prettier = await import('prettier');
  const config = await prettier.resolveConfig(join(root, path));
  return prettier.format(documents[path].reduce(withTable, text), {
    ...config,
    parser: 'markdown',
  });
}

/**
 * Whether the documents say what the tables say; with `fix` they then do.
 * @type {(options?: { readonly fix?: boolean }) => Promise<boolean>}
 */
export async function checkDocuments({ fix = false } = {}) {
  let isRight = true;
  for (const path of Object.keys(documents)) {
    const at = join(root, path);
    const text = readFileSync(at, 'utf8');
    const wanted = await withTables(path, text);
    if (text === wanted) continue;
    if (fix) writeFileSync(at, wanted);
    else isRight = false;
  }
  return isRight;
}

if (isProgram(import.meta)) generateFacts();
