// A Node in which relaxed SIMD computes alike at all times runs the evaluation: this one, or the benchmark's.
import { spawn } from 'node:child_process';
import { hasSettledRelaxedSimd, relaxedSimdFlags } from '../../toolchain/node_flags.mjs';
import { nodeToMeasureIn } from '../hearing.mjs';

/** Whether this is such a Node. Else the script has run in one when this resolves, with its exit status as ours. */
export async function inEvaluationNode() {
  if (hasSettledRelaxedSimd()) return true;
  const node = await nodeToMeasureIn();
  const child = spawn(node, [...(relaxedSimdFlags(node) ?? []), ...process.argv.slice(1)], {
    stdio: 'inherit',
  });
  process.exitCode = await new Promise((done, failed) => {
    child.once('error', failed);
    child.once('close', (code) => done(code ?? 1));
  });
  return false;
}
