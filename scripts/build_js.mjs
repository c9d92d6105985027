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
import { basename, dirname, join } from 'node:path';
import * as esbuild from 'esbuild';
import { buildOffline } from './build_offline.mjs';
import { buildPage } from './build_page.mjs';
import { root, run, step, StepError } from './toolchain/steps.mjs';

const from = (path) => join(root, path);
const dist = from('dist');
// Everything is made in a folder of its own, which then takes the place of dist/ at once.
const made = (path) => join(root, 'build/dist', path);

/**
 * Entry → output. Emscripten modules stay separate files, found beside the module that imports them. What `isWhole` imports no
 * file but Chinese dictionaries: bundlers copy workers as they are, and service workers may load nothing later.
 */
const bundles = [
  { entry: 'web/src/index.ts', output: 'index.mjs', platform: 'browser' },
  ...[
    ['web/src/engine/worker_entry.ts', 'worker.mjs'],
    ['web/src/engine/threads_worker_entry.ts', 'worker.threads.mjs'],
    ['web/src/networks/worker_entry.ts', 'worker.networks.mjs'],
    ['web/tools/host/worker_entry.ts', 'worker.files.mjs'],
    ['web/tools/audio/worker_entry.ts', 'worker.audio.mjs'],
    ['web/tools/cache/url_worker_entry.ts', 'worker.cache.mjs'],
    ['web/tools/cache/hub_worker_entry.ts', 'worker.hub.mjs'],
  ].map(([entry, output]) => ({ entry, output, platform: 'browser', isWhole: true })),
  { entry: 'web/tools/capture/entry.ts', output: 'capture.mjs', platform: 'browser' },
  {
    entry: 'web/tools/capture/worklet.ts',
    output: 'capture_worklet.mjs',
    platform: 'browser',
    isWhole: true,
    // Vite puts files of less than 4 kB into data: URLs, from which strict policies load no worklet.
    banner: { js: `//${' '.repeat(4096)}` },
  },
  { entry: 'web/tools/crypto/entry.ts', output: 'crypto.mjs', platform: 'browser' },
  { entry: 'web/tools/inspection/entry.ts', output: 'inspect.mjs', platform: 'browser' },
  { entry: 'web/tools/module/entry.ts', output: 'module.mjs', platform: 'browser' },
  { entry: 'web/tools/plan/entry.ts', output: 'plan.mjs', platform: 'browser' },
  { entry: 'web/tools/vad/entry.ts', output: 'skip_silence.mjs', platform: 'browser' },
  { entry: 'web/tools/speakers/entry.ts', output: 'tell_speakers.mjs', platform: 'browser' },
  ...['simplified', 'traditional'].map((script) => ({
    ...{ entry: `web/tools/script/${script}.ts`, output: `script_${script}.mjs` },
    ...{ platform: 'browser', charset: 'utf8' },
  })),
  { entry: 'web/src/files.ts', output: 'model_files.mjs', platform: 'browser' },
  { entry: 'web/src/graph.ts', output: 'graph.mjs', platform: 'browser' },
  { entry: 'web/src/vad.ts', output: 'vad.mjs', platform: 'browser' },
  { entry: 'web/src/speakers.ts', output: 'speakers.mjs', platform: 'browser' },
  { entry: 'web/tools/writing/entry.ts', output: 'write.mjs', platform: 'browser' },
  { entry: 'web/src/cache_entry.ts', output: 'cache.mjs', platform: 'browser' },
  { entry: 'web/src/page_download.ts', output: 'download.mjs', platform: 'browser' },
  { entry: 'web/src/in_thread_hosts.ts', output: 'in_thread_hosts.mjs', platform: 'browser' },
  { entry: 'web/src/in_thread.ts', output: 'in_thread.mjs', platform: 'browser', isWhole: true },
  // What stands around a model shares the package's own entry, which is another one in Node.
  { entry: 'web/page/captions.ts', output: 'captions.mjs', platform: 'browser', isBeside: true },
  { entry: 'web/page/react.ts', output: 'react.mjs', platform: 'browser', isBeside: true },
  { entry: 'web/page/react.ts', output: 'react.node.mjs', platform: 'node', isBeside: true },
  { entry: 'web/page/live.ts', output: 'live.mjs', platform: 'browser', isBeside: true },
  { entry: 'web/page/live.ts', output: 'live.node.mjs', platform: 'node', isBeside: true },
  { entry: 'web/page/testing.ts', output: 'testing.mjs', platform: 'browser', isBeside: true },
  { entry: 'web/page/testing.ts', output: 'testing.node.mjs', platform: 'node', isBeside: true },
  { entry: 'web/tools/audio/node_entry.ts', output: 'audio.node.mjs', platform: 'node' },
  { entry: 'web/src/engine/node_thread_entry.ts', output: 'thread.node.mjs', platform: 'node' },
  { entry: 'web/src/networks/node_worker_entry.ts', output: 'worker.node.mjs', platform: 'node' },
  {
    entry: 'web/cli/main.ts',
    output: 'cli.mjs',
    platform: 'node',
    banner: { js: '#!/usr/bin/env node' },
  },
];
/** The package's entries in Node: what several of them have stands in chunks, so that it is there once. */
const nodeEntries = {
  node: 'web/src/node.ts',
  'model_files.node': 'web/src/node_files.ts',
  'graph.node': 'web/src/node_graph.ts',
  'cache.node': 'web/src/node_cache.ts',
  'vad.node': 'web/src/node_vad.ts',
  'speakers.node': 'web/src/node_speakers.ts',
};
const emscriptenModules = ['./engine.mjs', './engine.threads.mjs', './networks.mjs', './files.mjs'];
const separateFiles = [...emscriptenModules, './node.mjs', './index.mjs'];
/** What a page downloads besides its own files: without threads, with them, for models that run as graphs, and to read and convert files. */
const engineFiles = [
  ...['worker.mjs', 'engine.simd.wasm', 'engine.relaxed.wasm'],
  ...['worker.threads.mjs', 'engine.simd-threads.wasm', 'engine.relaxed-threads.wasm'],
  ...['worker.networks.mjs', 'networks.simd.wasm', 'networks.relaxed.wasm'],
  ...['worker.files.mjs', 'files.mjs', 'files.wasm', 'crypto.mjs', 'inspect.mjs', 'write.mjs'],
  ...[
    'tell_speakers.mjs',
    'module.mjs',
    'plan.mjs',
    'script_simplified.mjs',
    'script_traditional.mjs',
  ],
  ...['worker.audio.mjs', 'capture.mjs', 'capture_worklet.mjs'],
  ...['cache.mjs', 'worker.cache.mjs', 'worker.hub.mjs'],
];
/** Imported modules that are files of their own, loaded when they are wanted. */
const apart = {
  [from('web/src/cache.js')]: './cache.mjs',
  [from('web/tools/cache/entry.js')]: './cache.mjs',
  [from('web/src/page_download.js')]: './download.mjs',
  [from('web/tools/crypto/entry.js')]: './crypto.mjs',
  [from('web/tools/inspection/entry.js')]: './inspect.mjs',
  [from('web/tools/module/entry.js')]: './module.mjs',
  [from('web/tools/plan/entry.js')]: './plan.mjs',
  [from('web/tools/script/simplified.js')]: './script_simplified.mjs',
  [from('web/tools/script/traditional.js')]: './script_traditional.mjs',
  [from('web/tools/vad/entry.js')]: './skip_silence.mjs',
  [from('web/tools/speakers/entry.js')]: './tell_speakers.mjs',
  [from('web/tools/writing/entry.js')]: './write.mjs',
  [from('web/tools/capture/entry.js')]: './capture.mjs',
  [from('web/tools/audio/node_entry.js')]: './audio.node.mjs',
  [from('web/src/in_thread_hosts.js')]: './in_thread_hosts.mjs',
  // The page's own.
  [from('web/demo/transcript/word_document.js')]: './docx.mjs',
};
/** `within`: files that are bundled all the same. */
const filesApart = (...within) => ({
  name: 'files-apart',
  setup(build) {
    build.onResolve({ filter: /\.js$/ }, ({ kind, path, resolveDir }) => {
      const bundled = apart[join(resolveDir, path)];
      return kind === 'dynamic-import' && bundled && !within.includes(bundled)
        ? { path: bundled, external: true }
        : undefined;
    });
  },
});
const filesWithin = {
  name: 'files-within',
  setup(build) {
    build.onResolve({ filter: /^\.\/[\w.]+\.mjs$/ }, ({ path }) =>
      emscriptenModules.includes(path) ? { path: made(path) } : undefined,
    );
  },
};
/** Dictionaries are too large to be in a file for those who do not ask for them. */
const wholePlugins = [
  filesWithin,
  filesApart(...Object.values(apart).filter((name) => !name.startsWith('./script_'))),
];
const entryBeside = (platform) => ({
  name: 'entry-beside',
  setup(build) {
    const isNode = platform === 'node';
    build.onResolve({ filter: /\/src\/index\.js$/ }, () => ({
      path: isNode ? './node.mjs' : './index.mjs',
      external: true,
    }));
    build.onResolve({ filter: /\/fixture\.js$/ }, () => ({
      path: from(`web/page/${isNode ? 'node_' : ''}fixture.ts`),
    }));
  },
});
/** The package's dependencies: Node loads one when a file asks for it. The demuxer is none of them: it is within the bundles. */
const { dependencies, peerDependencies, version } = JSON.parse(
  readFileSync(from('package.json'), 'utf8'),
);
const [packages, peers] = [dependencies, peerDependencies].map((list) => Object.keys(list));

