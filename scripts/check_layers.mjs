// Who may know whom: reads #include lines and TypeScript imports, and names every one that the tables below forbid.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { isProgram, main, root, StepError } from './toolchain/steps.mjs';

/**
 * Layer → the layers it may include besides itself and the standard library; what it does not include is not listed. A layer
 * is a folder of src/, or bindings/. Of two that fit a path the longer one counts: container/ knows no model, but some formats
 * hold nothing but a Whisper.
 */
const whisperFormat = ['base', 'container', 'families/whisper'];
const layers = {
  base: [],
  parallel: ['base'],
  stream: ['base'],
  container: [
    ...['base', 'stream', 'families/whisper'],
    ...['container/apr1', 'container/ctranslate2', 'container/ggml', 'container/gguf'],
  ],
  'container/apr1': [...whisperFormat, 'stream'],
  'container/ctranslate2': whisperFormat,
  'container/ggml': whisperFormat,
  'container/gguf': [...whisperFormat, 'container/ggml'],
  tensor: ['base', 'container'],
  kernels: ['base', 'tensor', 'container'],
  audio: ['base'],
  text: ['base', 'container'],
  'families/whisper': ['base', 'parallel', 'tensor', 'kernels', 'container'],
  graph: ['base', 'stream', 'container', 'tensor', 'kernels'],
  'families/transducer': ['base', 'container', 'audio', 'graph'],
  'families/acoustic': ['base', 'container', 'graph'],
  'families/detector': ['base', 'graph'],
  'families/speakers': ['base', 'audio', 'tensor', 'kernels'],
  decode: ['base', 'text', 'kernels'],
  align: ['base', 'kernels'],
  convert: [
    ...['base', 'stream', 'container', 'container/apr1', 'container/ggml', 'tensor', 'kernels'],
    'families/whisper',
  ],
  session: ['base', 'tensor', 'kernels', 'audio', 'text', 'families/whisper', 'decode', 'align'],
  'families/module': ['graph'],
  'session/networks': [
    ...['base', 'container', 'audio', 'graph', 'session'],
    ...['families/transducer', 'families/acoustic', 'families/module'],
  ],
  bindings: [
    ...['base', 'parallel', 'stream', 'container', 'container/apr1', 'kernels', 'audio'],
    ...[
      'families/whisper',
      'families/detector',
      'families/speakers',
      'convert',
      'session',
      'session/networks',
    ],
  ],
};

/** From a layer that needs only declarations of another: the headers it may include. */
const onlyHeaders = {
  // What a file's metadata may be; metadata.h knows nothing itself.
  'container → families/whisper': /^families\/\w+\/metadata\.h$/,
  'container/apr1 → families/whisper': /^families\/whisper\/(tensor_names|dimension_order)\.h$/,
  'tensor → container':
    /^container\/(dtype|shape|tensor_info|model_metadata|later_metadata|model_reader)\.h$/,
  'kernels → container': /^container\/dtype\.h$/,
  'text → container': /^container\/model_metadata\.h$/,
  'families/whisper → container': /^container\/(checkpoint|model_metadata)\.h$/,
};

/** The layer that a path below src/, or in bindings/, belongs to. */
function layerOf(path) {
  return Object.keys(layers)
    .filter((layer) => path.startsWith(`${layer}/`))
    .sort((a, b) => b.length - a.length)[0];
}

