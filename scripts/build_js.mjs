// dist/: the package's JavaScript, declarations and WebAssembly, and the demo page.
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import * as esbuild from 'esbuild';
import { root, run, step } from './toolchain/steps.mjs';

const from = (path) => join(root, path);
const dist = (path) => join(root, 'dist', path);

/** Entry → output. The engine's glue and the worker stay files of their own, found beside the module that wants them. */
const bundles = [
  { entry: 'web/src/index.ts', output: 'index.mjs', platform: 'browser' },
  { entry: 'web/src/worker/entry.ts', output: 'worker.mjs', platform: 'browser' },
  { entry: 'web/src/node.ts', output: 'node.mjs', platform: 'node' },
  {
    entry: 'web/src/cli/main.ts',
    output: 'cli.mjs',
    platform: 'node',
    banner: { js: '#!/usr/bin/env node' },
  },
];
const separateFiles = ['./engine.mjs', './worker.mjs', './node.mjs', './index.mjs'];

async function bundle({ entry, output, platform, banner }) {
  if (!existsSync(from(entry))) return;
  await esbuild.build({
    entryPoints: [from(entry)],
    outfile: dist(output),
    bundle: true,
    format: 'esm',
    platform,
    target: platform === 'node' ? 'node20' : 'es2022',
    external: separateFiles,
    banner,
    legalComments: 'inline',
    logLevel: 'warning',
  });
}

async function copyEngines() {
  const glue = from('build/wasm/engine.simd.mjs');
  if (!existsSync(glue)) return;
  const { code } = await esbuild.transform(readFileSync(glue, 'utf8'), { minify: true });
  writeFileSync(dist('engine.mjs'), code);
  for (const name of ['simd', 'relaxed']) {
    copyFileSync(from(`build/wasm/engine.${name}.wasm`), dist(`engine.${name}.wasm`));
  }
}

/** The page is served as it lies here: its own files, the library's browser files, the model and the sample. */
async function buildDemo() {
  if (!existsSync(from('web/demo/index.html'))) return;
  mkdirSync(dist('demo/models'), { recursive: true });
  await esbuild.build({
    // The worklet runs in the audio thread, so it is a file of its own.
    entryPoints: {
      main: from('web/demo/main.ts'),
      recorder_worklet: from('web/demo/recorder_worklet.ts'),
    },
    outdir: dist('demo'),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    target: 'es2022',
    external: separateFiles,
    logLevel: 'warning',
  });
  const copies = [
    ...['index.html', 'style.css', 'icon.svg', 'sample.wav'].map((name) => [
      from(`web/demo/${name}`),
      name,
    ]),
    ...['index.mjs', 'worker.mjs', 'engine.mjs', 'engine.simd.wasm', 'engine.relaxed.wasm'].map(
      (name) => [dist(name), name],
    ),
    [from('models/digits.apr'), 'models/digits.apr'],
  ];
  for (const [source, name] of copies) {
    if (existsSync(source)) copyFileSync(source, dist(`demo/${name}`));
  }
}

async function emitTypes() {
  if (!existsSync(from('web/src'))) return;
  await run(
    process.execPath,
    [from('node_modules/typescript/bin/tsc'), '-p', from('tsconfig.build.json')],
    { what: 'emitting type declarations (tsc)' },
  );
}

/** Builds dist/ from web/ and build/wasm. */
export async function buildJs() {
  await step('building JavaScript', async () => {
    rmSync(dist(''), { recursive: true, force: true });
    mkdirSync(dist(''), { recursive: true });
    await copyEngines();
    await Promise.all([...bundles.map(bundle), emitTypes()]);
    if (existsSync(dist('cli.mjs'))) chmodSync(dist('cli.mjs'), 0o755);
    await buildDemo();
  });
}
