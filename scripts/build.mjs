// Builds everything, or one part:  node scripts/build.mjs [wasm | native | js]...
// Uses nothing but Node's own modules until node_modules is there.
import { fetchDeps } from './fetch_deps.mjs';
import { isProgram, main } from './toolchain/steps.mjs';
import { ensureNodeModules } from './toolchain/node_modules.mjs';
import { ensureTools } from './toolchain/tools.mjs';
import { buildNativeDriver, buildNativeTests, buildWasm } from './build_cmake.mjs';

const parts = {
  wasm: buildWasm,
  async native() {
    await buildNativeTests();
    await buildNativeDriver();
  },
  async js() {
    const { buildJs } = await import('./build_js.mjs');
    await buildJs();
  },
};

/** Sets up and builds the named parts, in the order given. */
export async function buildParts(names) {
  const compiles = names.some((name) => name !== 'js');
  const tools = [
    ...(compiles ? ['cmake', 'ninja'] : []),
    ...(names.includes('wasm') ? ['emcc'] : []),
    ...(names.includes('native') ? ['cxx'] : []),
  ];
  await Promise.all([ensureNodeModules(), ensureTools(tools), compiles && fetchDeps()]);
  for (const name of names) await parts[name]();
}

if (isProgram(import.meta)) {
  await main(() => {
    const names = process.argv.slice(2);
    return buildParts(names.length > 0 ? names : Object.keys(parts));
  });
}
