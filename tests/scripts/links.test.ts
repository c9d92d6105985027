// Links of the documents lead somewhere, in a clone and in the package.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { execFileSync } from 'node:child_process';
import { describe, expect, test } from '@jest/globals';
import { projectRoot } from '../support/shared_folder.js';

const inRoot = (path: string) => join(projectRoot, path);

/** Markdown files of the project, paths from its root. */
const documents = ['.', 'docs', 'models', 'examples', 'src', 'scripts/digits-model'].flatMap(
  (folder) =>
    readdirSync(inRoot(folder), { recursive: folder !== '.', encoding: 'utf8' })
      .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
      .map((name) => normalize(join(folder, name))),
);

interface Link {
  readonly from: string;
  readonly to: string;
  readonly anchor: string;
}

/** Text without blocks of code, in which brackets are no links. */
const proseOf = (path: string) =>
  readFileSync(inRoot(path), 'utf8').replaceAll(/^( *)```.*?^\1```$/gms, '');

/** Links of a document to files of the project. */
const linksOf = (from: string): readonly Link[] =>
  [
    ...proseOf(from)
      .replaceAll(/`[^`\n]*`/g, '')
      .matchAll(/\]\(([^()\s]+)\)/g),
  ]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path = '', anchor = ''] = target.split('#');
      return { from, to: path ? normalize(join(dirname(from), path)) : from, anchor };
    });

/** The anchors of a document's headings, as GitHub makes them. */
function anchorsOf(path: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of proseOf(path).matchAll(/^#+ (.+)$/gm)) {
    const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const base = plain.replaceAll(/[^\p{L}\p{N}\p{Pc}\- ]/gu, '').replaceAll(' ', '-');
    let anchor = base;
    for (let i = 1; anchors.has(anchor); ++i) anchor = `${base}-${i}`;
    anchors.add(anchor);
  }
  return anchors;
}

const links = documents.flatMap(linksOf);

describe('relative links', () => {
  test('are found', () => {
    expect(documents).toEqual(expect.arrayContaining(['README.md', 'docs/api.md']));
    expect(links.length).toBeGreaterThan(100);
    expect(links.filter(({ anchor }) => anchor).length).toBeGreaterThan(20);
    expect(anchorsOf('docs/api.md')).toContain('transcribeaudio-options');
  });

  test('lead to files', () => {
    expect(links.filter(({ to }) => !existsSync(inRoot(to)))).toEqual([]);
  });

  test('lead to headings', () => {
    const dead = links.filter(
      ({ to, anchor }) => anchor && existsSync(inRoot(to)) && !anchorsOf(to).has(anchor),
    );
    expect(dead).toEqual([]);
  });

  test('of documents in the package lead to what is in the package', () => {
    const packed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: projectRoot,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [{ files }] = JSON.parse(packed) as [{ files: { path: string }[] }];
    const paths = new Set(files.map(({ path }) => path));
    const isThere = (to: string) =>
      statSync(inRoot(to)).isDirectory()
        ? [...paths].some((path) => path.startsWith(`${to}/`))
        : paths.has(to);
    // CONTRIBUTING.md is read in a clone, which has the documents for developers.
    const isForClones = ({ from, to }: Link) =>
      from === 'CONTRIBUTING.md' && to.startsWith('docs/dev/');
    const dead = links.filter(
      (link) => paths.has(link.from) && !isThere(link.to) && !isForClones(link),
    );
    expect([...paths].filter((path) => path.startsWith('docs/dev/'))).toEqual([]);
    expect(links.filter(({ from }) => paths.has(from)).length).toBeGreaterThan(80);
    expect(dead).toEqual([]);
  });
});
