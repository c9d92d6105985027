// The C++ builds: WebAssembly (build/wasm), native with sanitizers (build/native-sanitized), for one's own cases between edits
// (build/native-fast), native (build/native).
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { root, run, step, StepError } from './toolchain/steps.mjs';
import { emscriptenEnvironment, ensureTools } from './toolchain/tools.mjs';

/** Configures `folder` unless it already was with exactly these arguments, then builds `targets`. */
async function build({ name, folder, configure, env, ninja, targets }) {
  const path = join(root, 'build', folder);
  const stamp = join(path, 'configured.json');
  const wanted = JSON.stringify({ configure, root });
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
    rmSync(path, { recursive: true, force: true });
    mkdirSync(path, { recursive: true });
    await step(`configuring ${name}`, () =>
      run(configure[0], configure.slice(1), { env, what: `configuring ${name}` }),
    );
    writeFileSync(stamp, wanted);
  }
  const jobs = String(process.env.SUSURRUS_JOBS ?? availableParallelism());
  await step(`building ${name}`, () =>
    run(ninja, ['-C', path, '-j', jobs, ...targets], {
      env,
      what: `building ${name}`,
      advice: `The compiler's messages stand above. Once more by hand: ninja -C build/${folder} ${targets.join(' ')}`,
    }),
  );
}

const common = (cmake, ninja, folder) => [
  ...[cmake, '-S', root, '-B', join(root, 'build', folder), '-G', 'Ninja'],
  `-DCMAKE_MAKE_PROGRAM=${ninja}`,
];

async function buildWasm(options) {
  const { emcc, cmake, ninja } = await ensureTools(['emcc', 'cmake', 'ninja']);
  const platform = join(dirname(emcc), 'cmake/Modules/Platform/Emscripten.cmake');
  await build({
    ...options,
    folder: 'wasm',
    configure: [
      ...common(cmake, ninja, 'wasm'),
      `-DCMAKE_TOOLCHAIN_FILE=${platform}`,
      '-DCMAKE_BUILD_TYPE=Release',
    ],
    env: emscriptenEnvironment(emcc),
    ninja,
  });
}

/** The engines in WebAssembly, both variants, for one thread and for several; those of networks; and the module that reads and converts files. */
export async function buildEngines() {
  const names = ['simd', 'relaxed', 'simd-threads', 'relaxed-threads'];
  await buildWasm({
    name: 'the engines',
    targets: [
      ...names.map((name) => `engine_${name}`),
      ...['networks_simd', 'networks_relaxed', 'files', 'make_vad_model'],
    ],
  });
  checkEmscriptenModules('engine', 'simd', 'relaxed');
  checkEmscriptenModules('engine', 'simd-threads', 'relaxed-threads');
  checkEmscriptenModules('networks', 'simd', 'relaxed');
  checkTypes();
  await makeVadModel();
}

/** Where the sources keep what embind says of each module, so that types can be checked before anything is built. */
const keptTypes = {
  engine: 'web/src/engine/engine.d.mts',
  networks: 'web/src/networks/networks.d.mts',
  files: 'web/tools/files/files.d.mts',
};

function checkTypes() {
  const stale = Object.entries(keptTypes).filter(
    ([module, kept]) =>
      readFileSync(join(root, `build/wasm/${module}.d.ts`), 'utf8') !==
      readFileSync(join(root, kept), 'utf8'),
  );
  if (stale.length === 0) return;
  throw new StepError(
    `The bindings are no longer what these say: ${stale.map(([, kept]) => kept).join(', ')}`,
    stale.map(([module, kept]) => `cp build/wasm/${module}.d.ts ${kept}`).join('\n'),
  );
}

