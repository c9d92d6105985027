// Tables of documents, each between <!-- NAME --> and <!-- /NAME -->. docs/dev/accuracy.md has those of the evaluation; the page for
// users repeats some.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { root, StepError } from '../toolchain/steps.mjs';

export const developersPage = 'docs/dev/accuracy.md';
export const usersPage = 'docs/accuracy.md';

const marksOf = (name) => new RegExp(`<!-- ${name} -->[\\s\\S]*?<!-- /${name} -->`);

/**
 * The page with these tables, Markdown by name, in it.
 * @type {(tables: Readonly<Record<string, string>>, path?: string) => Promise<string>}
 */
export async function pageWith(tables, path = developersPage) {
  const page = join(root, path);
  let text = readFileSync(page, 'utf8');
  for (const [name, table] of Object.entries(tables)) {
    const marks = marksOf(name);
    if (!marks.test(text)) throw new StepError(`${page} has no place for ${name}.`);
    text = text.replace(marks, () => `<!-- ${name} -->\n\n${table}\n\n<!-- /${name} -->`);
  }
  const options = { ...(await resolveConfig(page)), filepath: page };
  return format(text, options);
}

/**
 * Those of the tables that the page for users repeats.
 * @type {(tables: Readonly<Record<string, string>>) => Readonly<Record<string, string>>}
 */
export function repeatedTables(tables) {
  const text = readFileSync(join(root, usersPage), 'utf8');
  return Object.fromEntries(Object.entries(tables).filter(([name]) => marksOf(name).test(text)));
}

/**
 * Puts the tables into the page, and those of the evaluation into the page for users where it repeats them.
 * @type {(tables: Readonly<Record<string, string>>, path?: string) => Promise<void>}
 */
export async function updatePage(tables, path = developersPage) {
  writeFileSync(join(root, path), await pageWith(tables, path));
  if (path !== developersPage) return;
  writeFileSync(join(root, usersPage), await pageWith(repeatedTables(tables), usersPage));
}
