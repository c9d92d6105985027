import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { limit } from '../support/limits.js';
import { installPacked } from '../support/packed_package.js';
import type { EmptyProject } from '../support/packed_package.js';
import { projectRoot } from '../support/shared_folder.js';

jest.setTimeout(limit(120_000));

const sample = join(projectRoot, 'web/demo/sample.wav');
const sampleText = 'three one four one five nine two six five';

/** A page's code and a program's code: everything public is used with its type. */
const typedProgram = `
import { format, loadModel, SusurrusError } from 'susurrus';
import { deleteModel, downloadModel, listModels, type KeptModel } from 'susurrus/cache';
import { defineCaptions, type CaptionsElement } from 'susurrus/captions';
import { extract, openModelFile, type ExtractedPart, type ModelFile } from 'susurrus/files';
import { openModule, type GraphModule } from 'susurrus/graph';
import { attachLiveCaptions, listen, microphone, type Listening } from 'susurrus/live';
import type { ErrorCode, FormatOptions, Model, Segment, Transcript, Variant } from 'susurrus';

export async function use(file: Blob, signal: AbortSignal): Promise<string> {
  const model: Model = await loadModel(file, {
    signal,
    variant: 'simd' satisfies Variant,
    onProgress: ({ loaded, total }) => void (loaded / (total ?? 1)),
  });
  for await (const segment of model.transcribe(file, { language: 'auto', timestamps: 'segment' })) {
    const { start, end, text, tokens }: Segment = segment;
    void [start.toFixed(), end.toFixed(), text.trim(), tokens.length];
  }
  const result: Transcript = await model.transcribe(new Float32Array(16000));
  // @ts-expect-error There is no such option.
  void model.transcribe(file, { beams: 5 });
  // @ts-expect-error Only a Whisper has it: the family decides.
  void model.detectLanguage(file);
  if (model.family === 'whisper') void model.detectLanguage(file);
  model.dispose();
  void (await loadModel('base')).detectLanguage(file);
  void (await loadModel(file, { family: 'acoustic' })).transcribe(file, { lmWeight: 2 });
  // @ts-expect-error A Whisper has no language model.
  void (await loadModel('base:f16')).transcribe(file, { lmWeight: 2 });
  void loadModel('openai/whisper-base', { dtype: 'q8_0', revision: 'main', cache: 'only' });
  const [kept]: readonly KeptModel[] = await listModels();
  if (kept?.complete) void deleteModel(kept);
  void downloadModel('base', { dtype: 'q8_0' }).then(({ alreadyKept }) => alreadyKept);
  const options: FormatOptions = { maxLineWidth: 42 };
  return format(result, 'srt', options) + format({ segments: [] }, 'verbose_json');
}

export async function caption(model: Model, video: HTMLVideoElement): Promise<string> {
  const { track } = attachLiveCaptions(video, model, { language: 'en', maxLineCount: 1 });
  const listening: Listening = listen(model, microphone({ followDevice: true }), {
    onState: ({ state, reason }) => void (state === 'suspended' && reason === 'needs-click'),
    maxLag: 20,
  });
  // @ts-expect-error The source knows its rate.
  listen(model, microphone(), { sampleRate: 8000 });
  for await (const event of listening) if (event.type === 'final') return event.text + track.label;
  return '';
}

export async function button(model: Model): Promise<HTMLMediaElement | null> {
  defineCaptions();
  const element: CaptionsElement = document.createElement('susurrus-captions');
  element.model = model;
  await element.start();
  return document.querySelector('susurrus-captions')?.media ?? null;
}

export async function write(file: Blob, sink: WritableStream<Uint8Array>): Promise<GraphModule> {
  const opened: ModelFile = await openModelFile(file);
  const what: ExtractedPart = 'network:encoder';
  const { byteCount } = await extract(file, opened.networks ? what : 'vocabulary', sink);
  // @ts-expect-error There is no such kind.
  void extract(file, 'layer:' + byteCount, sink);
  return openModule(file);
}

export function codeOf(error: unknown): ErrorCode | undefined {
  return error instanceof SusurrusError ? error.code : undefined;
}
`;

/** What tsc says of a program under strict rules; it fails where it says anything. */
function typeErrors(program: string, module: string, resolution: string, ...options: string[]) {
  return project.node(
    ...[join(projectRoot, 'node_modules/typescript/bin/tsc'), '--strict', '--noEmit'],
    ...['--exactOptionalPropertyTypes', '--skipLibCheck', 'false', '--target', 'es2022'],
    ...['--module', module, '--moduleResolution', resolution, ...options, program],
  );
}