/** Headers in <> that only some places may include. */
const systemHeaders = [
  {
    header: /^emscripten/,
    allowed: /^(bindings|tests\/bench_load)\//,
    why: 'only bindings/ knows Emscripten',
  },
  {
    header: /^wasm_simd128\.h$/,
    allowed: /^src\/kernels\//,
    why: 'intrinsics live in src/kernels',
  },
  {
    header: /^(lz4|lz4hc)\.h$/,
    allowed: /^(src\/(stream|container|convert)|tests)\//,
    why: 'LZ4 is wrapped',
  },
  { header: /^zlib\.h$/, allowed: /^(src\/(stream|decode)|tests)\//, why: 'zlib is wrapped' },
  { header: /^yyjson\.h$/, allowed: /^(src\/(base|container)|tests)\//, why: 'JSON is wrapped' },
  {
    header: /^(iostream|ranges|coroutine|regex)$/,
    allowed: /^(tests|bindings)\//,
    why: 'large in WebAssembly',
  },
];

/**
 * TypeScript: layer → the layers it may import besides itself, from the bottom up, so that there is no way round. web/src is what a
 * page runs; web/tools is loaded when it is asked for, and web/src itself reaches it by one file, sources/load_crypto.ts.
 */
const typescriptLayers = {
  'web/src/api': [],
  'web/src/protocol': ['web/src/api'],
  'web/src/wasm': ['web/src/api'],
  'web/src/writers': ['web/src/api'],
  'web/src/platform': ['web/src/api', 'web/src/protocol'],
  'web/src/worker': ['web/src/api', 'web/src/protocol', 'web/src/wasm'],
  'web/tools/files': ['web/src/api', 'web/src/protocol', 'web/src/wasm', 'web/src/platform'],
  'web/tools/crypto': ['web/src/api', 'web/src/wasm', 'web/src/platform', 'web/tools/files'],
  'web/src/sources': [
    ...['web/src/api', 'web/src/protocol', 'web/src/wasm', 'web/src/platform', 'web/tools/crypto'],
  ],
  'web/src/audio': ['web/src/api', 'web/src/protocol', 'web/src/wasm', 'web/src/platform'],
  'web/tools/audio': ['web/src/api', 'web/src/protocol', 'web/src/worker'],
  'web/tools/capture': ['web/src/api', 'web/src/protocol'],
  'web/src/engine': [
    ...['web/src/api', 'web/src/protocol', 'web/src/wasm', 'web/src/platform', 'web/src/worker'],
  ],
  'web/src/networks': [
    ...['web/src/api', 'web/src/protocol', 'web/src/wasm', 'web/src/platform', 'web/src/worker'],
    'web/src/engine',
  ],
  'web/src/model': [
    ...['web/src/api', 'web/src/protocol', 'web/src/wasm', 'web/src/platform', 'web/src/engine'],
    ...['web/src/sources', 'web/src/audio'],
  ],
  'web/tools/convert': [
    ...['web/src/api', 'web/src/protocol', 'web/src/wasm', 'web/src/platform', 'web/src/sources'],
    'web/tools/files',
  ],
  'web/tools/inspection': [
    ...['web/src/api', 'web/src/protocol', 'web/src/wasm', 'web/src/platform', 'web/src/sources'],
    ...['web/tools/files', 'web/tools/convert'],
  ],
  'web/tools/writing': ['web/src/api', 'web/src/protocol', 'web/src/wasm', 'web/src/platform'],
  'web/tools/hub': [
    ...['web/src/api', 'web/src/wasm', 'web/src/platform', 'web/src/sources'],
    ...['web/tools/files', 'web/tools/convert'],
  ],
  'web/tools/host': [
    ...['web/src/api', 'web/src/protocol', 'web/src/wasm', 'web/src/platform', 'web/src/worker'],
    ...['web/src/sources', 'web/src/engine', 'web/tools/files', 'web/tools/convert'],
  ],
  'web/tools/cache': [
    ...['web/src/api', 'web/src/protocol', 'web/src/platform', 'web/src/worker', 'web/src/sources'],
    ...['web/tools/hub', 'web/tools/host', 'web/tools/inspection', 'web/tools/convert'],
  ],
  'web/tools/module': [
    ...['web/src/api', 'web/src/protocol', 'web/src/platform', 'web/src/sources', 'web/src/model'],
  ],
  'web/tools/vad': [
    ...['web/src/api', 'web/src/protocol', 'web/src/platform', 'web/src/sources', 'web/src/audio'],
    ...['web/src/wasm', 'web/src/model'],
  ],
  'web/tools/speakers': [
    ...['web/src/api', 'web/src/protocol', 'web/src/platform', 'web/src/sources', 'web/src/audio'],
    ...['web/src/wasm', 'web/src/model', 'web/src/writers'],
  ],
  'web/tools/script': [],
  'web/tools/plan': [
    ...['web/src/api', 'web/src/protocol', 'web/src/platform', 'web/src/sources'],
    ...['web/tools/convert', 'web/tools/files', 'web/tools/inspection', 'web/tools/hub'],
    'web/tools/cache',
  ],
  // The entries: what the package offers, put together for a page and for Node.
  'web/src': [
    ...['web/src/api', 'web/src/platform', 'web/src/writers', 'web/src/worker'],
    ...[
      'web/src/protocol',
      'web/src/sources',
      'web/src/engine',
      'web/src/networks',
      'web/src/model',
      'web/tools/files',
      'web/tools/convert',
    ],
    ...['web/tools/crypto', 'web/tools/inspection', 'web/tools/writing', 'web/tools/hub'],
    ...['web/tools/host', 'web/tools/audio', 'web/tools/capture'],
    ...['web/tools/cache', 'web/tools/module', 'web/tools/vad', 'web/tools/plan'],
    ...['web/tools/script', 'web/tools/speakers'],
  ],
  // What a page puts around a model.
  'web/page': ['web/src', 'web/src/api', 'web/src/writers', 'web/tools/capture'],
  'web/cli': [
    ...['web/src', 'web/src/api', 'web/src/audio', 'web/src/platform', 'web/src/sources'],
    'web/src/writers',
  ],
  'web/demo': [
    ...['web/src', 'web/src/api', 'web/src/audio', 'web/src/engine', 'web/src/platform'],
    ...['web/src/protocol', 'web/src/writers', 'web/page'],
  ],
};

/** Layers that may import only a few files of another layer, and those files. */
const onlyModules = {
  'web/src/sources → web/tools/crypto': {
    importer: /^web\/src\/sources\/load_crypto\.ts$/,
    module: /\/entry\.ts$/,
  },
  // A log-mel spectrogram without a model is that of a model.
  'web/tools/host → web/src/engine': { module: /\/mel\.ts$/ },
  // The command line and the page use what every user of the package has; only its many recordings have workers for all engines.
  'web/cli → web/src': {
    module: /^web\/src\/node(_files|_graph|_cache|_speakers|_workers)?\.(ts|mjs)$/,
  },
  // Whatever is thrown becomes an error of the package; misspelt names are guessed in one way.
  // A recording's download and what is heard of it are one bar. How many engines there may be is said once.
  'web/cli → web/src/api': {
    module:
      /^web\/src\/api\/(generated\/|(errors|near_names|options|overall_progress|progress_callback)\.ts$)/,
  },
  // What a URL or stdin holds is collected as the package does it, before it is known who decodes it.
  'web/cli → web/src/audio': { module: /\/encoded_file\.ts$/ },
  'web/cli → web/src/writers': { module: /\/(columns|time|read_subtitles|white_space)\.ts$/ },
  'web/cli → web/src/sources': { module: /\/model_name\.ts$/ },
  'web/cli → web/src/platform': { module: /\/node_atomic_files\.ts$/ },
  'web/demo → web/src/api': { module: /^web\/src\/api\/(generated\/|joined\.ts$)/ },
  // What a text is, is said once.
  'web/demo → web/src/audio': { module: /\/text_bytes\.ts$/ },
  // How fast it will be depends on the engine that is chosen, and on how many.
  'web/demo → web/src/engine': { module: /\/relaxed_dot\.ts$/ },
  // A part of the page that could not be fetched is tried again; a document runs as subtitles do.
  'web/demo → web/src/platform': { module: /\/(import_again|workers)\.ts$/ },
  // What the outline has read is given back as the package gives back what it has read.
  'web/demo → web/src/protocol': { module: /\/whole_buffers\.ts$/ },
  // Where a sentence ends is said once.
  'web/tools/speakers → web/src/writers': { module: /\/sentence_end\.ts$/ },
  'web/demo → web/src/writers': { module: /\/(direction|sentence_end)\.ts$/ },
  'web/page → web/tools/capture': { module: /\/tap\.ts$/ },
  'web/page → web/src': { module: /^web\/src\/index\.(ts|mjs)$/ },
  // The waveform is made from what the package's own decoders give.
  'web/demo → web/src': {
    module: /^web\/src\/(index|files|graph|cache|speakers|browser_platform)\.(ts|mjs)$/,
  },
  'web/demo → web/page': { module: /^web\/page\/(live|live\/wake_lock|text_track)\.ts$/ },
};

/** The files of web/ that may name Node's own modules. */
const mayImportNode = /^web\/(cli|tools\/hub)\/|\/node\w*\.ts$/;

/** All files below `folder`, as paths from the root with /. */
export function filesBelow(folder, pattern) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(root.length + 1))
    .map((path) => path.replaceAll('\\', '/'))
    .sort();
}

