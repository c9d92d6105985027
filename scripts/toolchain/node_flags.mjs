// Flags that this Node needs for what our tests and the command line do.
import { spawnSync } from 'node:child_process';

const relaxedFlag = '--experimental-wasm-relaxed-simd';

// (module (func (result v128) … i8x16.relaxed_swizzle)): valid only where relaxed SIMD is.
const probe =
  'process.exit(WebAssembly.validate(new Uint8Array([0,97,115,109,1,0,0,0,1,5,1,96,0,1,123,3,2,1,0,10,15,1,13,0,' +
  '65,1,253,15,65,2,253,15,253,128,2,11])) ? 0 : 1)';

const canRunWith = (node, flags) =>
  spawnSync(node, [...flags, '-e', probe], { stdio: 'ignore' }).status === 0;

/**
 * Flags under which this Node, or another, runs relaxed SIMD: none, one, or undefined when it cannot.
 * @type {(node?: string) => readonly string[] | undefined}
 */
export function relaxedSimdFlags(node = process.execPath) {
  return [[], [relaxedFlag]].find((flags) => canRunWith(node, flags));
}

/**
 * Whether this Node computes relaxed SIMD alike before and after V8 has optimised it. Node 20, where it is behind a flag, does
 * not: then bits change while a program runs, and the engine leaves the relaxed dot product alone.
 * @type {() => boolean}
 */
export const hasSettledRelaxedSimd = () => Number(process.versions.node.split('.')[0]) >= 22;

/** What Node needs to run jest with ES modules. */
export const jestFlags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
