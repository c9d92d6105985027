// dist/: the package's JavaScript, declarations and WebAssembly, and the demo page.
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import * as esbuild from 'esbuild';
import { root, run, step, StepError } from './toolchain/steps.mjs';

const from = (path) => join(root, path);
const dist = from('dist');
// Everything is made in a folder of its own, which then takes the place of dist/ at once.
const made = (path) => join(root, 'build/dist', path);

/** Entry → output. Emscripten modules and workers stay separate files, found beside the module that imports them. */
const bundles = [
  { entry: 'web/src/index.ts', output: 'index.mjs', platform: 'browser' },
  { entry: 'web/src/engine/worker_entry.ts', output: 'worker.mjs', platform: 'browser' },
  {
    entry: 'web/src/engine/threads_worker_entry.ts',
    output: 'worker.threads.mjs',
    platform: 'browser',
  },
  { entry: 'web/tools/host/worker_entry.ts', output: 'worker.files.mjs', platform: 'browser' },
  { entry: 'web/tools/audio/worker_entry.ts', output: 'worker.audio.mjs', platform: 'browser' },
  { entry: 'web/tools/capture/entry.ts', output: 'capture.mjs', platform: 'browser' },
  {
    entry: 'web/tools/capture/worklet.ts',
    output: 'capture_worklet.mjs',
    platform: 'browser',
    // Vite puts files of less than 4 kB into data: URLs, from which strict policies load no worklet.
    banner: { js: `//${' '.repeat(4096)}` },
  },
  { entry: 'web/tools/crypto/entry.ts', output: 'crypto.mjs', platform: 'browser' },
  { entry: 'web/tools/inspection/entry.ts', output: 'inspect.mjs', platform: 'browser' },
  { entry: 'web/tools/writing/entry.ts', output: 'write.mjs', platform: 'browser' },
  { entry: 'web/src/engine/thread_entry.ts', output: 'thread.mjs', platform: 'browser' },
  { entry: 'web/src/node.ts', output: 'node.mjs', platform: 'node' },
  { entry: 'web/tools/audio/node_entry.ts', output: 'audio.node.mjs', platform: 'node' },
  { entry: 'web/src/engine/node_thread_entry.ts', output: 'thread.node.mjs', platform: 'node' },
  {
    entry: 'web/cli/main.ts',
    output: 'cli.mjs',
    platform: 'node',
    banner: { js: '#!/usr/bin/env node' },
  },
];
const separateFiles = [
  ...['./engine.mjs', './engine.threads.mjs', './files.mjs'],
  ...['./worker.mjs', './worker.threads.mjs', './worker.files.mjs', './worker.audio.mjs'],
  ...['./node.mjs', './index.mjs'],
];
/** What a page downloads besides its own files: without threads, with them, and to read and convert files. */
const engineFiles = [
  ...['worker.mjs', 'engine.mjs', 'engine.simd.wasm', 'engine.relaxed.wasm'],
  ...['worker.threads.mjs', 'thread.mjs', 'engine.threads.mjs'],
  ...['engine.simd-threads.wasm', 'engine.relaxed-threads.wasm'],
  ...['worker.files.mjs', 'files.mjs', 'files.wasm', 'crypto.mjs', 'inspect.mjs', 'write.mjs'],
  ...['worker.audio.mjs', 'capture.mjs', 'capture_worklet.mjs'],
];
/** Imported modules that are files of their own, loaded when they are wanted. */
const apart = (files) => ({
  name: 'files-apart',
  setup(build) {
    build.onResolve({ filter: /entry\.js$/ }, ({ kind, path, resolveDir }) => {
      const bundled = files[join(resolveDir, path).slice(root.length + 1)];
      return kind === 'dynamic-import' && bundled ? { path: bundled, external: true } : undefined;
    });
  },
});
const filesApart = apart({
  'web/tools/crypto/entry.js': './crypto.mjs',
  'web/tools/inspection/entry.js': './inspect.mjs',
  'web/tools/writing/entry.js': './write.mjs',
  'web/tools/capture/entry.js': './capture.mjs',
});
const nodeFilesApart = apart({ 'web/tools/audio/node_entry.js': './audio.node.mjs' });
/** The package's dependencies: in Node loaded when a file asks for one; pages have the demuxer in a worker's file. */
const dependencies = Object.keys(
  JSON.parse(readFileSync(from('package.json'), 'utf8')).dependencies,
);

async function bundle(what, options) {
  try {
    await esbuild.build({
      bundle: true,
      format: 'esm',
      external: separateFiles,
      legalComments: 'eof', // each of them once
      logLevel: 'warning',
      ...options,
    });
  } catch (error) {
    if (!Array.isArray(error.errors)) throw error;
    throw new StepError(`Bundling ${what} failed.`, 'The reason stands above.');
  }
}