let project: EmptyProject;
beforeAll(() => {
  project = installPacked();
});
afterAll(() => {
  project.remove();
});

describe('the packed package', () => {
  test('holds what it promises and nothing else', () => {
    for (const path of [
      ...['README.md', 'LICENSE', 'THIRD-PARTY-NOTICES.md', 'package.json'],
      ...['docs/api.md', 'examples/vite/main.js', 'CHANGELOG.md'],
      ...['models/digits.apr', 'models/README.md'],
      ...['dist/index.mjs', 'dist/node.mjs', 'dist/worker.mjs', 'dist/engine.mjs', 'dist/cli.mjs'],
      ...['dist/engine.simd.wasm', 'dist/engine.relaxed.wasm'],
      ...['dist/worker.threads.mjs', 'dist/engine.threads.mjs', 'dist/in_thread.mjs'],
      ...['dist/worker.files.mjs', 'dist/files.mjs', 'dist/files.wasm'],
      ...[
        'dist/worker.audio.mjs',
        'dist/audio.node.mjs',
        'dist/capture.mjs',
        'dist/capture_worklet.mjs',
      ],
      ...['dist/live.mjs', 'dist/live.node.mjs', 'dist/types/page/live.d.ts'],
      ...['dist/captions.mjs', 'dist/react.mjs', 'dist/testing.mjs', 'dist/digits.wav'],
      ...[
        'dist/cache.mjs',
        'dist/cache.node.mjs',
        'dist/download.mjs',
        'dist/worker.cache.mjs',
        'dist/worker.hub.mjs',
      ],
      ...[
        'dist/thread.node.mjs',
        'dist/worker.node.mjs',
        'dist/engine.simd-threads.wasm',
        'dist/engine.relaxed-threads.wasm',
      ],
      ...[
        'dist/model_files.mjs',
        'dist/model_files.node.mjs',
        'dist/graph.mjs',
        'dist/graph.node.mjs',
      ],
      ...['dist/types/src/index.d.ts', 'dist/types/src/node.d.ts', 'dist/types/src/cache.d.ts'],
    ]) {
      expect(project.files).toContain(path);
    }
    expect(
      project.files.filter((path) =>
        /^(scripts|tests|web|dist\/demo|docs\/dev)\/|^src\/(?!.*\.md$)|package-lock|node_modules/.test(
          path,
        ),
      ),
    ).toEqual([]);
  });

  test('exports every binary that it ships', () => {
    const shipped = project.files.filter((path) => path.endsWith('.wasm'));
    const { exports } = JSON.parse(
      readFileSync(join(project.folder, 'node_modules/susurrus/package.json'), 'utf8'),
    ) as { exports: Readonly<Record<string, unknown>> };
    expect(shipped.length).toBeGreaterThan(6);
    for (const path of shipped) expect(Object.values(exports)).toContain(`./${path}`);
  });

  test('exports from each entry what the documents name, and nothing else', () => {
    const files = [
      ...['addPieceDigests', 'convertModel', 'encryptModel', 'extract', 'generateSigningKey'],
      ...['inspect', 'logMel', 'openModelFile', 'signModel', 'soundRanges', 'verifyModel'],
      ...['weightTypes', 'writeModel'],
    ];
    const nodeFiles = ['apr1WeightTypes', 'shardModel', 'unshardModel', 'upgradeModel'];
    const rootNames = [
      ...['SusurrusError', 'check', 'format', 'languageNames', 'loadModel', 'plan', 'setAssets'],
      'transcriptFormats',
    ];
    const cache = ['cacheSpace', 'deleteModel', 'downloadModel', 'listModels', 'persist'];
    const speakers = [
      ...['SusurrusError', 'assignSpeakers', 'findSpeakers', 'formatTurns', 'identify'],
      ...['loadSpeakerFinder', 'renameSpeakers'],
    ];
    // The page's half of an entry can be imported in Node; it looks for a page only when it is called.
    const expected: Readonly<Record<string, readonly string[]>> = {
      ...{ susurrus: rootNames, 'susurrus/node': rootNames, page: rootNames },
      ...{ 'susurrus/files': [...files, ...nodeFiles], 'page/files': files },
      ...{ 'susurrus/graph': ['openModule'], 'page/graph': ['openModule'] },
      ...{ 'susurrus/speakers': speakers, 'page/speakers': speakers },
      ...{ 'susurrus/cache': cache, 'page/cache': [...cache, 'openStored'] },
      'susurrus/in-thread': [...files, ...rootNames, 'openModule'],
    };
    project.write(
      'names.mjs',
      `const { exports } = (await import('./node_modules/susurrus/package.json', { with: { type: 'json' } })).default;
       const names = {};
       for (const name of ${JSON.stringify(Object.keys(expected))}) {
         const page = exports[name.replace(/^page/, '.')]?.default;
         names[name] = Object.keys(await import(page ? './node_modules/susurrus/' + page : name)).sort();
       }
       console.log(JSON.stringify(names));`,
    );
    const sorted = Object.entries(expected).map(([entry, names]) => [entry, [...names].sort()]);
    expect(JSON.parse(project.node('names.mjs'))).toEqual(Object.fromEntries(sorted));
  });

  test('runs nothing when it is installed', () => {
    const manifest = JSON.parse(
      readFileSync(join(project.folder, 'node_modules/susurrus/package.json'), 'utf8'),
    ) as { scripts?: Record<string, string> };
    const hooks = Object.keys(manifest.scripts ?? {}).filter((name) =>
      /^(pre|post)?(install|prepare|publish|pack)$/.test(name),
    );
    expect(hooks).toEqual([]);
  });

  test('93: has no file that a host with a limit of 25 MB refuses', () => {
    const installed = join(project.folder, 'node_modules/susurrus');
    const sizes = project.files.map((path) => statSync(join(installed, path)).size);
    expect(Math.max(...sizes)).toBeGreaterThan(100_000);
    expect(Math.max(...sizes)).toBeLessThan(25_000_000);
  });

  test('transcribes when a module imports it', () => {
    project.write(
      'program.mjs',
      `import { readFile } from 'node:fs/promises';
       import { loadModel } from 'susurrus';
       const model = await loadModel('digits');
       const { text } = await model.transcribe(await readFile(process.argv[2]));
       model.dispose();
       console.log(text.trim());`,
    );
    expect(project.node('program.mjs', sample).trim()).toBe(sampleText);
  });

  test('listens to samples where there are no microphones', () => {
    project.write(
      'live.mjs',
      `import { listen, microphone } from 'susurrus/live';
       import { fixtureAudio, paced } from 'susurrus/testing';
       const live = { feed: async () => {}, close: async () => {}, async *[Symbol.asyncIterator]() {} };
       const listening = listen({ stream: () => live }, paced(await fixtureAudio(), 16000, 100));
       await new Promise((done) => setTimeout(done));
       for (;listening.state !== 'ended';) await new Promise((done) => setTimeout(done, 5));
       let code;
       try { listen({ stream: () => live }, microphone()); } catch (error) { code = error.code; }
       console.log(listening.time.toFixed(0), code);`,
    );
    expect(project.node('live.mjs').trim()).toBe('9 unsupported_environment');
  });

  test('transcribes as a command', () => {
    const command = 'node_modules/susurrus/dist/cli.mjs';
    const json = project.node(command, 'transcribe', sample, '--format', 'json');
    expect((JSON.parse(json) as { text: string }).text.trim()).toBe(sampleText);
  });

  test('brings no declarations of others, which a plain tsconfig.json would include', () => {
    const lock = readFileSync(join(project.folder, 'package-lock.json'), 'utf8');
    expect(Object.keys((JSON.parse(lock) as { packages: object }).packages)).toEqual(
      expect.arrayContaining(['node_modules/susurrus', 'node_modules/mpg123-decoder']),
    );
    expect(lock).not.toContain('@types/');
    expect(existsSync(join(project.folder, 'node_modules/@types'))).toBe(false);
  });

  // Other versions of TypeScript: `npm run test:projects types`.
  test.each([
    ['nodenext', 'nodenext', 'es2023,esnext.disposable,dom,dom.asynciterable'],
    ['bundler', 'esnext', 'es2022,dom,dom.asynciterable'],
  ])('complaint 99: has types that hold under strict rules (%s)', (resolution, module, lib) => {
    project.write('program.ts', typedProgram);
    expect(typeErrors('program.ts', module, resolution, '--lib', lib)).toBe('');
  });

  test.each([
    ['node16', 'node16'],
    ['bundler', 'esnext'],
  ])('complaint 99: has types for Node without the DOM (%s)', (resolution, module) => {
    const program = readFileSync(join(projectRoot, 'scripts/projects/types/server.ts'), 'utf8');
    project.write('server.ts', program);
    const types = ['--types', 'node', '--typeRoots', join(projectRoot, 'node_modules/@types')];
    expect(typeErrors('server.ts', module, resolution, '--lib', 'es2022', ...types)).toBe('');
  });
});
