// Tables of documents, of docs/accuracy.md unless another is named, each between <!-- NAME --> and <!-- /NAME -->.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { root, StepError } from '../toolchain/steps.mjs';

/**
 * The page with these tables, Markdown by name, in it.
 * @type {(tables: Readonly<Record<string, string>>, path?: string) => Promise<string>}
 */
export async function pageWith(tables, path = 'docs/accuracy.md') {
  const page = join(root, path);
  let text = readFileSync(page, 'utf8');
  for (const [name, table] of Object.entries(tables)) {
    const marks = new RegExp(`<!-- ${name} -->[\\s\\S]*?<!-- /${name} -->`);
    if (!marks.test(text)) throw new StepError(`${page} has no place for ${name}.`);
    text = text.replace(marks, () => `<!-- ${name} -->\n\n${table}\n\n<!-- /${name} -->`);
  }
  const options = { ...(await resolveConfig(page)), filepath: page };
  return format(text, options);
}

/**
 * Puts the tables into the page.
 * @type {(tables: Readonly<Record<string, string>>, path?: string) => Promise<void>}
 */
export async function updatePage(tables, path = 'docs/accuracy.md') {
  writeFileSync(join(root, path), await pageWith(tables, path));
}