function* matches(path, pattern) {
  const lines = readFileSync(join(root, path), 'utf8').split('\n');
  for (const [index, line] of lines.entries()) {
    for (const match of line.matchAll(pattern)) yield { line: index + 1, found: match };
  }
}

function checkInclude(path, kind, header, used) {
  if (kind === '<') {
    const rule = systemHeaders.find((one) => one.header.test(header));
    return rule && !rule.allowed.test(path) ? rule.why : undefined;
  }
  const inner = path.startsWith('bindings/') ? path : /^src\/(.*)/.exec(path)?.[1];
  // Bindings are one folder, whose headers need no path.
  if (!inner || (path.startsWith('bindings/') && !header.includes('/'))) return undefined;
  if (header.startsWith('facts/')) return undefined; // made from scripts/facts
  if (!header.includes('/')) return 'includes are written from src/: "base/result.h"';
  const from = layerOf(inner);
  const to = layerOf(header);
  if (!from) return `${path} is in no layer of the table`;
  if (from === to) return undefined;
  if (!layers[from].includes(to)) return `${from} may not know ${to ?? header}`;
  used.add(`${from} → ${to}`);
  const allowed = onlyHeaders[`${from} → ${to}`];
  return allowed && !allowed.test(header)
    ? `${from} may include only ${allowed.source}`
    : undefined;
}

