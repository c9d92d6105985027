// The examples of README.md, of the API's pages and of docstrings are programs that TypeScript accepts, and functions say what they throw.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import ts from 'typescript';
import { projectRoot } from '../support/shared_folder.js';

const pages = readdirSync(join(projectRoot, 'docs')).filter((name) => /^api.*\.md$/.test(name));
const documents = ['README.md', ...pages.map((name) => `docs/${name}`)];
/** What an example may use that its reader has. */
const given: Readonly<Record<string, string>> = { 'README.md': 'declare const file: File; ' };

interface Example {
  /** Path of a file that only TypeScript sees, in a place where `susurrus` resolves to this package. */
  readonly path: string;
  readonly document: string;
  /** With as many lines before it as in the document. */
  readonly text: string;
}

/** JavaScript counts as TypeScript here: its types must be clear without annotations. */
function examplesOf(document: string): readonly Example[] {
  const text = readFileSync(join(projectRoot, document), 'utf8');
  return [...text.matchAll(/^```(?:js|ts)\n(.*?)^```$/gms)].map(({ 1: code = '', index }, i) => ({
    path: join(projectRoot, `${document.replaceAll(/\W/g, '_')}_${i}.ts`),
    document,
    text: '\n'.repeat(text.slice(0, index).split('\n').length) + (given[document] ?? '') + code,
  }));
}

const examples = documents.flatMap(examplesOf);

/** The entries of the package that declare functions. */
const entries = ['index', 'node', 'files', 'node_files', 'graph', 'node_graph', 'vad', 'node_vad'];

interface Docstring {
  readonly entry: string;
  readonly name: string;
  readonly comment: string;
  readonly line: number;
}

/** Functions that an entry exports, each with the comment before its first declaration. */
function docstringsOf(entry: string): readonly Docstring[] {
  const text = readFileSync(join(projectRoot, `web/src/${entry}.ts`), 'utf8');
  const declared = /(?:^(\/\*\*(?:(?!\*\/).)*\*\/)\n)?^export (?:async )?function (\w+)/gms;
  const seen = new Set<string>();
  return [...text.matchAll(declared)].flatMap(({ 1: comment = '', 2: name = '', index }) => {
    if (seen.has(name)) return [];
    seen.add(name);
    return [{ entry, name, comment, line: text.slice(0, index).split('\n').length }];
  });
}

const docstrings = entries.flatMap(docstringsOf);

/** An example may use all that its entry exports, and what a page or a program has. */
function examplesIn({ entry, name, comment, line }: Docstring): readonly Example[] {
  const [before = '', code] = comment.split(/^ \* ```js\n/m);
  if (code === undefined) return [];
  const names = docstrings.filter((one) => one.entry === entry).map((one) => one.name);
  const others = entry.endsWith('files') ? ['generateSigningKey'] : [];
  const from = join(projectRoot, `dist/types/src/${entry}.js`);
  const given =
    `import { ${[...names, ...others].join(', ')} } from '${from}'; ` +
    'declare const file: File; declare const writable: WritableStream<Uint8Array>; ' +
    'declare const input: { files: FileList }; {';
  const body = code.replace(/^ \* ```[^]*/m, '').replaceAll(/^ \* ?/gm, '');
  return [
    {
      path: join(projectRoot, `docstring_${entry}_${name}.ts`),
      document: `web/src/${entry}.ts`,
      text: '\n'.repeat(line + before.split('\n').length - 1) + given + body + '}',
    },
  ];
}

const options: ts.CompilerOptions = {
  ...{ strict: true, exactOptionalPropertyTypes: true, noEmit: true, types: [] },
  ...{ target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  lib: ['es2023', 'esnext.disposable', 'dom', 'dom.iterable', 'dom.asynciterable'].map(
    (name) => `lib.${name}.d.ts`,
  ),
};

const host = ts.createCompilerHost(options);
let last: ts.Program | undefined;

/** What TypeScript says of the examples: document, line, message. */
function problemsOf(checked: readonly Example[]): readonly string[] {
  const texts = new Map(checked.map(({ path, text }) => [path, text]));
  const program = ts.createProgram(
    [...texts.keys()],
    options,
    {
      ...host,
      fileExists: (path) => texts.has(path) || host.fileExists(path),
      readFile: (path) => texts.get(path) ?? host.readFile(path),
      getSourceFile: (path, target) => {
        const text = texts.get(path);
        return text === undefined
          ? (last?.getSourceFile(path) ?? host.getSourceFile(path, target))
          : ts.createSourceFile(path, text, target);
      },
    },
    last,
  );
  last = program;
  return checked.flatMap(({ path, document }) => {
    const file = program.getSourceFile(path)!;
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(
      ({ start = 0, messageText }) => {
        const { line } = file.getLineAndCharacterOfPosition(start);
        return `${document}:${line + 1} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
      },
    );
  });
}

test('every page has examples, and TypeScript accepts them', () => {
  expect([...new Set(examples.map(({ document }) => document))]).toEqual(documents);
  expect(problemsOf(examples)).toEqual([]);
});

test('every exported function says what it throws, and most show how they are called', () => {
  expect(docstrings.length).toBeGreaterThan(20);
  const silent = docstrings.filter(({ comment }) => !comment.includes('@throws'));
  expect(silent.map(({ entry, name }) => `${entry}: ${name}`)).toEqual([]);
  const shown = docstrings.filter(({ comment }) => comment.includes('@example'));
  const rest = docstrings.filter((one) => !shown.includes(one)).map(({ name }) => name);
  // Their results are files, which the documents describe.
  const allowed = ['addPieceDigests', 'soundRanges', 'unshardModel', 'writeModel'];
  expect(rest.filter((name) => !allowed.includes(name))).toEqual([]);
  expect(problemsOf(shown.flatMap(examplesIn))).toEqual([]);
});

test('an option that does not exist is found, with its line', () => {
  const [example] = examplesOf('README.md');
  const wrong = { ...example!, text: example!.text.replace("('base')", "('base', { speed: 2 })") };
  const line = wrong.text.split('\n').findIndex((one) => one.includes('speed')) + 1;
  expect(problemsOf([wrong])).toEqual([expect.stringMatching(`^README\\.md:${line} .*'speed'`)]);
});
