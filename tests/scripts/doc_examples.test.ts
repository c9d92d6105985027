// The examples of README.md, of the API's pages and of docstrings are programs that TypeScript accepts, and functions say what they throw.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import ts from 'typescript';
import { errorNumbers } from '../../web/src/api/generated/errors.js';
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

const options: ts.CompilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  types: [],
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  lib: ['es2023', 'esnext.disposable', 'dom', 'dom.iterable', 'dom.asynciterable'].map(
    (name) => `lib.${name}.d.ts`,
  ),
};

const host = ts.createCompilerHost(options);
let last: ts.Program | undefined;

/** Files that exist only here come from `texts`; what the last program has parsed is used again. */
function programOf(roots: readonly string[], texts: ReadonlyMap<string, string>): ts.Program {
  last = ts.createProgram(
    roots,
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
  return last;
}

/** The errors that TypeScript reports for the examples: document, line, message. */
function problemsOf(checked: readonly Example[]): readonly string[] {
  const texts = new Map(checked.map(({ path, text }) => [path, text]));
  const program = programOf([...texts.keys()], texts);
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

const typesOf = (entry: string): string => join(projectRoot, `dist/types/${entry}.d.ts`);
const importOf = (entry: string): string => typesOf(entry).replace('.d.ts', '.js');
const pageEntries = ['live', 'captions', 'react', 'testing'].map((name) => `page/${name}`);
const entries = ['index', 'files', 'graph', 'speakers', 'vad', 'cache']
  .flatMap((name) => [`src/${name}`, `src/node${name === 'index' ? '' : `_${name}`}`])
  .concat('src/in_thread', pageEntries);

/** An export of an entry, or a member of a class or interface that it exports, with its comment as editors show it. */
interface Documented {
  readonly entry: string;
  /** `loadModel`, `WhisperModel.decode`. */
  readonly name: string;
  readonly isCallable: boolean;
  readonly throws: string | undefined;
  readonly example: string | undefined;
  /** What an example in its comment may import. */
  readonly values: readonly string[];
}

function documentedIn(program: ts.Program): readonly Documented[] {
  const checker = program.getTypeChecker();
  const seen = new Set<ts.Symbol>();
  return entries.flatMap((entry) => {
    const file = program.getSourceFile(typesOf(entry))!;
    const exported = checker
      .getExportsOfModule(checker.getSymbolAtLocation(file)!)
      .map((symbol) =>
        symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol,
      );
    const values = exported
      .filter(({ flags }) => flags & ts.SymbolFlags.Value)
      .map(({ name }) => name);
    const documented = (symbol: ts.Symbol, name: string): readonly Documented[] => {
      if (seen.has(symbol)) return [];
      seen.add(symbol);
      const tags = symbol.getJsDocTags(checker);
      const text = (wanted: string): string | undefined => {
        const tag = tags.find((one) => one.name === wanted);
        return tag && ts.displayPartsToString(tag.text);
      };
      const isCallable = checker.getTypeOfSymbol(symbol).getCallSignatures().length > 0;
      return [
        { entry, name, isCallable, throws: text('throws'), example: text('example'), values },
      ];
    };
    return exported.flatMap((symbol) => {
      // Members whose names are symbols, such as Symbol.dispose, call others.
      const members = [...(symbol.members?.values() ?? [])].filter(
        ({ name }) => !name.startsWith('__'),
      );
      return [
        ...documented(symbol, symbol.name),
        ...members.flatMap((member) => documented(member, `${symbol.name}.${member.name}`)),
      ];
    });
  });
}

const everything = documentedIn(programOf(entries.map(typesOf), new Map()));
const callables = everything.filter(({ isCallable }) => isCallable);

/** What the examples of methods have: the object that has the method, and what is passed to it. */
const receivers = Object.entries({
  model: ['src/index', 'WhisperModel'],
  live: ['src/index', 'LiveTranscription'],
  modelFile: ['src/files', 'ModelFile'],
  module: ['src/graph', 'GraphModule'],
  detector: ['src/vad', 'SpeechDetector'],
  finder: ['src/speakers', 'SpeakerFinder'],
}).map(
  ([name, [entry = '', type]]) => `declare const ${name}: import('${importOf(entry)}').${type}; `,
);

function examplesIn({ entry, name, example, values }: Documented): readonly Example[] {
  const code = /```js\n(.*?)```/s.exec(example ?? '')?.[1];
  if (code === undefined) return [];
  const given =
    `import { ${values.join(', ')} } from '${importOf(entry)}'; ${receivers.join('')}` +
    'declare const file: File; declare const samples: Float32Array; declare const video: HTMLVideoElement; ' +
    'declare const writable: WritableStream<Uint8Array>; declare const input: { files: FileList }; {\n';
  const path = join(projectRoot, `docstring_${entry.replace('/', '_')}_${name}.ts`);
  return [{ path, document: `${entry} ${name}`, text: `${given}${code}}` }];
}

test('every page has examples, and TypeScript accepts them', () => {
  expect([...new Set(examples.map(({ document }) => document))]).toEqual(documents);
  expect(problemsOf(examples)).toEqual([]);
});

/** Callables that neither throw nor reject, and methods that a caller's own objects have. */
const cannotFail = new Set([
  'AttachedTextTrack.remove',
  'AudioBufferLike.getChannelData',
  'CaptionsElement.start',
  'CaptionsElement.stop',
  'CommonModel.dispose',
  'FileListLike.item',
  'GraphModule.dispose',
  'Listening.close',
  'Listening.resume',
  'LiveCaptions.close',
  'LiveCaptions.remove',
  'LiveCaptions.resume',
  'MediaStreamLike.getAudioTracks',
  'ModelFile.close',
  'SpeakerFinder.dispose',
  'SpeechDetector.dispose',
  'StreamingModel.stream',
  'TranscriberStore.close',
  'TranscriberStore.hold',
  'TranscriberStore.load',
  'TranscriberStore.pause',
  'TranscriberStore.resume',
  'TranscriberStore.state',
  'TranscriberStore.stop',
  'TranscriberStore.subscribe',
  'TranscriberStore.transcribe',
  'Transcription.pause',
  'Transcription.resume',
  'Transcription.save',
  'cacheSpace',
  'installFakeMicrophone',
  'paced',
  'persist',
  'tabAudio',
]);

const isCode = (word: string): boolean => Object.hasOwn(errorNumbers, word);
const quoted = (text: string): readonly string[] =>
  [...text.matchAll(/`([a-z_]+)`/g)].map(({ 1: word = '' }) => word);

test('every exported function and method says with which codes it throws or rejects', () => {
  expect(callables.length).toBeGreaterThan(80);
  const faulty = callables.filter(({ name, throws }) =>
    cannotFail.has(name)
      ? throws !== undefined
      : !quoted(throws ?? '').some(isCode) && !/\bas \w+\(\)|DOMException/.test(throws ?? ''),
  );
  expect(faulty.map(({ entry, name }) => `${entry} ${name}`)).toEqual([]);
  const names = new Set(callables.map(({ name }) => name));
  expect([...cannotFail].filter((name) => !names.has(name))).toEqual([]);
});

test('what looks like a code in @throws is one', () => {
  const words = callables.flatMap(({ throws = '' }) => quoted(throws));
  expect(words.filter((word) => word.includes('_') && !isCode(word))).toEqual([]);
});

test('the main calls show how they are called, and TypeScript accepts it', () => {
  const shown = everything.filter(({ example }) => example !== undefined);
  const names = new Set(shown.map(({ name }) => name));
  const functions = callables.filter(({ name }) => !name.includes('.'));
  // Their results are files, which the documents describe, or there is nothing to show.
  const plain = ['addPieceDigests', 'soundRanges', 'unshardModel', 'writeModel'];
  const main = functions.map(({ name }) => name).filter((name) => !plain.includes(name));
  const methods = ['transcribe', 'stream', 'decode', 'detectLanguage', 'score', 'align', 'logits'];
  main.push(...methods.map((name) => `WhisperModel.${name}`));
  main.push('LiveTranscription.feed', 'ModelFile.tensor', 'GraphModule.run');
  main.push('SpeechDetector.detect', 'SpeechDetector.events');
  expect(main.filter((name) => !names.has(name))).toEqual([]);
  expect(problemsOf(shown.flatMap(examplesIn))).toEqual([]);
});

test('an option that does not exist is found, with its line', () => {
  const [example] = examplesOf('README.md');
  const wrong = { ...example!, text: example!.text.replace("('base')", "('base', { speed: 2 })") };
  const line = wrong.text.split('\n').findIndex((one) => one.includes('speed')) + 1;
  expect(problemsOf([wrong])).toEqual([expect.stringMatching(`^README\\.md:${line} .*'speed'`)]);
});
