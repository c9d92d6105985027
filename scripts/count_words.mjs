// Words that users have to read: README.md and docs/*.md, without code blocks and generated tables.
//
//   node scripts/count_words.mjs     each document beside its budget; lint fails where one is exceeded
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isProgram, main, readArguments, root } from './toolchain/steps.mjs';

/** Words allowed, by document; `*` stands for the rest of a name. Documents that match no line share the last. */
const budgets = [
  ['README.md', 900],
  ['docs/api*.md', 6000],
  ['docs/performance.md', 1500],
  ['docs/accuracy.md', 1500],
  ['docs/formats.md', 2000],
  ['docs/graphs.md', 500],
  ['docs/models.md', 1300],
  ['docs/cookbook.md', 1750],
  ['docs/bundlers.md', 900],
  ['docs/command-line.md', 800],
  ['docs/sealed-models.md', 1200],
  ['other documents', 6000],
];

const codeBlocks = /^( *)(```+|~~~+).*\n[\s\S]*?^\1\2 *$/gm;
/** Tables between <!-- NAME --> and <!-- /NAME -->; the tables of options in docs/api.md have other marks. */
const generated =
  /^<!-- ([\w -]+) -->\n[\s\S]*?^<!-- \/\1 -->$|^<!-- Options, from [\s\S]*?^<!-- End of [\s\S]*?-->$/gm;

/**
 * Words of a Markdown text: what stands between spaces and has a letter or digit. A link counts by its text.
 * @type {(markdown: string) => number}
 */
export function countWords(markdown) {
  const text = markdown
    .replaceAll(codeBlocks, '')
    .replaceAll(generated, '')
    .replaceAll(/<!--[\s\S]*?-->/g, '')
    .replaceAll(/\]\([^)\s]*\)/g, ']');
  return text.split(/\s+/).filter((part) => /[\p{L}\p{N}]/u.test(part)).length;
}

const isNamed = (pattern, path) => {
  const [start, end] = pattern.split('*');
  return end === undefined ? path === start : path.startsWith(start) && path.endsWith(end);
};

/**
 * The documents of each budget, with their words; budgets without documents are left out.
 * @type {(texts: Readonly<Record<string, string>>) => { name: string; budget: number; words: number; documents: { path: string; words: number }[] }[]}
 */
export function budgetedWords(texts) {
  const names = budgets.map(([name]) => name);
  const nameOf = (path) => names.find((name) => isNamed(name, path)) ?? names.at(-1);
  const documents = Object.entries(texts).map(([path, text]) => ({
    ...{ path, words: countWords(text) },
  }));
  return budgets
    .map(([name, budget]) => {
      const own = documents.filter(({ path }) => nameOf(path) === name);
      return {
        name,
        budget,
        words: own.reduce((sum, { words }) => sum + words, 0),
        documents: own,
      };
    })
    .filter(({ documents }) => documents.length > 0);
}

/** Documents for users, by path. Those below docs/dev are for developers. */
function documentTexts() {
  const pages = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
  const paths = ['README.md', ...pages.map((name) => `docs/${name}`).sort()];
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}

/**
 * A line for each budget that is exceeded.
 * @type {() => string[]}
 */
export function exceededBudgets() {
  return budgetedWords(documentTexts())
    .filter(({ words, budget }) => words > budget)
    .map(({ name, words, budget }) => `${name}: ${words} words, ${budget} allowed`);
}

function print() {
  const groups = budgetedWords(documentTexts());
  const line = (name, words, budget = '') =>
    console.log(`${name.padEnd(26)}${String(words).padStart(7)}${String(budget).padStart(8)}`);
  line('document', 'words', 'allowed');
  for (const { name, words, budget, documents } of groups) {
    line(name, words, budget);
    if (documents.length > 1) for (const one of documents) line(`  ${one.path}`, one.words);
  }
  line(
    'all',
    groups.reduce((sum, { words }) => sum + words, 0),
  );
}

if (isProgram(import.meta)) {
  await main(async () => {
    readArguments({ options: {} });
    print();
  });
}