/** models/vad.tsm, from Silero's network as npm has it. */
async function makeVadModel() {
  const program = join(root, 'build/wasm/make_vad_model.cjs');
  const network = join(root, 'build/deps/vad-web-0.0.31/dist/silero_vad_v6.onnx');
  const model = join(root, 'models/vad.tsm');
  const isNewer = (input) => statSync(input).mtimeMs > statSync(model).mtimeMs;
  if (existsSync(model) && ![program, network].some(isNewer)) return;
  await step('making models/vad.tsm', async () => {
    const unfinished = join(root, 'build/vad.tsm');
    await run(process.execPath, [program, network, unfinished], { what: 'making models/vad.tsm' });
    copyFileSync(unfinished, model);
  });
}

/** The core tests in WebAssembly, once for each engine's kernels. */
export const buildWasmTests = () =>
  buildWasm({
    name: 'the tests in WebAssembly',
    targets: ['core_tests_simd', 'core_tests_relaxed'],
  });

/** One file of JavaScript serves both variants; that only holds while emcc writes the same one for both. */
function checkEmscriptenModules(module, ...names) {
  const [one, other] = names.map((name) =>
    readFileSync(join(root, `build/wasm/${module}.${name}.mjs`), 'utf8').replaceAll(
      `${module}.${name}.`,
      `${module}.`,
    ),
  );
  if (one !== other) {
    throw new StepError(
      `The Emscripten modules of ${module} ${names.join(' and ')} differ.`,
      'Both must be linked with the same flags and bindings: see bindings/link_flags.cmake.',
    );
  }
}

async function buildNative(options, compiler = 'cxx') {
  const { cmake, ninja, [compiler]: cxx } = await ensureTools(['cmake', 'ninja', compiler]);
  // The C compiler of the same make and place: g++-12 → gcc-12, clang++ → clang, c++ → cc.
  const cc = cxx.replace(/([^/]*)$/, (name) =>
    name.replace('clang++', 'clang').replace('g++', 'gcc').replace('c++', 'cc'),
  );
  await build({
    ...options,
    configure: [
      ...common(cmake, ninja, options.folder),
      `-DCMAKE_C_COMPILER=${cc}`,
      `-DCMAKE_CXX_COMPILER=${cxx}`,
      ...options.configure,
    ],
    ninja,
  });
}

/** With AddressSanitizer and UndefinedBehaviorSanitizer. Tests and fuzzers share the objects of the core. */
const buildSanitized = (name, target) =>
  buildNative(
    {
      name,
      folder: 'native-sanitized',
      configure: ['-DCMAKE_BUILD_TYPE=Debug', '-DSUSURRUS_SANITIZE=ON', '-DSUSURRUS_FUZZ=ON'],
      targets: [target],
    },
    'fuzzer',
  );

export const buildNativeTests = () =>
  buildSanitized('the native tests (ASan, UBSan)', 'core_tests');

/** The core tests natively, without sanitizers: soon compiled again after an edit. */
export const buildFastTests = () =>
  buildNative(
    {
      name: 'the native tests',
      folder: 'native-fast',
      configure: ['-DCMAKE_BUILD_TYPE=Debug', '-DSUSURRUS_FAST=ON'],
      targets: ['core_tests'],
    },
    'fuzzer',
  );

/** The native program that the model tests drive. */
export const buildNativeDriver = () => buildSanitized('the native driver', 'engine_driver');

/** A program for each of tests/fuzz, and the one that makes their seeds. */
export const buildFuzzers = () => buildSanitized('the fuzzers', 'fuzz');

/** The program that lists the operators for docs/graphs.md and docs/dev/graphs.md. */
export const buildOperatorList = () =>
  buildWasm({ name: 'the list of operators', targets: ['list_operators'] });

/** What npm run bench -- load sets loading against, natively and in WebAssembly. */
export async function buildLoadLimits() {
  const targets = ['load_limits'];
  await buildWasm({ name: "loading's limits in WebAssembly", targets });
  const configure = ['-DCMAKE_BUILD_TYPE=Release'];
  await buildNative({ folder: 'native', configure, name: "loading's limits", targets });
}
