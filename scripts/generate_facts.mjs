// Makes of the tables in scripts/facts what C++ and TypeScript include, and the tables of options in docs/api.md:
//
//   node scripts/generate_facts.mjs
//
// The build, lint and jest call it first. Only files whose contents change are written, so that nothing is built again
// needlessly.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cppFiles } from './facts/cpp.mjs';
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

const documentPath = 'docs/api.md';
const renews = 'npm run format renews them. -->';
/** What stands between which marks. */
const tables = [
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
];

function withTable(document, { begin, end, text }) {
  const [before, rest] = document.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`${documentPath} has lost the marks of its options`);
  return `${before}${begin}\n\n${text()}\n\n${end}${after}`;
}

/**
 * docs/api.md's text with the options as the tables have them.
 * @type {(text: string) => Promise<string>}
 */
export async function withOptionTables(text) {
  const prettier = await import('prettier');
  const config = await prettier.resolveConfig(join(root, documentPath));
  return prettier.format(tables.reduce(withTable, text), { ...config, parser: 'markdown' });
}

/**
 * Whether docs/api.md says what the table says; with `fix` it then does.
 * @type {(options?: { readonly fix?: boolean }) => Promise<boolean>}
 */
export async function checkDocument({ fix = false } = {}) {
  const path = join(root, documentPath);
  const text = readFileSync(path, 'utf8');
  const wanted = await withOptionTables(text);
  if (text === wanted) return true;
  if (fix) writeFileSync(path, wanted);
  return fix;
}

if (isProgram(import.meta)) generateFacts();
