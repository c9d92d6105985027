// Sets up and builds the package, or the named parts:
//
//   node scripts/build.mjs [wasm | js | wasm-tests | native-tests | native-fast | driver | fuzzers | load-limits | operators]...
//
// Uses nothing but Node's own modules until node_modules is there.
import {
  buildEngines,
  buildFastTests,
  buildFuzzers,
  buildLoadLimits,
  buildNativeDriver,
  buildNativeTests,
  buildOperatorList,
  buildWasmTests,
} from './build_cmake.mjs';
import { fetchDeps } from './fetch_deps.mjs';
import { generateFacts } from './generate_facts.mjs';
import { isProgram, main, StepError } from './toolchain/steps.mjs';
import { ensureNodeModules } from './toolchain/node_modules.mjs';
import { ensureTools } from './toolchain/tools.mjs';

const forWasm = ['cmake', 'ninja', 'emcc'];
const forSanitized = ['cmake', 'ninja', 'fuzzer'];

export const parts = {
  wasm: { tools: forWasm, build: buildEngines },
  js: {
    tools: [],
    async build() {
      const { buildJs } = await import('./build_js.mjs');
      await buildJs();
      // Written by the package that was built.
      const { ensureSpeakersModel } = await import('./speakers_model.mjs');
      await ensureSpeakersModel();
    },
  },
  'wasm-tests': { tools: forWasm, build: buildWasmTests },
  'native-tests': { tools: forSanitized, build: buildNativeTests },
  'native-fast': { tools: forSanitized, build: buildFastTests },
  driver: { tools: forSanitized, build: buildNativeDriver },
  fuzzers: { tools: forSanitized, build: buildFuzzers },
  'load-limits': { tools: [...forWasm, 'cxx'], build: buildLoadLimits },
  operators: { tools: forWasm, build: buildOperatorList },
};

/** Obtains what building the named parts takes, and `tools` besides. */
export async function setUp(names, tools = []) {
  const unknown = names.find((name) => !(name in parts));
  if (unknown)
    throw new StepError(`No such part: ${unknown}`, `Parts: ${Object.keys(parts).join(', ')}`);
  generateFacts();
  const wanted = new Set([...tools, ...names.flatMap((name) => parts[name].tools)]);
  await Promise.all([
    ensureNodeModules(),
    ensureTools([...wanted]),
    wanted.has('cmake') ? fetchDeps() : undefined,
  ]);
}

/** Sets up and builds the named parts, in the order given; `tools` are wanted besides. */
export async function buildParts(names, tools = []) {
  await setUp(names, tools);
  for (const name of names) await parts[name].build();
}

if (isProgram(import.meta)) {
  const names = process.argv.slice(2);
  await main(() => buildParts(names.length > 0 ? names : ['wasm', 'js']));
}