async function bundleEntry({ entry, output, platform, banner }) {
  await bundle(entry, {
    // Pages download these; what Node runs stays readable.
    minify: platform === 'browser',
    entryPoints: [from(entry)],
    outfile: made(output),
    platform,
    ...(platform === 'node' && { external: [...separateFiles, ...dependencies] }),
    plugins: [platform === 'browser' ? filesApart : nodeFilesApart],
    target: platform === 'node' ? 'node20' : 'es2022',
    banner,
  });
}

/** The wrapper passes the wasm to the Emscripten module, which needs no URL of it. */
async function copyModule(emscriptenModule, output, modules) {
  const { code } = await esbuild.transform(
    readFileSync(from(`build/wasm/${emscriptenModule}`), 'utf8'),
    {
      minify: true,
      define: { 'import.meta.url': 'undefined' },
    },
  );
  writeFileSync(made(output), code);
  for (const name of modules) copyFileSync(from(`build/wasm/${name}`), made(name));
}

/** Both engines share one Emscripten module. */
const copyEngines = (threads, output) =>
  copyModule(
    `engine.simd${threads}.mjs`,
    output,
    ['simd', 'relaxed'].map((variant) => `engine.${variant}${threads}.wasm`),
  );

/** The page is served as it lies here: its own files, the worker, the engines, the model and the samples. */
async function buildDemo() {
  mkdirSync(made('demo/models'), { recursive: true });
  await bundle('the demo page', {
    entryPoints: { main: from('web/demo/main.ts') },
    outdir: made('demo'),
    outExtension: { '.js': '.mjs' },
    plugins: [filesApart],
    target: 'es2022',
  });
  const copies = [
    ...['index.html', 'style.css', 'icon.svg', 'models.json', 'sample.wav', 'sentences.wav'].map(
      (name) => [from(`web/demo/${name}`), name],
    ),
    ...engineFiles.map((name) => [made(name), name]),
    [from('models/digits.apr'), 'models/digits.apr'],
  ];
  for (const [source, name] of copies) {
    copyFileSync(source, made(`demo/${name}`));
  }
}

/** Type declarations of the public entries and the types they refer to; the rest of the package is private. */
async function emitTypes() {
  await run(
    process.execPath,
    [from('node_modules/typescript/bin/tsc'), '-p', from('tsconfig.build.json')],
    { what: 'emitting type declarations (tsc)' },
  );
  const wanted = ['src/index.d.ts', 'src/node.d.ts'];
  for (const path of wanted) {
    const text = readFileSync(join(from('build/types'), path), 'utf8');
    mkdirSync(dirname(made(`types/${path}`)), { recursive: true });
    writeFileSync(made(`types/${path}`), text);
    for (const [, module] of text.matchAll(/(?:from|import)\s*\(?'(\.[^']+)'/g)) {
      const mentioned = join(dirname(path), module.replace(/\.js$/, '.d.ts'));
      if (!wanted.includes(mentioned)) wanted.push(mentioned); // the loop goes on with it
    }
  }
}

/** Names, sizes and times of everything that dist/ is made from. */
function fingerprint() {
  const inputs = [
    ...[
      'web',
      'models',
      'node_modules/esbuild/package.json',
      'node_modules/typescript/package.json',
    ],
    ...['tsconfig.json', 'tsconfig.build.json', 'scripts/build_js.mjs'],
    ...['simd.mjs', 'simd.wasm', 'relaxed.wasm'].map((name) => `build/wasm/engine.${name}`),
    ...['simd-threads.mjs', 'simd-threads.wasm', 'relaxed-threads.wasm'].map(
      (name) => `build/wasm/engine.${name}`,
    ),
    ...['build/wasm/files.mjs', 'build/wasm/files.wasm'],
  ];
  const lines = inputs.map(from).flatMap((input) => {
    const stat = statSync(input, { throwIfNoEntry: false });
    if (!stat?.isDirectory()) return [`${input} ${stat?.size} ${stat?.mtimeMs}`];
    return readdirSync(input, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => ({ path, ...statSync(path) }))
      .map(({ path, size, mtimeMs }) => `${path} ${size} ${mtimeMs}`);
  });
  return lines.sort().join('\n');
}

/** Builds dist/ from web/ and build/wasm, when anything there has changed. */
export async function buildJs() {
  const stamp = from('build/dist.made_from');
  const madeFrom = fingerprint();
  if (existsSync(dist) && existsSync(stamp) && readFileSync(stamp, 'utf8') === madeFrom) return;
  await step('building JavaScript', async () => {
    rmSync(made(''), { recursive: true, force: true });
    mkdirSync(made(''), { recursive: true });
    await copyEngines('', 'engine.mjs');
    await copyEngines('-threads', 'engine.threads.mjs');
    await copyModule('files.mjs', 'files.mjs', ['files.wasm']);
    await Promise.all([...bundles.map(bundleEntry), emitTypes()]);
    chmodSync(made('cli.mjs'), 0o755);
    await buildDemo();
    rmSync(dist, { recursive: true, force: true });
    renameSync(made(''), dist);
    writeFileSync(stamp, madeFrom);
  });
}
