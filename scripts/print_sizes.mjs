// Sizes of what a page downloads, raw and after brotli, of the files in dist/.
//
//   node scripts/print_sizes.mjs [--update]     --update: into the sizes that README.md and docs/ state
//   node scripts/print_sizes.mjs --quick        raw sizes alone: whether all the files are there
//
// A stated size is a number between comments, <!-- size NAME -->194<!-- /size -->, in kB after brotli; NAME is a file, or
// several joined by +. The table of docs/dev/performance.md stands between <!-- sizes --> and <!-- /sizes -->.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { filesBelow } from './check_layers.mjs';
import { isProgram, main, readArguments, root, StepError } from './toolchain/steps.mjs';

/** What a page downloads, and when. */
const downloads = [
  ['index.mjs', 'always'],
  ['worker.mjs', 'with the first model'],
  ['engine.relaxed.wasm', 'with the first model, where relaxed SIMD is supported'],
  ['engine.simd.wasm', 'with the first model elsewhere'],
  ['worker.threads.mjs', 'instead of worker.mjs, with threads'],
  ['engine.relaxed-threads.wasm', 'with threads'],
  ['engine.simd-threads.wasm', 'with threads'],
  ['worker.audio.mjs', 'for audio files other than WAV'],
  ['capture.mjs', 'for a MediaStream'],
  ['capture_worklet.mjs', 'for a MediaStream'],
  ['worker.networks.mjs', 'for .april and BW2L models, and modules'],
  ['networks.relaxed.wasm', 'for those, where relaxed SIMD is supported'],
  ['networks.simd.wasm', 'for those elsewhere'],
  ['graph.mjs', 'with susurrus/graph'],
  ['module.mjs', 'to open a module'],
  ['model_files.mjs', 'with susurrus/files'],
  ['inspect.mjs', 'to inspect or open a model file'],
  ['worker.files.mjs', 'to inspect or convert'],
  ['files.wasm', 'to inspect or convert'],
  ['crypto.mjs', 'for encrypted, signed or digested files'],
  ['files.mjs', 'for encrypted, signed or digested files'],
  ['plan.mjs', 'to plan what a model takes, with files.wasm'],
  ['write.mjs', 'to write a model file'],
  ['script_simplified.mjs', "with `script: 'simplified'`"],
  ['script_traditional.mjs', "with `script: 'traditional'`"],
  ['cache.mjs', 'to load a model by its name, or one that is kept'],
  ['download.mjs', 'to download a model without loading it, with inspect.mjs'],
  ['worker.cache.mjs', 'to download a model file that is kept'],
  ['worker.hub.mjs', 'to download and convert a model of the hub, with files.wasm'],
  ['captions.mjs', 'for captions of a media element'],
  ['live.mjs', 'to listen to microphones, tabs and media elements'],
  ['react.mjs', 'for useTranscriber()'],
  ['in_thread_hosts.mjs', 'where there are no workers'],
  ['in_thread.mjs', 'instead of all of these, by susurrus/in-thread'],
];

const kilobytes = (bytes) => (bytes / 1000).toFixed(1);

/** Documents state a size several times. */
const sizes = new Map();

/**
 * Raw and compressed bytes of a file of dist/.
 * @type {(name: string) => { raw: number; brotli: number }}
 */
export function sizeOf(name) {
  const known = sizes.get(name) ?? measure(name);
  sizes.set(name, known);
  return known;
}

function contentOf(name) {
  const path = join(root, 'dist', name);
  if (!existsSync(path))
    throw new StepError(`There is no ${name}.`, 'Build it first: npm run build.');
  return readFileSync(path);
}

function measure(name) {
  const content = contentOf(name);
  return { raw: content.length, brotli: compressedSize(content) };
}

/** Compressed sizes of earlier runs, by the SHA-256 of what was compressed: a build changes few of the files. */
const earlierSizes = join(root, 'build/compressed_sizes.json');
/** @type {Record<string, number> | undefined} */
let compressed;

/** What earlier runs found; nothing where that cannot be read. */
function readEarlier() {
  try {
    return JSON.parse(readFileSync(earlierSizes, 'utf8'));
  } catch {
    return {};
  }
}

function compressedSize(content) {
  compressed ??= readEarlier();
  const digest = createHash('sha256').update(content).digest('hex');
  if (!Number.isInteger(compressed[digest])) {
    const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
    compressed[digest] = brotliCompressSync(content, { params }).length;
    mkdirSync(dirname(earlierSizes), { recursive: true });
    const own = `${earlierSizes}.${process.pid}`;
    writeFileSync(own, JSON.stringify(compressed));
    renameSync(own, earlierSizes);
  }
  return compressed[digest];
}

const stated = /<!-- size ([\w.+-]+) -->([\d.]+)<!-- \/size -->/g;
const tableMarks = /<!-- sizes -->[\s\S]*?<!-- \/sizes -->/;

const documents = () => ['README.md', ...filesBelow('docs', /\.md$/)];
const brotliOf = (names) => names.split('+').reduce((sum, name) => sum + sizeOf(name).brotli, 0);

/**
 * Every size that README.md and docs/ state, in kB, with what it is now.
 * @type {() => { path: string; names: string; stated: number; actual: number }[]}
 */
export function statedSizes() {
  return documents().flatMap((path) =>
    [...readFileSync(join(root, path), 'utf8').matchAll(stated)].map(([, names, figure]) => ({
      ...{ path, names, stated: Number(figure), actual: brotliOf(names) / 1000 },
    })),
  );
}

function sizeTable() {
  const lines = downloads.map(([name, when]) => {
    const { raw, brotli } = sizeOf(name);
    const size = `<!-- size ${name} -->${kilobytes(brotli)}<!-- /size -->`;
    return `| \`${name}\` | ${kilobytes(raw)} | ${size} | ${when} |`;
  });
  return ['| file | kB | kB after brotli | downloaded |', '| --- | --: | --: | --- |', ...lines];
}

async function update() {
  const { format, resolveConfig } = await import('prettier');
  for (const path of documents()) {
    const text = readFileSync(join(root, path), 'utf8');
    const updated = text
      .replace(tableMarks, () =>
        ['<!-- sizes -->', '', ...sizeTable(), '', '<!-- /sizes -->'].join('\n'),
      )
      .replace(stated, (_, names, figure) => {
        const digits = figure.split('.')[1]?.length ?? 0;
        return `<!-- size ${names} -->${(brotliOf(names) / 1000).toFixed(digits)}<!-- /size -->`;
      });
    if (updated === text) continue;
    const options = { ...(await resolveConfig(join(root, path))), filepath: path };
    writeFileSync(join(root, path), await format(updated, options));
  }
}

/** @param {boolean} isQuick without what compressing takes */
function print(isQuick) {
  console.log(`${'file'.padEnd(28)}${'kB'.padStart(10)}${'brotli'.padStart(10)}  downloaded`);
  for (const [name, when] of [...downloads, ['../models/digits.apr', 'by name']]) {
    const { raw, brotli } = isQuick ? { raw: contentOf(name).length, brotli: NaN } : sizeOf(name);
    const figures = [raw, brotli].map((bytes) => kilobytes(bytes).padStart(10)).join('');
    console.log(`${name.replace('../models/', '').padEnd(28)}${figures}  ${when}`);
  }
}

if (isProgram(import.meta)) {
  await main(async () => {
    const { values } = readArguments({
      options: { update: { type: 'boolean' }, quick: { type: 'boolean', default: false } },
    });
    if (values.update) await update();
    else print(values.quick);
  });
}