/** The packages whose code is in a bundle's output, by its metafile. */
const packagesWithin = ({ inputs }) =>
  Object.entries(inputs)
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([path]) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1])
    .filter((name) => name !== undefined);

/** Returns for each output the names of the packages that went into it. */
async function bundle(what, options) {
  try {
    const { metafile } = await esbuild.build({
      bundle: true,
      metafile: true,
      format: 'esm',
      external: [...separateFiles, ...peers],
      define: { SUSURRUS_VERSION: JSON.stringify(version) },
      legalComments: 'eof', // each of them once
      logLevel: 'warning',
      ...options,
    });
    return Object.entries(metafile.outputs).map(([path, output]) => [
      basename(path),
      [...new Set(packagesWithin(output))],
    ]);
  } catch (error) {
    if (!Array.isArray(error.errors)) throw error;
    throw new StepError(`Bundling ${what} failed.`, 'The reason stands above.');
  }
}

async function bundleEntry({ entry, output, platform, banner, charset, isWhole, isBeside }) {
  return bundle(entry, {
    ...(isWhole && { external: [] }),
    // Pages download these; what Node runs stays readable.
    minify: platform === 'browser',
    entryPoints: [from(entry)],
    outfile: made(output),
    platform,
    ...(platform === 'node' && nodeOptions),
    plugins: isWhole ? wholePlugins : isBeside ? [entryBeside(platform)] : [filesApart()],
    target: platform === 'node' ? 'node20' : 'es2022',
    banner,
    charset,
  });
}

