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
  decode: ['base', 'text', 'kernels'],
  align: ['base', 'kernels'],
  convert: [
    ...['base', 'stream', 'container', 'container/apr1', 'container/ggml', 'tensor', 'kernels'],
    'families/whisper',
  ],
  session: ['base', 'tensor', 'kernels', 'audio', 'text', 'families/whisper', 'decode', 'align'],
  bindings: [
    ...['base', 'parallel', 'container', 'container/apr1', 'kernels', 'audio', 'families/whisper'],
    ...['convert', 'session'],
  ],
};

/** From a layer that needs only declarations of another: the headers it may include. */
const onlyHeaders = {
  // What a file's metadata may be; metadata.h knows nothing itself.
  'container → families/whisper': /^families\/\w+\/metadata\.h$/,
  'container/apr1 → families/whisper': /^families\/whisper\/(tensor_names|dimension_order)\.h$/,
  'tensor → container': /^container\/(dtype|shape|tensor_info|model_metadata|model_reader)\.h$/,
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

/** TypeScript: modules (as resolved paths or names) and the files that may import them. */
const typescriptRules = [
  {
    module: /^node:/,
    allowed:
      /^(web\/src\/(platform\/node\w*\.ts|node\.ts|worker\/.*node.*\.ts|cli\/|hub\/)|tests\/|scripts\/)/,
    why: "Node's modules belong to Node's own entries",
  },
  {
    // The command line and the page use what every user of the package has; files are written in one way.
    module: /^web\/src\/(?!(index|node)\.(ts|mjs)$|cli\/|generated\/|platform\/node_atomic_files\.ts$)/,
    importer: /^web\/(demo|src\/cli)\//,
    why: 'web/demo and web/src/cli import only the public entries and generated facts',
  },
  {
    module: /^web\/demo\//,
    importer: /^web\/src\//,
    why: 'the package does not know the page',
  },
];

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

function checkImport(path, module) {
  const resolved = module.startsWith('.')
    ? posix.join(posix.dirname(path), module).replace(/\.js$/, '.ts')
    : module;
  return typescriptRules.find(
    (rule) =>
      rule.module.test(resolved) &&
      !rule.allowed?.test(path) &&
      (rule.importer === undefined || rule.importer.test(path)),
  )?.why;
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
  for (const [from, allowed] of Object.entries(layers)) {
    for (const to of allowed.filter((layer) => !used.has(`${from} → ${layer}`))) {
      violations.push(
        `scripts/check_layers.mjs: ${from} has a permission for ${to} that nothing uses`,
      );
    }
  }
  const imports = /(?:\bfrom\s*|\bimport\s*\(?\s*)['"]([^'"]+)['"]/g;
  for (const path of filesBelow('web', /\.ts$/)) {
    for (const { line, found } of matches(path, imports)) {
      report(path, line, found[1], checkImport(path, found[1]));
    }
  }
  return violations;
}

if (isProgram(import.meta)) {
  await main(() => {
    const violations = findLayerViolations();
    if (violations.length > 0) throw new StepError(violations.join('\n'));
  });
}
