// Jobs in Node: each in a process of its own.
import { fork, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { relaxedSimdFlags } from '../toolchain/node_flags.mjs';
import { StepError } from '../toolchain/steps.mjs';

/** `node`: path of the program, `processor`: the only one that it may use (absent: all; needs taskset). Returns {title, knowsRelaxed, loadSources (of measure_load.mjs), run(job), close()}. */
export function openNode(node, processor) {
  const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
  const flags = relaxedSimdFlags(node);
  const program =
    processor === undefined
      ? { execPath: node, execArgv: flags ?? [] }
      : { execPath: 'taskset', execArgv: ['-c', String(processor), node, ...(flags ?? [])] };
  const run = (job) =>
    new Promise((done, failed) => {
      const child = fork(join(import.meta.dirname, 'node_job.mjs'), program);
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