function typescriptLayerOf(path) {
  const folder = posix.dirname(path);
  return Object.keys(typescriptLayers)
    .filter((layer) => folder === layer || (layer !== 'web/src' && folder.startsWith(`${layer}/`)))
    .sort((a, b) => b.length - a.length)[0];
}

function checkImport(path, module, used) {
  if (module.startsWith('node:')) {
    return mayImportNode.test(path) ? undefined : "Node's modules belong to Node's own files";
  }
  if (!module.startsWith('.')) return undefined;
  const resolved = posix.join(posix.dirname(path), module).replace(/\.js$/, '.ts');
  const [from, to] = [path, resolved].map(typescriptLayerOf);
  if (!from) return `${path} is in no layer of the table`;
  if (from === to) return undefined;
  if (!to || !typescriptLayers[from].includes(to)) return `${from} may not know ${to ?? resolved}`;
  used.add(`${from} → ${to}`);
  const { importer = /^/, module: allowed = /^/ } = onlyModules[`${from} → ${to}`] ?? {};
  return importer.test(path) && allowed.test(resolved)
    ? undefined
    : `${from} may import from ${to} only as onlyModules says`;
}

/** Permissions that nothing uses, and rows that stand above what they may know. */
function* checkTable(table, used) {
  const rows = Object.keys(table);
  for (const [i, from] of rows.entries()) {
    for (const to of table[from]) {
      if (!used.has(`${from} → ${to}`))
        yield `${from} has a permission for ${to} that nothing uses`;
      if (table === typescriptLayers && rows.indexOf(to) > i) yield `${from} stands above ${to}`;
    }
  }
}

/** Every forbidden include or import, as `file:line: text`. */
export function findLayerViolations() {
  const violations = [];
  const report = (path, line, what, why) => {
    if (why) violations.push(`${path}:${line}: ${what}: ${why}`);
  };
  const used = new Set();
  const cpp = ['src', 'bindings', 'tests'].flatMap((folder) => filesBelow(folder, /\.(h|cc|inc)$/));
  for (const path of cpp) {
    for (const { line, found } of matches(path, /^\s*#\s*include\s*([<"])([^>"]+)[>"]/g)) {
      report(path, line, found[2], checkInclude(path, found[1], found[2], used));
    }
  }
  const imports = /(?:\bfrom\s*|\bimport\s*\(?\s*)['"]([^'"]+)['"]/g;
  for (const path of filesBelow('web', /\.ts$/)) {
    for (const { line, found } of matches(path, imports)) {
      report(path, line, found[1], checkImport(path, found[1], used));
    }
  }
  for (const table of [layers, typescriptLayers]) {
    for (const problem of checkTable(table, used))
      violations.push(`scripts/check_layers.mjs: ${problem}`);
  }
  return violations;
}

if (isProgram(import.meta)) {
  await main(() => {
    const violations = findLayerViolations();
    if (violations.length > 0) throw new StepError(violations.join('\n'));
  });
}
