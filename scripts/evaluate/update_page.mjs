// Tables of docs/accuracy.md, each between <!-- NAME --> and <!-- /NAME -->.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { root, StepError } from '../toolchain/steps.mjs';

const page = join(root, 'docs/accuracy.md');

/**
 * Puts tables, Markdown by name, into the page.
 * @type {(tables: Readonly<Record<string, string>>) => Promise<void>}
 */
export async function updatePage(tables) {
  let text = readFileSync(page, 'utf8');
  for (const [name, table] of Object.entries(tables)) {
    const marks = new RegExp(`<!-- ${name} -->[\\s\\S]*?<!-- /${name} -->`);
    if (!marks.test(text)) throw new StepError(`${page} has no place for ${name}.`);
    text = text.replace(marks, () => `<!-- ${name} -->\n\n${table}\n\n<!-- /${name} -->`);
  }
  const options = { ...(await resolveConfig(page)), filepath: page };
  writeFileSync(page, await format(text, options));
}