const nodeOptions = { external: [...separateFiles, ...packages, ...peers] };

const bundleNodeEntries = () =>
  bundle('the entries for Node', {
    ...nodeOptions,
    entryPoints: Object.fromEntries(
      Object.entries(nodeEntries).map(([output, entry]) => [output, from(entry)]),
    ),
    ...{ outdir: made(''), outExtension: { '.js': '.mjs' }, chunkNames: 'shared.node.[hash]' },
    ...{ splitting: true, platform: 'node', target: 'node20', plugins: [filesApart()] },
  });

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

/** The page is served as it lies here: its own files, the worker, the engines, the model and the samples. Returns as bundle() does. */
async function buildDemo() {
  mkdirSync(made('demo/models'), { recursive: true });
  await buildPage(made('demo'));
  const contents = await bundle('the demo page', {
    entryPoints: { main: from('web/demo/main.ts'), style: from('web/demo/style/style.css') },
    outdir: made('demo'),
    outExtension: { '.js': '.mjs' },
    // Every recording needs it: a page that has loaded can transcribe, whatever becomes of its network.
    plugins: [filesApart('./skip_silence.mjs')],
    target: 'es2022',
  });
  const word = await bundle('what writes Word files', {
    entryPoints: { docx: from('web/demo/transcript/word_document.ts') },
    outdir: made('demo'),
    outExtension: { '.js': '.mjs' },
    minify: true,
    target: 'es2022',
  });
  const copies = [
    ...['icon.svg', 'models.json', 'sample.wav', 'sentences.wav'].map((name) => [
      from(`web/demo/${name}`),
      name,
    ]),
    ...engineFiles.map((name) => [made(name), name]),
    ...['digits.apr', 'vad.tsm'].map((name) => [from(`models/${name}`), `models/${name}`]),
    // Not everybody has made it; without it the page says so when speakers are asked for.
    ...['speakers.apr']
      .map((name) => [from(`models/${name}`), `models/${name}`])
      .filter(([source]) => existsSync(source)),
  ];
  for (const [source, name] of copies) {
    copyFileSync(source, made(`demo/${name}`));
  }
  await buildOffline(made('demo'));
  return [...contents, ...word];
}

