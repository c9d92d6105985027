// Jobs in Node: each in a process of its own.
import { fork, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { relaxedSimdFlags } from '../toolchain/node_flags.mjs';
import { StepError } from '../toolchain/steps.mjs';

/** `node`: path of the program. Returns {title, knowsRelaxed, loadSources (of measure_load.mjs), run(job), close()}. */
export function openNode(node) {
  const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
  const flags = relaxedSimdFlags(node);
  const run = (job) =>
    new Promise((done, failed) => {
      const child = fork(join(import.meta.dirname, 'node_job.mjs'), {
        execPath: node,
        execArgv: flags ?? [],
      });
      let answer;
      child.once('message', (message) => (answer = message));
      child.once('error', failed);
      child.once('exit', (code) => {
        if (answer?.result) done(answer.result);
        else failed(new StepError(`A measurement failed: ${answer?.error ?? `status ${code}`}`));
      });
      child.send(job);
    });
  return {
    title: `Node ${version.slice(1)}`,
    knowsRelaxed: flags !== undefined,
    loadSources: ['memory', 'stream'],
    run,
    close: () => Promise.resolve(),
  };
}
