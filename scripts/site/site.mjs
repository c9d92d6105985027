// npm run docs: the documents and the reference as one static site with search, in build/site/public.
//
// VitePress checks that pages exist; tests/scripts/links.test.ts checks headings. Installs what only the site needs into build/site.
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { generateFacts } from '../generate_facts.mjs';
import { ensurePinned } from '../toolchain/node_modules.mjs';
import { main, root, run } from '../toolchain/steps.mjs';

const folder = join(root, 'build/site');
const pages = join(folder, 'pages');

/** Document → page of the site. README is the first page, and what lies in docs/ lies beside it. */
function pageFiles() {
  const documents = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => [`docs/${name}`, name]);
  const formats = readdirSync(join(root, 'src/container'))
    .map((name) => [`src/container/${name}/FORMAT.md`, `format-${name}.md`])
    .filter(([from]) => existsSync(join(root, from)));
  const others = ['CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'].map((name) => [
    name,
    name.toLowerCase(),
  ]);
  return new Map([['README.md', 'index.md'], ...others, ...formats, ...documents]);
}

/** Links from one document to another, as the pages lie; text alone where the target is no page. */
function withPageLinks(text, from, files) {
  const up = '../'.repeat(files.get(from).split('/').length - 1);
  return text.replaceAll(
    /(!?)\[([^[\]]*)\]\(([^()\s#:]+)(#[^()\s]*)?\)/g,
    (whole, image, label, to, anchor = '') => {
      const target = join(dirname(from), to);
      const page = files.get(target);
      if (page !== undefined) return `[${label}](${up}${page}${anchor})`;
      if (image) {
        mkdirSync(join(pages, 'public'), { recursive: true });
        cpSync(join(root, target), join(pages, 'public', basename(target)));
        return `![${label}](/${basename(target)})`;
      }
      return label;
    },
  );
}

/** Writes every page, and what of README's section Documents the sidebar shows. */
function writePages() {
  rmSync(pages, { recursive: true, force: true });
  const files = pageFiles();
  for (const [from, to] of files) {
    const path = join(pages, to);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, withPageLinks(readFileSync(join(root, from), 'utf8'), from, files));
  }
  const [, list = ''] =
    /^## Documents\n+((?:- .*\n| {2}.*\n)+)/m.exec(readFileSync(join(pages, 'index.md'), 'utf8')) ??
    [];
  const sections = [...list.matchAll(/^- \*\*(.+?)\*\*: ((?:.|\n {2})*)/gm)].map(
    ([, text, entries]) => ({
      text,
      items: [...entries.matchAll(/\[([^\]]+)\]\(([^)]+)\.md\)/g)].map(([, title, page]) => ({
        text: title,
        link: `/${page}`,
      })),
    }),
  );
  writeFileSync(join(folder, 'sections.json'), JSON.stringify(sections));
}

await main(async () => {
  generateFacts();
  await ensurePinned({
    ...{ pinned: join(root, 'scripts/site'), folder },
    note: 'about 100 MB',
    advice: 'Is the npm registry reachable?',
  });
  writePages();
  const typedoc = ['--plugin', join(folder, 'node_modules/typedoc-plugin-markdown/dist/index.js')];
  await run(
    process.execPath,
    [
      join(root, 'node_modules/typedoc/bin/typedoc'),
      ...typedoc,
      '--entryFileName',
      'index.md',
      '--out',
      join(pages, 'reference'),
    ],
    {
      what: 'the reference (typedoc)',
    },
  );
  mkdirSync(join(folder, '.vitepress'), { recursive: true });
  cpSync(join(root, 'scripts/site/config.mjs'), join(folder, '.vitepress/config.mjs'));
  await run(
    process.execPath,
    [join(folder, 'node_modules/vitepress/bin/vitepress.js'), 'build', folder],
    {
      what: 'the site (VitePress)',
    },
  );
  console.log(`The site is in ${join(folder, 'public')}.`);
});