/** Type declarations of the public entries and the types they refer to; the rest of the package is private. */
async function emitTypes() {
  await run(
    process.execPath,
    [from('node_modules/typescript/bin/tsc'), '-p', from('tsconfig.build.json')],
    { what: 'emitting type declarations (tsc)' },
  );
  const names = [
    ...['index', 'node', 'in_thread', 'files', 'node_files', 'graph', 'node_graph'],
    ...['cache', 'node_cache', 'vad', 'node_vad', 'speakers', 'node_speakers'],
  ];
  const entries = [...names.map((name) => `src/${name}.d.ts`), 'page/live.d.ts'];
  const wanted = [...entries, 'page/captions.d.ts', 'page/react.d.ts', 'page/testing.d.ts'];
  for (const path of wanted) {
    const ambient = path.startsWith('src/') ? './ambient.d.ts' : '../src/ambient.d.ts';
    const head = entries.includes(path) ? `/// <reference path="${ambient}" />\n` : '';
    const text =
      head +
      readFileSync(join(from('build/types'), path), 'utf8')
        // Typed arrays have a type parameter since TypeScript 5.7; of() has the same type by both names.
        .replace(/\b(\w+Array)<ArrayBuffer>/g, 'ReturnType<typeof $1.of>')
        .replace(/\b(\w+Array)<ArrayBufferLike>/g, '$1');
    mkdirSync(dirname(made(`types/${path}`)), { recursive: true });
    writeFileSync(made(`types/${path}`), text);
    for (const [, module] of text.matchAll(/(?:from|import)\s*\(?'(\.[^']+)'/g)) {
      const mentioned = join(dirname(path), module.replace(/\.js$/, '.d.ts'));
      if (!wanted.includes(mentioned)) wanted.push(mentioned); // the loop goes on with it
    }
  }
  copyFileSync(from('web/src/ambient.d.ts'), made('types/src/ambient.d.ts'));
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
    ...['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'],
    ...['scripts/build_js.mjs', 'scripts/build_page.mjs', 'scripts/build_offline.mjs'],
    ...['simd.mjs', 'simd.wasm', 'relaxed.wasm'].map((name) => `build/wasm/engine.${name}`),
    ...['simd-threads.mjs', 'simd-threads.wasm', 'relaxed-threads.wasm'].map(
      (name) => `build/wasm/engine.${name}`,
    ),
    ...[
      'files.mjs',
      'files.wasm',
      'networks.simd.mjs',
      'networks.simd.wasm',
      'networks.relaxed.wasm',
    ].map((name) => `build/wasm/${name}`),
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
    await copyModule('networks.simd.mjs', 'networks.mjs', [
      'networks.simd.wasm',
      'networks.relaxed.wasm',
    ]);
    await copyModule('files.mjs', 'files.mjs', ['files.wasm']);
    const [contents] = await Promise.all([
      Promise.all([...bundles.map(bundleEntry), bundleNodeEntries()]),
      emitTypes(),
    ]);
    // What THIRD-PARTY-NOTICES.md is compared with.
    const packagesOf = {};
    const all = [...contents.flat(), ...(await buildDemo())];
    for (const [file, names] of all) {
      // The name of a chunk has a hash of what is in it.
      const name = file.replace(/\.[0-9A-Z]{8}\.mjs$/, '.mjs');
      packagesOf[name] = [...new Set([...(packagesOf[name] ?? []), ...names])];
    }
    writeFileSync(from('build/dist.packages.json'), JSON.stringify(packagesOf));
    chmodSync(made('cli.mjs'), 0o755);
    copyFileSync(from('web/demo/sample.wav'), made('digits.wav'));
    rmSync(dist, { recursive: true, force: true });
    renameSync(made(''), dist);
    writeFileSync(stamp, madeFrom);
  });
}
